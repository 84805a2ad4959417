#!/usr/bin/env bash
# Measures the container images: their size, the time from start to ready, and their memory when idle
# and after work. Runs them as pods do: as user 107, without capabilities, and with a read-only root, so
# that only the volume is writable. Prints the rows of the table in kubernetes/images/README.md. Needs
# root, and images (make images).
#
# usage: bench/images.sh [SERVICE ...]      (default: all)
# BENCH_RUNS (5)   starts per service; the result is the median
# BENCH_MIB (512)  size of the disk that the services write
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
runs=${BENCH_RUNS:-5}
mib=${BENCH_MIB:-512}
services=("$@")
[ ${#services[@]} -gt 0 ] ||
  mapfile -t services < <("$root/service-parent/list.sh")
. "$here/measure.sh"

for tool in skopeo umoci runc jq curl; do
  command -v "$tool" >/dev/null 2>&1 || {
    echo "Cannot measure the images: there is no $tool (Debian: $tool; apt-get install it)" >&2
    exit 69
  }
done
memory=$(mktemp -d /dev/shm/bench-XXXXXX)
bundles=$(mktemp -d "$here/run-XXXXXX")
container=bench-images-$$
trap 'runc delete --force "$container" 2>/dev/null || true; rm -rf "$memory" "$bundles"' EXIT
echo "machine: $(nproc) cores, $(awk '/MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo)," \
  "Linux $(uname -r); $(runc --version | head -n 1); $runs starts, medians; load $(cut -d ' ' -f 1 /proc/loadavg)"

# The input of the services: a disk in an image, and an image with an operating system.
head -c $((mib * 1048576)) /dev/urandom >"$memory/disk.img"
mkdir "$memory/in"
"$root/it/oci-layout.sh" "$memory/disk.img" "$memory/in/disk"
mkdir "$memory/tree"
(cd / && find usr/lib/python3* usr/share/perl* -xdev -type f 2>/dev/null | head -n 5000 |
  cpio -pdm --quiet "$memory/tree")
tar -C "$memory/tree" -cf "$memory/layer.tar" .
"$root/it/oci-image.sh" "$memory/in/system" '{"Cmd":["/bin/sh"]}' "$memory/layer.tar"
rm -r "$memory/tree"
chmod -R a+rX "$memory"

unpack() { # service
  skopeo copy -q "docker-archive:$root/kubernetes/images/target/$1.tar" "oci:$bundles/oci:$1"
  umoci unpack --image "$bundles/oci:$1" "$bundles/$1" >/dev/null
  local image
  image=$(echo "$1" | tr a-z- A-Z_)_IMAGE=oci:/in/disk
  case $1 in
    http-*) image=POPULATOR_OVERWRITE=false ;; # it takes none; this is the default
    image-*) image=${image%disk}system ;;
  esac
  jq --arg image "$image" --arg volume "$memory/volume" --arg in "$memory/in" --arg port "$port" --arg iscsi "$iscsi_port" '
    .root.readonly = true
    | .process.terminal = false
    | .process.user = {uid: 107, gid: 107}
    | .process.capabilities = {}
    | .process.noNewPrivileges = true
    | .process.env += ["POPULATOR_AUTH=none", "POPULATOR_CLAIM_NAME=bench", "QUARKUS_HTTP_HOST=127.0.0.1",
        "QUARKUS_HTTP_PORT=" + $port, "REGISTRY_STREAM_ISCSI_PORT=" + $iscsi, $image]
    | .linux.namespaces |= map(select(.type != "network" and .type != "cgroup"))
    | del(.linux.resources)
    | .mounts |= map(select(.destination == "/proc" or .destination == "/dev"))
    | .mounts += [
        {destination: "/volume", type: "bind", source: $volume, options: ["bind", "rw"]},
        {destination: "/in", type: "bind", source: $in, options: ["bind", "ro"]}]
  ' "$bundles/$1/config.json" >"$memory/config.json"
  mv "$memory/config.json" "$bundles/$1/config.json"
}

start() { # service: prints the seconds until it is ready
  local started ended pid
  rm -rf "$memory/volume"
  install -d -o 107 -g 107 "$memory/volume"
  started=$(date +%s%N)
  runc run --bundle "$bundles/$1" --pid-file "$memory/pid" --detach "$container" >"$memory/log" 2>&1
  # Each check is as cheap as possible, because it runs on the cores that the service starts on.
  pid=$(cat "$memory/pid")
  until curl -sf -o /dev/null "http://127.0.0.1:$port/q/health/ready"; do
    kill -0 "$pid" || { cat "$memory/log" >&2; exit 70; }
    sleep 0.01
  done
  ended=$(date +%s%N)
  echo "$started $ended" | awk '{printf "%.3f\n", ($2 - $1) / 1e9}'
}

stop() {
  runc kill "$container" TERM
  until [ "$(runc state "$container" | jq -r .status)" = stopped ]; do sleep 0.1; done
  # runc warns about control groups that are removed only a moment later.
  runc --log /dev/null delete "$container"
}

resident() { # word of /proc/PID/status: MiB
  awk -v word="$1:" '$1 == word {printf "%.0f\n", $2 / 1024}' \
    "/proc/$(runc state "$container" | jq .pid)/status"
}

work() { # service
  local url=http://127.0.0.1:$port
  case $1 in
    http-upload) curl -sSf -o /dev/null -T "$memory/disk.img" "$url/upload" ;;
    *) curl -sSf -o /dev/null -X PUT "$url/volume" ;;
  esac
}

printf '| %-21s | %-9s | %-9s | %-10s | %-9s | %-9s |\n' Image 'MB packed' 'MB on disk' 'ready in s' \
  'MiB idle' 'MiB peak'
echo '|---|--:|--:|--:|--:|--:|'
for service in "${services[@]}"; do
  port=$(free_port)
  iscsi_port=$(free_port)
  unpack "$service"
  packed=$(stat -c %s "$root/kubernetes/images/target/$service.tar")
  unpacked=$(du -s --apparent-size -B 1 "$bundles/$service/rootfs" | cut -f 1)
  for ((run = 0; run < runs; run++)); do
    start "$service"
    [ "$run" -eq $((runs - 1)) ] || stop
  done >"$memory/starts"
  sleep 1
  idle=$(resident VmRSS)
  grep -q /app/app.aot "/proc/$(runc state "$container" | jq .pid)/maps" || {
    echo "$service does not use its AOT cache" >&2
    exit 70
  }
  work "$service" || { cat "$memory/log" >&2; exit 70; }
  awk -v n="$service" -v p="$packed" -v u="$unpacked" -v s="$(median <"$memory/starts")" -v i="$idle" \
    -v w="$(resident VmHWM)" \
    'BEGIN {printf "| %-21s | %9.1f | %9.1f | %10.2f | %9d | %9d |\n", n, p / 1e6, u / 1e6, s, i, w}'
  stop
  rm -rf "${bundles:?}/$service"
done
