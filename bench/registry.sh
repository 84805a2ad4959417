# Sourced by run.sh: registry-copy compared with skopeo, tar and qemu-img.

registry_pid=
registry_host=

start_registry() {
  [ -z "$registry_pid" ] || return 0
  registry_host=localhost:$(free_port)
  cat >"$memory/registry.yml" <<CONF
version: 0.1
log: {level: error, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: $memory/registry}}
http: {addr: "$registry_host"}
CONF
  docker-registry serve "$memory/registry.yml" >"$memory/registry.log" 2>&1 &
  registry_pid=$!
  until curl -sf -o /dev/null "http://$registry_host/v2/"; do
    kill -0 "$registry_pid" || { cat "$memory/registry.log" >&2; exit 70; }
    sleep 0.02
  done
}

stop_registry() {
  [ -z "$registry_pid" ] || { kill "$registry_pid" && wait "$registry_pid"; } 2>/dev/null || true
  registry_pid=
}

# A disk of 6 GiB with realistic data: a Debian made by debootstrap, and up to 1.6 GiB of this
# machine's programs.
make_guest() {
  [ -f "$memory/guest.qcow2" ] && return
  local tree=$memory/guest mirror=${BENCH_MIRROR:-}
  if [ -z "$mirror" ]; then
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)
  fi
  debootstrap --variant=minbase bookworm "$tree" "$mirror" >"$memory/debootstrap.log" ||
    { tail -n 5 "$memory/debootstrap.log" >&2; exit 69; }
  (cd / && find usr/lib usr/bin usr/share -xdev -type f -printf '%s %p\n' 2>/dev/null || true) |
    awk '{sum += $1; if (sum < 1400000000) print "/" substr($0, length($1) + 2)}' |
    (cd / && mkdir -p "$tree/opt/more" && cpio -pdm --quiet "$tree/opt/more" 2>/dev/null || true)
  truncate -s 6G "$memory/guest.raw"
  mke2fs -q -t ext4 -d "$tree" "$memory/guest.raw"
  rm -rf "$tree"
  qemu-img convert -O qcow2 "$memory/guest.raw" "$memory/guest.qcow2"
  qemu-img convert -c -O qcow2 "$memory/guest.raw" "$memory/guest-c.qcow2"
  rm "$memory/guest.raw"
}

# push NAME DISK: a containerDisk in a gzip layer of the local registry.
push() {
  "$root/it/oci-layout.sh" "$2" "$memory/layout"
  skopeo copy -q --dest-tls-verify=false "oci:$memory/layout" "docker://$registry_host/$1"
  rm -rf "$memory/layout"
}

make_registry() {
  start_registry
  [ -d "$memory/registry" ] && [ -f "$memory/pushed" ] && return
  make_guest
  push plain "$memory/guest.qcow2"
  push compressed "$memory/guest-c.qcow2"
  touch "$memory/pushed"
}

# -- the measured commands; each prints "seconds bytes-written peak-rss-KiB cpu-seconds" ----------

ours_copy() { # volume image
  rm -rf "$1/volume" && mkdir "$1/volume"
  measured sh -c "exec env POPULATOR_TARGET='$1/volume' POPULATOR_TERMINATION_LOG=/dev/null \
    REGISTRY_COPY_IMAGE='docker://$registry_host/$2' \
    REGISTRY_COPY_INSECURE_REGISTRIES='$registry_host' \
    '$root/registry-copy/run.sh' --once >'$memory/ours.log' 2>&1" ||
    { cat "$memory/ours.log" >&2; exit 70; }
}

# Pull into a directory, extract the disk from the layer, convert it, flush.
skopeo_copy() { # volume image
  rm -rf "$1/scratch" "$1/volume" && mkdir "$1/scratch" "$1/volume"
  measured sh -ec "
    skopeo copy -q --src-tls-verify=false docker://$registry_host/$2 dir:$1/scratch/image
    layer=\$(grep -o 'sha256:[0-9a-f]*' $1/scratch/image/manifest.json | tail -n 1 | cut -d : -f 2)
    tar -C $1/scratch -xzf $1/scratch/image/\$layer
    qemu-img convert -f qcow2 -O raw $1/scratch/disk/*.qcow2 $1/volume/disk.img
    sync $1/volume/disk.img"
  rm -rf "$1/scratch" "$1/volume"
}

# Checks the result.
registry_identical() { # volume image disk
  ours_copy "$1" "$2" >/dev/null
  qemu-img compare -q -f qcow2 -F raw "$3" "$1/volume/disk.img"
  rm -rf "$1/volume"
}
