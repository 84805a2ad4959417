#!/bin/sh
# Prints a directory tree: one line for each name, sorted, with all attributes that an image stores
# for that name. Two trees are the same if these texts are the same.
# usage: it/images/list-tree.sh DIRECTORY
#
# A line has these fields, separated by tabs: name; type and mode; owner and group; modification
# time in nanoseconds; number of links; size (not of directories); target of a symlink; the first of
# all names of the same file; a device's major and minor number, hexadecimal; BLAKE2 of the
# contents. Extended attributes have a line each: name, "xattr", key=value. Tabs, newlines and
# backslashes in names are escaped.
set -eu
export LC_ALL=C
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# In the input NUL ends a record and \001 ends a field; in the output a newline and a tab do.
lines() { sed -z 's/\\/\\\\/g; s/\n/\\n/g; s/\t/\\t/g' | tr '\0\001' '\n\t' | sort; }

find . -printf '%p\001%y %m\001%U:%G\001%T@\001%n\001%s\001%l\001%i\0' | lines >"$work/files"
find . \( -type b -o -type c \) -exec stat --printf '%n\001%t:%T\0' {} + | lines >"$work/devices"
find . -type f -print0 | xargs -0 -r b2sum -l 128 -z |
  sed -z 's/^\([0-9a-f]*\) [ *]\(.*\)/\2\x01\1/' | lines >"$work/sums"
awk -F '\t' -v OFS='\t' '
  FILENAME ~ /devices$/ {device[$1] = $2; next}
  FILENAME ~ /sums$/ {sum[$1] = $2; next}
  {
    if (!($8 in first)) first[$8] = $1
    if ($2 ~ /^d/) $6 = "-"
    $8 = first[$8]
    print $0, device[$1], sum[$1]
  }' "$work/devices" "$work/sums" "$work/files"
getfattr -R -P -h -d -m - -e hex . 2>"$work/errors" |
  awk '/^# file: / {name = substr($0, 9); next} NF {print name "\txattr\t" $0}' | sort
[ ! -s "$work/errors" ] || { cat "$work/errors" >&2; exit 70; }
