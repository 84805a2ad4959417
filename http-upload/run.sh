#!/bin/sh
# Runs the packaged service with the flags that its container image has, too.
# usage: http-upload/run.sh [--once] [--help]; settings by environment variables (README.md).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../.mvn/find-jdk.sh"
app=$here/target/quarkus-app
[ -f "$app/quarkus-run.jar" ] || {
  echo "Nothing to run yet: build with ./mvnw -DskipTests package" >&2
  exit 69
}
# The class-data cache belongs to one JVM; without it the start takes three times as long.
cache=$app/app.aot
# shellcheck disable=SC2086 # JAVA_OPTS holds several words
exec "$JAVA_HOME/bin/java" \
  -XX:AOTCache="$cache" -Xlog:aot=off -Xlog:cds=off \
  -XX:+UseSerialGC -Xmx128m -XX:MaxDirectMemorySize=64m -XX:-UsePerfData \
  --enable-native-access=ALL-UNNAMED ${JAVA_OPTS:-} \
  -jar "$app/quarkus-run.jar" "$@"
