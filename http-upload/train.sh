#!/bin/sh
# Trains the AOT cache of the packaged service: starts it on a temporary volume, asks what a first
# client asks, in clear and over TLS, and stops it. Run by the build after packaging; $1 is the java
# to train. Without curl only the start is trained, without openssl only uploads in clear.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
app=$here/target/quarkus-app
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
rm -f "$app/app.aot"
: >"$work/log"

mkdir "$work/volume"

if command -v openssl >/dev/null 2>&1; then
  openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost \
    -keyout "$work/tls.key" -out "$work/tls.crt" 2>/dev/null
  export POPULATOR_TLS_CERTIFICATE="$work/tls.crt" POPULATOR_TLS_KEY="$work/tls.key"
  export POPULATOR_TLS_PORT=0 QUARKUS_HTTP_INSECURE_REQUESTS=enabled
fi
env POPULATOR_TARGET="$work/volume" QUARKUS_HTTP_HOST=127.0.0.1 QUARKUS_HTTP_PORT=0 \
  "$1" -XX:AOTCacheOutput="$app/app.aot" -XX:+UseSerialGC -Xmx128m -XX:-UsePerfData \
  --enable-native-access=ALL-UNNAMED -jar "$app/quarkus-run.jar" >"$work/log" 2>&1 &
pid=$!

listening=
for _ in $(seq 300); do
  listening=$(sed -n 's/.*Listening on: //p' "$work/log")
  [ -n "$listening" ] && break
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.1
done
if [ -z "$listening" ]; then
  cat "$work/log" >&2
  exit 70
fi
if command -v curl >/dev/null 2>&1; then
  # As much as makes the data path hot: more only adds profiles of what is rare.
  head -c 134217728 /dev/urandom >"$work/disk"
  for url in $(echo "$listening" | grep -o 'https*://[^ ]*'); do
    curl -skf -o /dev/null "$url/q/health/ready"
    curl -skf -o /dev/null "$url/volume/status"
    curl -skf -o /dev/null -T "$work/disk" "$url/upload"
    curl -skf -o /dev/null "$url/volume"
    curl -skf -o /dev/null -X DELETE "$url/volume"
  done
fi
kill "$pid"
stopped=$pid
pid=
# 143 is what a JVM says after SIGTERM.
wait "$stopped" || [ $? -eq 143 ] || { cat "$work/log" >&2; exit 70; }
[ -s "$app/app.aot" ] || { cat "$work/log" >&2; exit 70; }
