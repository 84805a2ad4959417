# Boots a machine in the terminal and ends with the exit code of its process. The lines above define
# the machine.

usage() {
  cat <<END
Usage: $0 [QEMU'S OPTIONS]
Boots $name ($image) and exits with its process's exit code, or with 125 where there is none.

In a terminal, Ctrl-C goes to the process; Ctrl-A X ends the machine at once. SIGTERM presses the
power button: the process gets its stop signal.

Environment:
  MEMORY         MiB [$default_memory]
  CPUS           [$default_cpus]
  PORT_80=8080   TCP port 80 of the machine is port 8080 of 127.0.0.1; PORT_53_UDP for UDP; empty:
                 not forwarded. Otherwise it is the same port, or 8000 more where it is below 1024
                 and you are not root. This image has: ${ports:-none}
  READ_ONLY      yes: what is written to the disk is forgotten at the end
  APPEND         more words for the command line: pvcp.grace=30 (seconds from the stop signal to
                 SIGKILL), pvcp.terminal (stdin is the console, as it is in a terminal; otherwise
                 it is /dev/null), pvcp.debug (a shell before the process starts)
  QEMU           [qemu-system-x86_64]
  ACCELERATOR    kvm, tcg [kvm where it works]
END
}

die() {
  echo "$0: $*" >&2
  exit 125
}

# On some hosts /dev/kvm exists but does not work, so this function starts a machine and ends it.
kvm_works() (
  [ -w /dev/kvm ] &&
    echo '{"execute":"qmp_capabilities"} {"execute":"quit"}' |
    "$qemu" -accel kvm -M q35 -cpu max -nodefaults -display none -S -qmp stdio >/dev/null
) 2>/dev/null # The shell would say how it was killed.

case ${1-} in
  -h | --help) usage; exit 0 ;;
esac
qemu=${QEMU:-qemu-system-x86_64}
command -v "$qemu" >/dev/null || die "$qemu is not installed"
CDPATH='' cd -- "$(dirname -- "$0")" || die "its directory cannot be entered"

if [ -n "${ACCELERATOR-}" ]; then
  set -- -accel "$ACCELERATOR" "$@"
elif kvm_works; then
  set -- -accel kvm "$@"
else
  set -- -accel tcg "$@"
fi

network=user,id=network
for port in $ports; do
  number=${port%/*}
  case $port in
    */udp) variable=PORT_${number}_UDP protocol=udp ;;
    *) variable=PORT_$number protocol=tcp ;;
  esac
  host=$number
  [ "$number" -ge 1024 ] || [ "$(id -u)" -eq 0 ] || host=$((number + 8000))
  eval "host=\${$variable-$host}"
  case $host in
    '') continue ;;
    *[!0-9]*) die "$variable: expected a port, found $host" ;;
  esac
  network=$network,hostfwd=$protocol:127.0.0.1:$host-:$number
  echo "127.0.0.1:$host is port $port of $name" >&2
done

if [ -n "$data" ]; then
  set -- -drive "file=$data,format=qcow2,if=none,id=data" -device virtio-blk-pci,drive=data "$@"
fi
if [ -t 0 ] && [ -t 1 ]; then
  serial=mon:stdio
  append="$append pvcp.terminal"
  echo "Ctrl-A X ends the machine at once" >&2
else
  serial=stdio
fi
case ${READ_ONLY-} in
  '' | no) read_only=off ;;
  *) read_only=on ;;
esac
[ -z "${APPEND-}" ] || append="$append $APPEND"
# A program that reads from a pipe gets the process's own newlines.
[ -t 1 ] || append="$append pvcp.raw"

work=$(mktemp -d) || die "no temporary directory"
trap 'rm -rf "$work"' EXIT
mkfifo "$work/control.in" "$work/control.out" || die "no pipes in $work"
# In QEMU's options a comma in a path is written twice.
paths=$(printf %s "$work" | sed 's/,/,,/g')

power_off() {
  # Opened for reading and writing, the pipe never blocks, even if QEMU has ended.
  printf '%s\n' '{"execute":"qmp_capabilities"}' '{"execute":"system_powerdown"}' \
    1<>"$work/control.in"
}
trap power_off HUP INT TERM

# Runs QEMU in the background, so that the traps above run at once. Without descriptor 3, its input
# would then be /dev/null.
exec 3<&0
"$qemu" -M q35 -cpu max -m "${MEMORY:-$default_memory}" -smp "${CPUS:-$default_cpus}" \
  -nodefaults -no-user-config -display none -no-reboot \
  -kernel vmlinuz -initrd initrd -append "$append" \
  -drive "file=$disk,format=qcow2,if=none,id=root,read-only=$read_only" \
  -device virtio-blk-pci,drive=root \
  "$@" \
  -netdev "$network" -device virtio-net-pci,netdev=network,romfile= \
  -serial "$serial" \
  -chardev "file,id=exit,path=$paths/exit" -device isa-serial,chardev=exit,index=1 \
  -chardev "pipe,id=control,path=$paths/control" -mon chardev=control,mode=control \
  <&3 3<&- &
machine=$!
exec 3<&-
while kill -0 "$machine" 2>/dev/null; do
  wait "$machine"
done
[ -s "$work/exit" ] || die "the machine ended without an exit code"
exit "$(od -A n -t u1 -N 1 "$work/exit" | tr -d ' ')"
