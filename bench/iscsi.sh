# Sourced by run.sh: compares registry-stream-iscsi with tgtd for the same disk. Also compares the time
# until a disk can be read with the time that skopeo, tar, qemu-img and tgtd need.

iscsi_ours_pid=
iscsi_ours_http=
iscsi_tgt_pid=
iscsi_tgt_port=
iscsi_tgt_control=$((20000 + RANDOM % 10000))
iscsi_name=iqn.2026-11.dev.pvcpopulators:bench

start_stream() { # cache image
  local http iscsi log=$memory/stream.log
  http=$(free_port)
  iscsi=$(free_port)
  iscsi_ours_http=http://localhost:$http
  env POPULATOR_TARGET="$1" POPULATOR_CLAIM_NAME=bench QUARKUS_HTTP_HOST=localhost \
    QUARKUS_HTTP_PORT="$http" REGISTRY_STREAM_ISCSI_IMAGE="docker://$registry_host/$2" \
    REGISTRY_STREAM_ISCSI_INSECURE_REGISTRIES="$registry_host" \
    REGISTRY_STREAM_ISCSI_HOST=127.0.0.1 REGISTRY_STREAM_ISCSI_PORT="$iscsi" \
    REGISTRY_STREAM_ISCSI_TARGET="$iscsi_name" REGISTRY_STREAM_ISCSI_ACCESS_MODE=write-shared \
    REGISTRY_STREAM_ISCSI_READY="${3:-header}" \
    "$root/registry-stream-iscsi/run.sh" >"$log" 2>&1 &
  iscsi_ours_pid=$!
  iscsi_ours_url=iscsi://127.0.0.1:$iscsi/$iscsi_name/0
  until curl -sf -o /dev/null "$iscsi_ours_http/q/health/ready"; do
    kill -0 "$iscsi_ours_pid" || { cat "$log" >&2; exit 70; }
    sleep 0.02
  done
}

put_stream() {
  curl -sf -o /dev/null --max-time 300 -X PUT "$iscsi_ours_http/volume" ||
    { cat "$memory/stream.log" >&2; exit 70; }
}

stop_stream() {
  [ -z "$iscsi_ours_pid" ] || { kill "$iscsi_ours_pid" && wait "$iscsi_ours_pid"; } 2>/dev/null || true
  iscsi_ours_pid=
}

tgt_admin() { tgtadm -C "$iscsi_tgt_control" --lld iscsi "$@"; }

# Starts tgtd with the lengths that make it fast; its default is 8 KiB.
start_tgt() {
  [ -z "$iscsi_tgt_pid" ] || return 0
  iscsi_tgt_port=$(free_port)
  tgtd -f -C "$iscsi_tgt_control" --iscsi portal=127.0.0.1:"$iscsi_tgt_port" \
    >"$memory/tgtd.log" 2>&1 &
  iscsi_tgt_pid=$!
  until tgt_admin --mode system --op show >/dev/null 2>&1; do
    kill -0 "$iscsi_tgt_pid" || { cat "$memory/tgtd.log" >&2; exit 70; }
    sleep 0.02
  done
}

export_tgt() { # file
  local setting
  tgt_admin --mode target --op new --tid 1 -T "$iscsi_name"
  for setting in MaxRecvDataSegmentLength=262144 MaxXmitDataSegmentLength=262144 \
    FirstBurstLength=262144 MaxBurstLength=1048576 InitialR2T=No ImmediateData=Yes; do
    tgt_admin --mode target --op update --tid 1 -n "${setting%=*}" -v "${setting#*=}"
  done
  tgt_admin --mode logicalunit --op new --tid 1 --lun 1 -b "$1" --blocksize 512
  tgt_admin --mode target --op bind --tid 1 -I ALL
  iscsi_tgt_url=iscsi://127.0.0.1:$iscsi_tgt_port/$iscsi_name/1
}

stop_tgt() {
  [ -z "$iscsi_tgt_pid" ] || { kill -9 "$iscsi_tgt_pid" && wait "$iscsi_tgt_pid"; } 2>/dev/null || true
  iscsi_tgt_pid=
}

