# Becomes the image's process: the first one of a new PID namespace, in a new mount namespace.
#
# The disk becomes the root of the mount namespace, as for switch_root, so that the process is in
# no chroot (which would keep it from making user namespaces). The supplementary groups are those
# of the user "process" in this archive's own /etc/group, which su takes on; its uid is 0, as the
# root has still to be changed. /image/process goes on inside, and busybox with it.

# This /proc is that of the machine: the number is the one that the watcher of the button can use.
read -r number _ </proc/self/stat
echo "$number" >/run/process
[ ! -e /run/stopping ] || exit 143
# Like a terminal: all three can be read and written. Without one, stdin is at its end, as in a
# container; the end of a pipe cannot be told through a serial port.
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
