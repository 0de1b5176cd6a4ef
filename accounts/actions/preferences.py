"""Preferences: what a person or a team wants, said by them or read off what they do."""

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

# So many one team can have: all of them are read with every question, and nobody follows more.
MOST = 200
# An inferred one is rewritten when its confidence has moved by so much; less is the noise of single ratings.
MOVED = 0.05


class BadPreference(Refused):
    code = "invalid"


class SecretInPreference(Refused):
    code = "secret_found"
    detail = "The text contains a secret. Nothing was stored."


def effective(*, by: Member, team_slugs: Sequence[str] = ()) -> list[Effective]:
    """What holds for the member now, each with why. `team_slugs`: of the shared teams only these.

    Raises NoSuchTeam on `team`.
    """
    named = {by.named(slug).id for slug in team_slugs}
    teams = [t for t in by.teams if not named or t.id in named or t.kind is not TeamKind.SHARED]
    rows = Preference.objects.all().holding_for(by, [team.id for team in teams])
    return rules.effective(stated(row, by) for row in rows)


def stated(row: Preference, by: Member) -> Stated:
    """A row as its reader has it; the row is visible to them."""
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
    """Say what is preferred; the second is whether the key is new. What was there, inferred or forgotten, gives way.

    `scope` personal (the default when no `team` is named) or team, which is a lead's act. `carefully`: what another
    person has said otherwise gives way only as it was at `read_at`. Raises BadPreference, SecretInPreference,
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
    """Edit value, statement or category. What a person has edited is theirs: explicit from then on.

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
    """What was inferred is so: explicit from now on, with what it stood on. Raises as `change` does."""
    return change(preference_id=preference_id, changes={}, by=by, now=now, read_at=read_at)


def forget(*, preference_id: int, by: Member, now: datetime, read_at: datetime | None = None) -> None:
    """It holds no more, and is not inferred again; stating it again is free. Of `read_at` as `change`. Raises NotFound,
    NotAllowed, Stale.
    """
    access = _of(preference_id, by)
    with transaction.atomic():
        row = _lock_preference(preference_id, access, by)
        if read_at and row.changed_at != read_at:
            raise Stale(errors={"value": [f"Its value is now {row.value}."]})
        row.forget(by=by, at=now)


def learn(*, home_id: int, found: Iterable[Inferred], now: datetime) -> Counter[str]:
    """Store what was inferred of a member in their personal team; counts of what was `inferred` and `withdrawn`.

    What they said of a key, or forgot, stands. What was inferred before and is not found any more is withdrawn.
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
    """The team it becomes a row of."""
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
    """Whether it is what another person has stated, and something else."""
    theirs = row.source == Origin.EXPLICIT and row.changed_by_id not in (None, by.user_id)
    return theirs and any(getattr(row, name) != value for name, value in said.items())


def _needed(access: TeamAccess) -> Level:
    """What one wants oneself takes no lead; what a team wants does."""
    return Level.CONTRIBUTOR if access.kind is TeamKind.PERSONAL else Level.LEAD


def _of(preference_id: int, by: Member) -> TeamAccess:
    """The team of a live preference the member may write to."""
    row = Preference.objects.visible_to(by).live().filter(pk=preference_id).first()
    access = row and by.access(row.team_id)
    if not access:
        raise NotFound
    by.require(access.id, _needed(access))
    return access


def _lock_preference(preference_id: int, access: TeamAccess, by: Member) -> Preference:
    """The row, after the team's, as `state` and `learn` take them."""
    Team.objects.select_for_update(no_key=True).get(pk=access.id)
    row = Preference.objects.visible_to(by).live().filter(pk=preference_id).first()
    if row is None:
        raise NotFound
    return row


def _guarded(words: Mapping[str, str], team_id: int) -> dict[str, str]:
    """The words without what cannot be seen, each on its own. Raises SecretInPreference, BadPreference."""
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
