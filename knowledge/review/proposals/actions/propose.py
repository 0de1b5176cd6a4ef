"""Suggest an edit, revise it, withdraw it. The insight itself does not change."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import GuardTerm, Team
from accounts.rules.guard.detection import masked, strip_invisible
from accounts.rules.refused import NotAllowed, NotFound, Refused, Stale
from accounts.rules.rights import Level, Member
from knowledge.models import EditProposal, Insight
from knowledge.review.actions.curate import ANCHORED, BadEdit, WrongStatus, clean_changes
from knowledge.review.proposals.actions.mention import mention_in_note
from knowledge.review.rules.proposed_changes import PROPOSABLE
from knowledge.review.rules.triage import closed
from knowledge.rules.vocabulary import Kind, Status

# The largest number of open suggestions of one user in a team: more than anybody reviews in a week, and a limit for an
# agent in a loop.
MOST_OPEN = 50
LONGEST_NOTE = 1_000
FIELD_NAMES = ", ".join(PROPOSABLE)


class NothingProposed(Refused):
    code = "invalid"
    detail = "The suggestion changes nothing."


class BadAct(Refused):
    code = "invalid"
    detail = "This cannot be suggested."


class TooManyOpen(Refused):
    code = "too_many"
    status = 409
    detail = f"You have {MOST_OPEN} suggested edits waiting in this team. Wait until some are decided, or withdraw one."


def propose(
    *, ref: str, changes: Mapping[str, Any], note: str = "", revision: int | None = None, by: Member, now: datetime
) -> tuple[EditProposal, bool]:
    """Suggest new values for fields of an insight. Return the proposal, and whether it is new: each person has at most
    one open proposal for an insight, and suggesting again revises it.

    `changes` may contain PROPOSABLE fields; `revision`: of the insight as the proposer saw it. Raises NotFound,
    NotAllowed, WrongStatus, Stale, NothingProposed, TooManyOpen, and SecretInEdit and BadEdit as `curate.edit` does.
    """
    seen = Insight.objects.visible_to(by).whole().filter(ref=ref).first()
    if seen is None:
        raise NotFound
    by.require(seen.team_id, Level.CONTRIBUTOR)
    unknown = [name for name in changes if name not in PROPOSABLE]
    if unknown:
        raise BadEdit(errors={name: [f"Cannot be proposed; one of {FIELD_NAMES} can."] for name in unknown})
    cleaned = clean_changes(changes, GuardTerm.objects.all().allowed(seen.team_id))
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=seen.team_id)
        insight = Insight.objects.whole().get(pk=seen.pk)
        if insight.superseded_by_id:
            raise WrongStatus(f"{ref} is superseded; suggest the edit for the insight that superseded it.")
        if revision is not None and insight.revision != revision:
            raise Stale(
                errors={"revision": [f"It is at revision {insight.revision}."]}, current_revision=insight.revision
            )
        wanted = _changed(insight, cleaned)
        row, new = _row(insight, by, now)
        row.changes, row.base = wanted, {name: _value(insight, name) for name in wanted}
        row.revision, row.note = insight.revision, masked(strip_invisible(note).text).strip()[:LONGEST_NOTE]
        row.suggest(by=by, at=now)
        mention_in_note(row, by=by, now=now)
    return row, new


def propose_act(
    *, ref: str, act: str, other: str = "", note: str = "", by: Member, now: datetime
) -> tuple[EditProposal, bool]:
    """Suggest to deprecate an insight, or to supersede it by `other` or merge it into `other`; returns what `propose`
    returns.

    Raises NotFound, NotAllowed, WrongStatus, TooManyOpen, BadAct on `other`.
    """
    seen = Insight.objects.visible_to(by).whole().filter(ref=ref).first()
    if seen is None:
        raise NotFound
    by.require(seen.team_id, Level.CONTRIBUTOR)
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=seen.team_id)
        insight = Insight.objects.whole().get(pk=seen.pk)
        row, new = _row(insight, by, now, act)
        row.other = None if act == EditProposal.Act.DEPRECATE else _other(insight, other, by)
        if insight.superseded_by_id:
            raise WrongStatus(f"{ref} is superseded.")
        if row.other is None and closed("deprecate", Status(insight.status)):
            raise WrongStatus(f"{ref} is {insight.status}; it cannot be deprecated.")
        row.revision, row.note = insight.revision, masked(strip_invisible(note).text).strip()[:LONGEST_NOTE]
        row.suggest(by=by, at=now)
        mention_in_note(row, by=by, now=now)
    return row, new


def withdraw(*, proposal_id: int, by: Member, now: datetime) -> EditProposal:
    """Withdraw the member's own suggestion. Raises NotFound, NotAllowed, WrongStatus."""
    with transaction.atomic():
        row = lock_proposal(proposal_id, by)
        if row.proposed_by_id != by.user_id:
            raise NotAllowed("Only the person who suggested it can withdraw it.")
        by.require(row.team_id, Level.CONTRIBUTOR)
        require_open(row)
        row.settle(EditProposal.State.WITHDRAWN, by=by, at=now)
    return row