stop_iscsi() {
  stop_stream
  stop_tgt
}

# A raw, incompressible disk of 512 MiB.
make_iscsi() {
  start_registry
  [ -f "$memory/iscsi.raw" ] && return
  head -c $((512 << 20)) /dev/urandom >"$memory/iscsi.raw"
  push iscsi "$memory/iscsi.raw"
}

# Operations per second by qemu-img bench; the sum for several connections.
bench_rate() { # url connections count options...
  local url=$1 connections=$2 count=$(($3 / $2)) i
  shift 3
  for ((i = 0; i < connections; i++)); do
    qemu-img bench -f raw -t none -c "$count" "$@" "$url" >"$memory/rate-$i" 2>"$memory/rate.err" &
    bench_pids[i]=$!
  done
  for ((i = 0; i < connections; i++)); do
    wait "${bench_pids[i]}" || { cat "$memory/rate.err" >&2; exit 70; }
  done
  for ((i = 0; i < connections; i++)); do
    awk -v c="$count" '/^Run completed in/ {print c / $4}' "$memory/rate-$i"
  done | awk '{sum += $1} END {printf "%.1f\n", sum}'
}

compare_rates() { # title unit factor connections count options...; wanted=R adds a row to the summary
  local title=$1 unit=$2 factor=$3 connections=$4 count=$5 run
  shift 5
  : >"$memory/side-ours"
  : >"$memory/side-tgt"
  for ((run = 0; run < iscsi_runs; run++)); do
    bench_rate "$iscsi_ours_url" "$connections" "$count" "$@" >>"$memory/side-ours"
    bench_rate "$iscsi_tgt_url" "$connections" "$count" "$@" >>"$memory/side-tgt"
  done
  awk -v t="$title" -v u="$unit" -v f="$factor" -v o="$(median <"$memory/side-ours")" \
    -v p="$(median <"$memory/side-tgt")" \
    'BEGIN {printf "  %-44s %10.0f %10.0f %-6s %6.2f\n", t, o * f, p * f, u, o / p}'
  [ -z "$wanted" ] || goal "$title / tgt" "$(ratio ours tgt)" ">=" "$wanted"
}

# Both servers are warmed up: JIT compilation and first writes of a file are not measured.
warm_up() { # options of qemu-img bench, such as -w
  local url
  for url in "$iscsi_ours_url" "$iscsi_tgt_url"; do
    bench_rate "$url" 2 12288 -s 262144 -d 8 "$@" >>"$memory/warm-up"
    bench_rate "$url" 1 60000 -s 4096 -S 70283264 -d 32 "$@" >>"$memory/warm-up"
  done
}

# The step scatters aligned 4 KiB requests over the disk without repeating one. Unwritten bytes of a LUN
# come from the image, so the first sequential reads run before all writes, and the last ones after them.
iscsi_rates() {
  local n scatter=(-s 4096 -S 70283264) whole=(-s 262144 -d 8)
  echo
  echo "LUN of 512 MiB in the page cache, by qemu-img bench; tgt $(tgtd --version 2>&1 | tail -n 1), tuned"
  printf '  %-44s %10s %10s %-6s %6s\n' '' ours tgt '' 'ours / tgt'
  warm_up
  for n in 1 4; do
    wanted=
    [ "$n" -ne 1 ] || wanted=1.3
    compare_rates "sequential read, 256 KiB, depth 8, $n conn." MiB/s 0.25 "$n" 6144 "${whole[@]}"
    wanted=
    compare_rates "random read, 4 KiB, depth 1, $n conn." IOPS 1 "$n" 15000 "${scatter[@]}" -d 1
    compare_rates "random read, 4 KiB, depth 32, $n conn." IOPS 1 "$n" 60000 "${scatter[@]}" -d 32
  done
  warm_up -w
  for n in 1 4; do
    compare_rates "sequential read of written blocks, $n conn." MiB/s 0.25 "$n" 6144 "${whole[@]}"
    [ "$n" -ne 1 ] || wanted=1.3
    compare_rates "sequential write, 256 KiB, depth 8, $n conn." MiB/s 0.25 "$n" 6144 "${whole[@]}" -w
    compare_rates "random write, 4 KiB, depth 1, $n conn." IOPS 1 "$n" 15000 "${scatter[@]}" -d 1 -w
    wanted=
    compare_rates "random write, 4 KiB, depth 32, $n conn." IOPS 1 "$n" 60000 "${scatter[@]}" -d 32 -w
  done
}

