#!/usr/bin/env bash
# Makes the seeds that are documents, header fields and references: the documents that skopeo, umoci
# and buildah write for an image, and words of the specifications. The first byte of each seed says
# what it is.
# shellcheck disable=SC2016,SC2094 # $256 is for the target; nothing is written where it is read
set -euo pipefail
cd "$(dirname "$0")/corpus"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STORAGE_DRIVER=vfs
mkdir -p Manifest

# corpus/Manifest/seed-NAME: the first byte in octal, and the rest from standard input
manifest() {
  { printf '%b' "\\0$2"; cat; } >"Manifest/seed-$1"
}

# Documents with a NUL between them
documents() {
  local first=$1
  shift
  cat "$first"
  for document; do
    printf '\0'
    cat "$document"
  done
}

# A blob of a layout, by its digest
blob() {
  echo "$work/$1/blobs/${2/:/\/}"
}

umoci init --layout "$work/oci"
umoci new --image "$work/oci:1"
mkdir "$work/root" "$work/root/disk"
echo disk >"$work/root/disk/disk.img"
umoci insert --rootless --image "$work/oci:1" "$work/root/disk" /disk
umoci config --image "$work/oci:1" --config.env A=B --config.label c=d --config.entrypoint /e \
  --config.volume /v --config.exposedports 80/tcp --config.user 7 --config.workingdir /w \
  --config.stopsignal SIGTERM --manifest.annotation e=f
top=$(jq -r '.manifests[0].digest' "$work/oci/index.json")
image=$(blob oci "$top")
config=$(blob oci "$(jq -r .config.digest "$image")")
layer=$(blob oci "$(jq -r '.layers[0].digest' "$image")")
documents "$image" "$config" | manifest umoci 000
documents "$work/oci/index.json" "$image" "$config" | manifest umoci-index 000

skopeo copy -q --format v2s2 "oci:$work/oci:1" "dir:$work/v2s2"
documents "$work/v2s2/manifest.json" "$config" | manifest skopeo-v2s2 060

# The blobs of a layout get their numbers in the place of their digests
numbered() {
  sed "s/$1/sha256:$(printf '%064d' "$2")/"
}
numbered "$top" 2 <"$work/oci/index.json" >"$work/index"
numbered "$(jq -r .config.digest "$image")" 3 <"$image" |
  numbered "$(jq -r '.layers[0].digest' "$image")" 4 >"$work/image"
documents "$work/oci/oci-layout" "$work/index" "$work/image" "$config" "$layer" >"$work/layout"
manifest layout 001 <"$work/layout"
manifest layout-position 021 <"$work/layout"

skopeo copy -q "oci:$work/oci:1" "docker-archive:$work/saved.tar:busybox:1"
manifest docker 012 <"$work/saved.tar"
manifest docker-position 022 <"$work/saved.tar"

for platform in linux/amd64 linux/arm64/v8 linux/arm/v7; do
  buildah manifest exists list 2>/dev/null || buildah manifest create list >"$work/log"
  buildah manifest add --os "${platform%%/*}" --arch "$(cut -d/ -f2 <<<"$platform")" \
    --variant "$(cut -d/ -f3 <<<"$platform")" list "oci:$work/oci:1" >"$work/log"
done
buildah manifest inspect list >"$work/list"
buildah rmi list >"$work/log"
documents "$work/list" "$image" "$config" | manifest buildah-list 010
documents "$work/list" "$work/list" "$image" "$config" | manifest buildah-nested 020

printf 'docker://registry.example:5000/a/b_c:tag@sha256:%064d' 0 | manifest reference 003
printf 'busybox' | manifest reference-short 003
printf '[::1]:5000/a:b' | manifest reference-address 003
printf 'oci-archive:/a/b.tar:@sha256:%064d' 0 | manifest reference-digest 003
printf 'docker-archive:b.tar:@0' | manifest reference-position 003
printf 'oci:/a:name' | manifest reference-layout 003
printf 'containers-storage:x' | manifest reference-transport 003

printf '%s\n' 'Bearer realm="https://auth.example/token",service="a \"b\"",scope="repository:c:pull"' \
  'Basic realm="x", charset=UTF-8, Negotiate YWJj==, Digest' | manifest challenges 004
printf '%s\n' 'bytes 0-99/100' 'bytes 7-9/*' 120 'Fri, 02 Jan 2026 00:00:00 GMT' \
  'application/vnd.oci.image.index.v1+json; charset=utf-8' | manifest fields 004
printf '/images/[!a-c]*.q?ow[]2-3x]\nd1.qcow2\na.qcow2\n' | manifest pattern 005
printf '/disk/disk.img\ndisk.img' | manifest path 005
printf '/disk/*\nx' | manifest pattern-default 005

