"""Looking at pages as a browser would, without one."""

from datetime import timedelta
from html.parser import HTMLParser

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from django.utils.crypto import get_random_string

from accounts.models import User

HTMX = {"HTTP_HX_REQUEST": "true"}


def signed_in(user: User) -> Client:
    """A client with a session of theirs.

    Half of all tests have one: its row is written as `Client.force_login` leaves it (tests/accounts/test_login.py
    compares), in one statement instead of fifteen. Nobody was seen to log in.
    """
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = session_of(user)
    return client


def session_of(user: User) -> str:
    """The key of a new session of theirs."""
    whose = {
        SESSION_KEY: str(user.pk),
        BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0],
        HASH_SESSION_KEY: user.get_session_auth_hash(),
    }
    ends = timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    row = Session(session_key=get_random_string(32), session_data=SessionStore().encode(whose), expire_date=ends)
    row.save(force_insert=True)
    return str(row.session_key)


class Faults(HTMLParser):
    """What the content security policy would refuse, and ids that stand on the page twice."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "style" or "style" in given:
            self.found.append(f"style in <{tag}>")
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.found.append("inline script")
        self.found += [f"{name} in <{tag}>" for name in given if name.startswith(("on", "hx-on"))]
        self.found += [
            f"{name}={value!r} in <{tag}>"
            for name, value in attrs
            if name in ("src", "href")
            and (value or "").startswith(("javascript:", "http://", "https://", "//"))
            and tag != "a"
        ]
        name = given.get("id")
        if name in self.ids:
            self.found.append(f"id {name} twice")
        self.ids.add(name or "")
        self.ids.discard("")
