#!/bin/sh
# What the container pgbouncer of compose.several.yaml runs: pgbouncer.ini of this folder, with the addresses of the
# containers and the password of the environment. PRIMARY and REPLICA: host, or host:port.
set -eu
FROM=${FROM:-/etc/loam/pgbouncer.ini}
TO=${TO:-/tmp}

address() {
    case $1 in *:*) echo "host=${1%:*} port=${1##*:}" ;; *) echo "host=$1 port=5432" ;; esac
}

umask 077
printf '"loam" "%s"\n' "$POSTGRES_PASSWORD" > "$TO/userlist.txt"
sed -e "s/host=127.0.0.1 port=5432/$(address "$PRIMARY")/" \
    -e "s/host=127.0.0.1 port=5433/$(address "$REPLICA")/" \
    -e "s/^listen_addr = .*/listen_addr = ${LISTEN:-*}/" \
    -e "s/^listen_port = .*/listen_port = ${PORT:-6432}/" \
    -e "s|/etc/pgbouncer/userlist.txt|$TO/userlist.txt|" "$FROM" > "$TO/pgbouncer.ini"
exec pgbouncer "$TO/pgbouncer.ini"
