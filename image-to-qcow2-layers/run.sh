#!/bin/sh
# usage: image-to-qcow2-layers/run.sh [ARGUMENT...]; --help lists the arguments and settings
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../service-parent/run-service.sh"
