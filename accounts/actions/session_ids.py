"""Session ids: issued by the server, bound to one user, and verified without a table.

`loam-s-<random><mac>`: 128 random bits, and 128 bits of an HMAC-SHA256 (django.core.signing's key) over them and the
user. A made-up id, or another user's, does not verify, so every app that stores a session key may rely on it having
been issued to its sender. `sessions_app` stores what happens in the session, and is asked for its team if a token is
restricted to teams.
"""

import base64
import secrets
from collections.abc import Callable

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.rules.rights import Member

PREFIX = "loam-s-"
# 128 bits each: neither can be guessed, and the whole stays below the 80 characters of a session key.
BYTES = 16
_LENGTH = 22
SALT = "loam.session"
# Functions that return whether a member may use a session, called with `session` and `by`. The app with the sessions
# adds one at startup.
REACHED: list[Callable[..., bool]] = []


def issue(*, user_id: int) -> str:
    """Return a new session id for this user."""
    random = _text(secrets.token_bytes(BYTES))
    return f"{PREFIX}{random}{_mac(random, user_id, settings.SECRET_KEY)}"


def belongs(session: str, *, user_id: int) -> bool:
    """Return whether the id was issued to this user, with the present key or a fallback key."""
    body = session.removeprefix(PREFIX)
    if not session.startswith(PREFIX) or len(body) != 2 * _LENGTH or not body.isascii():
        return False
    random, mac = body[:_LENGTH], body[_LENGTH:]
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(mac, _mac(random, user_id, key)) for key in keys)


def may_call_in(session: str, *, by: Member) -> bool:
    """Return whether the member's calls may name the session as theirs. Its team learns what they do in it, so a token
    that is restricted to other teams may not.
    """
    if not belongs(session, user_id=by.user_id):
        return False
    return not by.narrowed or all(reached(session=session, by=by) for reached in REACHED)


def _mac(random: str, user_id: int, key: str | bytes) -> str:
    return _text(salted_hmac(SALT, f"{random}:{user_id}", secret=key, algorithm="sha256").digest()[:BYTES])


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
