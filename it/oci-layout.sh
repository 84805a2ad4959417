#!/bin/sh
# Makes an OCI image layout with one containerDisk.
# usage: it/oci-layout.sh DISK LAYOUT
set -eu
disk=$1
layout=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/disk"
cp "$disk" "$tree/disk/"
tar -C "$tree" --owner=107 --group=107 --mode=a+rX -cf "$tree/layer" disk
"$(dirname "$0")/oci-image.sh" "$layout" '{}' "$tree/layer"
