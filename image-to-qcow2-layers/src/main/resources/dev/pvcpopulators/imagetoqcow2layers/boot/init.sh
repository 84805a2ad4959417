#!/bin/busybox sh
# /init: the first process of a virtual machine whose disk is a container image.
#
# Mounts the disk, gives it what a container runtime gives a container (devices, network, names),
# runs the image's process as process 1 of a PID namespace, and turns the machine off when that
# process ends. All programs here are applets of busybox. busybox must run its own applets by
# /proc/self/exe, regardless of PATH, so that it also runs inside an image that has no usable
# program.
#
# /image/settings, from the second archive, sets hostname, uid, working_directory and stop_signal,
# and defines for_each_volume.
#
# The kernel's command line may have:
#   root=/dev/…       the disk; else the first one
#   pvcp.data[=/dev/…] keep volumes on a second disk; without a name the one after the root
#   pvcp.grace=N      seconds from the stop signal to SIGKILL; 10
#   pvcp.raw          no terminal is on the console: leave newlines and input as they are
#   pvcp.terminal     the console is the process's stdin and controlling terminal; else stdin is
#                     /dev/null
#   pvcp.debug        a shell before the process starts

DISK_WAIT=100   # tenths of a second that a disk may take to appear
DATA_PROBE=65536 # bytes at the beginning of a disk; the disk is empty if all are zeros
INIT_FAILED=125 # exit code of container tools if they fail, and not the process
OPEN_FILES=1048576

say() {
  echo "pvc-populators: $*" >"$console"
}

# Writes the exit code to the second serial port, as one byte, and to the console; then turns the
# machine off.
finish() {
  say "exit $1"
  # A port that does not exist has a device node, too, and a write to it fails.
  {
    stty -F /dev/ttyS1 raw && printf "\\$(printf %03o "$1")" >/dev/ttyS1
  } 2>/dev/null
  [ -z "$udhcpc" ] || killall udhcpc 2>/dev/null
  sync
  cd /
  umount -r -a -t noproc,nosysfs,nodevtmpfs,norootfs 2>/dev/null
  mount -o remount,ro /newroot 2>/dev/null
  poweroff -f
  # Without ACPI, this ends the machine; if it fails, too, the end of process 1 causes a panic, and
  # panic=-1 takes effect.
  reboot -f
  exit "$1"
}

fail() {
  say "$*"
  finish "$INIT_FAILED"
}

load() {
  [ -e "/modules/$1.order" ] || return 0
  while read -r module; do
    # A module that is loaded already, or finds no hardware, is not an error.
    insmod "/modules/$module" 2>/dev/null
  done <"/modules/$1.order"
}

