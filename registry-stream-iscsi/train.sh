#!/bin/sh
# usage: registry-stream-iscsi/train.sh JAVA. Exports two disks, raw and qcow2, out of a registry of
# static files, which is all that the pulling side of the distribution specification needs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
java=$1
work=$(mktemp -d)
pid=
web=
trap '[ -z "$pid$web" ] || kill $pid $web 2>/dev/null || true; rm -rf "$work"' EXIT

# registry NAME LAYOUT: lays the layout's files out by the paths of the specification.
registry() {
  mkdir -p "$work/registry/v2/$1/manifests" "$work/registry/v2/$1/blobs"
  for blob in "$2"/blobs/sha256/*; do
    mv "$blob" "$work/registry/v2/$1/blobs/sha256:${blob##*/}"
  done
  manifest=$(grep -o 'sha256:[0-9a-f]*' "$2/index.json")
  mv "$work/registry/v2/$1/blobs/$manifest" "$work/registry/v2/$1/manifests/latest"
}

head -c 67108864 /dev/urandom >"$work/disk.img"
"$here/../it/oci-layout.sh" "$work/disk.img" "$work/raw"
"$here/../it/oci-layout.sh" "$here/../it/fixtures/demo.qcow2" "$work/qcow2"
registry raw "$work/raw"
registry qcow2 "$work/qcow2"
: >"$work/web"
"$(dirname "$java")/jwebserver" -b 127.0.0.1 -p 0 -d "$work/registry" -o none >"$work/web" 2>&1 &
web=$!
host=
for _ in $(seq 100); do
  host=$(sed -n 's#.*http://\([0-9.:]*\)/.*#\1#p' "$work/web")
  [ -n "$host" ] && break
  sleep 0.1
done
[ -n "$host" ] || { cat "$work/web" >&2; exit 70; }
export REGISTRY_STREAM_ISCSI_INSECURE_REGISTRIES="$host" REGISTRY_STREAM_ISCSI_PORT=0

exercise() {
  for image in raw qcow2; do
    curl -sf -o /dev/null -X PUT -H 'Content-Type: application/json' \
      -d "{\"image\":\"docker://$host/$image\"}" "$1/volume" || { cat "$work/log" >&2; exit 70; }
    curl -sf -o /dev/null "$1/volume/status"
    curl -sf -o /dev/null -X DELETE "$1/volume"
  done
}

. "$here/../.mvn/train-service.sh"
