#!/bin/sh
# usage: operator/run.sh [ARGUMENT...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../service-parent/run-service.sh"
