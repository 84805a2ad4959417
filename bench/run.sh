#!/usr/bin/env bash
# Compares the services with their peers in one run on this machine: uploads with nginx (DAV PUT), cp
# and qemu-img convert, copies with skopeo, tar and qemu-img convert, LUNs with tgtd, and stacks of layers
# with umoci, mke2fs and qemu-img convert. Copies from URLs are compared with those from a registry.
#
# usage: bench/run.sh [CASE ...]      cases: raw-disk raw-memory raw-tls raw-loaded qcow2 start
#                                     registry-plain registry-compressed http iscsi iscsi-first
#                                     iscsi-boot layers-disk layers-memory layers-deep (default: all)
# BENCH_RUNS (3)     measured runs per case; the sides alternate, the result is the median
# BENCH_ISCSI_RUNS (5)  measured runs of each line of the case iscsi
# BENCH_MIB (2048)   size of the raw image
# BENCH_DISK         a directory on a real disk (default: a temporary one beside this script)
# BENCH_MEMORY       a directory in memory (default: a temporary one in /dev/shm)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
runs=${BENCH_RUNS:-3}
iscsi_runs=${BENCH_ISCSI_RUNS:-5}
mib=${BENCH_MIB:-2048}
cases=("$@")
[ ${#cases[@]} -gt 0 ] ||
  cases=(raw-disk raw-memory raw-tls raw-loaded qcow2 start registry-plain registry-compressed
    http iscsi iscsi-first iscsi-boot layers-disk layers-memory layers-deep)

. "$here/install-tools.sh"
. "$here/measure.sh"
. "$here/registry.sh"
. "$here/http.sh"
. "$here/iscsi.sh"
. "$here/layers.sh"

disk=$(mktemp -d "${BENCH_DISK:-$here}/run-XXXXXX")
memory=$(mktemp -d "${BENCH_MEMORY:-/dev/shm}/bench-XXXXXX")
trap 'stop_load; stop_servers; stop_running; stop_iscsi; stop_registry; rm -rf "$disk" "$memory"' EXIT

echo "machine: $(nproc) cores, $(awk '/MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo)," \
  "Linux $(uname -r); disk: $(stat -f -c %T "$disk"), memory: $(stat -f -c %T "$memory")"
echo "peers: $(nginx -v 2>&1), $(qemu-img --version | head -n 1); $runs runs a case, medians"

make_raw() {
  [ -f "$memory/in.raw" ] || head -c $((mib * 1048576)) /dev/urandom >"$memory/in.raw"
}

make_certificate() {
  [ -f "$memory/tls.crt" ] || openssl req -x509 -newkey rsa:2048 -nodes -days 2 \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$memory/tls.key" -out "$memory/tls.crt" 2>/dev/null
}

# A file system with this machine's programs: realistic data.
make_qcow2() {
  [ -f "$memory/in.qcow2" ] && return
  truncate -s 8G "$memory/guest.raw"
  mkdir "$memory/tree"
  # Up to about 2 GiB of it.
  (cd / && find usr/lib usr/bin usr/share -xdev -type f -printf '%s %p\n' 2>/dev/null || true) |
    awk '{sum += $1; if (sum < 2147483648) print "/" substr($0, length($1) + 2)}' |
    (cd / && cpio -pdm --quiet "$memory/tree" 2>/dev/null || true)
  mke2fs -q -t ext4 -d "$memory/tree" "$memory/guest.raw"
  rm -rf "$memory/tree"
  qemu-img convert -O qcow2 "$memory/guest.raw" "$memory/in.qcow2"
  rm "$memory/guest.raw"
}

# -- the measured commands; each prints "seconds bytes-written peak-rss-KiB CPU-seconds" ----------

# A warmed-up server, like nginx: three uploads precede the measured ones. ours_first includes the JIT
# compiler's first seconds.
ours_put() { # volume file url-scheme
  touch_memory
  if [ -z "$running_pid" ]; then
    rm -rf "$1/running" && mkdir "$1/running"
    start_ours "$1/running" "$3"
    running_pid=$ours_pid
    running_url=$ours_url
    ours_pid=
    for _ in 1 2 3; do
      measured_put "$running_pid" "$2" "$running_url/upload" >/dev/null
      delete_disk "$running_url"
    done
  fi
  measured_put "$running_pid" "$2" "$running_url/upload"
  delete_disk "$running_url"
}

# The first upload of a new server, as in a pod for one disk.
ours_first() { # volume file url-scheme
  touch_memory
  rm -rf "$1/volume" && mkdir "$1/volume"
  start_ours "$1/volume" "$3"
  measured_put "$ours_pid" "$2" "$ours_url/upload"
  stop_servers
  rm -rf "$1/volume"
}

nginx_put() { # directory file url-scheme
  touch_memory
  rm -rf "$1/dav" && mkdir "$1/dav"
  start_nginx "$1/dav" "$3"
  measured_put "$nginx_pid" "$2" "$nginx_url/disk.img"
  stop_servers
}

nginx_put_synced() {
  touch_memory
  rm -rf "$1/dav" && mkdir "$1/dav"
  start_nginx "$1/dav" "$3"
  measured_put "$nginx_pid" "$2" "$nginx_url/disk.img" "sync $1/dav/disk.img"
  stop_servers
}

cp_synced() { touch_memory; measured sh -c "cp '$2' '$1/copy.img' && sync '$1/copy.img'"; rm -f "$1/copy.img"; }
cp_plain() { touch_memory; measured cp "$2" "$1/copy.img"; rm -f "$1/copy.img"; }

# Without our service: upload to scratch space, convert into the volume, flush.
scratch_and_convert() { # directory file
  touch_memory
  rm -rf "$1/dav" && mkdir "$1/dav"
  start_nginx "$1/dav" http
  local put convert
  put=$(measured_put "$nginx_pid" "$2" "$nginx_url/scratch.qcow2")
  touch_memory
  convert=$(measured sh -c \
    "qemu-img convert -f qcow2 -O raw '$1/dav/scratch.qcow2' '$1/converted.img' && sync '$1/converted.img'")
  stop_servers
  rm -rf "$1/dav" "$1/converted.img"
  echo "$put $convert" |
    awk '{printf "%.3f %.0f %.0f %.2f\n", $1 + $5, $2 + $6, ($3 > $7 ? $3 : $7), $4 + $8}'
}

# -- the cases ------------------------------------------------------------------------------------

for name in "${cases[@]}"; do
  case $name in
    raw-disk)
      make_raw
      compare "PUT of a raw image ($mib MiB) to disk; ours is flushed when it answers" \
        "ours" "ours_put $disk $memory/in.raw http" \
        "ours, first upload" "ours_first $disk $memory/in.raw http" \
        "nginx (page cache only)" "nginx_put $disk $memory/in.raw http" \
        "nginx + sync" "nginx_put_synced $disk $memory/in.raw http" \
        "cp + sync" "cp_synced $disk $memory/in.raw"
      ;;
    raw-memory)
      make_raw
      free_page_cache
      compare "PUT of a raw image ($mib MiB) to memory" \
        "ours" "ours_put $memory $memory/in.raw http" \
        "ours, first upload" "ours_first $memory $memory/in.raw http" \
        "nginx" "nginx_put $memory $memory/in.raw http" \
        "cp" "cp_plain $memory $memory/in.raw"
      goal "PUT to memory / nginx" "$(ratio 0 2)" "<=" 0.8
      goal "the same, first upload of a process" "$(ratio 1 2)" "<=" 1
      ;;
    raw-tls)
      make_raw
      free_page_cache
      make_certificate
      compare "PUT of a raw image ($mib MiB) to memory over TLS" \
        "ours" "ours_put $memory $memory/in.raw https" \
        "ours, first upload" "ours_first $memory $memory/in.raw https" \
        "nginx" "nginx_put $memory $memory/in.raw https"
      goal "PUT to memory over TLS / nginx" "$(ratio 0 2)" "<=" 0.8
      goal "the same, first upload of a process" "$(ratio 1 2)" "<=" 1
      ;;
    raw-loaded)
      make_raw
      free_page_cache
      make_certificate
      compare "PUT of a raw image ($mib MiB) to memory beside two busy processes" \
        "ours, first upload" "beside_load ours_first $memory $memory/in.raw http" \
        "nginx" "beside_load nginx_put $memory $memory/in.raw http"
      goal "PUT to memory beside load, first upload / nginx" "$(ratio 0 1)" "<=" 1
      compare "the same over TLS" \
        "ours, first upload" "beside_load ours_first $memory $memory/in.raw https" \
        "nginx" "beside_load nginx_put $memory $memory/in.raw https"
      goal "the same over TLS" "$(ratio 0 1)" "<=" 1
      ;;
    qcow2)
      make_qcow2
      compare "qcow2 ($(du -m "$memory/in.qcow2" | cut -f 1) MiB) to a raw disk.img on disk, flushed" \
        "ours, first upload" "ours_first $disk $memory/in.qcow2 http" \
        "PUT to scratch + qemu-img convert" "scratch_and_convert $disk $memory/in.qcow2"
      ;;
    start)
      compare "start to ready" "ours" "start_to_ready $disk"
      goal "MiB resident of an idle service" \
        "$(cut -d' ' -f3 "$memory/side-0" | median | awk '{print $1 / 1024}')" "<=" 100
      ;;
    registry-plain)
      make_registry
      registry_identical "$disk" plain "$memory/guest.qcow2"
      compare "registry to disk.img: qcow2 ($(du -m "$memory/guest.qcow2" | cut -f 1) MiB) in a gzip layer, flushed" \
        "ours" "ours_copy $disk plain" \
        "skopeo + tar + qemu-img convert" "skopeo_copy $disk plain"
      ;;
    registry-compressed)
      make_registry
      registry_identical "$disk" compressed "$memory/guest-c.qcow2"
      compare "registry to disk.img: qcow2 -c ($(du -m "$memory/guest-c.qcow2" | cut -f 1) MiB) in a gzip layer, flushed" \
        "ours" "ours_copy $disk compressed" \
        "skopeo + tar + qemu-img convert" "skopeo_copy $disk compressed"
      ;;
    http)
      make_registry
      http_identical "$disk" guest.qcow2
      compare "URL to disk.img: the same qcow2 ($(du -m "$memory/guest.qcow2" | cut -f 1) MiB), flushed" \
        "http-copy" "http_copy $disk guest.qcow2" \
        "registry-copy, in a gzip layer" "ours_copy $disk plain"
      ;;
    iscsi)
      iscsi_case "$disk"
      ;;
    iscsi-first)
      make_registry
      compare "PUT /volume to the first sector read over iSCSI: qcow2 ($(du -m "$memory/guest.qcow2" | cut -f 1) MiB) in a gzip layer" \
        "ours" "ours_until $disk plain read_first" \
        "skopeo + tar + qemu-img convert + tgt" "pull_and_export_until $disk plain read_first"
      ;;
    iscsi-boot)
      make_boot_pattern
      compare "PUT /volume to 300 reads all over the disk, as a booting system makes them" \
        "ours" "ours_until $disk plain read_boot" \
        "skopeo + tar + qemu-img convert + tgt" "pull_and_export_until $disk plain read_boot"
      ;;
    layers-disk | layers-memory)
      make_layers
      place=$disk
      [ "$name" = layers-disk ] || place=$memory
      compare "image of four layers to a disk on ${name#layers-}, flushed" \
        "ours" "ours_layers $place" \
        "umoci + mke2fs + qemu-img convert" "umoci_layers $place"
      start_layers_service "$place"
      compare "the same, with all layers there" \
        "ours" "ours_shared $place" \
        "ours, by a service that runs" service_shared \
        "umoci + mke2fs + qemu-img convert" "umoci_layers $place"
      stop_running
      layers_sizes "$place"
      rm -rf "$place/store"
      ;;
    layers-deep)
      make_deep_machines "$disk"
      compare "boot, read every file of $((layers_deep - 4)) layers and all programs, power off" \
        "$layers_deep layers" "boot_machine $disk/store/images/deep" \
        "one file" "boot_machine $disk/store/images/flat"
      compare "copy the whole disk to a raw file in memory" \
        "$layers_deep layers" "copy_disk $disk/store/images/deep" \
        "one file" "copy_disk $disk/store/images/flat"
      goal "qemu-img convert of $layers_deep layers / one file" "$(ratio 0 1)" "<=" 3
      compare "read the whole disk, without a target" \
        "$layers_deep layers" "read_disk $disk/store/images/deep" \
        "one file" "read_disk $disk/store/images/flat"
      rm -rf "$disk/store"
      ;;
    *)
      echo "no such case: $name" >&2
      exit 64
      ;;
  esac
  stop_running
done
print_goals