# Loads the modules of the machine's devices; the numbers are those of the virtio specification.
load_drivers() {
  load bus
  for device in /sys/bus/virtio/devices/*; do
    [ -e "$device" ] || continue
    case $(cat "$device/device") in
      0x0001) load net ;;
      0x0002) load block ;;
      0x0008) load scsi ;;
    esac
  done
  load disk
  load button
}

read_command_line() {
  root='' data='' grace=10 raw='' terminal='' debug=''
  read -r words </proc/cmdline
  for word in $words; do
    case $word in
      root=*) root=${word#root=} ;;
      pvcp.data) data=next ;;
      pvcp.data=*) data=${word#pvcp.data=} ;;
      pvcp.grace=*) grace=${word#pvcp.grace=} ;;
      pvcp.raw) raw=yes ;;
      pvcp.terminal) terminal=yes ;;
      pvcp.debug) debug=yes ;;
    esac
  done
}

# Finds the console's device, whose name is the last one in the kernel's list.
find_console() {
  read -r words </sys/class/tty/console/active
  console=/dev/${words##* }
  [ -c "$console" ] || console=/dev/console
  [ -z "$raw" ] || stty -F "$console" -onlcr -echo
  # The process's user must own the console, because programs open /dev/stdout again.
  chown "$uid:5" "$console" /dev/console
  chmod 620 "$console" /dev/console
}

wait_for() { # DEVICE…: prints the first that appears
  local tries=0 candidate
  while [ "$tries" -lt "$DISK_WAIT" ]; do
    for candidate; do
      [ ! -b "$candidate" ] || { echo "$candidate"; return 0; }
    done
    sleep 0.1
    tries=$((tries + 1))
  done
  return 1
}

# Mounts the root disk; if it is read-only, writes go to an overlay in memory.
mount_root() {
  root=$(wait_for ${root:-/dev/vda /dev/sda}) || fail "no root disk"
  read -r read_only <"/sys/class/block/${root##*/}/ro"
  mkdir -p /newroot /lower /upper
  if [ "$read_only" = 0 ]; then
    mount -t ext4 "$root" /newroot || fail "$root cannot be mounted"
    return
  fi
  load overlay
  # A journal that was not closed cannot be replayed without writing to the disk.
  mount -t ext4 -o ro "$root" /lower || mount -t ext4 -o ro,noload "$root" /lower ||
    fail "$root cannot be mounted"
  mount -t tmpfs -o mode=755 upper /upper
  mkdir /upper/files /upper/work
  mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work root /newroot ||
    fail "$root is read-only and this kernel has no overlay"
}

# Runs a script with the image's root directory as its root; the image needs no program for that.
inside() { # SCRIPT ARGUMENT…
  local script=$1
  shift
  chroot /newroot sh -c "$script" sh "$@"
}

mount_at() { # DIRECTORY OPTIONS…: mounts in the image; a link there would lead elsewhere
  local directory=/newroot$1
  shift
  [ ! -L "$directory" ] || fail "${directory#/newroot} is a symbolic link"
  mkdir -p "$directory" && mount "$@" "$directory"
}

mount_kernel_file_systems() {
  mount_at /proc -t proc -o nosuid,nodev,noexec proc || fail "/proc cannot be mounted"
  mount_at /sys -t sysfs -o nosuid,nodev,noexec sysfs
  mount_at /dev -t devtmpfs -o nosuid,mode=755 dev || fail "/dev cannot be mounted"
  mount_at /dev/pts -t devpts -o nosuid,noexec,gid=5,mode=620,ptmxmode=666 devpts
  mount_at /dev/shm -t tmpfs -o nosuid,nodev,mode=1777 shm
  # Not every kernel has these file systems.
  mount_at /dev/mqueue -t mqueue -o nosuid,nodev,noexec mqueue 2>/dev/null
  mount_at /sys/fs/cgroup -t cgroup2 -o nosuid,nodev,noexec cgroup2 2>/dev/null
  ln -sf /proc/self/fd /dev/fd
  ln -sf /proc/self/fd/0 /dev/stdin
  ln -sf /proc/self/fd/1 /dev/stdout
  ln -sf /proc/self/fd/2 /dev/stderr
  [ -e /newroot/tmp ] || [ -L /newroot/tmp ] || mkdir -m 1777 /newroot/tmp
}

# Container tools allow every user low ports and ping.
set_limits() {
  echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
  echo '0 2147483647' >/proc/sys/net/ipv4/ping_group_range
  ulimit -n "$OPEN_FILES"
  ulimit -u unlimited
}

start_network() {
  udhcpc='' address=''
  hostname "$hostname"
  ip link set lo up
  for interface in /sys/class/net/*; do
    interface=${interface##*/}
    [ "$interface" != lo ] || continue
    ip link set "$interface" up
    # udhcpc keeps running, so that it renews the lease.
    udhcpc -i "$interface" -n -t 4 -T 1 -s /dhcp.sh -x "hostname:$hostname" \
      >/dev/null 2>&1 && udhcpc=yes
  done
  [ ! -e /run/address ] || read -r address </run/address
  [ -e /run/resolv.conf ] || : >/run/resolv.conf
  echo "$hostname" >/run/hostname
  {
    printf '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n'
    printf '%s\t%s\n' "${address:-127.0.1.1}" "$hostname"
  } >/run/hosts
}