mkdir -p UploadHeaders
# corpus/UploadHeaders/seed-NAME: requests from arguments, a byte of 1 between them
upload() {
  local name=$1 between=''
  shift
  for request; do
    printf '%b%b' "$between" "$request"
    between='\001'
  done >"UploadHeaders/seed-$name"
}
upload curl 'PUT format=raw&content=disk\nHost: localhost\nUser-Agent: curl/7.88.1\nAccept: */*\nContent-Length: 4\nExpect: 100-continue\n\ndisk'
upload chunked 'PUT format=QCOW2\nTransfer-Encoding: chunked\nUpload-Length: 4\n\ndisk'
upload archive 'PUT content=archive&format=auto\nContent-Length: 0\n\n'
upload digests 'PUT\nContent-Length: 4\nRepr-Digest: sha-256=:$256:, sha-512=:@512:\nContent-Digest: md5=:AA==:, sha-256=:@256:;a=b\nX-Checksum-Sha256: @hex\n\ndisk'
upload wrong 'PUT\nContent-Length: 4\nRepr-Digest: sha-256=:uhYqOYPLFLcuqf7ozBMAdvn+GYEGoQ0rRVkbBL4v7tE=:\n\ndisk'
upload range 'PUT\nContent-Length: 4\nContent-Range: bytes 0-3/8\nUpload-Key: k\n\ndisk' \
  'PUT\nContent-Length: 4\nContent-Range: bytes 4-7/8\nUpload-Key: k\nContent-Digest: sha-256=:@256:\nRepr-Digest: sha-256=:$256:\n\ndisk'
upload range-open 'PUT\nContent-Range: bytes 0-3/*\n\ndisk' 'PUT  w\nContent-Range: bytes 2-7/8\n\nskdisk'
upload patch 'PUT\nUpload-Complete: ?0\nContent-Length: 3\nUpload-Length: 7\n\nabc' \
  'PATCH\nUpload-Offset: 3\nUpload-Complete: ?1\nContent-Length: 4\n\ndefg'
upload cut 'PUT  hs\nContent-Length: 9\nUpload-Key: a\n\ndisk' \
  'PATCH\nUpload-Offset: 4\nUpload-Key: a\nContent-Length: 5\n\n12345'
upload replaced 'PUT\nUpload-Complete: ?0\nUpload-Key: a\n\ndisk' \
  'PUT\nUpload-Key: b\nUpload-Replaces: a\nContent-Length: 1\n\nx'
upload busy 'PUT  h\nContent-Length: 9\n\ndisk' 'PUT\n\nother' 'PUT  w\n\nother'
upload parts 'PUT\nUpload-Complete: ?0\nContent-Length: 2\nContent-Digest: sha-512=:@512:\n\nab' \
  'PATCH\nUpload-Offset: 2\nUpload-Complete: ?0\nContent-Length: 2\nContent-Digest: sha-256=:@256:\n\ncd' \
  'PATCH\nUpload-Offset: 4\nUpload-Complete: ?1\nRepr-Digest: sha-256=:$256:\nContent-Length: 0\n\n'
upload contradiction 'PUT\nContent-Range: bytes 0-3/8\nUpload-Length: 9\nUpload-Offset: 0\n\ndisk'

mkdir -p ContractBody
# corpus/ContractBody/seed-NAME: the first byte in octal, and the rest
contract() {
  printf '%b' "\\0$2$3" >"ContractBody/seed-$1"
}
contract yaml 000 'image: quay.io/a/b:1\nplatform: "linux/arm64"\nsize: 10737418240\nforce: true # now\n'
contract yaml-flow 000 '--- {image: "a\\x41\\u00e9", size: 0x10, force: no}\n...\n'
contract yaml-block 000 "image: |-\n  a\n  b\nplatform: >\n  c\n  d\nsize: ~\nforce: 'it''s'\n"
contract yaml-anchor 000 'image: &a x\nplatform: *a\n'
contract yaml-merge 000 'force: !!str yes\n<<: {size: 1}\n'
contract yaml-two 000 'size: 1\n---\nsize: 2\n'
contract yaml-twice 000 'size: 1\nsize: 1_000\n'
contract yaml-complex 000 '? image\n: 1e3\n? [a, b]\n: .inf\n'
contract json 001 '{"image":"a\\u00e9\\ud83d\\ude00","platform":null,"size":-0,"force":false}'
contract json-deep 001 '{"image":[[{"a":[1.5e3]}]],"size":9223372036854775808}'
contract json-two 001 '{} {}'
contract untyped 002 '{"image": "docker://a", "size": 7}'
contract untyped-empty 002 '  # nothing\n'
contract tags 003 '"1-2", W/"3" ,, "4"\n"5"'
contract asterisk 003 '*'
contract prefer 004 'respond-async, wait=100;a="b"\nhandling=lenient; wait = "5"'
contract texts 005 'no\n1e3\n12:30\n0x1F\n~\n- a\n# b\n"q"\n'"'"'\n2001-01-01\n\0302\0205\n\0357\0273\0277bom\n<<\n=\n{{ .x }}\n%%TAG\n@a\n!b\n&c\n*d\n: \n? \n|\n>'
contract texts-host 005 '10.1.2.3\n[::1]\niqn.2017-01.io.kubevirt:sn.42\ndisk-0.example\n-1\n+1\n.5\n._\n0o7\n190:20:30'
contract texts-halves 006 '\0330\0000a\0000\n\0000x\0330\0000\0000y\0334\0000\0000z\0330\0075\0336\0000'
