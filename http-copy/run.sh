#!/bin/sh
# usage: http-copy/run.sh [ARGUMENT...]; --help shows what there is
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../service-parent/run-service.sh"
