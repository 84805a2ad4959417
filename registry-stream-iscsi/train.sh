#!/bin/sh
# usage: registry-stream-iscsi/train.sh JAVA [APPLICATION]. Exports two disks, raw and qcow2, out of a registry.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
java=$1
work=$(mktemp -d)
pid=
web=
trap '[ -z "$pid$web" ] || kill $pid $web 2>/dev/null || true; rm -rf "$work"' EXIT
. "$here/../service-parent/train-registry.sh"
# With READY=complete, DELETE does not interrupt a pull: the code of failures should not be in the
# cache.
export REGISTRY_STREAM_ISCSI_INSECURE_REGISTRIES="$host" REGISTRY_STREAM_ISCSI_PORT=0 \
  REGISTRY_STREAM_ISCSI_READY=complete

exercise() {
  for image in raw qcow2; do
    curl -sf -o /dev/null -X PUT -H 'Content-Type: application/json' \
      -d "{\"image\":\"docker://$host/$image\"}" "$1/volume" || { cat "$work/log" >&2; exit 70; }
    curl -sf -o /dev/null "$1/volume/status"
    curl -sf -o /dev/null -X DELETE "$1/volume"
  done
}

. "$here/../service-parent/train-service.sh"
