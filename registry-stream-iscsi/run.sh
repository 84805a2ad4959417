#!/bin/sh
# usage: registry-stream-iscsi/run.sh [ARGUMENT...]; --help lists the arguments and settings
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../service-parent/run-service.sh"
