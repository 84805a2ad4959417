#!/usr/bin/env bash
# The main jobs, end to end, on an embedded default: starts http-upload on a temporary directory,
# uploads a qcow2, shows the progress and the answer, proves the disk; then copies the same disk with
# registry-copy out of a containerDisk, an OCI layout in a directory, and exports it from there as a LUN
# with registry-stream-iscsi. Then turns an image of two layers into a stack of qcow2 files with
# image-to-qcow2-layers, and boots it where there is QEMU and a kernel. Cleans up.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
pid=
finish() {
  status=$?
  if [ -n "$pid" ]; then
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  fi
  [ "$status" -eq 0 ] || sed 's/^/  | /' "$work/log" >&2 || true
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

command -v curl >/dev/null || { echo "The demo uploads with curl; install it." >&2; exit 69; }
mkdir "$work/volume"
: >"$work/log"

if command -v qemu-img >/dev/null && command -v qemu-io >/dev/null; then
  say "A disk made by qemu-img: 2 GiB virtual, 96 MiB of data, qcow2"
  disk=$work/disk.qcow2
  qemu-img create -q -f qcow2 "$disk" 2G
  qemu-io -f qcow2 -c 'write -q -P 0x5a 1M 64M' -c 'write -q -P 0xa5 1G 32M' "$disk"
  ls -lh "$disk" | awk '{print "  " $5 "  disk.qcow2"}'
else
  say "A disk made by qemu-img, from the project (qemu-img is not installed here)"
  disk=$root/it/fixtures/demo.qcow2
fi

say "http-upload on a temporary directory"
env POPULATOR_TARGET="$work/volume" POPULATOR_CLAIM_NAME=demo-disk \
  QUARKUS_HTTP_HOST=127.0.0.1 QUARKUS_HTTP_PORT=0 "$root/http-upload/run.sh" >"$work/log" 2>&1 &
pid=$!
url=
for _ in $(seq 200); do
  url=$(sed -n 's/.*Listening on: \(http:[^ ]*\).*/\1/p' "$work/log")
  [ -n "$url" ] && break
  kill -0 "$pid" || exit 70
  sleep 0.05
done
[ -n "$url" ] || exit 70
until curl -sf -o /dev/null "$url/q/health/ready"; do sleep 0.05; done
echo "  $url"

say "curl --fail-with-body -T $(basename "$disk") $url/upload"
# Slowed down, so that there is progress to see: what the status stream says, line by line.
curl -sN "$url/volume/status" -H 'Accept: text/event-stream' | sed -un 's/^data: */  /p' &
watcher=$!
curl -sS --fail-with-body --limit-rate "$(( ($(stat -c %s "$disk") / 3) + 1 ))" \
  -T "$disk" "$url/upload" -o "$work/answer"
wait "$watcher" || true

say "The answer: what a virtual machine refers to the volume by"
sed 's/^/  /' "$work/answer"

say "In the volume"
ls -lsh "$work/volume" | sed 's/^/  /'
if command -v qemu-img >/dev/null; then
  say "qemu-img compare -f qcow2 -F raw $(basename "$disk") disk.img"
  qemu-img compare -f qcow2 -F raw "$disk" "$work/volume/disk.img" | sed 's/^/  /'
fi

say "DELETE /volume"
curl -sS -o /dev/null -w '  %{http_code}\n' -X DELETE "$url/volume"
[ ! -e "$work/volume/disk.img" ]
kill "$pid"
wait "$pid" || true
pid=

say "The same disk as a containerDisk: an OCI layout in a directory, made by tar, gzip and sha256sum"
"$root/it/oci-layout.sh" "$disk" "$work/layout"
mkdir "$work/copy"
copy() {
  env POPULATOR_TARGET="$work/copy" POPULATOR_CLAIM_NAME=demo-disk \
    REGISTRY_COPY_IMAGE="oci:$work/layout" "$root/registry-copy/run.sh" "$@" 2>"$work/log" |
    sed "s#$work#WORK#g; s/^/  /"
}

say "registry-copy --dry-run: what it would do"
copy --dry-run

say "registry-copy --once: as a Job does it"
copy --once

say "In the volume"
ls -lsh "$work/copy" | sed 's/^/  /'
if command -v qemu-img >/dev/null; then
  say "qemu-img compare -f qcow2 -F raw $(basename "$disk") disk.img"
  qemu-img compare -f qcow2 -F raw "$disk" "$work/copy/disk.img" | sed 's/^/  /'
fi

say "The same containerDisk as a LUN: registry-stream-iscsi on a temporary directory"
mkdir "$work/cache"
: >"$work/log"
env POPULATOR_TARGET="$work/cache" REGISTRY_STREAM_ISCSI_IMAGE="oci:$work/layout" \
  REGISTRY_STREAM_ISCSI_PORT=0 QUARKUS_HTTP_HOST=127.0.0.1 QUARKUS_HTTP_PORT=0 \
  "$root/registry-stream-iscsi/run.sh" >"$work/log" 2>&1 &
pid=$!
url=
for _ in $(seq 200); do
  url=$(sed -n 's/.*Listening on: \(http:[^ ]*\).*/\1/p' "$work/log")
  [ -n "$url" ] && break
  kill -0 "$pid" || exit 70
  sleep 0.05
done
[ -n "$url" ] || exit 70
until curl -sf -o /dev/null "$url/q/health/ready"; do sleep 0.05; done
curl -sS --fail-with-body -X PUT "$url/volume" -o "$work/answer" \
  -w '  PUT /volume answered in %{time_total} s:\n'
sed 's/^/  /' "$work/answer"
field() { sed -n "s/^ *$1: *\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$work/answer" | head -1; }
lun=iscsi://$(field name):$(field port)/$(field portal)/$(field lun)
if qemu-img info "$lun" >"$work/info" 2>/dev/null; then
  say "qemu-img compare -f qcow2 -F raw $(basename "$disk") $lun"
  qemu-img compare -f qcow2 -F raw "$disk" "$lun" | sed 's/^/  /'
else
  echo "  (no qemu-img with the iscsi driver here, which is in qemu-block-extra: not compared)"
fi
curl -sS -o /dev/null -w 'DELETE /volume: %{http_code}\n' -X DELETE "$url/volume" | sed 's/^/  /'
kill "$pid"
wait "$pid" || true
pid=

say "An ordinary image of two layers, the upper one with a whiteout, made by tar, gzip and sha256sum"
busybox=$(command -v busybox || true)
mkdir -p "$work/lower/etc" "$work/upper/etc"
echo "removed by the layer above" >"$work/lower/etc/issue"
: >"$work/upper/etc/.wh.issue"
echo "Hello from a container image that became a disk" >"$work/upper/etc/motd"
[ -z "$busybox" ] || cp "$busybox" "$work/lower/busybox"
for layer in lower upper; do
  tar -C "$work/$layer" --owner=0 --group=0 --mode=a+rX -cf "$work/$layer.tar" .
done
"$root/it/oci-image.sh" "$work/image" \
  '{"Entrypoint":["/busybox","cat"],"Cmd":["/etc/motd"]}' "$work/lower.tar" "$work/upper.tar"

# A kernel of the machine's own, or the one that the tests unpack.
kernel=/
ls /boot/vmlinuz-* >/dev/null 2>&1 || kernel=/var/cache/pvc-populators/guest-kernel
layers() {
  env POPULATOR_TARGET="$work/stack" POPULATOR_CLAIM_NAME=demo-disk \
    IMAGE_TO_QCOW2_LAYERS_IMAGE="oci:$work/image" IMAGE_TO_QCOW2_LAYERS_KERNEL="$kernel" \
    "$root/image-to-qcow2-layers/run.sh" "$@" 2>"$work/log" | sed "s#$work#WORK#g; s/^/  /"
}
mkdir "$work/stack"
say "image-to-qcow2-layers --once: as a Job does it"
layers --once
say "image-to-qcow2-layers --inspect"
layers --inspect
if command -v qemu-img >/dev/null; then
  say "qemu-img check, and the disk flattened by qemu-img: e2fsck -fn"
  qemu-img check "$work/stack/images/image/disk.qcow2" | sed 's/^/  /'
  qemu-img convert -O raw "$work/stack/images/image/disk.qcow2" "$work/flat.img"
  if PATH=$PATH:/usr/sbin command -v e2fsck >/dev/null; then
    PATH=$PATH:/usr/sbin e2fsck -fn "$work/flat.img" 2>/dev/null | sed "s#$work#WORK#g; s/^/  /"
  fi
fi
if [ -n "$busybox" ] && [ -e "$work/stack/images/image/run.sh" ] &&
  command -v qemu-system-x86_64 >/dev/null; then
  say "run.sh: boots it"
  "$work/stack/images/image/run.sh" </dev/null | sed 's/^/  /'
else
  echo "  (not booted: that takes qemu-system-x86, a kernel and busybox-static, see its README)"
fi
