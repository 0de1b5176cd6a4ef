"""Session ids: issued by the server, bound to one user, and checked without a table.

`loam-s-<random><mac>`: 128 random bits, and 128 bits of an HMAC-SHA256 (django.core.signing's key) over them and the
user. An id that was made up, or that is another user's, does not verify; so anyone who writes down a session key, in
any app, may trust that it was issued to who sends it. `sessions_app` keeps what happened in the session, and is asked
of which team it is where a token is narrowed to teams.
"""

import base64
import secrets
from collections.abc import Callable

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.rules.rights import Member

PREFIX = "loam-s-"
# 128 bits each: neither is guessed, and the whole stays below the 80 characters of a session key.
BYTES = 16
_LENGTH = 22
SALT = "loam.session"
# Whether a member reaches the session of an id, by the app that has the sessions: each is called with `session` and
# `by`. It adds to it when it is ready.
REACHED: list[Callable[..., bool]] = []


def issue(*, user_id: int) -> str:
    """A new session id of this user's."""
    random = _text(secrets.token_bytes(BYTES))
    return f"{PREFIX}{random}{_mac(random, user_id, settings.SECRET_KEY)}"


def belongs(session: str, *, user_id: int) -> bool:
    """Whether the id was issued to this user, by the present key or by one it replaced."""
    body = session.removeprefix(PREFIX)
    if not session.startswith(PREFIX) or len(body) != 2 * _LENGTH or not body.isascii():
        return False
    random, mac = body[:_LENGTH], body[_LENGTH:]
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(mac, _mac(random, user_id, key)) for key in keys)


def may_call_in(session: str, *, by: Member) -> bool:
    """Whether the member's calls may name the session as theirs. What they do in it is told to its team: a token that
    is narrowed to other teams has no part in it.
    """
    if not belongs(session, user_id=by.user_id):
        return False
    return not by.narrowed or all(reached(session=session, by=by) for reached in REACHED)


def _mac(random: str, user_id: int, key: str | bytes) -> str:
    return _text(salted_hmac(SALT, f"{random}:{user_id}", secret=key, algorithm="sha256").digest()[:BYTES])


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
