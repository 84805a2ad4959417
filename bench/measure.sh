# Sourced by run.sh: servers, and figures of processes: "seconds bytes-written peak-rss-KiB CPU-seconds".

ours_pid=
running_pid=
nginx_master=
nginx_pid=
load_pids=()

free_port() { # a port on which no program listens now
  local port
  while :; do
    # Below the ports that the kernel gives to clients.
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

# Prevents the kernel from reclaiming pages during the measured runs.
free_page_cache() {
  sync
  [ ! -w /proc/sys/vm/drop_caches ] || echo 3 >/proc/sys/vm/drop_caches
}

# Writes as much memory as the raw image needs. measured_put and measured free this memory immediately before
# the measured command. Otherwise a hypervisor that has taken back free memory would provide it again
# during the command, which can take longer than the upload itself.
touch_memory() { head -c $((mib * 1048576)) /dev/zero >"$memory/touched"; }

start_ours() { # volume scheme
  local port log=$memory/ours.log
  port=$(free_port)
  local settings=(POPULATOR_TARGET="$1" POPULATOR_CLAIM_NAME=bench QUARKUS_HTTP_HOST=localhost
    QUARKUS_HTTP_PORT="$port")
  ours_url=http://localhost:$port
  if [ "$2" = https ]; then
    settings+=(POPULATOR_TLS_CERTIFICATE="$memory/tls.crt" POPULATOR_TLS_KEY="$memory/tls.key"
      POPULATOR_TLS_PORT="$port" POPULATOR_AUTH=none)
    ours_url=https://localhost:$port
  fi
  env "${settings[@]}" "$root/http-upload/run.sh" >"$log" 2>&1 &
  ours_pid=$!
  until curl -skf -o /dev/null "$ours_url/q/health/ready"; do
    kill -0 "$ours_pid" || { cat "$log" >&2; exit 70; }
    sleep 0.02
  done
}

delete_disk() { # url of a service of ours
  curl -skf -o /dev/null -X DELETE "$1/volume"
}

stop_running() { # the server that stays for all runs of a case
  [ -z "$running_pid" ] || { kill "$running_pid" && wait "$running_pid"; } 2>/dev/null || true
  running_pid=
}

start_nginx() { # directory scheme
  local port tls= workers
  port=$(free_port)
  nginx_url=$2://localhost:$port
  if [ "$2" = https ]; then
    tls="ssl_certificate $memory/tls.crt; ssl_certificate_key $memory/tls.key;"
  fi
  cat >"$memory/nginx.conf" <<CONF
daemon off;
user root;
worker_processes 1;
pid $memory/nginx.pid;
error_log $memory/nginx.err;
events { }
http {
  access_log off;
  client_max_body_size 0;
  client_body_temp_path $1/tmp;
  proxy_temp_path $memory/nginx-proxy;
  fastcgi_temp_path $memory/nginx-fastcgi;
  uwsgi_temp_path $memory/nginx-uwsgi;
  scgi_temp_path $memory/nginx-scgi;
  server {
    listen 127.0.0.1:$port${tls:+ ssl};
    $tls
    root $1;
    location / { dav_methods PUT; }
  }
}
CONF
  nginx -c "$memory/nginx.conf" &
  nginx_master=$!
  until curl -sk -o /dev/null "$nginx_url/"; do
    kill -0 "$nginx_master" || { cat "$memory/nginx.err" >&2; exit 70; }
    sleep 0.02
  done
  workers=$(pgrep -P "$nginx_master")
  nginx_pid=${workers%%$'\n'*}
}

stop_servers() {
  for server in $ours_pid $nginx_master; do
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  done
  ours_pid=
  nginx_master=
}

written_by() { awk '/^write_bytes/ {print $2}' "/proc/$1/io"; }
cpu_of() { awk '{sub(/.*\) /, ""); printf "%.2f\n", ($12 + $13) / 100}' "/proc/$1/stat"; } # USER_HZ is 100
peak_of() { awk '/^VmHWM/ {print $2}' "/proc/$1/status"; }

measured_put() { # server-pid file url [command afterwards]
  local before cpu started ended
  rm -f "$memory/touched"
  before=$(written_by "$1")
  cpu=$(cpu_of "$1")
  started=$(date +%s%N)
  curl -skf -o /dev/null -T "$2" "$3"
  [ $# -lt 4 ] || eval "$4"
  ended=$(date +%s%N)
  echo "$started $ended $before $(written_by "$1") $(peak_of "$1") $cpu $(cpu_of "$1")" |
    awk '{printf "%.3f %.0f %.0f %.2f\n", ($2 - $1) / 1e9, $4 - $3, $5, $7 - $6}'
}

measured() { # command: its own figures by time(1); outputs are counted in 512-byte blocks
  rm -f "$memory/touched"
  /usr/bin/time -f '%e %O %M %U %S' -o "$memory/time" "$@"
  awk '{printf "%.3f %.0f %.0f %.2f\n", $1, $2 * 512, $3, $4 + $5}' "$memory/time"
}

start_to_ready() { # directory
  mkdir -p "$1/volume"
  local started ended
  started=$(date +%s%N)
  start_ours "$1/volume" http
  ended=$(date +%s%N)
  echo "$started $ended $(peak_of "$ours_pid")" | awk '{printf "%.3f 0 %.0f\n", ($2 - $1) / 1e9, $3}'
  stop_servers
}

# Runs a command beside two busy processes.
beside_load() {
  local i
  for i in 1 2; do
    (while :; do :; done) &
    load_pids[i]=$!
  done
  "$@"
  stop_load
}

stop_load() {
  [ ${#load_pids[@]} -eq 0 ] || { kill "${load_pids[@]}" && wait "${load_pids[@]}"; } 2>/dev/null || true
  load_pids=()
}

median() { sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

compare() { # title, then pairs of name and command; the others are compared with the first
  echo
  echo "$1"
  shift
  local names=() commands=() side run
  while [ $# -gt 0 ]; do
    names+=("$1")
    commands+=("$2")
    shift 2
  done
  for side in "${!names[@]}"; do : >"$memory/side-$side"; done
  for ((run = 0; run < runs; run++)); do
    for side in "${!names[@]}"; do
      ${commands[$side]} >>"$memory/side-$side"
    done
  done
  local ours seconds bytes rss cpu
  printf '  %-36s %9s %9s %12s %9s %16s\n' '' seconds 'CPU s' 'MiB written' 'RSS MiB' 'ours / this'
  for side in "${!names[@]}"; do
    seconds=$(cut -d' ' -f1 "$memory/side-$side" | median)
    bytes=$(cut -d' ' -f2 "$memory/side-$side" | median)
    rss=$(cut -d' ' -f3 "$memory/side-$side" | median)
    cpu=$(awk 'NF > 3 {print $4}' "$memory/side-$side" | median)
    [ "$side" -ne 0 ] || ours=$seconds
    awk -v n="${names[$side]}" -v s="$seconds" -v b="$bytes" -v r="$rss" -v o="$ours" \
      -v c="${cpu:--}" \
      'BEGIN {printf "  %-36s %9.3f %9s %12.0f %9.0f %16.2f\n", n, s, c, b / 1048576, r / 1024, o / s}'
  done
}

# The ratio of the medians of two sides of the last comparison, by their numbers from 0.
ratio() {
  echo "$(cut -d' ' -f1 "$memory/side-$1" | median) $(cut -d' ' -f1 "$memory/side-$2" | median)" |
    awk '{printf "%.2f\n", $1 / $2}'
}

# Adds a row to the summary.
goal() { # name value relation wanted
  echo "$1|$2|$3|$4" >>"$memory/goals"
}

print_goals() {
  [ -f "$memory/goals" ] || return 0
  echo
  awk -F '|' 'BEGIN {printf "  %-58s %8s %10s\n", "Summary: ours / the other program", "found", "wanted"}
    {printf "  %-58s %8.2f %3s %6.2f%s\n", $1, $2, $3, $4,
      ($3 == "<=" ? $2 + 0 <= $4 + 0 : $2 + 0 >= $4 + 0) ? "" : "  missed"}' "$memory/goals"
}
