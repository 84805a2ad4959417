# Runs in the image's root, as root with the process's groups. The calls that the image's
# configuration determines are appended to this script.

enter() { # DIRECTORY
  cd -- "$1" && return
  echo "pvc-populators: the working directory $1 cannot be entered" >&2
  exit 126
}

# If the kernel cannot execute a file, the C library hides the error and passes the file to the
# image's shell, which fails with 127, or runs something else.
require_executable() { # PROGRAM
  [ -f "$1" ] || return
  case $(od -A n -t x1 -N 2 "$1") in ' 23 21') return ;; esac # "#!"
  # ELF's magic number and e_machine, little-endian like all supported processors.
  own=$(od -A n -t x1 -j 18 -N 2 /proc/self/exe)
  # od prints an error for files that are shorter.
  its=$(od -A n -t x1 -j 18 -N 2 "$1" 2>/dev/null)
  case $(od -A n -t x1 -N 4 "$1"):$own:$its in
    ' 7f 45 4c 46':"$own:$own") return ;;
    ' 7f 45 4c 46: 3e 00: 03 00' | ' 7f 45 4c 46: b7 00: 28 00') return ;; # 32 bits
  esac
  echo "pvc-populators: $1 cannot be executed: it is neither a script with #! nor a program" \
    "for this processor" >&2
  exit 126
}

# Sets $program to the path of a program. Otherwise busybox would run its own applet of that name.
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
