# A web server of static files, for the training of services that read from one. Sourced by
# SERVICE/train.sh, which sets "$here" and "$work"; serves "$work/web", leaves its HOST:PORT in "$host"
# and its process in "$web".
. "$here/../.mvn/find-jdk.sh"
mkdir -p "$work/web"
: >"$work/web.log"
"$JAVA_HOME/bin/jwebserver" -b 127.0.0.1 -p 0 -d "$work/web" -o none >"$work/web.log" 2>&1 &
web=$!
host=
# Five minutes, for a loaded machine.
for _ in $(seq 3000); do
  host=$(sed -n 's#.*http://\([0-9.:]*\)/.*#\1#p' "$work/web.log")
  [ -n "$host" ] && break
  kill -0 "$web" 2>/dev/null || break
  sleep 0.1
done
[ -n "$host" ] || { cat "$work/web.log" >&2; exit 70; }
