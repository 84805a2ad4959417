#!/usr/bin/env bash
# Fetches the Debian packages of the container images, unless the directory has them already. Each set
# of packages has its own folder. Resolves dependencies with package lists of its own, as for a
# machine without installed packages. Therefore it needs no root, and the packages of this machine
# have no effect.
# usage: kubernetes/images/packages.sh DIRECTORY
set -euo pipefail

# The packages that the JVM and its native libraries need; isa-l and libdeflate inflate in half the
# JDK's time.
libraries=(libc6 libgcc-s1 libisal2 libdeflate0)
# The program that converts foreign formats, for the services with `base=qemu`.
converter=(qemu-utils)
# These packages are taken without their dependencies, which serve only scripts that no image runs.
# They contain the files that identify Debian, and a locale; the shell that sets the converter's
# limits; busybox and Debian's kernel for virtual machines, for image-to-qcow2-layers; the
# authorities that the JVM trusts.
alone_base=(base-files libc-bin)
alone_qemu=(dash)
alone_guest=(busybox-static)
kernel=linux-image-cloud-$(dpkg --print-architecture)
alone_trust=(ca-certificates)

directory=$1
[ ! -e "$directory/complete" ] || exit 0

fail() {
  echo "Cannot fetch the packages of the container images into $directory: $1" >&2
  exit 69
}

command -v apt-get >/dev/null 2>&1 ||
  fail "there is no apt-get; it takes a Debian machine, or another base (kubernetes/images/README.md)"

rm -rf "$directory"
mkdir -p "$directory/apt/lists/partial" "$directory/apt/cache"
: >"$directory/apt/status"
# Error-Mode: after an incomplete update, the packages would permanently lack Debian's security
# updates.
options=(-qq -o APT::Update::Error-Mode=any
  -o "Dir::State::status=$directory/apt/status" -o "Dir::State::lists=$directory/apt/lists"
  -o "Dir::Cache=$directory/apt/cache" -o "APT::Sandbox::User=$(id -un)" -o Debug::NoLocking=true
  -o APT::Install-Recommends=false -o APT::Install-Suggests=false)

closure() {
  apt-get "${options[@]}" -s install "$@" | awk '/^Inst/ {print $2}'
}

fetch() {
  local set=$directory/$1
  shift
  mkdir "$set"
  (cd "$set" && apt-get "${options[@]}" download "$@" >&2) || fail "apt-get does not get: $*"
}

echo "Fetching the Debian packages of the container images into $directory" >&2
apt-get "${options[@]}" update >&2 || fail "apt-get update failed"
base=$(closure "${libraries[@]}")
qemu=$(closure "${converter[@]}" | grep -vxF "$base")
newest=$(apt-cache "${options[@]}" depends "$kernel" | awk '/Depends: linux-image-/ {print $2; exit}')
# shellcheck disable=SC2086 # one word for each package
fetch base "${alone_base[@]}" $base
# shellcheck disable=SC2086
fetch qemu "${alone_qemu[@]}" $qemu
fetch guest "${alone_guest[@]}" "$newest"
fetch trust "${alone_trust[@]}"
rm -r "$directory/apt"
touch "$directory/complete"
