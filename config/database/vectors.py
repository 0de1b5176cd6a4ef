"""Check that the stored vectors are from the model that this process uses.

Vectors of two models must not be compared: the cosine between them means nothing, and would cause wrong merges. So a
process with another model than the store's works without vectors, as if it had no embedder, and says why in `degraded`
and at /readyz. `manage.py reembed` changes the store's model; for the seconds around its switch no process uses
vectors.
"""

import threading
import time

import psycopg
from django.db import DatabaseError, connection

# Seconds for which an answer is cached. For as long a process may still use the previous model after `reembed` has
# switched.
HOLDS = 2.0
# Seconds to connect and to answer: a migration may hold the table, and nobody should wait for it here.
TIMEOUT = 2
# For this transaction only, because behind PgBouncer the connection is reused by others, whose statements may take
# longer.
PATIENCE = "SELECT set_config('lock_timeout', '300', true), set_config('statement_timeout', '1000', true)"

# The model of a pending switch, or of the last one. No other statement locks this table, so it is asked first.
CHANGE = """
SELECT (SELECT model FROM sessions_app_embeddingchange WHERE quiet_until > clock_timestamp() LIMIT 1),
    (SELECT model FROM sessions_app_embeddingchange WHERE switched_at IS NOT NULL ORDER BY switched_at DESC LIMIT 1)
"""
# If there was no switch, the oldest row decides. The first rows by id have a vector, so the search ends with the first.
LOOK = "SELECT embedded_by FROM knowledge_insight WHERE embedded_by > '' ORDER BY id LIMIT 1"

# (database, model) → when it was looked up, and what was found.
_known: dict[tuple[str, str], tuple[float, str]] = {}
_looking = threading.Lock()


def objection(model: str) -> str:
    """Return why vectors of this model cannot be used now; "" if they can, or if that is unknown.

    One thread looks it up; others use the last answer, unless there is none.
    """
    key = (str(connection.settings_dict["NAME"]), model)
    known = _known.get(key)
    if _holds(known) or not _looking.acquire(blocking=known is None):
        return known[1] if known else ""
    try:
        known = _known.get(key)
        if not _holds(known):
            known = (time.monotonic(), _objection(model, known[1] if known else ""))
            _known[key] = known
    finally:
        _looking.release()
    return known[1] if known else ""


def _holds(known: tuple[float, str] | None) -> bool:
    return known is not None and time.monotonic() - known[0] < HOLDS


def _objection(model: str, before: str) -> str:
    """Look it up on a separate connection, so that a question neither waits for the pool nor counts it as its own
    statement.
    """
    try:
        with psycopg.connect(**connection.get_connection_params() | {"connect_timeout": TIMEOUT}) as server:
            server.execute(PATIENCE)
            switching, stored = server.execute(CHANGE).fetchone() or ("", "")
            if switching:
                return f"the stored vectors are being changed to {switching}: for some seconds none are used"
            if not stored:
                (stored,) = server.execute(LOOK).fetchone() or ("",)
    except (psycopg.Error, DatabaseError):
        return before
    if stored in ("", model):
        return ""
    return f"the stored vectors are from {stored}, this process computes {model}: run manage.py reembed"