iscsi_case() { # volume
  make_iscsi
  rm -rf "$1/cache" && mkdir "$1/cache"
  start_stream "$1/cache" iscsi complete
  put_stream
  cp "$memory/iscsi.raw" "$1/tgt.raw"
  start_tgt
  export_tgt "$1/tgt.raw"
  qemu-img compare -q -f raw -F raw "$iscsi_ours_url" "$memory/iscsi.raw"
  qemu-img compare -q -f raw -F raw "$iscsi_tgt_url" "$memory/iscsi.raw"
  iscsi_rates
  printf '  %-44s %10.0f %10.0f %-6s\n' 'peak resident set' \
    "$(($(peak_of "$iscsi_ours_pid") / 1024))" "$(($(peak_of "$iscsi_tgt_pid") / 1024))" MiB
  stop_iscsi
  rm -rf "$1/cache" "$1/tgt.raw"
}

# The reads of a booting system: 300 fixed pieces of 128 KiB across the data of the guest's disk.
make_boot_pattern() {
  make_registry
  [ -f "$memory/boot-pattern" ] && return
  qemu-img map --output=json -f qcow2 "$memory/guest.qcow2" |
    tr '{' '\n' | sed -n 's/.*"start": \([0-9]*\), "length": \([0-9]*\),.*"data": true.*/\1 \2/p' |
    awk 'BEGIN {srand(7)} {start[NR] = $1; n[NR] = int($2 / 131072); total += n[NR]}
      END {for (i = 0; i < 300; i++) {
        at = int(rand() * total)
        for (e = 1; at >= n[e]; e++) at -= n[e]
        printf "read -q %d 131072\n", start[e] + at * 131072}}' >"$memory/boot-pattern"
}

read_first() { qemu-io -f raw -c 'read -q 0 512' "$1" >/dev/null; } # url
read_boot() { qemu-io -f raw "$1" <"$memory/boot-pattern" >/dev/null; } # url

# Measures the time from PUT /volume of a running service, and the bytes and memory of its whole
# process.
ours_until() { # volume image what
  local started ended before
  rm -rf "$1/cache" && mkdir "$1/cache"
  start_stream "$1/cache" "$2"
  before=$(written_by "$iscsi_ours_pid")
  started=$(date +%s%N)
  put_stream
  "$3" "$iscsi_ours_url"
  ended=$(date +%s%N)
  echo "$started $ended $before $(written_by "$iscsi_ours_pid") $(peak_of "$iscsi_ours_pid")" |
    awk '{printf "%.3f %.0f %.0f\n", ($2 - $1) / 1e9, $4 - $3, $5}'
  stop_stream
  rm -rf "$1/cache"
}

# Pull, extract the disk from the layer, convert it, export it.
pull_and_export_until() { # volume image what
  local started ended
  rm -rf "$1/scratch" "$1/volume" && mkdir "$1/scratch" "$1/volume"
  start_tgt
  started=$(date +%s%N)
  sh -ec "
    skopeo copy -q --src-tls-verify=false docker://$registry_host/$2 dir:$1/scratch/image
    layer=\$(grep -o 'sha256:[0-9a-f]*' $1/scratch/image/manifest.json | tail -n 1 | cut -d : -f 2)
    tar -C $1/scratch -xzf $1/scratch/image/\$layer
    qemu-img convert -f qcow2 -O raw $1/scratch/disk/*.qcow2 $1/volume/disk.img"
  export_tgt "$1/volume/disk.img"
  "$3" "$iscsi_tgt_url"
  ended=$(date +%s%N)
  echo "$started $ended" | awk '{printf "%.3f 0 0\n", ($2 - $1) / 1e9}'
  stop_tgt
  rm -rf "$1/scratch" "$1/volume"
}
