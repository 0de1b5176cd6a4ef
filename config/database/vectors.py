"""Whether the vectors in the store are of the model that this process makes them with.

Vectors of two models are never compared: a cosine between them is a number that means nothing, and would merge what it
happens to be large for. So a process whose model is not the store's does without vectors, as if it had no embedder, and
says why in `degraded` and at /readyz; `manage.py reembed` is what changes the store's model. For the seconds around its
switch every process does without.
"""

import threading
import time

import psycopg
from django.db import DatabaseError, connection

# Seconds for which an answer holds: so long a process may ask with the model of before after `reembed` has switched.
HOLDS = 2.0
# Seconds to connect in, and milliseconds to answer in: a migration may hold the table, and nobody waits for it here.
TIMEOUT = 2
# For this transaction alone: behind PgBouncer the connection is another's next, whose statements may take longer.
PATIENCE = "SELECT set_config('lock_timeout', '300', true), set_config('statement_timeout', '1000', true)"

# The model that a switch is about to, or to which the last one was. Nobody holds this table: it is asked first.
CHANGE = """
SELECT (SELECT model FROM sessions_app_embeddingchange WHERE quiet_until > clock_timestamp() LIMIT 1),
    (SELECT model FROM sessions_app_embeddingchange WHERE switched_at IS NOT NULL ORDER BY switched_at DESC LIMIT 1)
"""
# Where there was no switch, the oldest row tells. The first rows by id have a vector, so this ends with the first.
LOOK = "SELECT embedded_by FROM knowledge_insight WHERE embedded_by > '' ORDER BY id LIMIT 1"

# (database, model) → when it was looked up, what was found.
_known: dict[tuple[str, str], tuple[float, str]] = {}
_looking = threading.Lock()


def objection(model: str) -> str:
    """Why vectors of this model are of no use here now; empty when they are, or when nobody can tell.

    One thread looks again; the others go by what was known, unless nothing was.
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
    """On a connection of its own: a question must not wait for one of the pool, nor be counted with a request's."""
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
