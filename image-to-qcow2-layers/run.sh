#!/bin/sh
# usage: image-to-qcow2-layers/run.sh [--once | --dry-run | --inspect | --gc | --help]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# Most of what it allocates lives for one entry: a small young generation saves 20 MiB and no time.
# A heap of 112 MiB is enough for a million entries, and keeps images of many layers under 256 MiB.
service_flags="-Xmn20m -Xmx112m"
. "$here/../.mvn/run-service.sh"
