#!/bin/sh
# usage: http-copy/train.sh JAVA [APPLICATION]. Copies two disks, raw and qcow2, from a web server.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
java=$1
work=$(mktemp -d)
pid=
web=
trap '[ -z "$pid$web" ] || kill $pid $web 2>/dev/null || true; rm -rf "$work"' EXIT
. "$here/../service-parent/train-web.sh"
head -c 67108864 /dev/urandom >"$work/web/raw"
cp "$here/../it/fixtures/demo.qcow2" "$work/web/qcow2"
export HTTP_COPY_INSECURE_HOSTS="$host" HTTP_COPY_ALLOWED_HOSTS="$host"

exercise() {
  for disk in raw qcow2; do
    curl -sf -o /dev/null -X PUT -H 'Content-Type: application/json' \
      -d "{\"url\":\"http://$host/$disk\"}" "$1/volume" || { cat "$work/log" >&2; exit 70; }
    curl -sf -o /dev/null "$1/volume/status"
    curl -sf -o /dev/null -X DELETE "$1/volume"
  done
}

. "$here/../service-parent/train-service.sh"
