"""Quarantine: what was stored before the guard knew better is found again, and taken out of every read.

`scan` holds the guard, as it is today and with each team's reviewed terms, against everything that is stored. An
insight (with its anchors and what was merged into it) goes into quarantine, where leads alone see it, its secrets
masked; what must not be lost (reasons, questions, the log) is masked in its place. `release` lets one out: masked, or
as it is, its secrets then being reviewed terms of its team.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Model, QuerySet

from accounts.actions.jobs import Work
from accounts.models import GuardTerm, LogEntry, Preference, Team
from accounts.rules.guard.detection import Finding, find_secrets, masked, redact_secrets, secret_values
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import SYSTEM, Level, Member
from knowledge.models import (
    Anchor,
    Comment,
    Conflict,
    Corroboration,
    EditProposal,
    Insight,
    Lexicon,
    Pair,
    Query,
    Signal,
    Topic,
)
from knowledge.models.insight import WORD_FIELDS

# Rows read at once.
CHUNK = 500
TEXTS = ("title", "body", "reasoning", "repo", "source_url")
SAID = ("title", "body", "reasoning", "repo")
# What is masked where it stands, by model: texts beside the insights that must not be lost.
Kept = tuple[type[Model], str, tuple[str, ...]]
KEPT: tuple[Kept, ...] = (
    (Signal, "insight__team_id", ("reason", "question")),
    (Pair, "a__team_id", ("reason", "resolution", "scope")),
    (Conflict, "team_id", ("reason", "theirs", "ours")),
    (EditProposal, "team_id", ("note", "changes", "base", "before")),
    (Comment, "home_id", ("text",)),
    (Query, "team_id", ("text", "ask")),
    (Preference, "team_id", ("value", "statement")),
    (LogEntry, "team_id", ("line", "why", "before", "after")),
)


class NotQuarantined(Refused):
    code = "wrong_status"
    status = 409
    detail = "The insight is not quarantined."


def scan(
    *, now: datetime, also: Sequence[Kept] = (), progress: Callable[[str, int], None] = lambda what, done: None
) -> Work:
    """Look through everything, and `also` what other apps keep: model, the way to its team, its texts.

    Counts: `scanned` rows, `quarantined` insights, `masked` texts beside them.

    It may be stopped and run again at any time; what is in quarantine already is passed over.
    """
    counts: Counter[str] = Counter(scanned=0, quarantined=0, masked=0)
    terms: dict[int, frozenset[str]] = {}
    for row in _each(Insight.objects.all().shown(), progress):
        counts["scanned"] += 1
        allowed = _allowed(row.team_id, terms)
        if findings(row, allowed) and _quarantine(row.pk, allowed, now):
            counts["quarantined"] += 1
    for model, team, names in (*KEPT, *also):
        for each in _each(model._default_manager.all(), progress):
            counts["scanned"] += 1
            allowed = _allowed(_along(each, team), terms)
            counts["masked"] += _mask_in_place(each, names, allowed)
    return Work(dict(counts))


def findings(row: Insight, allowed: Collection[str]) -> list[Finding]:
    """The secrets in an insight, its anchors and what was merged into it: what and where, not what they say."""
    return [found for field, text in _texts(row) for found in find_secrets(text, field=field, allowed=allowed)]


def release(*, ref: str, by: Member, now: datetime, why: str = "", mask: bool = True) -> Insight:
    """Let an insight out of quarantine: a lead's act.

    With `mask` its secrets become `[SECRET]`; without, somebody has looked and they are none: they become reviewed
    terms of the team. Raises NotFound (also for anyone who does not lead its team), NotQuarantined.
    """
    led = [team.id for team in by.teams if by.may(team.id, Level.LEAD)]
    with transaction.atomic():
        seen = Insight.objects.of_teams(led).quarantined().filter(ref=ref).first()
        if seen is None:
            raise _not_in_quarantine(ref, by)
        Team.objects.select_for_update(no_key=True).get(pk=seen.team_id)
        row = Insight.objects.select_for_update(no_key=True).get(pk=seen.pk)
        allowed = GuardTerm.objects.all().allowed(row.team_id)
        if mask:
            _mask(row, allowed)
        else:
            _allow(row, allowed, by, now, why)
        verb = "released" if not mask else "released, masked"
        row.readmit(Lexicon.of(row.team_id), mark="quarantined_at", verb=verb, by=by, at=now, why=masked(why))
        Topic.place([row], at=now)
        row.save(update_fields=["topic"])
    return Insight.objects.whole().get(pk=row.pk)


def _not_in_quarantine(ref: str, by: Member) -> Refused:
    """What to raise: NotFound for what the member cannot see, NotAllowed or NotQuarantined for what they can."""
    seen = Insight.objects.visible_to(by).filter(ref=ref).first()
    if seen is None:
        return NotFound()
    by.require(seen.team_id, Level.LEAD)
    return NotQuarantined()


def _each(rows: QuerySet[Any], progress: Callable[[str, int], None]) -> Iterator[Any]:
    """Every row there is, in the order of the keys; what is added meanwhile has passed the guard."""
    what = str(rows.model._meta.verbose_name_plural)
    for done, row in enumerate(rows.order_by("pk").iterator(CHUNK), start=1):
        yield row
        if done % CHUNK == 0:
            progress(what, done)


def _allowed(team_id: int, known: dict[int, frozenset[str]]) -> frozenset[str]:
    if team_id not in known:
        known[team_id] = GuardTerm.objects.all().allowed(team_id)
    return known[team_id]


def _along(row: Any, path: str) -> int:
    """The id at the end of a path like `insight__team_id`."""
    for name in path.split("__"):
        row = getattr(row, name)
    return int(row)


def _texts(row: Insight) -> Iterator[tuple[str, str]]:
    """All that an insight says, by the name of the field."""
    yield from ((name, getattr(row, name)) for name in TEXTS)
    yield from (("questions", question) for question in row.questions)
    yield from (("provenance", str(item.get("path", ""))) for item in row.provenance)
    for anchor in row.anchors.all():
        yield anchor.kind, f"{anchor.value}\n{anchor.detail}"
    for said in row.corroborations.all():
        yield from ((f"corroboration {said.pk} {name}", getattr(said, name)) for name in SAID)
        yield from ((f"corroboration {said.pk} draft", text) for text in _strings(said.draft))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


@transaction.atomic
def _quarantine(pk: int, allowed: Collection[str], now: datetime) -> bool:
    """Look again under the lock: an edit may have taken the secret out."""
    seen = Insight.objects.get(pk=pk)
    Team.objects.select_for_update(no_key=True).get(pk=seen.team_id)
    row = Insight.objects.all().shown().filter(pk=pk).select_for_update(no_key=True).first()
    found = findings(row, allowed) if row else []
    if row is None or not found:
        return False
    against = list(Pair.objects.all().open_about(row).select_related("a", "b"))
    why = "; ".join(str(item) for item in found[:10])
    row.withdraw(
        Lexicon.of(row.team_id), mark="quarantined_at", verb="quarantined", by=SYSTEM, at=now, why=why, after={}
    )
    for pair in against:
        pair.unmark(by=SYSTEM, at=now)
    return True


def _mask_in_place(row: Any, names: Iterable[str], allowed: Collection[str]) -> int:
    """Mask what a kept row says; how many of its fields changed. The log line says what it was about all the same."""
    changed = []
    for name in names:
        value = getattr(row, name)
        clean = _redacted(value, allowed)
        if clean != value:
            setattr(row, name, clean)
            changed.append(name)
    if changed:
        # What is searched by its words or its meaning is searched by what it says now.
        renew = getattr(row, "renew_search", list)
        row.save(update_fields=[*changed, *renew()])
    return len(changed)


def _redacted(value: Any, allowed: Collection[str]) -> Any:
    """The value, a text or JSON, with its secrets masked."""
    if isinstance(value, str):
        return redact_secrets(value, allowed=allowed)[0]
    if isinstance(value, dict):
        return {name: _redacted(item, allowed) for name, item in value.items()}
    return [_redacted(item, allowed) for item in value] if isinstance(value, list) else value


def _mask(row: Insight, allowed: Collection[str]) -> None:
    """Mask every text of the insight. Its vector is rebuilt by the sweep; its words by `readmit`."""
    _mask_in_place(row, (*TEXTS, "questions", "provenance"), allowed)
    for anchor in row.anchors.all():
        _mask_anchor(anchor, allowed)
    for said in Corroboration.objects.filter(insight=row):
        _mask_in_place(said, (*SAID, "draft"), allowed)
    row.set_vector(None, "")
    row.recollect()
    row.save(update_fields=["embedding", "embedded_by", *WORD_FIELDS])


def _mask_anchor(anchor: Anchor, allowed: Collection[str]) -> None:
    value, detail = _redacted(anchor.value, allowed), _redacted(anchor.detail, allowed)
    if (value, detail) == (anchor.value, anchor.detail):
        return
    anchor.delete()
    anchor.insight.join_anchors([Anchor(kind=anchor.kind, value=value, recipe=anchor.recipe, detail=detail)])


def _allow(row: Insight, allowed: Collection[str], by: Member, now: datetime, why: str) -> None:
    """What the guard found becomes reviewed terms: else the next scan would find it again."""
    for value in dict.fromkeys(v for _, text in _texts(row) for v in secret_values(text, allowed=allowed)):
        GuardTerm.allow(team_id=row.team_id, term=value, reason=masked(why), by=by, at=now)