# Mounts one of our files over a file of the image, which stays unchanged.
cover() { # PATH FILE
  target=$(inside '
    mkdir -p /etc && target=$(readlink -f "$1") && [ -n "$target" ] || exit
    [ -e "$target" ] || : >"$target" || exit
    echo "$target"' "$1") &&
    mount --bind "$2" "/newroot$target" || say "$1 of the image cannot be covered"
}

# Finds the data disk and mounts it; makes a file system on an empty one.
mount_data() {
  case $data in
    '') return ;;
    next) data=${root%a}b ;;
  esac
  data=$(wait_for "$data") || fail "no data disk"
  mkdir -p /data
  if ! mount -t ext4 "$data" /data 2>/dev/null; then
    something=$(head -c "$DATA_PROBE" "$data" | tr -d '\000' | head -c 1 | wc -c)
    [ "$something" -eq 0 ] || fail "$data cannot be mounted, and is not empty"
    mke2fs "$data" >/dev/null && mount -t ext4 "$data" /data || fail "$data cannot be mounted"
  fi
  mkdir -p /data/volumes
  for_each_volume mount_volume
}

# Mounts a directory of the data disk over a directory of the image. The first time, copies the
# content of the image's directory to the data disk.
mount_volume() { # PATH
  # The dot keeps newlines at the end of a name.
  target=$(inside 'mkdir -p "$1" && cd -P "$1" && pwd -P && echo .' "$1") ||
    fail "the volume $1 cannot be made"
  target=${target%??}
  kept=/data/volumes$1
  if [ ! -d "$kept" ]; then
    rm -rf /data/seeding
    mkdir -p "${kept%/*}"
    cp -a "/newroot$target" /data/seeding && sync && mv -T /data/seeding "$kept" && sync ||
      fail "the volume $1 cannot be filled"
  fi
  mount --bind "$kept" "/newroot$target" || fail "the volume $1 cannot be mounted"
}

# Waits for the power button, and then stops the process.
watch_button() { # EVENT
  # One struct input_event is enough: this device reports only the button.
  dd if="/dev/input/$1" of=/dev/null bs=24 count=1 2>/dev/null || return
  : >/run/stopping
  # The starter of the process writes its number first, and then checks whether a stop was
  # requested.
  [ -e /run/process ] || return
  read -r process </run/process
  kill "-$stop_signal" "$process" 2>/dev/null
  sleep "$grace"
  kill -KILL "$process" 2>/dev/null
}

watch_buttons() {
  for event in /sys/class/input/event*; do
    [ -e "$event" ] || continue
    read -r name <"$event/device/name"
    [ "$name" != "Power Button" ] || watch_button "${event##*/}" &
  done
}

# Runs the process to its end; its exit code is the status.
run_process() {
  unshare -m -p -f sh /process.sh
} 2>/dev/null # The shell would say how it was killed; the process opens the console itself.

/bin/busybox mkdir -p /proc /sys /dev /run
/bin/busybox mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
. /image/settings
read_command_line
find_console
PATH=/nowhere env true 2>/dev/null || fail "this busybox does not prefer its own applets"
exec <"$console" >"$console" 2>&1
load_drivers
watch_buttons
mount_root
mount_kernel_file_systems
set_limits
start_network
mount_data
cover /etc/resolv.conf /run/resolv.conf
cover /etc/hosts /run/hosts
cover /etc/hostname /run/hostname
# Creates the directory if it is missing, as container tools do.
inside 'mkdir -p -- "$1"' "$working_directory" || fail "the working directory $working_directory cannot be made"
if [ -n "$debug" ]; then
  say "the image is at /newroot; the process starts when this shell ends"
  setsid -c sh
fi
umount /newroot/proc
dmesg -n 1
export console terminal
run_process
finish $?
