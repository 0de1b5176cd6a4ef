"""Accept what agents stated and nobody has reviewed: a link between two insights, or a re-telling; and undo either."""

from datetime import datetime

from django.db import transaction

from accounts.models import Team
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.judging.rules.relations import Relation
from knowledge.models import Corroboration, Insight, Pair
from knowledge.review.actions.second_reviewer import require_reviewer
from knowledge.review.actions.settle import lock_pair


class NothingToAccept(Refused):
    code = "wrong_status"
    status = 409
    detail = "This does not await review by a lead."


def accept_link(*, pair_id: int, by: Member, now: datetime) -> Pair:
    """Accept an agent's link between two insights: answers show it on both sides. Only for leads. Raises NotFound,
    NotAllowed, NothingToAccept.
    """
    with transaction.atomic():
        pair = _link(pair_id, by, by_lead=False)
        pair.accept(by=by, at=now)
    return pair


def withdraw_link(*, pair_id: int, by: Member, now: datetime) -> Pair:
    """Undo `accept_link`: the link is unreviewed again. Raises what `accept_link` raises."""
    with transaction.atomic():
        pair = _link(pair_id, by, by_lead=True)
        pair.withdraw_acceptance(by=by, at=now)
    return pair


def accept_retelling(*, ref: str, corroboration: int, by: Member, now: datetime) -> Insight:
    """Count a re-telling in other words as agreement: it says the same, and may be quoted. Only for leads. Raises
    NotFound, NotAllowed, NothingToAccept, NeedsReviewer.
    """
    with transaction.atomic():
        row, said = _retelling(ref, corroboration, by, waits=True)
        require_reviewer(row, reviewed=False)
        row.accept_retelling(said, by=by, at=now)
        _decide(row, said, by_lead=True)
    return row


def hold_retelling(*, ref: str, corroboration: int, by: Member, now: datetime) -> Insight:
    """Undo `accept_retelling`: it waits for a lead again. Raises what `accept_retelling` raises, except
    NeedsReviewer.
    """
    with transaction.atomic():
        row, said = _retelling(ref, corroboration, by, waits=False)
        row.hold_retelling(said, by=by, at=now)
        _decide(row, said, by_lead=False)
    return row


def _link(pair_id: int, by: Member, *, by_lead: bool) -> Pair:
    """Return the link after locking its team's row. `by_lead`: whether a lead must have accepted it. Raises
    NothingToAccept if not.
    """
    pair = lock_pair(pair_id, by)
    linked = pair.state == Pair.State.RESOLVED and pair.relation == Relation.COMPLEMENTS
    if not linked or pair.settled_by_lead is not by_lead:
        raise NothingToAccept
    return pair


def _retelling(ref: str, corroboration: int, by: Member, *, waits: bool) -> tuple[Insight, Corroboration]:
    """Return a locked insight and what was merged into it. `waits`: whether it must be unreviewed, or accepted by a
    lead.
    """
    found = Insight.objects.visible_to(by).filter(ref=ref).first()
    if found is None:
        raise NotFound
    by.require(found.team_id, Level.LEAD)
    Team.objects.select_for_update(no_key=True).get(pk=found.team_id)
    row = Insight.objects.select_for_update(no_key=True, of=("self",)).get(pk=found.pk)
    said = row.corroborations.all().merged().filter(pk=corroboration).first()
    if said is None:
        raise NotFound
    if not (said.waits if waits else said.accepted):
        raise NothingToAccept
    return row, said


def _decide(row: Insight, said: Corroboration, *, by_lead: bool) -> None:
    """Mark the statement about the two as a lead's, or as an agent's again."""
    told = Insight.objects.filter(ref=said.draft.get("ref", "")).first()
    for pair in Pair.objects.all().of_both(row.pk, told.pk) if told else ():
        pair.decide(by_lead)
