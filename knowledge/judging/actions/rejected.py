"""Statements that a lead has rejected for a note before: whether another note repeats one of them."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from accounts.rules.rights import Member
from knowledge.judging.rules.careful import says_what_was_rejected
from knowledge.judging.rules.relations import Reason, Verdict
from knowledge.models import Insight, Pair
from knowledge.models.lexicon import similarity

# The number of rejections of one note that are compared, the latest first.
MOST = 20


def rejected_before(row: Insight, other: Insight) -> Pair | None:
    """Return the pair by which a lead has kept `other` against a note that says what `row` says; None if none has."""
    for pair in Pair.objects.all().rejected_against(other)[:MOST]:
        before = pair.b if pair.a_id == other.pk else pair.a
        # A note that gave way to a newer one was not rejected: it may hold again.
        if before.pk == row.pk or before.learned_at <= other.learned_at or _was_merged(before, other):
            continue
        if says_what_was_rejected(row.text, before.text, other.text, similarity(row, before)):
            return pair
    return None


def with_rejection(verdict: Verdict, row: Insight, other: Insight) -> Verdict:
    """Return the verdict on the two notes, with the rejection of the statement that `row` repeats."""
    pair = rejected_before(row, other)
    return replace(verdict, reason=Reason.REJECTED_BEFORE, rejected=pair.pk) if pair else verdict


def pair_rejected(row: Insight, others: Mapping[int, Verdict], *, by: Member, at: datetime) -> None:
    """Open a pair of `row` with each of `others` (by id) against which a lead has rejected the same statement, even if
    nothing else makes them a pair: otherwise `row` would come first as a note that nobody has compared.
    """
    kept = Pair.objects.all().kept_by_leads(others) if others else set()
    for other in Insight.objects.filter(pk__in=kept, retrievable=True).order_by("pk") if kept else ():
        verdict = with_rejection(others[other.pk], row, other)
        if verdict.rejected:
            open_pair(row, other, verdict, by=by, at=at)


def open_pair(row: Insight, other: Insight, verdict: Verdict, *, by: Member, at: datetime) -> None:
    """Open a pair, so that the two are served together until somebody states their relation."""
    Pair.between(
        other,
        row,
        question=Pair.Question.DUPLICATE,
        verdict=verdict.as_data(),
        similarity=round(verdict.similarity, 4),
        by=by,
        at=at,
    )


def _was_merged(before: Insight, other: Insight) -> bool:
    """Return whether the lead kept one of the two because they say the same."""
    return bool(other.corroborations.all().merged().filter(draft__ref=before.ref).exists())
