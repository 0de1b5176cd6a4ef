"""How connections to PostgreSQL are made: by Loam's own pool, and through a pooler (PgBouncer) where one is in between.

A pooler in transaction mode hands each transaction to whichever connection of its own is free. What belongs to a
session does not survive there, so nothing may rely on it:

- settings of a session: given when connecting, PgBouncer refuses them; the role has them instead (`as_role`), and
  `doctor` looks whether it does. What is set for a statement is set `LOCAL`ly, or it would stay with a connection that
  is another's next;
- prepared statements: none (PgBouncer before 1.21 knows nothing of them);
- cursors of the server outside a transaction: none; rows are fetched whole;
- advisory locks: those of a transaction only.

What needs a session all the same (backup, restore, temporary databases) is run with the address of PostgreSQL itself.
"""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg import sql

# Values of DATABASE_POOLER, the pooler between Loam and PostgreSQL. In session mode only the first point above applies.
SESSION, TRANSACTION = "session", "transaction"
# What each session has. One HNSW search looks at 200 neighbours and goes on while filters discard them
# (docs/decisions/0002). What is planned once is planned for any values (accounts/statements.py).
SESSION_SETTINGS = {
    "hnsw.ef_search": "200",
    "hnsw.iterative_scan": "relaxed_order",
    "plan_cache_mode": "force_generic_plan",
}
# psycopg prepares a statement by itself after this many runs; those of accounts/statements.py are prepared at once.
PREPARE_AFTER = 5


def options(*, size: int, pooler: str) -> dict[str, Any]:
    """Return Django's OPTIONS for the database. `size`: the number of connections that a process keeps, 0 for no pool
    of its own.

    Raises ImproperlyConfigured for an unknown pooler.
    """
    if pooler not in {"", SESSION, TRANSACTION}:
        raise ImproperlyConfigured(f"DATABASE_POOLER is '{pooler}': unset it, or set it to session or transaction.")
    found: dict[str, Any] = {}
    if not pooler:
        found["options"] = " ".join(f"-c {name}={value}" for name, value in SESSION_SETTINGS.items())
    # A request runs in any free thread (config/handler.py), so a pool keeps connections open, not CONN_MAX_AGE.
    if size:
        found["pool"] = {"min_size": 1, "max_size": size, "timeout": 10}
    # Without a pool of our own there may be an unconfigured pooler before the server.
    if size and pooler != TRANSACTION:
        found["prepare_threshold"] = PREPARE_AFTER
    return found


# In seconds. If a standby does not answer, the primary does.
REPLICA_PATIENCE = 2


def databases(primary: dict[str, Any], replica: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return Django's DATABASES: the primary, and a standby at the address of `replica` with its options, if given."""
    if not replica:
        return {"default": primary}
    options = {**primary["OPTIONS"], "connect_timeout": REPLICA_PATIENCE}
    if "pool" in options:
        options["pool"] = {**options["pool"], "timeout": REPLICA_PATIENCE}
    shared = {name: value for name, value in primary.items() if name.isupper()}
    there = {**shared, **replica, "ENGINE": primary["ENGINE"], "OPTIONS": options}
    return {"default": primary, "replica": {**there, "TEST": {"MIRROR": "default"}}}


def as_role(role: str) -> str:
    """Return the statements that give every session of that role the settings; a superuser may run them."""
    quoted = sql.Identifier(role).as_string()
    return " ".join(f"ALTER ROLE {quoted} SET {name} = {value};" for name, value in SESSION_SETTINGS.items())
