#!/bin/sh
# usage: registry-stream-iscsi/run.sh [--once | --help]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../.mvn/run-service.sh"
