"""Reads are answered from a standby, where one is given and fresh enough (accounts/adapters/replica.py).

That is every page and GET of the API, and questions. Who asks is known before: by the token that the request brings, or
as the person that is signed in; each reads what they wrote themselves. What the standby does not answer, or has not
(404), is asked again of the primary, as if it had not been tried. Nothing has been written by then: a standby refuses.
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
# Asked with a body. `surface` is not among them: it goes by what this session was shown a moment ago.
QUESTIONS = {"api:query", "api:why-not"}
# Reads that write. Addresses without a namespace are those of signing in and of the state of the deployment.
NEVER = "admin:"
NOT_FOUND, BROKEN = 404, 500


class FromReplica:
    """The innermost, so that the view alone is asked of the standby."""

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
        """Return the standby's answer, or None to have the view called as ever."""
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
    except Exception:  # the view's own answer, as a refusal: it is given by the primary
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
    """By what the caller is known to all processes; "" of a visitor. Looks up who is signed in, of the primary."""
    token = request.headers.get("Authorization", "")
    if token:
        return f"token:{hashlib.sha256(token.encode()).hexdigest()}"
    member = getattr(request, "member", None)
    return f"user:{member.user_id}" if member else ""


def note_write(caller: str) -> None:
    """Keep for all processes where the log was after a write of this caller, for as long as it may matter. A cache that
    is away keeps nothing, and then nobody is read from the standby (`last_write`).
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
    """Where the log was after the caller's last write; 0 where that is too long ago to matter, None where the cache is
    away.
    """
    try:
        return int(cache.get(_key(caller)) or 0)
    except (DatabaseError, InterfaceError, RedisError, OSError):
        return None


def _key(caller: str) -> str:
    return f"loam:wrote:{caller}"
