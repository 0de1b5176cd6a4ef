"""Decide on a suggested edit: approve, reject, request changes, comment, and undo. For leads, and for authors on their
own drafts.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import Membership
from accounts.rules.refused import NotAllowed, NotFound, Refused, Stale
from accounts.rules.rights import Level, Member
from knowledge.models import Comment, EditProposal, Insight
from knowledge.review.actions.combine import merge, reinstate, supersede
from knowledge.review.actions.curate import deprecate, edit, may_edit
from knowledge.review.actions.revert import revert
from knowledge.review.actions.second_reviewer import NeedsReviewer
from knowledge.review.proposals.actions.comments import CommentMissing, add_comment, clean_comment, say
from knowledge.review.proposals.actions.propose import lock_proposal, require_open
from knowledge.review.rules.proposed_changes import (
    ProposedField,
    changes_to_write,
    open_conflicts,
    proposed_fields,
)

OWN_CHANGE = "The team requires a second reviewer for promoted insights: somebody else approves what you have written."


class OverlappingEdits(Refused):
    code = "wrong_status"
    status = 409
    detail = "Both changed the same part. Edit the merged text before you approve it."


class ProposalOpen(Refused):
    code = "wrong_status"
    status = 409
    detail = "This suggestion is still open."


def one_proposal(*, proposal_id: int, by: Member) -> EditProposal:
    """Return a proposal of a team the member belongs to. Raises NotFound."""
    row: EditProposal | None = EditProposal.objects.visible_to(by).whole().filter(pk=proposal_id).first()
    if row is None:
        raise NotFound
    return row


def fields_of(row: EditProposal) -> list[ProposedField]:
    """Return each field the proposal changes, merged three-way with the insight as it is now."""
    now = {name: getattr(row.insight, name) for name in row.changes}
    now |= {"kind": str(now["kind"])} if "kind" in now else {}
    return proposed_fields(row.base, now, row.changes)


def mark_of(row: EditProposal) -> str:
    """Return the version token of the proposal and its insight; a decision on another version is refused."""
    return f"{row.version}.{row.state}.{row.insight.revision}"


def approve(
    *,
    proposal_id: int,
    by: Member,
    now: datetime,
    seen: str = "",
    changes: Mapping[str, Any] | None = None,
    why: str = "",
) -> EditProposal:
    """Approve a proposal: write what it proposes, merged with later changes, or `changes` based on it.

    Raises NotFound, NotAllowed, WrongStatus, Stale if it has changed since `seen`, OverlappingEdits if both changed the
    same text and `changes` are missing, NeedsReviewer if a second reviewer is required and the member has proposed it
    or writes `changes`, and what the action itself raises; then nothing was changed.
    """
    with transaction.atomic():
        row = _for_reviewer(proposal_id, by, seen)
        reviewed = row.proposed_by_id != by.user_id
        if row.needs_reviewer and not reviewed:
            raise NeedsReviewer(OWN_CHANGE)
        said = f"suggested by {row.proposed_by_name}" + (f": {row.note}" if row.note else "")
        sent: dict[str, Any] = {"by": by, "now": now, "why": said[:1_000]}
        if row.act == EditProposal.Act.EDIT:
            _write(row, changes, reviewed, sent)
        else:
            _act(row, sent | {"reviewed": reviewed})
        say(row, why, by=by, now=now, decision="approved")
        row.settle(EditProposal.State.APPROVED, by=by, at=now, why=clean_comment(why)[:1_000])
    return row


def _write(row: EditProposal, changes: Mapping[str, Any] | None, reviewed: bool, sent: dict[str, Any]) -> None:
    """Edit the insight as proposed, or by `changes`. Nobody else has reviewed what the reviewer writes themselves."""
    fields = fields_of(row)
    if changes is None and open_conflicts(fields):
        raise OverlappingEdits
    merged = changes_to_write(fields)
    wanted = merged if changes is None else dict(changes)
    before = {name: getattr(row.insight, name) for name in wanted}
    reviewed = reviewed and wanted == merged and not open_conflicts(fields)
    if row.needs_reviewer and not reviewed:
        raise NeedsReviewer(OWN_CHANGE)
    done = row.insight
    if wanted:
        done = edit(ref=done.ref, changes=wanted, revision=done.revision, reviewed=reviewed, **sent)
    row.take(before, done.revision)
    row.insight = done


def _act(row: EditProposal, sent: dict[str, Any]) -> None:
    """Apply the proposed action to the insight."""
    ref = row.insight.ref
    if row.act == EditProposal.Act.DEPRECATE:
        deprecate(ref=ref, **sent)
    elif row.act == EditProposal.Act.SUPERSEDE and row.other:
        supersede(ref=ref, by_ref=row.other.ref, **sent)
    elif row.act == EditProposal.Act.MERGE and row.other:
        merge(ref=ref, into=row.other.ref, **sent)
    row.insight = Insight.objects.whole().get(pk=row.insight_id)
    row.take({}, row.insight.revision)


def reject(*, proposal_id: int, by: Member, now: datetime, seen: str = "", why: str = "") -> EditProposal:
    """Reject a proposal: the insight stays as it is. Raises what `approve` raises."""
    with transaction.atomic():
        row = _for_reviewer(proposal_id, by, seen)
        say(row, why, by=by, now=now, decision="rejected")
        row.settle(EditProposal.State.REJECTED, by=by, at=now, why=clean_comment(why)[:1_000])
    return row


def request_changes(*, proposal_id: int, by: Member, now: datetime, seen: str = "", why: str = "") -> EditProposal:
    """Return a proposal to its author, with what to change. Raises what `approve` raises, and CommentMissing on
    `text`.
    """
    if not clean_comment(why):
        raise CommentMissing(errors={"text": ["Say what should change."]})
    with transaction.atomic():
        row = _for_reviewer(proposal_id, by, seen)
        say(row, why, by=by, now=now, decision="changes requested")
        row.settle(EditProposal.State.CHANGES_REQUESTED, by=by, at=now, why=clean_comment(why)[:1_000])
    return row


def comment(*, proposal_id: int, text: str, by: Member, now: datetime) -> Comment:
    """Comment on a proposal. Members of its team mentioned as `@name` find it among their mentions.

    Raises NotFound, NotAllowed, CommentMissing on `text`.
    """
    with transaction.atomic():
        return add_comment(lock_proposal(proposal_id, by), text, by=by, now=now)


def read_mentions(*, proposal_id: int, by: Member, now: datetime) -> EditProposal:
    """Remove a proposal from the member's mentions. Raises NotFound."""
    with transaction.atomic():
        row = lock_proposal(proposal_id, by)
        row.read_mentions(by=by, at=now)
    return row


