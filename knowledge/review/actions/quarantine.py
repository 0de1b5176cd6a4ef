"""Quarantine: find stored secrets that an older guard missed, and remove them from all reads.

`scan` checks everything that is stored with the present guard and each team's present allowlist. An insight (with its
anchors and what was merged into it) goes into quarantine, where only leads see it, with its secrets masked. Texts that
must not be lost (reasons, questions, the log) are masked in place. `release` restores an insight: masked, or unchanged,
in which case its secrets are added to the team's allowlist.
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

# The number of rows read at once.
CHUNK = 500
TEXTS = ("title", "body", "reasoning", "repo", "source_url")
SAID = ("title", "body", "reasoning", "repo")
# Texts outside insights that must not be lost and are masked in place: the model, the path to its team, its text
# fields.
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
    """Check all insights and texts, and those that other apps list in `also` (model, path to its team, text fields).

    Returns counts: `scanned` rows, `quarantined` insights, `masked` texts outside them.

    It may be stopped and run again at any time; what is in quarantine already is skipped.
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
    """Return the secrets in an insight, its anchors and what was merged into it: the kind and the place, not
    the text.
    """
    return [found for field, text in _texts(row) for found in find_secrets(text, field=field, allowed=allowed)]


def release(*, ref: str, by: Member, now: datetime, why: str = "", mask: bool = True) -> Insight:
    """Release an insight from quarantine. Only for leads.

    With `mask` its secrets become `[SECRET]`. Without it, somebody has checked that they are no secrets: they are added
    to the team's allowlist. Raises NotFound (also for anybody who does not lead its team), NotQuarantined.
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
    """Return the error to raise: NotFound for what the member cannot see, NotAllowed or NotQuarantined for what they
    can.
    """
    seen = Insight.objects.visible_to(by).filter(ref=ref).first()
    if seen is None:
        return NotFound()
    by.require(seen.team_id, Level.LEAD)
    return NotQuarantined()


def _each(rows: QuerySet[Any], progress: Callable[[str, int], None]) -> Iterator[Any]:
    """Yield all rows in the order of their keys. Rows added during the scan have passed the guard already."""
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
    """Return the id at the end of a path like `insight__team_id`."""
    for name in path.split("__"):
        row = getattr(row, name)
    return int(row)


def _texts(row: Insight) -> Iterator[tuple[str, str]]:
    """Yield all texts of an insight with the names of their fields."""
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
    """Quarantine the row and return True, if it still contains a secret under the lock: an edit may have removed it."""
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
    """Mask the texts of a row in place, and return the number of changed fields. A log line still says what it was
    about.
    """
    changed = []
    for name in names:
        value = getattr(row, name)
        clean = _redacted(value, allowed)
        if clean != value:
            setattr(row, name, clean)
            changed.append(name)
    if changed:
        # A row that is searched needs new search terms and a new vector for its masked text.
        renew = getattr(row, "renew_search", list)
        row.save(update_fields=[*changed, *renew()])
    return len(changed)


def _redacted(value: Any, allowed: Collection[str]) -> Any:
    """Return the value, a text or JSON, with its secrets masked."""
    if isinstance(value, str):
        return redact_secrets(value, allowed=allowed)[0]
    if isinstance(value, dict):
        return {name: _redacted(item, allowed) for name, item in value.items()}
    return [_redacted(item, allowed) for item in value] if isinstance(value, list) else value


def _mask(row: Insight, allowed: Collection[str]) -> None:
    """Mask all texts of the insight. The sweep recomputes its vector; `readmit` its search terms."""
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
    """Add what the guard found to the allowlist; otherwise the next scan would find it again."""
    for value in dict.fromkeys(v for _, text in _texts(row) for v in secret_values(text, allowed=allowed)):
        GuardTerm.allow(team_id=row.team_id, term=value, reason=masked(why), by=by, at=now)
