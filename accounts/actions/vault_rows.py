"""Convert rows to records of a vault and back, with what all apps need: people, tokens and sessions.

A vault names people by their user names and tokens by their public part, never by a secret. A session's id works like
half a key, so its digest is written, by which its rows still belong together.
"""

import base64
import hashlib
import secrets
import struct
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from pgvector import HalfVector
from pgvector.django import HalfVectorField

from accounts.actions.members import enrol
from accounts.models import ApiToken, User
from accounts.querysets import count_on
from accounts.rules.page import BadPage, Page
from accounts.rules.rights import TeamKind

_DIGESTED = "vault:"
_EMPTY: tuple[Any, ...] = (None, "", [], {}, False)


class People:
    """The people named in one vault, by id and by name."""

    def __init__(self) -> None:
        self._users: dict[int, User] = {}
        self._tokens: dict[int, ApiToken] = {}
        self._ids: dict[str, int] = {}
        self._token_ids: dict[str, int] = {}
        self._sessions: dict[str, str] = {}

    # --- out ----------------------------------------------------------------------------------------------------
    def name(self, user_id: int | None) -> str | None:
        if user_id is None:
            return None
        if user_id not in self._users:
            self._users[user_id] = User.objects.get(pk=user_id)
        return self._users[user_id].username

    def token(self, token_id: int | None) -> str | None:
        if token_id is None:
            return None
        if token_id not in self._tokens:
            self._tokens[token_id] = ApiToken.objects.get(pk=token_id)
            self.name(self._tokens[token_id].user_id)
        return self._tokens[token_id].prefix

    def session(self, key: str) -> str:
        """Return `user:3` and `token:5` by name, and an id as its digest."""
        if key not in self._sessions:
            self._sessions[key] = self._session(key)
        return self._sessions[key]

    def _session(self, key: str) -> str:
        kind, _, number = key.partition(":")
        if kind == "user" and number.isdigit() and User.objects.filter(pk=int(number)).exists():
            return f"user:{self.name(int(number))}"
        if kind == "token" and number.isdigit() and ApiToken.objects.filter(pk=int(number)).exists():
            return f"token:{self.token(int(number))}"
        if not key or key.startswith(_DIGESTED):
            return key
        return _DIGESTED + hashlib.sha256(key.encode()).hexdigest()[:40]

    def are_current(self) -> bool:
        """Return whether everybody named so far still has the same name."""
        users = dict(User.objects.filter(pk__in=self._users).values_list("pk", "username"))
        tokens = dict(ApiToken.objects.filter(pk__in=self._tokens).values_list("pk", "prefix"))
        return users == {pk: one.username for pk, one in self._users.items()} and tokens == {
            pk: one.prefix for pk, one in self._tokens.items()
        }

    def page(self) -> Page:
        """Return the page of everybody who was named."""
        users = sorted(self._users.values(), key=lambda user: user.pk)
        tokens = sorted(self._tokens.values(), key=lambda token: token.prefix)
        records = [{"person": {"id": u.pk, "username": u.username, "active": u.is_active}} for u in users]
        records += [
            {"token": {"prefix": t.prefix, "name": t.name, "username": self._users[t.user_id].username}} for t in tokens
        ]
        return Page({"people": len(users)}, {"": "Who is named in this vault."}, (), records)

    # --- in -----------------------------------------------------------------------------------------------------
    def restore(self, page: Page, *, at: datetime) -> None:
        """Create the missing accounts, without a password, and their tokens, revoked because nobody has the secret."""
        for record in page.records:
            for what, said in record.items():
                if not isinstance(said, dict):
                    raise BadPage(f"a {what} in it is not an object")
                if what == "person":
                    self._person(said)
                elif what == "token":
                    self._token(said, at)

    def known_here(self, page: Page) -> list[str]:
        """Return the names of accounts here that the page names too and that were not restored before."""
        said = [one["person"] for one in page.records if isinstance(one.get("person"), dict)]
        names = {str(one.get("username", "")) for one in said} - set(self._ids)
        return sorted(User.objects.filter(username__in=names).values_list("username", flat=True))

    def user_id(self, name: str | None) -> int | None:
        if name is None:
            return None
        if not isinstance(name, str) or name not in self._ids:
            raise BadPage(f"it names '{name}', which is not a user in this vault")
        return self._ids[name]

    def token_id(self, prefix: str | None) -> int | None:
        if prefix is None:
            return None
        if not isinstance(prefix, str) or prefix not in self._token_ids:
            raise BadPage(f"it names the token {prefix}, which is not in this vault")
        return self._token_ids[prefix]

    def session_key(self, text: str) -> str:
        kind, _, name = text.partition(":")
        if kind == "user" and name in self._ids:
            return f"user:{self._ids[name]}"
        if kind == "token" and name in self._token_ids:
            return f"token:{self._token_ids[name]}"
        return text

    def _person(self, said: Mapping[str, Any]) -> None:
        username, number = str(said.get("username", "")), said.get("id")
        user = User.objects.filter(username=username).first()
        if user is None:
            free = isinstance(number, int) and 0 < number < 2**31 and not User.objects.filter(pk=number).exists()
            user = User(pk=number if free else None, username=username, is_active=said.get("active") is True)
            user.set_unusable_password()
            user.full_clean(exclude=["password"])
            user.save(force_insert=True)
            count_on(User)
        # This locks the person's row, here perhaps for as long as the import of a team takes.
        if user.memberships.filter(Q(team__owner=user) | Q(team__kind=TeamKind.EVERYONE)).count() < 2:
            enrol(user=user)
        self._ids[username] = user.pk

    def _token(self, said: Mapping[str, Any], at: datetime) -> None:
        prefix = str(said.get("prefix", ""))
        nobodys = hashlib.sha256(secrets.token_bytes(32)).hexdigest()
        fields = {"user_id": self.user_id(said.get("username")), "name": said.get("name", ""), "digest": nobodys}
        row, _ = ApiToken.objects.get_or_create(prefix=prefix, defaults={**fields, "revoked_at": at})
        self._token_ids[prefix] = row.pk


