# Sourced by run.sh: installs missing peers.
bench_packages=()
for bench_entry in nginx:nginx-light qemu-img:qemu-utils curl:curl openssl:openssl cpio:cpio \
  mke2fs:e2fsprogs docker-registry:docker-registry skopeo:skopeo debootstrap:debootstrap tgtd:tgt \
  umoci:umoci buildah:buildah qemu-system-x86_64:qemu-system-x86; do
  PATH=$PATH:/usr/sbin command -v "${bench_entry%%:*}" >/dev/null 2>&1 ||
    bench_packages+=("${bench_entry##*:}")
done
[ -x /usr/bin/time ] || bench_packages+=(time)
[ -e /usr/lib/x86_64-linux-gnu/qemu/block-iscsi.so ] || bench_packages+=(qemu-block-extra)
ldconfig -p | grep -F libisal.so.2 >/dev/null || bench_packages+=(libisal2)
if [ ${#bench_packages[@]} -gt 0 ]; then
  echo "installing: ${bench_packages[*]}"
  if [ "$(id -u)" -eq 0 ]; then bench_sudo=; else bench_sudo=sudo; fi
  $bench_sudo "$root/.ci/apt-update"
  $bench_sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends \
    "${bench_packages[@]}" >/dev/null
fi
export PATH=$PATH:/usr/sbin
