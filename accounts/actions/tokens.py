"""Issue, check and revoke agents' tokens."""

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

# The precision of "last used": one write a minute for each token instead of one per request.
LAST_USED_STEP = timedelta(minutes=1)


class BadToken(Refused):
    code = "invalid"


@dataclass(frozen=True)
class IssuedToken:
    """The stored token, and its secret, which is shown once (`loam_<8 public>_<43 secret>`, after the cell's name if
    there are cells).
    """

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
    """Issue a token for the member, restricted to the teams in `team_slugs`, if any.

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
    """Revoke one of the member's own tokens at once. Repeating it changes nothing."""
    with transaction.atomic():
        token = ApiToken.objects.visible_to(by).select_for_update(no_key=True).filter(pk=token_id).first()
        if token is None:
            raise NotFound
        if token.revoked_at is None:
            token.revoke(at=now)
            _log(by, "token revoked", f"Token “{token.name}” ({token.prefix}…) revoked", now)
    return token


def revoke_any(*, token_id: int, by: Member, now: datetime) -> None:
    """Revoke anybody's token. Only for superusers. Raises NotAllowed for others."""
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
    """Return the usable token of that secret; None if it is unknown, expired or revoked, which the caller cannot tell
    apart.
    """
    return ApiToken.objects.all().with_digest(digest_of(secret), now)


def count_by_cell(*, now: datetime) -> Counter[str]:
    """Return the number of usable tokens by the cell that they name; "" for those that name none."""
    return Counter(
        cell_of(f"{prefix}_") for prefix in ApiToken.objects.all().usable(now).values_list("prefix", flat=True)
    )


def note_use(*, token: ApiToken, address: str | None, now: datetime) -> None:
    """Store when and from where the token was last used, to the minute."""
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
    """Log an action on a token. A token concerns only its owner: the line goes to their personal team, if this
    interface shows that team.
    """
    if by.personal:
        LogEntry.write(team_id=by.personal.id, verb=verb, line=line, by=by, at=now)
