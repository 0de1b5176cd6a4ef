"""Issue, check and revoke the tokens of agents."""

import hashlib
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from accounts.models import ApiToken, LogEntry
from accounts.rules.cell_names import cell_of, public_part
from accounts.rules.refused import NotAllowed, NotFound, Refused
from accounts.rules.rights import Member, Scope

# How precisely "last used" is kept: one write a minute for each token instead of one a request.
LAST_USED_STEP = timedelta(minutes=1)


class BadToken(Refused):
    code = "invalid"


@dataclass(frozen=True)
class IssuedToken:
    """The stored token and the one sight of its secret (`loam_<8 public>_<43 secret>`, with the cell's name before
    them where there are cells)."""

    token: ApiToken
    secret: str


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def issue_token(
    *,
    name: str,
    scopes: Sequence[str],
    by: Member,
    now: datetime,
    team_slugs: Sequence[str] = (),
    expires_at: datetime | None = None,
) -> IssuedToken:
    """A token for oneself, narrowed to some of one's teams if `team_slugs` names any.

    Raises BadToken on `name`, `scopes` or `expires_at`, NoSuchTeam on a team that is not the member's.
    """
    teams = [by.named(slug) for slug in team_slugs]
    errors = _faults(name, scopes, expires_at, now)
    if errors:
        raise BadToken("The token was not created.", errors=errors)
    public = public_part(settings.LOAM_CELL, secrets.token_hex(4))
    secret = f"{public}_{secrets.token_urlsafe(32)}"
    with transaction.atomic():
        token = ApiToken.objects.create(
            user_id=by.user_id,
            name=name.strip(),
            prefix=public,
            digest=digest_of(secret),
            scopes=sorted(set(scopes)),
            narrowed=bool(teams),
            expires_at=expires_at,
        )
        token.teams.set([team.id for team in teams])
        _log(by, "token issued", f"Token “{token.name}” ({token.prefix}…) issued", now)
    return IssuedToken(token, secret)


def revoke_token(*, token_id: int, by: Member, now: datetime) -> ApiToken:
    """End one of one's own tokens at once. Revoking it again changes nothing."""
    with transaction.atomic():
        token = ApiToken.objects.visible_to(by).select_for_update(no_key=True).filter(pk=token_id).first()
        if token is None:
            raise NotFound
        if token.revoked_at is None:
            token.revoke(at=now)
            _log(by, "token revoked", f"Token “{token.name}” ({token.prefix}…) revoked", now)
    return token


def revoke_any(*, token_id: int, by: Member, now: datetime) -> None:
    """A superuser ends anybody's token. Raises NotAllowed for others."""
    if not by.is_superuser:
        raise NotAllowed
    with transaction.atomic():
        token = (
            ApiToken.objects.select_for_update(no_key=True, of=("self",))
            .select_related("user__personal_team")
            .get(pk=token_id)
        )
        if token.revoked_at is None:
            token.revoke(at=now)
            line = f"Token “{token.name}” ({token.prefix}…) revoked by {by.username}"
            home = token.user.personal_team
            LogEntry.write(team_id=home.pk, verb="token revoked", line=line, by=by, at=now)


def find_token(*, secret: str, now: datetime) -> ApiToken | None:
    """The usable token of that secret, or None: unknown, expired and revoked do not differ to the caller."""
    return ApiToken.objects.all().with_digest(digest_of(secret), now)


def count_by_cell(*, now: datetime) -> Counter[str]:
    """How many usable tokens say that they were issued in which cell; "" for those that name none."""
    return Counter(
        cell_of(f"{prefix}_") for prefix in ApiToken.objects.all().usable(now).values_list("prefix", flat=True)
    )


def note_use(*, token: ApiToken, address: str | None, now: datetime) -> None:
    """Keep when and from where the token was last used, to the minute."""
    if token.last_used_at is None or now - token.last_used_at >= LAST_USED_STEP or token.last_used_from != address:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now, last_used_from=address)


def _faults(name: str, scopes: Sequence[str], expires_at: datetime | None, now: datetime) -> dict[str, list[str]]:
    known = [scope.value for scope in Scope]
    errors: dict[str, list[str]] = {}
    if not name.strip():
        errors["name"] = ["Enter a name."]
    if not scopes or set(scopes) - set(known):
        errors["scopes"] = [f"Choose from {', '.join(known)}."]
    if expires_at and expires_at <= now:
        errors["expires_at"] = ["This time is in the past."]
    return errors


def _log(by: Member, verb: str, line: str, now: datetime) -> None:
    """A token is its owner's own affair: the line goes to their personal team, if this door shows it."""
    if by.personal:
        LogEntry.write(team_id=by.personal.id, verb=verb, line=line, by=by, at=now)
