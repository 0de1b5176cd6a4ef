#!/bin/sh
# Run once by the image when the first primary is made: the extension, what Loam's role needs behind PgBouncer
# (docs/operations/scale.md), the standbys' role, and from then on a standby that each answer waits for.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$POSTGRES_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE EXTENSION IF NOT EXISTS vector;
ALTER ROLE loam SET hnsw.ef_search = 200;
ALTER ROLE loam SET hnsw.iterative_scan = relaxed_order;
ALTER ROLE loam SET plan_cache_mode = force_generic_plan;
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'password';
-- The first of these that is connected, and not the primary itself; the others follow asynchronously.
ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (node2, node1, node3)';
SQL
echo "host replication replicator all scram-sha-256" >> "$PGDATA/pg_hba.conf"
