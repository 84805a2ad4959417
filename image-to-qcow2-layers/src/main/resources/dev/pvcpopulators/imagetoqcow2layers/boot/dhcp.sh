#!/bin/busybox sh
# The script that udhcpc runs when it gets or loses a lease. The first interface with a lease
# determines the default route, the name servers and the machine's own address.
case $1 in
  deconfig)
    ip address flush dev "$interface"
    ip link set "$interface" up
    ;;
  bound | renew)
    ip address replace "$ip/$mask" dev "$interface"
    [ -z "$mtu" ] || ip link set "$interface" mtu "$mtu"
    [ ! -e /run/network ] || read -r first </run/network
    [ "${first:=$interface}" = "$interface" ] || exit 0
    echo "$interface" >/run/network
    echo "$ip" >/run/address
    for gateway in $router; do
      ip route replace default via "$gateway" dev "$interface"
      break
    done
    # Written in place, because the image has this file mounted.
    {
      [ -z "${search:-$domain}" ] || echo "search ${search:-$domain}"
      for server in $dns; do echo "nameserver $server"; done
    } >/run/resolv.conf
    ;;
esac
