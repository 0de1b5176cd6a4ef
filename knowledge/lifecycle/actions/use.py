"""Use: an insight that a session was shown and then opens, rates helpful or names in a note becomes a little stronger.

It is weak evidence (an agent opens what it was shown, right or wrong): one point, at most once a day for each insight
and user, and it never counts towards promotion (`rules/lifecycle`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.lifecycle.rules.lifecycle import SignalKind, counts_as_used
from knowledge.models import Insight, Query, Signal
from knowledge.retrieval.rules.ask import references

# A token can be one session for months; what it was shown has an effect within a day.
SHOWN_WITHIN = timedelta(days=1)


def open_insight(*, ref: str, by: Member, now: datetime) -> Insight:
    """Return the insight of that reference, current or former, with all that is shown of it. Raises NotFound."""
    seen = Insight.objects.visible_to(by).whole().called(ref)
    insight = seen.first()
    if insight is None:
        raise NotFound
    if not _use(insight, by, now):
        return insight
    return seen.get()


# A token can be one session that asks all day; the subject of a note was looked up in the last questions.
CONSULTED = 50


# A note deposited in the middle of a task is about something served at about that time.
JUST_SERVED_WITHIN = timedelta(hours=1)


@dataclass(frozen=True)
class Consultations:
    """The insights that a session was served within the last day, by its last 50 questions. `refs`: each once;
    `lately`: those of the last hour, and whether each came first in an answer.
    """

    refs: Sequence[str] = ()
    lately: Mapping[str, bool] = field(default_factory=dict)


def consultations(*, by: Member, now: datetime) -> Consultations:
    """Return what this session was served, before it deposits."""
    answers = list(Query.objects.all().served_to(by.session_key, now - SHOWN_WITHIN)[:CONSULTED])
    lately: dict[str, bool] = {}
    for refs, at in answers:
        if at >= now - JUST_SERVED_WITHIN:
            lately |= {ref: lately.get(ref, False) or place == 0 for place, ref in enumerate(refs)}
    return Consultations(sorted({ref for refs, _ in answers for ref in refs}), lately)


def consulted(*, by: Member, now: datetime) -> list[str]:
    """Return the references that this session was served within the last day, by its last 50 questions, each once."""
    return sorted(last_served(by=by, now=now))


def last_served(*, by: Member, now: datetime, unless: Collection[UUID] = ()) -> dict[str, datetime]:
    """Return when this session was last served each reference, within the last day and its last 50 questions. `unless`:
    questions that do not count.
    """
    asked = Query.objects.all().served_to(by.session_key, now - SHOWN_WITHIN)
    served = list((asked.exclude(pk__in=unless) if unless else asked)[:CONSULTED])
    return {ref: at for refs, at in reversed(served) for ref in refs}


def named(*, text: str, by: Member, now: datetime) -> list[str]:
    """Count the insights that a note names as used; return those for which it counted. Unknown references are
    ignored.
    """
    refs = references(text)
    rows = Insight.objects.visible_to(by).filter(ref__in=refs).order_by("pk") if refs else []
    return [row.ref for row in rows if _use(row, by, now)]


def note(*, insight: Insight, by: Member, now: datetime) -> bool:
    """Count the insight as used, if it was shown to this session and was not counted today; return whether it counted.
    The caller holds the row.
    """
    signal = _signal(insight, by, now)
    if signal:
        insight.receive(signal, by=by, at=now)
    return signal is not None


def _use(insight: Insight, by: Member, now: datetime) -> bool:
    """Do as `note`, but lock the row only if there is something to write, because every read calls this."""
    if _signal(insight, by, now) is None:
        return False
    with transaction.atomic():
        held = Insight.objects.visible_to(by).filter(pk=insight.pk).select_for_update(no_key=True, of=("self",)).first()
        return held is not None and note(insight=held, by=by, now=now)


def _signal(insight: Insight, by: Member, now: datetime) -> Signal | None:
    """Return the unsaved signal, or None: a reader's use strengthens nothing."""
    if not by.may(insight.team_id, Level.CONTRIBUTOR):
        return None
    if not Query.objects.all().showed(insight.names(), by.session_key, now - SHOWN_WITHIN).exists():
        return None
    last = insight.signals.filter(kind=SignalKind.USED, user_id=by.user_id).order_by("-at").first()
    if not counts_as_used(last.at if last else None, now):
        return None
    return Signal(
        kind=SignalKind.USED,
        human=by.token_id is None,
        at=now,
        user_id=by.user_id or None,
        token_id=by.token_id,
        session_key=by.session_key,
    )
