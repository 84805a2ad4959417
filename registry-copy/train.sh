#!/bin/sh
# usage: registry-copy/train.sh JAVA [APPLICATION]. Copies two disks, raw and qcow2, out of a registry.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
java=$1
work=$(mktemp -d)
pid=
web=
trap '[ -z "$pid$web" ] || kill $pid $web 2>/dev/null || true; rm -rf "$work"' EXIT
. "$here/../service-parent/train-registry.sh"
export REGISTRY_COPY_INSECURE_REGISTRIES="$host"

exercise() {
  for image in raw qcow2; do
    curl -sf -o /dev/null -X PUT -H 'Content-Type: application/json' \
      -d "{\"image\":\"docker://$host/$image\"}" "$1/volume" || { cat "$work/log" >&2; exit 70; }
    curl -sf -o /dev/null "$1/volume/status"
    curl -sf -o /dev/null -X DELETE "$1/volume"
  done
}

. "$here/../service-parent/train-service.sh"
