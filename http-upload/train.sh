#!/bin/sh
# usage: http-upload/train.sh JAVA [APPLICATION]. Uploads to the service by plain HTTP and over TLS.
# If openssl is missing, uploads by plain HTTP only.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
java=$1
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT

if command -v openssl >/dev/null 2>&1; then
  openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost \
    -keyout "$work/tls.key" -out "$work/tls.crt" 2>/dev/null
  export POPULATOR_TLS_CERTIFICATE="$work/tls.crt" POPULATOR_TLS_KEY="$work/tls.key"
  export POPULATOR_TLS_PORT=0 QUARKUS_HTTP_INSECURE_REQUESTS=enabled
fi

exercise() {
  # This is enough data for the JIT compiler to compile the data path. More data would only add
  # profiles of rarely used code.
  head -c 134217728 /dev/urandom >"$work/disk"
  for url in "$@"; do
    curl -skf -o /dev/null "$url/q/health/ready"
    curl -skf -o /dev/null "$url/volume/status"
    curl -skf -o /dev/null -T "$work/disk" "$url/upload"
    curl -skf -o /dev/null "$url/volume"
    curl -skf -o /dev/null -X DELETE "$url/volume"
  done
}

. "$here/../service-parent/train-service.sh"
