"""Decide from the headers alone whether a request comes from a known caller, before a large body is read."""

from http.cookies import CookieError, SimpleCookie
from importlib import import_module

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from accounts.actions.tokens import find_token


async def is_known(headers: dict[bytes, bytes]) -> bool:
    """Return whether the bearer token is usable, or the session cookie belongs to somebody."""
    return await sync_to_async(_is_known, thread_sensitive=False)(headers)


def _is_known(headers: dict[bytes, bytes]) -> bool:
    try:
        words = headers.get(b"authorization", b"").split()
        if len(words) == 2 and words[0].lower() == b"bearer":
            return find_token(secret=words[1].decode("latin-1"), now=timezone.now()) is not None
        return _has_session(headers.get(b"cookie", b"").decode("latin-1"))
    except DatabaseError:
        return True  # the application finds this out itself, and reports it
    finally:
        close_old_connections()  # back into the pool: this thread belongs to no request


def _has_session(cookies: str) -> bool:
    try:
        found = SimpleCookie(cookies).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return False
    if found is None:
        return False
    sessions = import_module(settings.SESSION_ENGINE)
    return SESSION_KEY in sessions.SessionStore(found.value)
