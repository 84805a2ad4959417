# A registry with two containerDisks, `raw` and `qcow2`. Static files suffice, because services only
# pull. Sourced by SERVICE/train.sh, which sets "$here" and "$work"; leaves the registry's HOST:PORT
# in "$host" and its process in "$web".
. "$here/../service-parent/train-web.sh"

# registry NAME LAYOUT: moves the layout's files to the paths that the distribution specification
# defines.
registry() {
  mkdir -p "$work/web/v2/$1/manifests" "$work/web/v2/$1/blobs"
  for blob in "$2"/blobs/sha256/*; do
    mv "$blob" "$work/web/v2/$1/blobs/sha256:${blob##*/}"
  done
  manifest=$(grep -o 'sha256:[0-9a-f]*' "$2/index.json")
  mv "$work/web/v2/$1/blobs/$manifest" "$work/web/v2/$1/manifests/latest"
}

head -c 67108864 /dev/urandom >"$work/disk.img"
"$here/../it/oci-layout.sh" "$work/disk.img" "$work/raw"
"$here/../it/oci-layout.sh" "$here/../it/fixtures/demo.qcow2" "$work/qcow2"
registry raw "$work/raw"
registry qcow2 "$work/qcow2"
