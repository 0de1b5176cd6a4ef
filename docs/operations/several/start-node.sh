#!/bin/sh
# What each PostgreSQL container of compose.several.yaml runs. NODE is its name and address, PRIMARY that of the primary,
# HOSTS those of all. A node without files is made of the primary's; one that has them follows whichever can be written.
set -eu
CONFIG=${CONFIG:-/etc/loam/server.conf}

if [ "$NODE" != "$PRIMARY" ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
    primary="host=$HOSTS user=replicator application_name=$NODE connect_timeout=3 target_session_attrs=read-write"
    export PGPASSWORD="$POSTGRES_PASSWORD"
    until pg_basebackup -D "$PGDATA" -d "$primary" -R -X stream -c fast; do
        # What a copy that was cut off has left is in its way.
        find "$PGDATA" -mindepth 1 -delete
        sleep 2
    done
    unset PGPASSWORD
elif [ "$NODE" != "$PRIMARY" ] && [ ! -e "$PGDATA/standby.signal" ]; then
    echo "$NODE was a primary and $PRIMARY is one now: two would take writes. Remove the volume of $NODE, then start it." >&2
    exit 1
fi
exec docker-entrypoint.sh postgres -c "config_file=$CONFIG" -c "cluster_name=$NODE"
