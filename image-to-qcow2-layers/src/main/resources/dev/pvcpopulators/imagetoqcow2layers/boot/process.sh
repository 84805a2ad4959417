# Becomes the image's process: the first one of a new PID namespace, in a new mount namespace.
#
# The disk becomes the root of the mount namespace, as for switch_root, so that the process is in no
# chroot (in which it could not create user namespaces). The supplementary groups are those of the
# user "process" in this archive's own /etc/group, which su sets; the user's uid is 0, because the
# root has still to be changed. Busybox then runs /image/process inside the new root.

# This /proc is that of the machine, so the number is the one that the watcher of the power button
# needs.
read -r number _ </proc/self/stat
echo "$number" >/run/process
[ ! -e /run/stopping ] || exit 143
# As with a terminal, all three descriptors can be read and written. Without a terminal, stdin is at
# its end, as in a container: a serial port cannot transmit the end of a pipe.
exec <>"$console" >&0 2>&1
control=-c
[ -n "$terminal" ] || { exec </dev/null; control=''; }
unset console terminal
mount -t proc -o nosuid,nodev,noexec proc /newroot/proc &&
  cd /newroot &&
  mount --move . / ||
  exit 125
exec setsid $control su -m -s /bin/busybox process \
  chroot . sh /proc/self/fd/3 3</image/process
