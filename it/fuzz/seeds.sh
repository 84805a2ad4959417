#!/usr/bin/env bash
# Makes the seeds that other projects' programs write: small files by qemu-img, the compressors and
# tar. The first byte of each seed says how its bytes arrive.
set -euo pipefail
cd "$(dirname "$0")/corpus"
mkdir -p Archive
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# corpus/TARGET/NAME from a file, with a byte in front
seed() {
  mkdir -p "$1"
  { printf '\0'; cat "$3"; } >"$1/seed-$2"
}

seq 1 1500 | head -c 6000 >"$work/text"
truncate -s 64K "$work/raw"
dd if="$work/text" of="$work/raw" conv=notrunc bs=1K seek=8 status=none
truncate -s 6K "$work/small"
dd if="$work/text" of="$work/small" conv=notrunc bs=512 seek=2 count=3 status=none

qcow2() { # NAME OPTIONS [-c]
  qemu-img convert -q -f raw -O qcow2 ${3:+"$3"} -o "$2" "$work/raw" "$work/$1.qcow2"
  seed Qcow2 "$1" "$work/$1.qcow2"
}
qcow2 v3 cluster_size=512
qcow2 v2 cluster_size=512,compat=0.10
qcow2 deflate cluster_size=1k -c
qcow2 zstd cluster_size=1k,compression_type=zstd -c
qcow2 subclusters cluster_size=16k,extended_l2=on
qcow2 metadata cluster_size=512,preallocation=metadata
qcow2 lazy cluster_size=1k,lazy_refcounts=on,refcount_bits=64
qemu-img resize -q "$work/v3.qcow2" 1M
qemu-img snapshot -c one "$work/v3.qcow2"
qemu-io -c 'write -q -P 7 3000 700' -c 'write -q -z 4096 1024' -c 'write -q -P 9 900K 512' "$work/v3.qcow2"
seed Qcow2 resized "$work/v3.qcow2"
qemu-img create -q -f qcow2 -o cluster_size=512,backing_file=v2.qcow2,backing_fmt=qcow2 "$work/over.qcow2"
seed Qcow2 backing "$work/over.qcow2"

seed Import raw "$work/small"
for tool in gzip bzip2 xz zstd lz4 'zstd --long=27' 'xz --format=lzma' 'gzip -1' 'xz --check=crc32' \
  'lz4 -B4 --content-size' 'zstd --no-check -1'; do
  name=${tool// /}
  $tool -c <"$work/small" >"$work/packed"
  seed Import "${name//[=-]/}" "$work/packed"
done
for format in vmdk vdi vpc vhdx qed parallels; do
  qemu-img convert -q -f raw -O "$format" "$work/small" "$work/foreign"
  head -c 2K "$work/foreign" >"$work/head"
  seed Import "$format" "$work/head"
done
qemu-img convert -q -f raw -O qcow2 -o cluster_size=512 "$work/small" "$work/disk.qcow2"
seed Import qcow2 "$work/disk.qcow2"
mkdir "$work/files"
cp "$work/small" "$work/files/disk.raw"
tar -C "$work/files" -cf "$work/disk.tar" disk.raw
seed Import tar "$work/disk.tar"
(cd "$work/files" && zip -q "$work/disk.zip" disk.raw)
seed Import zip "$work/disk.zip"
gzip -c "$work/disk.tar" >"$work/packed"
seed Import targz "$work/packed"
zstd -q -c "$work/disk.qcow2" | gzip -c >"$work/packed"
seed Import qcow2zstdgzip "$work/packed"

tree=$work/tree
mkdir -p "$tree/d/e" "$tree/$(printf 'l%.0s' {1..120})/$(printf 'n%.0s' {1..120})"
echo file >"$tree/file"
ln -s ../file "$tree/d/link"
ln "$tree/file" "$tree/d/hard"
mkfifo "$tree/fifo"
truncate -s 20K "$tree/sparse"
echo data | dd of="$tree/sparse" conv=notrunc bs=4K seek=3 status=none
touch "$tree/d/.wh.gone" "$tree/d/e/.wh..wh..opq"
setfattr -n user.note -v value "$tree/file"
setfacl -m u:7:r "$tree/file"
for format in v7 ustar gnu pax; do
  tar -C "$tree" -c --format="$format" --exclude='l*' -f "$work/t" --sort=name . 2>/dev/null || true
  seed Layer "$format" "$work/t"
done
tar -C "$tree" -c --format=pax --xattrs --acls -f "$work/t" file d
seed Layer xattrs "$work/t"
tar -C "$tree" -c --format=gnu -f "$work/t" "$(basename "$tree"/l*)"
seed Layer gnulong "$work/t"
for format in gnu pax; do
  tar -C "$tree" -cS --format="$format" -f "$work/t" sparse
  seed Layer "sparse$format" "$work/t"
done
for sparse in 0.0 0.1; do
  tar -C "$tree" -cS --format=pax --sparse-version="$sparse" -f "$work/t" sparse
  seed Layer "sparse${sparse/./}" "$work/t"
done
for tar in Layer/seed-*; do
  cp "$tar" "Archive/$(basename "$tar")-files"
  { printf '\4'; tail -c +2 "$tar"; } >"Archive/$(basename "$tar")-entries"
done
{ printf '\6'; cat "$work/disk.tar"; } >Archive/seed-disk
