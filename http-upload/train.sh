#!/bin/sh
# Trains the AOT cache of the packaged service: starts it on a temporary volume, asks what a first
# client asks, and stops it. Run by the build after packaging; $1 is the java to train.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
app=$here/target/quarkus-app
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
rm -f "$app/app.aot"
: >"$work/log"

mkdir "$work/volume"
env POPULATOR_TARGET="$work/volume" QUARKUS_HTTP_HOST=127.0.0.1 QUARKUS_HTTP_PORT=0 \
  "$1" -XX:AOTCacheOutput="$app/app.aot" -XX:+UseSerialGC -Xmx128m -XX:-UsePerfData \
  --enable-native-access=ALL-UNNAMED -jar "$app/quarkus-run.jar" >"$work/log" 2>&1 &
pid=$!

url=
for _ in $(seq 300); do
  url=$(sed -n 's/.*Listening on: \(http:[^ ]*\).*/\1/p' "$work/log")
  [ -n "$url" ] && break
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.1
done
if [ -z "$url" ]; then
  cat "$work/log" >&2
  exit 70
fi
if command -v curl >/dev/null 2>&1; then
  curl -sf -o /dev/null "$url/q/health/ready"
  curl -sf -o /dev/null "$url/volume/status"
  # As much as makes the data path hot: more only adds profiles of what is rare.
  head -c 134217728 /dev/urandom >"$work/disk"
  curl -sf -o /dev/null -T "$work/disk" "$url/upload"
  curl -sf -o /dev/null "$url/volume"
  curl -sf -o /dev/null -X DELETE "$url/volume"
fi
kill "$pid"
stopped=$pid
pid=
# 143 is what a JVM says after SIGTERM.
wait "$stopped" || [ $? -eq 143 ] || { cat "$work/log" >&2; exit 70; }
[ -s "$app/app.aot" ] || { cat "$work/log" >&2; exit 70; }
