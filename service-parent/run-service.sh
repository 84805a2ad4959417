# Runs a packaged service with the flags that its container image has, too
# (service-parent/java.args, and java.args in the service's folder); sourced by SERVICE/run.sh,
# whose folder is "$here". Environment variables contain the settings (SERVICE/README.md); JAVA_OPTS
# contains flags that are added last.
. "$here/../.mvn/find-jdk.sh"
app=$here/target/quarkus-app
[ -f "$app/quarkus-run.jar" ] || {
  echo "Nothing to run yet: build with make build" >&2
  exit 69
}
service_flags=
[ ! -f "$here/java.args" ] || service_flags=@$here/java.args
# Otherwise glibc keeps an arena of freed memory for each thread, and the heap keeps all memory that
# it once had.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
# The AOT cache belongs to one JVM and to one folder; without it the start takes three times as
# long. In another folder the JVM accepts the cache, too, but ends when it needs a class of XZ's
# sealed jar that is not in the cache. The cache also belongs to the jars that it was made from: a
# build replaces these before it makes another cache.
. "$here/../.mvn/jars.sh"
trained=
jars=
[ ! -f "$here/target/trained-in" ] || { IFS= read -r trained && IFS= read -r jars; } \
  <"$here/target/trained-in" || true
cache=
[ "$trained" != "$app" ] || [ "$jars" != "$(jars "$app")" ] || cache=-XX:AOTCache=$app/app.aot
# shellcheck disable=SC2086 # JAVA_OPTS holds several words
exec "$JAVA_HOME/bin/java" ${cache:+"$cache"} -Xlog:aot=off -Xlog:cds=off \
  "@$here/../service-parent/java.args" ${service_flags:+"$service_flags"} ${JAVA_OPTS:-} \
  -jar "$app/quarkus-run.jar" "$@"
