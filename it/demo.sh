#!/usr/bin/env bash
# Demonstrates all services without configuration. Starts http-upload with a temporary directory, uploads a
# qcow2, shows the progress and the answer, and checks the disk. Copies the same disk with http-copy from a
# web server, and with registry-copy from a containerDisk in an OCI layout, and exports it from there as a
# LUN with registry-stream-iscsi. Converts an image of two layers into a stack of qcow2 files with
# image-to-qcow2-layers, and boots the stack if there are QEMU and a kernel. Ends with a table of results,
# and cleans up.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
pid=
web=
step=start
results=()
skipped=0
finish() {
  status=$?
  if [ -n "$pid" ]; then
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  fi
  [ -z "$web" ] || kill "$web" 2>/dev/null || true
  [ "$status" -eq 0 ] || sed 's/^/  | /' "$work/log" >&2 || true
  rm -rf "$work"
  verdict "$status"
  exit "$status"
}
verdict() {
  printf '\n\033[1m%s\033[0m\n' "What was proved"
  [ ${#results[@]} -eq 0 ] || printf '  %s\n' "${results[@]}"
  if [ "$1" -ne 0 ]; then
    printf '  failed   %s (exit status %s)\n\nThe demo failed after %s s.\n' "$step" "$1" "$SECONDS"
  elif [ "$skipped" -gt 0 ]; then
    printf '\nThe demo passed in %s s; %s checks were skipped.\n' "$SECONDS" "$skipped"
  else
    printf '\nThe demo passed in %s s.\n' "$SECONDS"
  fi
}
trap finish EXIT
say() {
  step=$*
  printf '\n\033[1m[%3d s] %s\033[0m\n' "$SECONDS" "$*"
}
proved() { results+=("proved   $*"); }
skip() {
  results+=("skipped  $1: $2")
  skipped=$((skipped + 1))
  echo "  (skipped: $2)"
}
# Waits until the service with the process $pid is ready, and sets $url to its address.
await_ready() {
  url=
  # The limit is five minutes, so that a loaded machine only makes the demo slower.
  for _ in $(seq 6000); do
    url=$(sed -n 's/.*Listening on: \(http:[^ ]*\).*/\1/p' "$work/log")
    [ -n "$url" ] && break
    kill -0 "$pid" 2>/dev/null || exit 70
    sleep 0.05
  done
  [ -n "$url" ] || exit 70
  until curl -sf -o /dev/null "$url/q/health/ready"; do
    kill -0 "$pid" 2>/dev/null || exit 70
    sleep 0.05
  done
}
# Deletes the volume of the service at $url, and stops the service.
delete_and_stop() {
  say "DELETE /volume"
  curl -sS --fail-with-body -o /dev/null -w '  %{http_code}\n' -X DELETE "$url/volume"
  kill "$pid"
  wait "$pid" || true
  pid=
}
# Compares the guest's data of two disks by qemu-img.
compare() {
  if command -v qemu-img >/dev/null; then
    say "qemu-img compare -f qcow2 -F raw $(basename "$disk") ${1#"$work"/}"
    qemu-img compare -f qcow2 -F raw "$disk" "$1" | sed 's/^/  /'
    proved "$2: the disk is identical to the source (qemu-img compare)"
  else
    skip "$2: the disk is identical to the source" "no qemu-img here"
  fi
}

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
  say "A disk made by qemu-img, from the project (qemu-img is not installed)"
  disk=$root/it/fixtures/demo.qcow2
fi

say "http-upload on a temporary directory"
env POPULATOR_TARGET="$work/volume" POPULATOR_CLAIM_NAME=demo-disk \
  QUARKUS_HTTP_HOST=127.0.0.1 QUARKUS_HTTP_PORT=0 "$root/http-upload/run.sh" >"$work/log" 2>&1 &
pid=$!
await_ready
echo "  $url"

say "curl --fail-with-body -T $(basename "$disk") $url/upload"
# Limits the rate to make progress visible, and prints the status stream line by line.
curl -sN "$url/volume/status" -H 'Accept: text/event-stream' | sed -un 's/^data: */  /p' &
watcher=$!
curl -sS --fail-with-body --limit-rate "$(( ($(stat -c %s "$disk") / 3) + 1 ))" \
  -T "$disk" "$url/upload" -o "$work/answer"
wait "$watcher" || true

say "The answer, which a virtual machine uses to refer to the volume"
sed 's/^/  /' "$work/answer"

say "In the volume"
ls -lsh "$work/volume" | sed 's/^/  /'
compare "$work/volume/disk.img" "http-upload, a qcow2 sent by curl"
delete_and_stop
[ ! -e "$work/volume/disk.img" ]
proved "http-upload: DELETE removes the disk"

say "The same disk from a web server: http-copy --once"
here=$root/it
. "$root/service-parent/train-web.sh"
cp "$disk" "$work/web/disk.qcow2"
mkdir "$work/download"
env POPULATOR_TARGET="$work/download" POPULATOR_CLAIM_NAME=demo-disk \
  HTTP_COPY_URL="http://$host/disk.qcow2" HTTP_COPY_INSECURE_HOSTS="$host" \
  HTTP_COPY_SHA256="$(sha256sum <"$disk" | cut -d ' ' -f 1)" \
  "$root/http-copy/run.sh" --once 2>"$work/log" | sed "s#$work#WORK#g; s/^/  /"
kill "$web"
web=
compare "$work/download/disk.img" "http-copy, the same qcow2 from a URL"

say "The same disk as a containerDisk: an OCI layout in a directory, made by tar, gzip and sha256sum"
"$root/it/oci-layout.sh" "$disk" "$work/layout"
mkdir "$work/copy"
copy() {
  env POPULATOR_TARGET="$work/copy" POPULATOR_CLAIM_NAME=demo-disk \
    REGISTRY_COPY_IMAGE="oci:$work/layout" "$root/registry-copy/run.sh" "$@" 2>"$work/log" |
    sed "s#$work#WORK#g; s/^/  /"
}

say "registry-copy --dry-run: shows what it would copy"
copy --dry-run

say "registry-copy --once: as a Job"
copy --once

say "In the volume"
ls -lsh "$work/copy" | sed 's/^/  /'
compare "$work/copy/disk.img" "registry-copy, a containerDisk"

say "The same containerDisk as a LUN: registry-stream-iscsi on a temporary directory"
mkdir "$work/cache"
: >"$work/log"
env POPULATOR_TARGET="$work/cache" REGISTRY_STREAM_ISCSI_IMAGE="oci:$work/layout" \
  REGISTRY_STREAM_ISCSI_PORT=0 QUARKUS_HTTP_HOST=127.0.0.1 QUARKUS_HTTP_PORT=0 \
  "$root/registry-stream-iscsi/run.sh" >"$work/log" 2>&1 &
pid=$!
await_ready
curl -sS --fail-with-body -X PUT "$url/volume" -o "$work/answer" \
  -w '  PUT /volume answered in %{time_total} s:\n'
sed 's/^/  /' "$work/answer"
field() { sed -n "s/^ *$1: *\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$work/answer" | head -1; }
lun=iscsi://$(field name):$(field port)/$(field portal)/$(field lun)
# Without the driver QEMU does not know the protocol; with the driver, QEMU reports the missing
# host.
if command -v qemu-img >/dev/null &&
  ! { LC_ALL=C qemu-img info iscsi:// 2>&1 || true; } | grep -q 'Unknown protocol'; then
  compare "$lun" "registry-stream-iscsi, the same one as a LUN"
else
  skip "registry-stream-iscsi, the same one as a LUN: the disk is identical to the source" \
    "no qemu-img with the iscsi driver here (package qemu-block-extra)"
fi
delete_and_stop

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

# A kernel of this machine, or the one that the tests unpack.
kernel=/
ls /boot/vmlinuz-* >/dev/null 2>&1 || kernel=/var/cache/pvc-populators/guest-kernel
layers() {
  env POPULATOR_TARGET="$work/stack" POPULATOR_CLAIM_NAME=demo-disk \
    IMAGE_TO_QCOW2_LAYERS_IMAGE="oci:$work/image" IMAGE_TO_QCOW2_LAYERS_KERNEL="$kernel" \
    "$root/image-to-qcow2-layers/run.sh" "$@" 2>"$work/log" | sed "s#$work#WORK#g; s/^/  /"
}
mkdir "$work/stack"
say "image-to-qcow2-layers --once: as a Job"
layers --once
say "image-to-qcow2-layers --inspect"
layers --inspect
if command -v qemu-img >/dev/null; then
  say "qemu-img check, and the disk flattened by qemu-img: e2fsck -fn"
  qemu-img check "$work/stack/images/image/disk.qcow2" | sed 's/^/  /'
  proved "image-to-qcow2-layers: the qcow2 files are valid (qemu-img check)"
  qemu-img convert -O raw "$work/stack/images/image/disk.qcow2" "$work/flat.img"
  if PATH=$PATH:/usr/sbin command -v e2fsck >/dev/null; then
    PATH=$PATH:/usr/sbin e2fsck -fn "$work/flat.img" 2>/dev/null | sed "s#$work#WORK#g; s/^/  /"
    proved "image-to-qcow2-layers: the file system is valid (e2fsck)"
  else
    skip "image-to-qcow2-layers: the file system is valid" "no e2fsck here"
  fi
else
  skip "image-to-qcow2-layers: the qcow2 files are valid" "no qemu-img here"
fi
if [ -n "$busybox" ] && [ -e "$work/stack/images/image/run.sh" ] &&
  command -v qemu-system-x86_64 >/dev/null; then
  say "run.sh: boots it"
  "$work/stack/images/image/run.sh" </dev/null | tee "$work/console" | sed 's/^/  /'
  grep -q 'Hello from a container image that became a disk' "$work/console"
  proved "image-to-qcow2-layers: the machine boots and runs the image's program"
else
  skip "image-to-qcow2-layers: the machine boots" \
    "that takes qemu-system-x86, a kernel and busybox-static, see its README"
fi
