"""Answer reads from a standby, if one is configured and fresh enough (accounts/adapters/replica.py).

These are all pages and GETs of the API, and questions. The caller is known before, by the request's token or as the
signed-in person, and always reads their own writes. If the standby fails, or has no such row (404), the primary is
asked as if nothing had been tried. Nothing has been written by then, because a standby refuses writes.
"""

import hashlib
import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, InternalError, connection
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter
from psycopg.errors import ReadOnlySqlTransaction
from redis.exceptions import RedisError

from accounts.adapters import replica

logger = logging.getLogger("loam.replica")
READS = Counter("loam_replica_reads", "Reads by where they were answered: replica, behind, failed.", ["answered"])
SAFE = ("GET", "HEAD")
# Reads with a body. `surface` is not among them: it depends on what this session was shown a moment ago.
QUESTIONS = {"api:query", "api:why-not"}
# Reads that write. URLs without a namespace are those of signing in and of the state of the deployment.
NEVER = "admin:"
NOT_FOUND, BROKEN = 404, 500


class FromReplica:
    """The innermost middleware, so that only the view reads from the standby."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if replica.configured() and not _only_reads(request) and answer.status_code < BROKEN:
            caller = _caller(request)
            if caller:
                note_write(caller)
        return answer

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """Return the standby's answer, or None to have the view called as usual."""
        if not replica.configured() or not _only_reads(request) or connection.in_atomic_block:
            return None
        caller = _caller(request)
        if not caller:
            return None
        if not replica.freshness.is_enough(last_write(caller)):
            READS.labels("behind").inc()
            return None
        answer = _tried(request, lambda: view(request, *args, **kwargs))
        READS.labels("failed" if answer is None else "replica").inc()
        return answer


def _tried(request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse | None:
    try:
        with replica.reading():
            answer = view()
    except (DatabaseError, InterfaceError) as error:
        if isinstance(error, InternalError) and isinstance(error.__cause__, ReadOnlySqlTransaction):
            logger.warning("%s writes: it was answered by the primary", _name(request))
        else:
            logger.warning("the standby did not answer, the primary did: %s", str(error).strip().split("\n")[0][:300])
            replica.freshness.failed()
        return None
    except Exception:  # the view's own refusal: the primary gives it
        return None
    return None if answer.status_code == NOT_FOUND or answer.status_code >= BROKEN else answer


def _only_reads(request: HttpRequest) -> bool:
    name = _name(request)
    if ":" not in name or name.startswith(NEVER):
        return False
    return request.method in SAFE or name in QUESTIONS


def _name(request: HttpRequest) -> str:
    return request.resolver_match.view_name if request.resolver_match else ""


def _caller(request: HttpRequest) -> str:
    """Return the name by which all processes know the caller; "" for a visitor. Looks up the signed-in person on the
    primary.
    """
    token = request.headers.get("Authorization", "")
    if token:
        return f"token:{hashlib.sha256(token.encode()).hexdigest()}"
    member = getattr(request, "member", None)
    return f"user:{member.user_id}" if member else ""


def note_write(caller: str) -> None:
    """Store the log position after a write of this caller in the shared cache, for as long as it may matter. If the
    cache is down nothing is stored, and then nobody reads from the standby (`last_write`).
    """
    try:
        cache.set(
            _key(caller),
            replica.ask(DEFAULT_DB_ALIAS, replica.WRITTEN),
            timeout=settings.DATABASE_REPLICA_STALENESS + 1,
        )
    except (DatabaseError, InterfaceError, RedisError, OSError):
        replica.freshness.failed()


def last_write(caller: str) -> int | None:
    """Return the log position after the caller's last write; 0 if that is too long ago to matter, None if the cache is
    down.
    """
    try:
        return int(cache.get(_key(caller)) or 0)
    except (DatabaseError, InterfaceError, RedisError, OSError):
        return None


def _key(caller: str) -> str:
    return f"loam:wrote:{caller}"
