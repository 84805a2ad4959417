# Runs in the image's root, as root with the process's groups. Behind this come the calls that the
# image's configuration gives.

enter() { # DIRECTORY
  cd -- "$1" && return
  echo "pvc-populators: the working directory $1 cannot be entered" >&2
  exit 126
}

# Sets $program to where a program is. Busybox would take its own applet of that name otherwise.
look_up() { # NAME PATH
  program=$1
  case $1 in */*) return ;; esac
  found=''
  rest=$2:
  while [ -n "$rest" ]; do
    program=${rest%%:*}
    program=${program:-.}/$1
    rest=${rest#*:}
    [ ! -d "$program" ] && [ -x "$program" ] && return
    [ ! -f "$program" ] || found=yes
  done
  [ -z "$found" ] || { echo "pvc-populators: $1: permission denied" >&2; exit 126; }
  echo "pvc-populators: $1: not found in $2" >&2
  exit 127
}
