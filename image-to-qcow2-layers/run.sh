#!/bin/sh
# usage: image-to-qcow2-layers/run.sh [--once | --dry-run | --inspect | --gc | --help]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# Most of what it allocates lives for one entry: a small young generation saves 20 MiB and no time.
service_flags=-Xmn20m
. "$here/../.mvn/run-service.sh"
