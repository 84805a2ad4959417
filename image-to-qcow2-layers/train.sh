#!/bin/sh
# usage: image-to-qcow2-layers/train.sh JAVA [APPLICATION]. Converts an image of two layers out of a registry.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
java=$1
work=$(mktemp -d)
pid=
web=
trap '[ -z "$pid$web" ] || kill $pid $web 2>/dev/null || true; rm -rf "$work"' EXIT
. "$here/../service-parent/train-registry.sh"

# Thousands of small files in hundreds of directories, as in an operating system.
mkdir -p "$work/lower/etc" "$work/upper/etc"
for directory in $(seq 200); do
  mkdir -p "$work/lower/usr/share/$directory"
  for file in 1 2 3 4 5 6 7 8 9 10; do
    echo "$directory/$file" >"$work/lower/usr/share/$directory/$file"
  done
done
head -c 33554432 /dev/urandom >"$work/lower/usr/blob"
ln -s usr "$work/lower/link"
echo upper >"$work/upper/etc/hostname"
touch "$work/upper/etc/.wh.absent"
for layer in lower upper; do tar -C "$work/$layer" -cf "$work/$layer.tar" .; done
"$here/../it/oci-image.sh" "$work/image" '{"Cmd":["/bin/sh"]}' "$work/lower.tar" "$work/upper.tar"
cp -r "$work/image" "$work/layout"
registry image "$work/image"
export IMAGE_TO_QCOW2_LAYERS_INSECURE_REGISTRIES="$host"

# Files that look like a kernel, its modules and a static busybox; none of them is run.
modules=$work/guest/lib/modules/6.1.0
mkdir -p "$modules" "$work/guest/bin"
head -c 4194304 /dev/urandom >"$work/guest/vmlinuz"
{ printf '\177ELF\002\001\001'; head -c 1048576 /dev/zero; } >"$work/guest/bin/busybox"
for module in virtio virtio_pci virtio_blk virtio_net ext4 button evdev; do
  head -c 65536 /dev/urandom >"$modules/$module.ko"
  echo "$module.ko: virtio.ko" >>"$modules/modules.dep"
done
export IMAGE_TO_QCOW2_LAYERS_KERNEL="$work/guest"
export IMAGE_TO_QCOW2_LAYERS_IMAGE="oci:$work/layout"

exercise() {
  curl -sf -o /dev/null -X PUT "$1/volume" || { cat "$work/log" >&2; exit 70; }
  curl -sf -o /dev/null -X DELETE "$1/volume"
  curl -sf -o /dev/null -X PUT -H 'Content-Type: application/json' \
    -d "{\"image\":\"docker://$host/image\"}" "$1/volume" || { cat "$work/log" >&2; exit 70; }
  curl -sf -o /dev/null "$1/volume/status"
  curl -sf -o /dev/null -X DELETE "$1/volume"
}

. "$here/../service-parent/train-service.sh"
