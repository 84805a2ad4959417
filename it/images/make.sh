#!/usr/bin/env bash
# Makes the images that the tests of image-to-qcow2-layers convert, with the usual tools for that:
# debootstrap, buildah and umoci, from Debian's packages. Adds to the OCI layout a list of the files
# that umoci unpacks from each image (list-tree.sh). Needs root, and the mirror that apt uses.
# usage: it/images/make.sh DIRECTORY [CONTEXT TARGET ...]
#        CONTEXT has a Containerfile, whose TARGETs become images of these names (default: the five
#        images of the tests)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
images=$1
context=${2:-$here}
targets=("${@:3}")
[ ${#targets[@]} -gt 0 ] || targets=(minbase python nginx postgres)
export PATH=$PATH:/usr/sbin:/sbin
umask 022

# In memory if there is room, because these files need not survive a crash.
parent=/tmp
[ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)" -lt 4000000 ] || parent=/dev/shm
work=$(mktemp -d "$parent/images-XXXXXX")
storage=(--root "$work/storage" --runroot "$work/run")
cleanup() {
  # Unmounts the mounts that buildah left, innermost first.
  awk -v work="$work/" 'index($2, work) == 1 {print $2}' /proc/mounts | sort -r | xargs -r umount
  rm -rf "$work"
}
trap cleanup EXIT

mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
  awk '$3 == "main" && $2 !~ /-/ {print $1, $2; exit}')
read -r uri suite <<<"$mirror"

debootstrap --variant=minbase "$suite" "$work/base" "$uri" >"$work/log" 2>&1 ||
  { tail -n 20 "$work/log" >&2; exit 70; }
# Keeps apt's package lists and downloads outside the images.
mkdir -p "$work/lists" "$work/archives/partial"
mv "$work/base/var/lib/apt/lists/"* "$work/lists"
rm "$work/base/var/cache/apt/archives/"*.deb
cp -r "$context" "$work/context"
tar -C "$work/base" --numeric-owner --sort=name -cf "$work/context/base.tar" .
rm -rf "$work/base"

# vfs copies all files for every layer, but needs no feature of the kernel.
driver=overlay
mkdir -p "$work/probe/"{lower,upper,work,merged}
if mount -t overlay -o "lowerdir=$work/probe/lower,upperdir=$work/probe/upper,workdir=$work/probe/work" \
  overlay "$work/probe/merged" 2>/dev/null; then
  umount "$work/probe/merged"
else
  driver=vfs
fi
storage+=(--storage-driver "$driver")

layout=$work/layout
for image in "${targets[@]}"; do
  buildah "${storage[@]}" bud -q --layers --isolation chroot --cap-add CAP_MKNOD --target "$image" -t "$image" \
    -v "$work/lists:/var/lib/apt/lists" -v "$work/archives:/var/cache/apt/archives" \
    "$work/context" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 70; }
  buildah "${storage[@]}" push -q "$image" "oci:$layout:$image"
done

# An image with one file, without a shell and without passwd, for a user without a name.
targets+=(busybox)
umoci new --image "$layout:busybox"
umoci insert --image "$layout:busybox" "$(command -v busybox)" /busybox
umoci config --image "$layout:busybox" --config.user 65532:65532 \
  --config.entrypoint /busybox --config.cmd sh --config.cmd -c \
  --config.cmd 'echo "app runs as $(/busybox id -u):$(/busybox id -g)"'

mkdir "$layout/trees"
for image in "${targets[@]}"; do
  umoci unpack --image "$layout:$image" "$work/bundle" >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2; exit 70; }
  "$here/list-tree.sh" "$work/bundle/rootfs" >"$layout/trees/$image"
  rm -rf "$work/bundle"
done

rm -rf "$images.new"
mkdir -p "$(dirname "$images")"
cp -r "$layout" "$images.new"
chmod -R a+rX "$images.new"
rm -rf "$images"
mv "$images.new" "$images"
