# Sourced by run.sh: image-to-qcow2-layers compared with umoci, mke2fs and qemu-img.

layers_images=/var/cache/pvc-populators/bench-images
layers_kernel=/var/cache/pvc-populators/guest-kernel
layers_deep=60

make_layers() {
  [ -d "$layers_images/trees" ] ||
    "$root/it/images/make.sh" "$layers_images" "$here/layers" four
  [ -d "$memory/layers" ] && return
  cp -r "$layers_images" "$memory/layers"
  # Adds a layer with one small file.
  echo small >"$memory/small"
  umoci tag --image "$memory/layers:four" small
  umoci insert --image "$memory/layers:small" "$memory/small" /srv/one-small-file
}

# A number of layers, each with 4 MiB of incompressible data, and with replacements of a part of the
# previous layer; the machine reads everything, and reports when it has done so.
make_deep() {
  make_layers
  local layer
  umoci tag --image "$memory/layers:four" deep
  for ((layer = 5; layer <= layers_deep; layer++)); do
    rm -rf "$memory/deep"
    mkdir "$memory/deep"
    head -c 4194304 /dev/urandom >"$memory/deep/layer-$layer"
    head -c 262144 /dev/urandom >"$memory/deep/common"
    umoci insert --image "$memory/layers:deep" "$memory/deep" /srv/deep
  done
  rm -rf "$memory/deep"
}

run_layers() { # volume image name
  env POPULATOR_TARGET="$1" POPULATOR_TERMINATION_LOG=/dev/null \
    IMAGE_TO_QCOW2_LAYERS_IMAGE="oci:$memory/layers:$2" IMAGE_TO_QCOW2_LAYERS_NAME="$3" \
    IMAGE_TO_QCOW2_LAYERS_KERNEL="$layers_kernel" "${@:4}" \
    "$root/image-to-qcow2-layers/run.sh" --once >"$memory/ours.log" 2>&1 ||
    { cat "$memory/ours.log" >&2; exit 70; }
}

# -- the measured commands; each prints "seconds bytes-written peak-rss-KiB cpu-seconds" ----------

ours_layers() { # directory: from nothing
  rm -rf "$1/store" && mkdir "$1/store"
  measured_function run_layers "$1/store" four machine
}

ours_shared() { # directory: all layers are there
  rm -rf "$1/store/images/again"
  measured_function run_layers "$1/store" four again
}

# Does the same by a service that is already running.
start_layers_service() { # directory
  local port
  port=$(free_port)
  layers_url=http://localhost:$port
  env POPULATOR_TARGET="$1/store" POPULATOR_CLAIM_NAME=bench QUARKUS_HTTP_HOST=localhost \
    QUARKUS_HTTP_PORT="$port" IMAGE_TO_QCOW2_LAYERS_IMAGE="oci:$memory/layers:four" \
    IMAGE_TO_QCOW2_LAYERS_NAME=served IMAGE_TO_QCOW2_LAYERS_KERNEL="$layers_kernel" \
    "$root/image-to-qcow2-layers/run.sh" >"$memory/ours.log" 2>&1 &
  running_pid=$!
  until curl -sf -o /dev/null "$layers_url/q/health/ready"; do
    kill -0 "$running_pid" || { cat "$memory/ours.log" >&2; exit 70; }
    sleep 0.02
  done
}

service_shared() {
  local before started ended
  before=$(written_by "$running_pid")
  started=$(date +%s%N)
  curl -sf -o /dev/null -X PUT "$layers_url/volume" || { cat "$memory/ours.log" >&2; exit 70; }
  ended=$(date +%s%N)
  echo "$started $ended $before $(written_by "$running_pid") $(peak_of "$running_pid")" |
    awk '{printf "%.3f %.0f %.0f\n", ($2 - $1) / 1e9, $4 - $3, $5}'
  delete_disk "$layers_url"
}

# Unpack, make a file system, convert, flush.
umoci_layers() { # directory
  rm -rf "$1/scratch" && mkdir "$1/scratch"
  measured sh -ec "
    umoci unpack --image $memory/layers:four $1/scratch/bundle >/dev/null 2>&1
    truncate -s 10G $1/scratch/disk.raw
    mke2fs -q -F -t ext4 -d $1/scratch/bundle/rootfs $1/scratch/disk.raw
    qemu-img convert -f raw -O qcow2 $1/scratch/disk.raw $1/scratch/disk.qcow2
    sync $1/scratch/disk.qcow2"
  rm -rf "$1/scratch"
}

# The shell function in its own process, for time(1).
measured_function() {
  export -f run_layers
  export root memory layers_kernel
  measured bash -c '"$@"' bash "$@"
}

layers_sizes() { # directory
  local layer
  run_layers "$1/store" small small
  layer=$(qemu-img info "$1/store/images/small/disk.qcow2" | awk '/^backing file:/ {print $3; exit}')
  printf '  a layer of one small file: %d bytes\n' "$(stat -c %s "$1/store/images/small/$layer")"
  printf '  four layers: %d MiB\n' "$(du -cm "$1"/store/layers/*.qcow2 | tail -n 1 | cut -f 1)"
}

boot_machine() { # directory of a machine
  measured sh -c "ACCELERATOR=tcg '$1/run.sh' </dev/null >'$memory/console' 2>&1" ||
    { cat "$memory/console" >&2; exit 70; }
}

copy_disk() { # directory of a machine
  rm -f "$memory/copy.raw"
  measured qemu-img convert -f qcow2 -O raw "$1/disk.qcow2" "$memory/copy.raw"
  rm "$memory/copy.raw"
}

# Reads the whole disk. Without --target-is-zero, qemu-img fills a buffer for each range of zeros, because
# null-co cannot write zeros: that would take most of the time (docs/decisions/0021).
read_disk() { # directory of a machine
  measured qemu-img convert -n --target-is-zero -f qcow2 --target-image-opts "$1/disk.qcow2" \
    driver=null-co,size=10G,node-name=nothing
}

make_deep_machines() { # directory
  make_deep
  rm -rf "$1/store" && mkdir "$1/store"
  run_layers "$1/store" deep deep 'IMAGE_TO_QCOW2_LAYERS_COMMAND=["/bin/sh","-c","cat /srv/deep/* /usr/bin/* | wc -c"]'
  cp -r "$1/store/images/deep" "$1/store/images/flat"
  qemu-img convert -f qcow2 -O qcow2 "$1/store/images/deep/disk.qcow2" \
    "$1/store/images/flat/disk.qcow2"
}
