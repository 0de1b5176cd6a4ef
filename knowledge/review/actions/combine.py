"""Merge two insights, or supersede one by another, and undo either."""

from datetime import datetime

from django.db import transaction

from accounts.models import Team
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.judging.actions.successions import put_back, replaced_by_others, take_over
from knowledge.judging.rules.relations import Reason, Relation, Verdict
from knowledge.models import Corroboration, Insight, Lexicon, Pair
from knowledge.models.merging import heir_of, leave_place, merge_into, stand_again, take_place
from knowledge.review.actions.second_reviewer import require_reviewer


class NotTogether(Refused):
    code = "invalid"
    detail = "These two cannot be combined."


class AlreadyCombined(Refused):
    code = "wrong_status"
    status = 409


def supersede(*, ref: str, by_ref: str, by: Member, now: datetime, why: str = "", reviewed: bool = False) -> Insight:
    """Supersede `ref` by `by_ref`. Only for leads. `reviewed`: somebody else has proposed it. Raises NotFound,
    NotAllowed, NotTogether, AlreadyCombined, NeedsReviewer.
    """
    with transaction.atomic():
        old, heir = _both(ref, by_ref, by, "by")
        if old.superseded_by_id:
            raise AlreadyCombined(f"{ref} is already superseded.")
        _no_circle(old, heir)
        require_reviewer(old, reviewed=reviewed)
        old.supersede(heir, by=by, at=now, why=masked(why))
        take_over(heir, old, Verdict(Relation.SUPERSEDES, by.username, 0.0, Reason.STATED), by=by, at=now)
        take_place(heir, old, by=by, at=now)
        _decide(old, heir, by=by, now=now)
    return old


def reinstate(*, ref: str, by: Member, now: datetime, why: str = "") -> Insight:
    """Undo a supersession, so that both insights are current. Only for leads, and for the author if only an agent of
    somebody else stated it; then the other insight is proposed to replace it, for a lead to decide.
    """
    with transaction.atomic():
        insight = _locked(ref, by)
        replaced = None if by.may(insight.team_id, Level.LEAD) else replaced_by_others(insight, by)
        if replaced:
            put_back(insight, replaced, by=by, at=now, why=masked(why))
            return insight
        by.require(insight.team_id, Level.LEAD)
        if not insight.superseded_by_id:
            raise AlreadyCombined(f"{ref} is not superseded.")
        successor_id = insight.superseded_by_id
        stand_again(insight, by=by, at=now, why=masked(why))
        _overrule(insight.pk, successor_id)
    return insight


def merge(*, ref: str, into: str, by: Member, now: datetime, why: str = "", reviewed: bool = False) -> Insight:
    """Merge `ref` into `into`, which says the same: its words and anchors are added to it, and the row is kept as
    superseded.

    `unmerge` of the corroboration restores the row. Only for leads. Raises what `supersede` raises.
    """
    with transaction.atomic():
        gone, kept = _both(ref, into, by, "into")
        if gone.superseded_by_id:
            raise AlreadyCombined(f"{ref} is already superseded.")
        _no_circle(gone, kept)
        require_reviewer(gone, kept, reviewed=reviewed)
        merge_into(kept, gone, by=by, at=now, why=masked(why))
        take_place(kept, gone, by=by, at=now)
        _decide(gone, kept, by=by, now=now)
    return kept


def unmerge(*, ref: str, corroboration: int, by: Member, now: datetime, why: str = "") -> Insight:
    """Make what was merged into `ref` a row of its own again, and return that row. Only for leads, and for its author.

    If it was a row before, that row is current again. If it was a deposit, it becomes a new row, whose vector the next
    sweep computes.
    """
    with transaction.atomic():
        kept = _locked(ref, by)
        by.require(kept.team_id, Level.CONTRIBUTOR)
        said = kept.corroborations.all().merged().filter(pk=corroboration).first()
        if said is None:
            raise NotFound
        if said.user_id != by.user_id:
            by.require(kept.team_id, Level.LEAD)
        row = Insight.objects.filter(ref=said.draft.get("ref", "")).first() or _own_row(said, kept, by, now)
        if row.superseded_by_id:
            row.reinstate(by=by, at=now, why=masked(why))
            leave_place(kept, row, by=by, at=now)
        kept.split_off(said, row, lexicon=Lexicon.of(kept.team_id), by=by, at=now)
        _overrule(row.pk, kept.pk)
    return row


def _decide(gone: Insight, kept: Insight, *, by: Member, now: datetime) -> None:
    """Settle what was open between the two. From now on no agent's statement changes it."""
    pairs = list(Pair.objects.all().of_both(gone.pk, kept.pk).select_related("a", "b"))
    for pair in pairs:
        if pair.is_open:
            pair.settle(Pair.State.RESOLVED, by=by, at=now, resolution=f"kept {kept.ref}", scope="")
            pair.unmark(by=by, at=now)
        else:
            pair.decide()
    if not pairs:
        Pair.decided(gone, kept, by=by, at=now)


def _overrule(one: int, other: int) -> None:
    """Mark what agents have stated about the two as a person's decision, which only a person changes."""
    for pair in Pair.objects.all().of_both(one, other):
        pair.overrule()


def _own_row(said: Corroboration, kept: Insight, by: Member, now: datetime) -> Insight:
    row = heir_of(said, kept, at=now)
    row.note(verb="deposited", line=f"{row.ref} unmerged from {kept.ref}: {row.title}", by=by, at=now)
    return row


def _both(ref: str, other: str, by: Member, field: str) -> tuple[Insight, Insight]:
    """Return both rows, locked in the order of their ids, so that two leads cannot wait for each other."""
    team_ids = set(Insight.objects.visible_to(by).filter(ref__in=[ref, other]).values_list("team_id", flat=True))
    list(Team.objects.filter(pk__in=team_ids).order_by("pk").select_for_update(no_key=True))
    rows = (
        Insight.objects.visible_to(by)
        .filter(ref__in=[ref, other])
        .order_by("pk")
        .select_for_update(no_key=True, of=("self",))
    )
    found = {row.ref: row for row in rows}
    if ref not in found:
        raise NotFound
    if other not in found:
        raise NotTogether(errors={field: [f"There is no insight {other[:24]}."]})
    for row in found.values():
        by.require(row.team_id, Level.LEAD)
    if ref == other:
        raise NotTogether(errors={field: ["This is the same insight."]})
    if found[ref].team_id != found[other].team_id:
        raise NotTogether(errors={field: ["It belongs to another team."]})
    return found[ref], found[other]


def _no_circle(old: Insight, heir: Insight) -> None:
    """Raise unless the successor is current itself; otherwise no insight would be left to answer."""
    if not heir.is_current:
        raise AlreadyCombined(f"{heir.ref} is not current.")


def _locked(ref: str, by: Member) -> Insight:
    insight = Insight.objects.visible_to(by).filter(ref=ref).first()
    if insight is None:
        raise NotFound
    Team.objects.select_for_update(no_key=True).get(pk=insight.team_id)
    return Insight.objects.select_for_update(no_key=True, of=("self",)).get(pk=insight.pk)
