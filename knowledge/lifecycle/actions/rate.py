"""Rate: store whether a returned insight helped, for the question it was returned to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.actions.refusals import log_attempt
from accounts.models import LogEntry, User
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.lifecycle.actions import use
from knowledge.lifecycle.rules import lifecycle
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Query, Signal
from knowledge.retrieval.actions.standings import is_confirmed


class NothingRated(Refused):
    code = "invalid"
    detail = "Name the insight to rate."


class NoSuchQuery(Refused):
    code = "invalid"
    detail = "Unknown question."


@dataclass(frozen=True)
class Rated:
    """One insight after the rating. `counted` is false if the same rating of this question was stored before, or if it
    is an author's praise of their own note.
    """

    insight: Insight
    counted: bool


def rate(
    *,
    refs: Sequence[str],
    verdict: SignalKind,
    by: Member,
    now: datetime,
    query_id: UUID | None = None,
    reason: str = "",
) -> list[Rated]:
    """Strengthen or weaken insights by a verdict (helpful or unhelpful), all or none; return each insight after it.

    A person in the browser counts three times an agent. One user's rating of an insight counts once a week, by any
    interface (their own replaces their agents'), and a limited number of times a day over all insights. An author's
    praise of their own note counts only in their personal team. One or two people cannot take a promoted insight near
    the sweep. The member is scheduled for the inference of preferences. Raises NothingRated, NotFound, NotAllowed,
    NoSuchQuery on `query_id`.
    """
    if not refs:
        raise NothingRated(errors={"insight": ["Name one, or several in `insights`."]})
    asked = _query(query_id, by)
    why = masked(reason).strip()
    rated = []
    with transaction.atomic():
        for ref in sorted(set(refs)):
            insight = _locked(ref, by)
            signal = _signal(verdict, asked, why, by, now)
            counted = not _said_before(insight, signal)
            if counted:
                earlier = _last_of_the_week(insight, signal)
                signal.counts = _counts(insight, signal, earlier)
                replaced = _replace(earlier) if earlier and signal.counts else 0.0
                insight.receive(signal, by=by, at=now, replaced=replaced)
                counted = not _is_own_praise(insight, signal)
                _log_objection(insight, signal, by, now)
                if verdict is SignalKind.HELPFUL:
                    insight.confirm(by=by, at=now)
                    use.note(insight=insight, by=by, now=now)
            rated.append(Rated(insight, counted))
        # Last, so that nobody who holds an insight that others wait for waits for this row.
        User.objects.filter(pk=by.user_id).update(inference_due_at=now)
    _log_uncounted([one.insight for one in rated], verdict, by, now)
    return rated


def _log_objection(insight: Insight, signal: Signal, by: Member, now: datetime) -> None:
    """Show leads who objects to what the team has confirmed, and why. The line belongs to the team and quotes the
    insight as it was; its ratings have the reason.
    """
    if _is_objection(insight, SignalKind(signal.kind), by) and signal.counts:
        LogEntry.write(team_id=insight.team_id, verb="objected", line=f"Objection to {insight.ref}", by=by, at=now)


def _log_uncounted(insights: Sequence[Insight], verdict: SignalKind, by: Member, now: datetime) -> None:
    """Show leads objections beyond the limit too. After the ratings are stored, because many processes count them."""
    mine = Signal.objects.all().ratings_of(by.user_id, verdict.value)
    for insight in insights:
        if _is_objection(insight, verdict, by) and not mine.filter(insight=insight, at=now).exists():
            most = lifecycle.MOST_A_DAY[verdict]
            line = f"Objection to {insight.ref} not counted: a repetition within a week, or beyond {most} a day"
            log_attempt(team_id=insight.team_id, line=line, by=by, now=now)


def _is_objection(insight: Insight, verdict: SignalKind, by: Member) -> bool:
    return verdict is SignalKind.UNHELPFUL and insight.author_id != by.user_id and is_confirmed(insight)


def _query(query_id: UUID | None, by: Member) -> Query | None:
    if query_id is None:
        return None
    query = Query.objects.asked_by(by).filter(pk=query_id).first()
    if query is None:
        raise NoSuchQuery(errors={"query_id": ["Unknown question."]})
    return query


def _locked(ref: str, by: Member) -> Insight:
    """Return the row, locked. A reader may read it, but a rating is a write."""
    insight = Insight.objects.visible_to(by).called(ref).select_for_update(no_key=True, of=("self",)).first()
    if insight is None:
        raise NotFound(f"There is no insight {ref[:24]}.")
    by.require(insight.team_id, Level.CONTRIBUTOR)
    return insight


def _signal(verdict: SignalKind, asked: Query | None, why: str, by: Member, now: datetime) -> Signal:
    """Return the unsaved rating. The question is stored with it in the insight's team, which may know what it was
    helpful for.
    """
    return Signal(
        kind=verdict,
        human=by.token_id is None,
        at=now,
        user_id=by.user_id,
        token_id=by.token_id,
        session_key=by.session_key,
        reason=why,
        query=asked.pk if asked else None,
        question=asked.text if asked else "",
        embedding=asked.embedding if asked else None,
        embedded_by=asked.embedded_by if asked else "",
    )


def _counts(insight: Insight, signal: Signal, earlier: Signal | None) -> bool:
    """Return whether the rating moves the strength: once a week per person, unless it replaces `earlier`, of the same
    week.
    """
    if _is_own_praise(insight, signal):
        return False
    kind = SignalKind(signal.kind)
    if earlier is not None and not lifecycle.replaces_voice(signal.human, earlier.human):
        return False
    others = Signal.objects.all().ratings_of(signal.user_id or 0, kind.value).exclude(insight=insight)
    # A person and their agents count separately in the number rated a day, because nobody reads what agents do.
    today = others.filter(at__gt=signal.at - lifecycle.DAY, human=signal.human).count()
    return lifecycle.signal_counts(kind, None, today, signal.at)


def _last_of_the_week(insight: Insight, signal: Signal) -> Signal | None:
    """Return the same person's last counted rating of the same kind within the week."""
    mine = Signal.objects.all().ratings_of(signal.user_id or 0, signal.kind).filter(insight=insight)
    found: Signal | None = mine.filter(at__gt=signal.at - lifecycle.SIGNAL_STANDS).order_by("-human", "-at").first()
    return found


def _replace(earlier: Signal) -> float:
    """Stop counting a rating that the same person's stronger one replaces; return by how much it moved the strength."""
    earlier.counts = False
    earlier.save(update_fields=["counts"])
    return lifecycle.delta(SignalKind(earlier.kind), earlier.human)


def _is_own_praise(insight: Insight, signal: Signal) -> bool:
    """Return whether an author finds helpful what they wrote for others. In their personal team there is nobody
    else.
    """
    own = signal.user_id == insight.author_id and signal.kind == SignalKind.HELPFUL
    return own and insight.team.kind != TeamKind.PERSONAL


def _said_before(insight: Insight, signal: Signal) -> bool:
    """Return whether the session has rated this question the same before. It changes its mind by the other verdict, not
    by repeating one.
    """
    last = insight.signals.filter(session_key=signal.session_key, query=signal.query).ratings().order_by("-pk").first()
    return last is not None and last.kind == signal.kind
