#!/bin/sh
# Makes an OCI image layout with one containerDisk, with nothing but tar, gzip and sha256sum: for the
# demo and for training, where skopeo and buildah need not be installed.
# usage: it/oci-layout.sh DISK LAYOUT
set -eu
disk=$1
layout=$2
blobs=$layout/blobs/sha256
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$blobs" "$tree/disk"
cp "$disk" "$tree/disk/"
digest() { sha256sum "$1" | cut -d ' ' -f 1; }
# Moves a file to where its digest says, and prints its descriptor.
blob() {
  hash=$(digest "$1")
  size=$(stat -c %s "$1")
  mv "$1" "$blobs/$hash"
  printf '{"mediaType":"%s","digest":"sha256:%s","size":%s}' "$2" "$hash" "$size"
}

tar -C "$tree" --owner=107 --group=107 --mode=a+rX -cf "$tree/layer" disk
diff_id=$(digest "$tree/layer")
gzip -1 "$tree/layer"
layer=$(blob "$tree/layer.gz" application/vnd.oci.image.layer.v1.tar+gzip)
case $(uname -m) in
  aarch64) architecture=arm64 ;;
  *) architecture=amd64 ;;
esac
printf '{"architecture":"%s","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
  "$architecture" "$diff_id" >"$tree/config"
config=$(blob "$tree/config" application/vnd.oci.image.config.v1+json)
type=application/vnd.oci.image.manifest.v1+json
printf '{"schemaVersion":2,"mediaType":"%s","config":%s,"layers":[%s]}' \
  "$type" "$config" "$layer" >"$tree/manifest"
manifest=$(blob "$tree/manifest" "$type")
printf '{"schemaVersion":2,"manifests":[%s]}' "$manifest" >"$layout/index.json"
printf '{"imageLayoutVersion":"1.0.0"}' >"$layout/oci-layout"
