# Sourced by run.sh: compares http-copy with registry-copy for the same disk.

# Copies a disk that nginx serves from the folder in memory; prints the same figures as "measured".
http_copy() { # volume file
  rm -rf "$1/volume" && mkdir "$1/volume"
  start_nginx "$memory" http
  measured sh -c "exec env POPULATOR_TARGET='$1/volume' POPULATOR_TERMINATION_LOG=/dev/null \
    HTTP_COPY_URL='$nginx_url/$2' HTTP_COPY_INSECURE_HOSTS='${nginx_url#http://}' \
    '$root/http-copy/run.sh' --once >'$memory/ours.log' 2>&1" ||
    { cat "$memory/ours.log" >&2; exit 70; }
  stop_servers
}

# Checks that the measured copy is correct.
http_identical() { # volume file
  http_copy "$1" "$2" >/dev/null
  qemu-img compare -q -f qcow2 -F raw "$memory/$2" "$1/volume/disk.img"
  rm -rf "$1/volume"
}