def lock_proposal(proposal_id: int, by: Member) -> EditProposal:
    """Return a proposal with its insight after locking its team's row. Raises NotFound."""
    seen = EditProposal.objects.visible_to(by).filter(pk=proposal_id).values("team_id").first()
    if seen is None:
        raise NotFound
    Team.objects.select_for_update(no_key=True).get(pk=seen["team_id"])
    row: EditProposal | None = EditProposal.objects.visible_to(by).whole().filter(pk=proposal_id).first()
    if row is None:
        raise NotFound
    return row


def require_open(row: EditProposal) -> None:
    """Raise WrongStatus unless the proposal is still open."""
    if not row.is_open:
        raise WrongStatus(f"This suggestion is already {row.state}.")


def _changed(insight: Insight, cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that differ from the insight's. Raises NothingProposed, BadEdit."""
    wanted = {name: sorted(value) if name in ANCHORED else value for name, value in cleaned.items()}
    wanted = {name: value for name, value in wanted.items() if value != _value(insight, name)}
    if not wanted:
        raise NothingProposed(errors={"changes": [f"Give at least one of {FIELD_NAMES} a new value."]})
    if wanted.get("kind", insight.kind) == Kind.DECISION and not wanted.get("reasoning", insight.reasoning):
        raise BadEdit(errors={"reasoning": ["A DECISION requires reasoning."]})
    return wanted


def _other(insight: Insight, ref: str, by: Member) -> Insight:
    """Return the insight that would replace this one. Raises BadAct on `other`."""
    found: Insight | None = Insight.objects.visible_to(by, only=[insight.team_id]).filter(ref=ref).first()
    if found is None:
        raise BadAct(errors={"other": [f"The team has no insight {ref[:24]}."]})
    if found.pk == insight.pk:
        raise BadAct(errors={"other": ["This is the same insight."]})
    if not found.is_current:
        raise BadAct(errors={"other": [f"{found.ref} is not current."]})
    return found


def _row(insight: Insight, by: Member, now: datetime, act: str = EditProposal.Act.EDIT) -> tuple[EditProposal, bool]:
    """Return the member's open proposal of that kind for the insight, or a new one, and whether it is new. Raises
    TooManyOpen.
    """
    mine = EditProposal.objects.visible_to(by).unsettled().filter(proposed_by_id=by.user_id, team_id=insight.team_id)
    there: EditProposal | None = mine.filter(insight=insight, act=act).first()
    if there:
        there.insight = insight
        return there, False
    if mine.count() >= MOST_OPEN:
        raise TooManyOpen
    who: dict[str, Any] = {"proposed_by_id": by.user_id, "proposed_by_name": by.actor[:200]}
    return EditProposal(team_id=insight.team_id, insight=insight, act=act, proposed_at=now, **who), True


def _value(insight: Insight, name: str) -> Any:
    """Return the value of a field in the form JSON has."""
    found = getattr(insight, name)
    return str(found) if name in ("kind", "stability") else found
