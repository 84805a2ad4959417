#!/usr/bin/env bash
# Makes the bases of the container images from Debian's packages and the JDK of the build, without a
# registry and without root, and prints the directory that has them:
#
#   base.tar, base-qemu.tar, base-guest.tar   images in the format of `docker save`
#   jre/                                      the Java run time that they have at /opt/java
#   packages.txt                              names and versions of the packages
#
# usage: kubernetes/images/base.sh JAVA_HOME
#   IMAGE_CACHE    where packages and bases are kept (~/.cache/pvc-populators/images)
#   IMAGE_REFRESH  true: takes Debian's newest packages instead of those of the last time
set -euo pipefail
umask 022

java_home=$1
here=$(cd "$(dirname "$0")" && pwd)
trust_store=$here/src/main/java/dev/pvcpopulators/images/TrustStore.java
cache=${IMAGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pvc-populators/images}
# The time of every file, in seconds; Jib sets the same time for the application's files. The JVM
# compares it with the times of the files that its AOT cache was made from.
stamp=1
# The modules that the services load, and those that their libraries look for but do not need.
java_modules=java.base,java.instrument,java.logging,java.management,java.naming,java.net.http
java_modules+=,java.security.jgss,java.xml,jdk.management,jdk.net,jdk.unsupported,jdk.zipfs
# The kernel modules of a machine's initial file system (Initrd.java), without their dependencies.
guest_modules=(virtio_pci virtio_blk virtio_scsi sd_mod virtio_net af_packet ext4 crc32c_generic
  button evdev)

fail() {
  echo "Cannot make the base of the container images: $1" >&2
  exit 69
}

