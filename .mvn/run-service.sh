# Runs a packaged service with the flags that its container image has, too; sourced by
# SERVICE/run.sh, whose folder is "$here", and which may set "$service_flags". Settings by environment
# variables (SERVICE/README.md).
. "$here/../.mvn/find-jdk.sh"
app=$here/target/quarkus-app
[ -f "$app/quarkus-run.jar" ] || {
  echo "Nothing to run yet: build with ./mvnw -DskipTests package" >&2
  exit 69
}
# The class-data cache belongs to one JVM; without it the start takes three times as long.
cache=$app/app.aot
# glibc otherwise keeps an arena of freed memory for each thread, and the heap what it once had.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
# shellcheck disable=SC2086 # they hold several words
exec "$JAVA_HOME/bin/java" \
  -XX:AOTCache="$cache" -Xlog:aot=off -Xlog:cds=off \
  -XX:+UseSerialGC -Xmx128m -XX:MaxDirectMemorySize=64m -XX:-UsePerfData \
  -XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=30 \
  --enable-native-access=ALL-UNNAMED ${service_flags:-} ${JAVA_OPTS:-} \
  -jar "$app/quarkus-run.jar" "$@"