# --- rows -------------------------------------------------------------------------------------------------------
def record(row: models.Model, fields: Iterable[str], people: People) -> dict[str, Any]:
    """Return these columns of a row as JSON values, without those that are empty by default."""
    said: dict[str, Any] = {}
    for name in fields:
        column: Any = row._meta.get_field(name)
        value = _to_page_value(column, getattr(row, column.attname), people)
        if not (value in _EMPTY and value == column.get_default()):
            said[name] = value
    return said


def restored(
    model: type[models.Model], fields: Iterable[str], said: Mapping[str, Any], people: People
) -> dict[str, Any]:
    """Return what `record` has written of a row as its fields. Raises BadPage if no such row can have them."""
    found: dict[str, Any] = {}
    for name in fields:
        if name in said:
            column: Any = model._meta.get_field(name)
            found[column.attname] = _from_page_value(column, said[name], people)
    return found


def _to_page_value(column: Any, value: Any, people: People) -> Any:
    if column.related_model is User:
        return people.name(value)
    if column.related_model is ApiToken:
        return people.token(value)
    if column.name == "session_key":
        return people.session(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(column, HalfVectorField) and value is not None:
        vector = value if isinstance(value, HalfVector) else HalfVector(value)
        return base64.b64encode(vector.to_binary()).decode()
    return value


def _from_page_value(column: Any, value: Any, people: People) -> Any:
    if column.related_model is User:
        return people.user_id(value)
    if column.related_model is ApiToken:
        return people.token_id(value)
    if column.name == "session_key":
        return people.session_key(str(value))
    if isinstance(column, HalfVectorField):
        return _vector(column, value)
    try:
        found = column.to_python(value)
    except (ValidationError, TypeError, ValueError):
        raise BadPage(f"{column.name}: {str(value)[:80]!r} is not a valid value") from None
    if found is None and not column.null:
        raise BadPage(f"{column.name} is empty")
    if column.choices and found not in dict(column.flatchoices) and found not in column.empty_values:
        known = ", ".join(map(str, dict(column.flatchoices)))
        raise BadPage(f"{column.name}: {str(value)[:80]!r} is not one of {known}")
    if isinstance(column, models.DateTimeField) and isinstance(found, datetime) and found.tzinfo is None:
        raise BadPage(f"{column.name}: {value} has no time zone")
    longest = getattr(column, "max_length", None)
    if longest and isinstance(found, str) and len(found) > longest:
        raise BadPage(f"{column.name} has {len(found)} characters; the limit is {longest}")
    if isinstance(found, str) and "\0" in found:
        raise BadPage(f"{column.name} contains a NUL character")
    return found


def _vector(column: Any, value: Any) -> HalfVector | None:
    if value is None:
        return None
    try:
        found = HalfVector.from_binary(base64.b64decode(value, validate=True))
    except (ValueError, TypeError, struct.error):
        found = None
    if found is None or found.dimensions() != column.dimensions:
        raise BadPage(f"{column.name} is not a vector of {column.dimensions} numbers")
    return found