def reopen(*, proposal_id: int, by: Member, now: datetime) -> EditProposal:
    """Undo a decision: restore the insight, and open the proposal again.

    Raises NotFound, NotAllowed, ProposalOpen, Stale if the insight was changed since, WrongStatus if the proposer has
    suggested another edit since.
    """
    with transaction.atomic():
        row = lock_proposal(proposal_id, by)
        own = row.state == EditProposal.State.WITHDRAWN and row.proposed_by_id == by.user_id
        if not own:
            _require_review(row, by)
        if row.state == EditProposal.State.OPEN:
            raise ProposalOpen
        others = EditProposal.objects.all().unsettled().filter(insight=row.insight, proposed_by=row.proposed_by_id)
        if row.proposed_by_id and others.exclude(pk=row.pk).exists():
            raise ProposalOpen("There is a newer suggestion of the same person; decide on that one.")
        if row.state == EditProposal.State.APPROVED:
            row.insight = _undone(row, {"by": by, "now": now, "why": "the approval was undone"})
        row.reopen(by=by, at=now)
    return row


def _undone(row: EditProposal, sent: dict[str, Any]) -> Insight:
    """Return the insight, restored as it was before the approval. Raises Stale."""
    ref, combined = row.insight.ref, row.act in (EditProposal.Act.SUPERSEDE, EditProposal.Act.MERGE)
    if combined and row.insight.superseded_by_id == row.other_id:
        return reinstate(ref=ref, **sent)
    if combined or (row.act == EditProposal.Act.EDIT and not row.before):
        return row.insight
    if row.insight.revision != row.applied:
        raise Stale(f"{ref} was changed since; change it back on its own page.")
    if row.act == EditProposal.Act.DEPRECATE:
        return revert(ref=ref, revision=row.applied, **sent)
    return edit(ref=ref, changes=row.before, revision=row.applied, reviewed=True, **sent)


def may_decide(row: EditProposal, by: Member) -> bool:
    """Return whether the member may approve or reject the proposal: if they could make the edit directly."""
    return row.is_open and _may_review(row, by)


def may_approve(row: EditProposal, by: Member) -> bool:
    """Return whether the member may approve it: not their own if a second reviewer is required."""
    return may_decide(row, by) and not (row.needs_reviewer and row.proposed_by_id == by.user_id)


def may_turn_down(row: EditProposal, by: Member) -> bool:
    """Return whether pages offer the member to reject it or to request changes. An author withdraws or revises it
    instead; what an agent of theirs suggested does not count as their own.
    """
    own = row.proposed_by_id == by.user_id and row.proposed_by_name == by.username
    return may_decide(row, by) and not own


def other_reviewers(row: EditProposal) -> bool:
    """Return whether somebody other than its author leads the team and could approve it."""
    leads = Membership.objects.all().curators([row.team_id])
    return leads.exclude(user_id=row.proposed_by_id).exists()


def _for_reviewer(proposal_id: int, by: Member, seen: str) -> EditProposal:
    row = lock_proposal(proposal_id, by)
    _require_review(row, by)
    require_open(row)
    if seen and seen != mark_of(row):
        raise Stale("The suggestion or the insight has changed since you opened the page. Review it again.")
    return row


def _require_review(row: EditProposal, by: Member) -> None:
    if not _may_review(row, by):
        who = "a lead of the team, or the author of a draft that nobody else backs"
        raise NotAllowed(f"{row.insight.ref}: This requires {who}.", team_id=row.team_id)


def _may_review(row: EditProposal, by: Member) -> bool:
    """Return whether the member could do directly what is proposed."""
    return may_edit(row.insight, by) if row.act == EditProposal.Act.EDIT else by.may(row.team_id, Level.LEAD)
