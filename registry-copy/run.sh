#!/bin/sh
# usage: registry-copy/run.sh [--once | --dry-run | --help]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../.mvn/run-service.sh"
