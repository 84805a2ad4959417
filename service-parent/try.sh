#!/bin/sh
# Runs a packaged service on a folder below the current one and on 127.0.0.1, unless the environment says
# otherwise. SERVICE/try.env names the folder and the arguments; its settings are environment variables.
# usage: service-parent/try.sh SERVICE
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
service=$1
folder=volume
arguments=
# shellcheck source=/dev/null
[ ! -f "$root/$service/try.env" ] || . "$root/$service/try.env"
export POPULATOR_TARGET="${POPULATOR_TARGET:-$folder}" \
  QUARKUS_HTTP_HOST="${QUARKUS_HTTP_HOST:-127.0.0.1}"
mkdir -p "$POPULATOR_TARGET"
# shellcheck disable=SC2086 # several words
exec "$root/$service/run.sh" $arguments
