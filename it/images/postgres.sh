#!/bin/sh
# Creates a database if there is none, and runs the server.
set -eu
[ -s "$PGDATA/PG_VERSION" ] || initdb --auth=trust --no-sync >/dev/null
exec "$@" -c listen_addresses='*'