[ -x "$java_home/bin/jlink" ] || fail "$java_home is not a JDK"
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
packages=$cache/packages-$(cat "$here/packages.sh" /etc/os-release | sha256sum | cut -c -12)
[ "${IMAGE_REFRESH:-false}" != true ] || rm -rf "$packages"
"$here/packages.sh" "$packages"
base=$cache/base-$({
  cat "$0" "$trust_store" "$java_home/release"
  (cd "$packages" && ls ./*)
} | sha256sum | cut -c -12)
if [ -e "$base/packages.txt" ]; then
  echo "$base"
  exit 0
fi
command -v dpkg-deb >/dev/null 2>&1 || fail "there is no dpkg-deb"

echo "Making the base of the container images in $base" >&2
work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
architecture=$(dpkg --print-architecture)

# unpack SET ROOT: unpacks packages to a root in which /bin, /lib and /sbin are links, as in Debian.
# Scanners read status.d to find the installed packages.
unpack() {
  local deb name link
  mkdir -p "$2/var/lib/dpkg/status.d"
  for link in bin lib lib64 sbin; do
    mkdir -p "$2/usr/$link"
    ln -s "usr/$link" "$2/$link"
  done
  for deb in "$packages/$1"/*.deb; do
    name=$(dpkg-deb -f "$deb" Package)
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$2" --keep-directory-symlink --no-same-owner
    dpkg-deb -f "$deb" >"$2/var/lib/dpkg/status.d/$name"
  done
}

# keep FROM TO PATH...: copies the unpacked files that an image needs, the licences, and the list of
# the packages.
keep() {
  local from=$1 to=$2
  shift 2
  mkdir -p "$to"
  (cd "$from" && tar -c "$@" var/lib/dpkg/status.d usr/share/doc/*/copyright) | tar -x -C "$to"
}

# forget SET ROOT PATH...: removes the entries of packages of which no file was kept.
forget() {
  local set=$packages/$1 root=$2 deb name
  shift 2
  for deb in "$set"/*.deb; do
    name=$(dpkg-deb -f "$deb" Package)
    dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -E 's#^\./##; s#^(bin|lib|lib64|sbin)/#usr/&#' \
      >"$work/contents"
    printf '%s\n' "$@" | grep -qxF -f "$work/contents" ||
      rm -r "$root/var/lib/dpkg/status.d/$name" "$root/usr/share/doc/$name"
  done
}

# layer NAME: makes a layer; the same files give the same bytes.
layer() {
  tar -c -C "$work/$1" --sort=name --format=gnu --mtime="@$stamp" --owner=0 --group=0 --numeric-owner \
    . >"$work/$1.tar"
  sha256sum "$work/$1.tar" | cut -d ' ' -f 1 >"$work/$1.diff-id"
  gzip -n -6 "$work/$1.tar"
}

# image NAME LAYER...
image() {
  local name=$1 layer diff_ids='' files=() list=''
  shift
  for layer in "$@"; do
    diff_ids+=,\"sha256:$(cat "$work/$layer.diff-id")\"
    list+=,\"$layer.tar.gz\"
    files+=("$layer.tar.gz")
  done
  cat >"$work/config.json" <<JSON
{"architecture":"$architecture","os":"linux","created":"1970-01-01T00:00:0${stamp}Z",
"config":{"Env":["PATH=/opt/java/bin:/usr/bin","LANG=C.UTF-8"]},
"rootfs":{"type":"layers","diff_ids":[${diff_ids#,}]}}
JSON
  echo "[{\"Config\":\"config.json\",\"RepoTags\":[],\"Layers\":[${list#,}]}]" >"$work/manifest.json"
  tar -c -C "$work" --mtime="@$stamp" --owner=0 --group=0 --numeric-owner \
    -f "$work/$name.tar" manifest.json config.json "${files[@]}"
}

unpack base "$work/base.d"
(
  cd "$work/base.d"
  # Keeps only the locale of libc-bin: with it the JVM reads file names as UTF-8.
  keep . ../debian etc/os-release etc/debian_version usr/lib/os-release usr/share/common-licenses \
    usr/lib/locale/C.utf8 usr/lib64 lib lib64 usr/lib/*-linux-gnu/*.so*
)
mkdir -p "$work/debian"/{app,dev,etc,proc,run,sys,usr/bin,volume}
install -d -m 1777 "$work/debian/tmp"
ln -s usr/bin "$work/debian/bin"
cat >"$work/debian/etc/passwd" <<'EOT'
root:x:0:0:root:/:/nonexistent
qemu:x:107:107:qemu:/:/nonexistent
nobody:x:65534:65534:nobody:/:/nonexistent
EOT
printf '%s\n' root:x:0: qemu:x:107: nogroup:x:65534: >"$work/debian/etc/group"
echo 'hosts: files dns' >"$work/debian/etc/nsswitch.conf"
layer debian

unpack trust "$work/trust.d"
mkdir -p "$work/java/opt"
"$java_home/bin/jlink" --add-modules "$java_modules" --strip-java-debug-attributes --no-header-files \
  --no-man-pages --output "$work/java/opt/java"
# Not the JDK's own trust store: an administrator may have added private authorities to it.
rm -f "$work/java/opt/java/lib/security/cacerts"
"$java_home/bin/java" "$trust_store" "$work/java/opt/java/lib/security/cacerts" \
  "$work"/trust.d/usr/share/ca-certificates/mozilla/*.crt
keep "$work/trust.d" "$work/java"
layer java

unpack qemu "$work/qemu.d"
# The libraries that qemu-img loads, and not those of the other programs in its package.
linker=$(echo "$work"/debian/lib64/ld-linux-*.so.*)
search=$(echo "$work"/{qemu.d,debian}/usr/lib/*-linux-gnu | tr ' ' :)
"$linker" --library-path "$search" --list "$work/qemu.d/usr/bin/qemu-img" |
  sed -n "s#.* => $work/qemu.d/\([^ ]*\) .*#\1#p" >"$work/loaded"
(
  cd "$work/qemu.d"
  mapfile -t programs < <(
    printf '%s\n' usr/bin/qemu-img usr/bin/dash usr/bin/sh
    while read -r library; do
      printf '%s\n' "$library" "$(realpath --relative-to=. "$library")"
    done <"$work/loaded" | sort -u
  )
  keep . ../qemu "${programs[@]}"
  forget qemu ../qemu "${programs[@]}"
)
layer qemu

unpack guest "$work/guest.d"
release=$(basename "$work"/guest.d/usr/lib/modules/*)
busybox=$work/guest.d/usr/bin/busybox
"$busybox" depmod -b "$work/guest.d" "$release"
list=$work/guest.d/usr/lib/modules/$release/modules.dep
(
  cd "$work/guest.d/usr/lib/modules/$release"
  for module in "${guest_modules[@]}"; do
    # "PATH.ko: NEEDED.ko …"; a name has a hyphen where the file may have an underscore.
    sed -n "s#^\(.*/${module//_/[-_]}\.ko[^:]*\):\(.*\)#\1 \2#p" modules.dep
  done | tr ' ' '\n' | sed '/^$/d' | sort -u >"$work/modules"
  grep -F -f <(sed 's/$/:/' "$work/modules") modules.dep >"$work/modules.dep"
  mv "$work/modules.dep" modules.dep
)
(
  cd "$work/guest.d"
  sed "s#^#usr/lib/modules/$release/#" "$work/modules" >"$work/files"
  keep . ../guest/guest "boot/vmlinuz-$release" usr/bin/busybox \
    "usr/lib/modules/$release/modules.dep" "usr/lib/modules/$release/modules.builtin" -T "$work/files"
)
mv "$work/guest/guest/var" "$work/guest"
mkdir -p "$work/guest/usr"
mv "$work/guest/guest/usr/share" "$work/guest/usr"
layer guest

image base debian java
image base-qemu debian java qemu
image base-guest debian java guest
find "$work/java/opt/java" -exec touch -h -d "@$stamp" {} +
rm -rf "$base"
mkdir "$base"
mv "$work"/base*.tar "$base"
mv "$work/java/opt/java" "$base/jre"
for package in "$work"/{debian,java,qemu,guest}/var/lib/dpkg/status.d/*; do
  echo "${package##*/} $(sed -n 's/^Version: //p' "$package")"
done | sort >"$base/packages.txt"
echo "$base"
