"""Preferences of a person or a team, stated by them or inferred from what they do."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

from django.db import transaction

from accounts.models import GuardTerm, Preference, Team
from accounts.rules import preferences as rules
from accounts.rules.guard.detection import find_secrets, strip_invisible
from accounts.rules.preferences import Effective, Inferred, Origin, Reach, Stated
from accounts.rules.refused import NotFound, Refused, Stale
from accounts.rules.rights import PERSONAL, SYSTEM, Level, Member, TeamAccess, TeamKind, team_for_write

# The most preferences of one team: all are read with every question, and nobody follows more.
MOST = 200
# An inferred preference is updated if its confidence has changed by this much; less is the noise of single ratings.
MOVED = 0.05


class BadPreference(Refused):
    code = "invalid"


class SecretInPreference(Refused):
    code = "secret_found"
    detail = "The text contains a secret. Nothing was stored."


def effective(*, by: Member, team_slugs: Sequence[str] = ()) -> list[Effective]:
    """Return the preferences that apply to the member now, each with the reason. `team_slugs`: only these shared teams.

    Raises NoSuchTeam on `team`.
    """
    named = {by.named(slug).id for slug in team_slugs}
    teams = [t for t in by.teams if not named or t.id in named or t.kind is not TeamKind.SHARED]
    rows = Preference.objects.all().holding_for(by, [team.id for team in teams])
    return rules.effective(stated(row, by) for row in rows)


def stated(row: Preference, by: Member) -> Stated:
    """Return a preference as its reader sees it; the row is visible to them."""
    team = by.access(row.team_id)
    if team is None:
        raise NotFound
    return Stated(
        id=row.pk,
        key=row.key,
        value=row.value,
        statement=row.statement,
        category=row.category,
        source=row.source,
        confidence=row.confidence,
        changed_at=row.changed_at,
        team=team,
        support=row.support,
    )


def state(
    *,
    key: str,
    value: str,
    category: str,
    by: Member,
    now: datetime,
    statement: str = "",
    scope: str = "",
    team: str = "",
    carefully: bool = False,
    read_at: datetime | None = None,
) -> tuple[Stated, bool]:
    """State a preference, and return it and whether the key is new. It replaces a preference of that key, inferred or
    forgotten too.

    `scope`: personal (the default if no `team` is named) or team, which only leads may state. `carefully`: replace
    another person's statement only if it is unchanged since `read_at`. Raises BadPreference, SecretInPreference,
    NoSuchTeam, TeamUnclear, NotAllowed, Stale; then nothing was stored.
    """
    access = _goes_to(scope, team, by)
    by.require(access.id, _needed(access))
    words = _guarded({"key": key, "value": value, "statement": statement}, access.id)
    words["key"] = rules.key_of(words["key"])
    if not words["key"]:
        raise BadPreference(errors={"key": ["Enter a key, for example `test_runner`."]})
    said = words | {"category": category, "source": Origin.EXPLICIT.value, "confidence": 1.0}
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=access.id)
        rows = Preference.objects.visible_to(by).filter(team_id=access.id)
        row = rows.filter(key=words["key"]).first()
        if (row is None or row.forgotten_at) and rows.live().count() >= MOST:
            raise BadPreference(errors={"key": [f"This team has {MOST} preferences already. Delete one first."]})
        new = row is None or row.forgotten_at is not None
        if row and not new and carefully and row.changed_at != read_at and _said_otherwise(row, said, by):
            raise Stale(errors={"value": [f"Its value is now {row.value}."]}, current=row.pk)
        row = row or Preference(team_id=access.id)
        if new or any(getattr(row, name) != there for name, there in said.items()):
            row.set(said | {"forgotten_at": None}, verb="preference stated", by=by, at=now)
    return stated(row, by), new


def change(
    *, preference_id: int, changes: Mapping[str, str], by: Member, now: datetime, read_at: datetime | None = None
) -> Stated:
    """Edit value, statement or category. A preference that a person has edited is explicit from then on.

    `read_at`: its `changed_at` when it was read. Without changes it is a confirmation. Raises NotFound, NotAllowed,
    Stale, SecretInPreference, BadPreference.
    """
    access = _of(preference_id, by)
    said: dict[str, object] = {**changes, **_guarded(changes, access.id)}
    with transaction.atomic():
        row = _lock_preference(preference_id, access, by)
        if read_at and row.changed_at != read_at:
            raise Stale(errors={"value": [f"Its value is now {row.value}."]})
        said |= {"source": Origin.EXPLICIT.value, "confidence": 1.0}
        changed = {name: value for name, value in said.items() if getattr(row, name) != value}
        if changed:
            verb = "preference changed" if set(changed) & set(changes) else "preference confirmed"
            row.set(changed, verb=verb, by=by, at=now)
    return stated(row, by)


def confirm(*, preference_id: int, by: Member, now: datetime, read_at: datetime | None = None) -> Stated:
    """Confirm an inferred preference: it is explicit from now on, with its evidence. Raises what `change` raises."""
    return change(preference_id=preference_id, changes={}, by=by, now=now, read_at=read_at)


def forget(*, preference_id: int, by: Member, now: datetime, read_at: datetime | None = None) -> None:
    """Forget a preference: it no longer applies, and is not inferred again; it can be stated again. `read_at`: as for
    `change`. Raises NotFound, NotAllowed, Stale.
    """
    access = _of(preference_id, by)
    with transaction.atomic():
        row = _lock_preference(preference_id, access, by)
        if read_at and row.changed_at != read_at:
            raise Stale(errors={"value": [f"Its value is now {row.value}."]})
        row.forget(by=by, at=now)


def learn(*, home_id: int, found: Iterable[Inferred], now: datetime) -> Counter[str]:
    """Store what was inferred about a member in their personal team; return the counts of `inferred` and `withdrawn`.

    What they have stated or forgotten is not changed. Inferred preferences that are not found any more are withdrawn.
    """
    done: Counter[str] = Counter()
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=home_id)
        there = {row.key: row for row in Preference.objects.filter(team_id=home_id)}
        news = {one.key: one for one in found}
        for key, one in news.items():
            row = there.get(key) or Preference(team_id=home_id, key=key)
            if row.forgotten_at is None and row.source != Origin.EXPLICIT and _news(row, one):
                row.set(_fields(one), verb="preference inferred", by=SYSTEM, at=now)
                done["inferred"] += 1
        for key, row in there.items():
            if key not in news and row.source == Origin.INFERRED and row.forgotten_at is None:
                row.withdraw(by=SYSTEM, at=now)
                done["withdrawn"] += 1
    return done


def _goes_to(scope: str, team: str, by: Member) -> TeamAccess:
    """Return the team that the row belongs to."""
    if scope == Reach.TEAM or (team and not scope):
        access = team_for_write(by, team or None)
        if access.kind is TeamKind.PERSONAL and scope == Reach.TEAM:
            raise BadPreference(errors={"team": ["That is your personal team: use the scope personal."]})
        return access
    if by.personal is None:
        raise BadPreference(errors={"scope": ["This token does not reach your personal team."]})
    if team and by.named(team).id != by.personal.id:
        raise BadPreference(errors={"team": [f"A preference with scope personal belongs to the team '{PERSONAL}'."]})
    return by.personal


def _said_otherwise(row: Preference, said: Mapping[str, object], by: Member) -> bool:
    """Return whether another person has stated something else under that key."""
    theirs = row.source == Origin.EXPLICIT and row.changed_by_id not in (None, by.user_id)
    return theirs and any(getattr(row, name) != value for name, value in said.items())


def _needed(access: TeamAccess) -> Level:
    """Return the level needed: LEAD only for team preferences."""
    return Level.CONTRIBUTOR if access.kind is TeamKind.PERSONAL else Level.LEAD


def _of(preference_id: int, by: Member) -> TeamAccess:
    """Return the team of a live preference that the member may write to."""
    row = Preference.objects.visible_to(by).live().filter(pk=preference_id).first()
    access = row and by.access(row.team_id)
    if not access:
        raise NotFound
    by.require(access.id, _needed(access))
    return access


def _lock_preference(preference_id: int, access: TeamAccess, by: Member) -> Preference:
    """Return the row after locking its team's and then itself, as `state` and `learn` do."""
    Team.objects.select_for_update(no_key=True).get(pk=access.id)
    row = Preference.objects.visible_to(by).live().filter(pk=preference_id).first()
    if row is None:
        raise NotFound
    return row


def _guarded(words: Mapping[str, str], team_id: int) -> dict[str, str]:
    """Return the words without invisible characters, each checked separately. Raises SecretInPreference,
    BadPreference.
    """
    allowed = GuardTerm.objects.all().allowed(team_id)
    kept = {name: strip_invisible(text).text.strip() for name, text in words.items()}
    found = {name: find_secrets(text, field=name, allowed=allowed) for name, text in kept.items()}
    errors = {name: [str(item) for item in items] for name, items in found.items() if items}
    if errors:
        raise SecretInPreference(errors=errors)
    if not kept.get("value", "-"):
        raise BadPreference(errors={"value": ["Enter a value."]})
    return kept


def _fields(one: Inferred) -> dict[str, object]:
    return {
        "value": one.value,
        "category": one.category.value,
        "statement": one.statement,
        "source": Origin.INFERRED.value,
        "confidence": one.confidence,
        "support": {**asdict(one.support), "refs": list(one.support.refs)},
    }


def _news(row: Preference, one: Inferred) -> bool:
    return row._state.adding or row.value != one.value or abs(row.confidence - one.confidence) >= MOVED
