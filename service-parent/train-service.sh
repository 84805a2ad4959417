# Trains the AOT cache of a packaged service: starts it, sends it the requests of a first client,
# and stops it. Sourced by SERVICE/train.sh, which the build runs after packaging; "$here" is its
# folder, "$java" the java to train, "$work" a temporary folder that is removed at the end,
# "exercise" a function that gets the URLs at which the service listens. Without curl only the start
# is trained. A second argument names another folder with the packaged service, which gets the
# cache: the service is then started in that folder, as in its image. A cache is valid only for jars
# at the same path; at another path the JVM accepts it, but ends when it loads a sealed jar.
app=${2:-$here/target/quarkus-app}
jar=$app/quarkus-run.jar
if [ $# -gt 1 ]; then
  cd "$app"
  jar=quarkus-run.jar
else
  rm -f "$here/target/trained-in"
fi
pid=
rm -f "$app/app.aot"
. "$here/../.mvn/jars.sh"
jars=$(jars "$app")
mkdir "$work/volume"
: >"$work/log"

# With the service's own flags: the cache also contains profiles of methods for the second compiler,
# which a service without this compiler does not need.
service_flags=
[ ! -f "$here/java.args" ] || service_flags=@$here/java.args
env POPULATOR_TARGET="$work/volume" QUARKUS_HTTP_HOST=127.0.0.1 QUARKUS_HTTP_PORT=0 \
  "$java" -XX:AOTCacheOutput="$app/app.aot" "@$here/../service-parent/java.args" \
  ${service_flags:+"$service_flags"} -jar "$jar" >"$work/log" 2>&1 &
pid=$!

listening=
# Five minutes, for a loaded machine.
for _ in $(seq 3000); do
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
  # shellcheck disable=SC2046 # one word for each URL
  exercise $(echo "$listening" | grep -o 'https*://[^ ]*')
fi
kill "$pid"
stopped=$pid
pid=
# A JVM exits with 143 after SIGTERM.
wait "$stopped" || [ $? -eq 143 ] || { cat "$work/log" >&2; exit 70; }
[ -s "$app/app.aot" ] || { cat "$work/log" >&2; exit 70; }
[ $# -gt 1 ] || printf '%s\n' "$app" "$jars" >"$here/target/trained-in"
