#!/bin/sh
# usage: image-to-qcow2-layers/run.sh [--once | --dry-run | --inspect | --gc | --help]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../.mvn/run-service.sh"
