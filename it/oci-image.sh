#!/bin/sh
# Makes an OCI image layout with one image, using only gzip and sha256sum, for the demo and for training
# without skopeo and buildah.
# usage: it/oci-image.sh LAYOUT CONFIG LAYER.tar...
#   CONFIG  the value of "config" in the image's configuration: {} or {"Cmd":["/bin/sh"]}
#   LAYER   from the bottom up; compressed and moved away
set -eu
layout=$1
config=$2
shift 2
blobs=$layout/blobs/sha256
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$blobs"
digest() { sha256sum "$1" | cut -d ' ' -f 1; }
# Moves a file to the place of its digest, and prints its descriptor.
blob() {
  hash=$(digest "$1")
  size=$(stat -c %s "$1")
  mv "$1" "$blobs/$hash"
  printf '{"mediaType":"%s","digest":"sha256:%s","size":%s}' "$2" "$hash" "$size"
}

layers=
diff_ids=
for layer in "$@"; do
  diff_ids=$diff_ids${diff_ids:+,}\"sha256:$(digest "$layer")\"
  gzip -n -1 "$layer"
  layers=$layers${layers:+,}$(blob "$layer.gz" application/vnd.oci.image.layer.v1.tar+gzip)
done
case $(uname -m) in
  aarch64) architecture=arm64 ;;
  *) architecture=amd64 ;;
esac
printf '{"architecture":"%s","os":"linux","config":%s,"rootfs":{"type":"layers","diff_ids":[%s]}}' \
  "$architecture" "$config" "$diff_ids" >"$work/config"
descriptor=$(blob "$work/config" application/vnd.oci.image.config.v1+json)
type=application/vnd.oci.image.manifest.v1+json
printf '{"schemaVersion":2,"mediaType":"%s","config":%s,"layers":[%s]}' \
  "$type" "$descriptor" "$layers" >"$work/manifest"
manifest=$(blob "$work/manifest" "$type")
printf '{"schemaVersion":2,"manifests":[%s]}' "$manifest" >"$layout/index.json"
printf '{"imageLayoutVersion":"1.0.0"}' >"$layout/oci-layout"
