"""Apply one action to many insights, and undo actions. Each row has its own permission check, lock and log line."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from accounts.actions.refusals import log_refusal
from accounts.models import LogEntry
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.actions.validate import validate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import EditProposal, Insight
from knowledge.review.actions import combine, curate, inbox_state, settle, vault_conflicts
from knowledge.review.actions.bulk_edit import MOST, TooMany, Wanted, edit_together
from knowledge.review.actions.forget import forget, forget_refusal
from knowledge.review.actions.move import move_back
from knowledge.review.actions.optimistic_lock import Changed, locked_unchanged, since
from knowledge.review.actions.quarantine import release
from knowledge.review.actions.revert import revert, undo_edit
from knowledge.review.actions.triage import leads, mask
from knowledge.review.proposals.actions import decide
from knowledge.review.proposals.actions.accept import hold_retelling, withdraw_link
from knowledge.review.proposals.actions.propose import withdraw
from knowledge.review.proposals.actions.suggest import deprecate_or_suggest
from knowledge.review.rules.triage import OPEN, closed
from knowledge.review.rules.undo_steps import unwrapped
from knowledge.rules.vocabulary import Status

NO_MARKS: Mapping[str, str] = {}


class UnknownAct(Refused):
    code = "invalid"
    detail = "Unknown action."


@dataclass
class Done:
    """The result of an action: the rows it was applied to, and the rows that refused it, with the reason.

    `changed`: rows that somebody else changed since the page was opened; `suggested`: suggested edits that another lead
    has to approve.
    """

    rows: list[Insight] = field(default_factory=list)
    suggested: list[EditProposal] = field(default_factory=list)
    refused: list[tuple[str, Refused]] = field(default_factory=list)
    changed: list[Changed] = field(default_factory=list)
    # Of an undo: the new revision of each row, by the place of the step; only for steps that are done at one revision.
    revisions: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Planned:
    """One row before an action. `hindrance`: why the action would skip it, or "".

    `lines`: what happened to it since the page was opened. `suggested`: the action becomes a suggestion to another
    lead.
    """

    insight: Insight
    hindrance: str
    lines: Sequence[LogEntry] = ()
    suggested: bool = False


def act(
    *, verb: str, refs: Sequence[str], by: Member, now: datetime, why: str = "", marks: Mapping[str, str] = NO_MARKS
) -> Done:
    """Apply one action to each of these insights. A refusal does not affect the others; with a single insight it is
    raised.

    `marks`: version tokens (`optimistic_lock.version_of`); a row that has another version now is not changed. All log
    lines of a batch have the same time and state the size of the batch. Raises UnknownAct, TooMany.
    """
    refs = _bounded(verb, refs)
    if len(refs) > 1:
        why = f"{why} (one of {len(refs)} in a bulk action)".strip()
    done = Done()
    for ref in refs:
        try:
            with locked_unchanged(ref=ref, mark=marks.get(ref, ""), by=by):
                made = _act_of(verb)(ref=ref, by=by, now=now, why=why)
            if isinstance(made, EditProposal):
                done.suggested.append(made)
            else:
                done.rows.append(made)
        except Changed as changed:
            done.changed.append(changed)
        except Refused as refused:
            if len(refs) == 1:
                raise refused.about(ref) from None
            log_refusal(error=refused, call=f"{verb} {ref}", by=by, now=now)
            done.refused.append((ref, refused))
    return done


def plan(*, verb: str, refs: Sequence[str], by: Member, marks: Mapping[str, str] = NO_MARKS) -> list[Planned]:
    """Return what `act` would do, in the given order, without doing it. Raises what `act` raises, and NotFound if none
    of the insights is visible.

    With `marks`, the rows that changed since list what happened to them.
    """
    refs = _bounded(verb, refs)
    seen = {row.ref: row for row in Insight.objects.visible_to(by).whole().with_ref(refs)}
    if verb in ("release", "allow", "forget"):
        held = Insight.objects.of_teams(leads(by)).quarantined().whole().with_ref(refs)
        for row in held:
            mask(row)
            seen[row.ref] = row
    found = [seen[ref] for ref in refs if ref in seen]
    if not found:
        raise NotFound
    lines = since(found, marks, by=by)
    return [
        Planned(row, _hindrance(verb, row, by), lines.get(row.ref, ()), verb == "deprecate" and row.needs_reviewer)
        for row in found
    ]


def _hindrance(verb: str, row: Insight, by: Member) -> str:
    if verb == "forget":
        return forget_refusal(row, by)
    if not by.may(row.team_id, Level.LEAD):
        return "you are not a lead of its team"
    if verb in ("release", "allow") and not row.quarantined_at:
        return "it is not quarantined"
    if row.superseded_by_id:
        return "it is superseded"
    if verb == "promote" and not curate.may_promote(row, by):
        return "in its team only a superuser can promote"
    return closed(verb, Status(row.status))


def undo(*, steps: Sequence[Sequence[Any]], by: Member, now: datetime) -> Done:
    """Undo actions. A step is [name in `_BACK`, reference or number, revision, …]. Raises UnknownAct; with a single
    step also its refusal.
    """
    steps = [unwrapped(step) for step in steps]
    edits = [Wanted(*arguments) for name, *arguments in steps if name == "edit back"]
    together = edit_together(edits, by=by, now=now, why="undone", reviewed=True)
    done = Done(rows=list(together.values()))
    for place, (name, *arguments) in enumerate(steps):
        if name not in _BACK:
            raise UnknownAct
        if name == "edit back" and arguments[0] in together:
            done.revisions[place] = together[arguments[0]].revision
            continue
        try:
            made = _BACK[name](by, now, *arguments)
            done.rows += made
            if name in _AT_REVISION:
                done.revisions[place] = made[0].revision
        except Refused as refused:
            if len(steps) == 1:
                raise
            done.refused.append((str(arguments[0]), refused))
    return done


def _bounded(verb: str, refs: Sequence[str]) -> list[str]:
    if verb not in OPEN:
        raise UnknownAct(errors={"verb": [f"Unknown action '{verb[:40]}'."]})
    once = list(dict.fromkeys(refs))
    if not once:
        raise UnknownAct("Nothing was selected.", errors={"ref": ["Select at least one."]})
    if len(once) > MOST:
        raise TooMany(errors={"ref": [f"At most {MOST}; {len(once)} were selected."]})
    return once


def _helpful(*, ref: str, by: Member, now: datetime, why: str) -> Insight:
    return rate(refs=[ref], verdict=SignalKind.HELPFUL, by=by, now=now, reason=why)[0].insight


# The actions that are not functions of `curate`.
_OTHERS: dict[str, Callable[..., Insight | EditProposal]] = {
    "deprecate": deprecate_or_suggest,
    "validate": validate,
    "helpful": _helpful,
    "forget": forget,
    "release": release,
    "allow": partial(release, mask=False),
}


def _act_of(verb: str) -> Callable[..., Insight | EditProposal]:
    """Return the function of an action. `verb` is one of OPEN, so it can name nothing else in `curate`."""
    found: Callable[..., Insight | EditProposal] = _OTHERS.get(verb) or getattr(curate, verb)
    return found


def _reopened(by: Member, now: datetime, pair_id: int) -> list[Insight]:
    pair = settle.reopen(pair_id=pair_id, by=by, now=now)
    return [pair.a, pair.b]


def _link_withdrawn(by: Member, now: datetime, pair_id: int) -> list[Insight]:
    pair = withdraw_link(pair_id=pair_id, by=by, now=now)
    return [pair.a, pair.b]


def _waits_again(by: Member, now: datetime, conflict_id: int) -> list[Insight]:
    conflict = vault_conflicts.reopen(conflict_id=conflict_id, by=by, now=now)
    return [conflict.insight] if conflict.insight else []


# How to undo each action. Other apps add their steps at startup. What a step returns has a `ref`, which messages show.
_BACK: dict[str, Callable[..., list[Any]]] = {
    "revert": lambda by, now, ref, revision, until="": [
        revert(ref=ref, revision=revision, by=by, now=now, until=until)
    ],
    "reinstate": lambda by, now, ref: [combine.reinstate(ref=ref, by=by, now=now)],
    "restore": lambda by, now, ref: [curate.restore(ref=ref, by=by, now=now)],
    "move back": lambda by, now, ref, revision: [move_back(ref=ref, revision=revision, by=by, now=now)],
    "edit back": lambda by, now, ref, revision, changes: [
        curate.edit(ref=ref, changes=changes, revision=revision, by=by, now=now, why="undone", reviewed=True)
    ],
    "undo edit": lambda by, now, ref, revision, until="": [
        undo_edit(ref=ref, revision=revision, by=by, now=now, until=until)
    ],
    "owner back": lambda by, now, ref, given, was: [curate.owner_back(ref=ref, given=given, was=was, by=by, now=now)],
    "reopen": _reopened,
    "conflict": _waits_again,
    "link": _link_withdrawn,
    "retelling": lambda by, now, ref, corroboration: [
        hold_retelling(ref=ref, corroboration=corroboration, by=by, now=now)
    ],
    "proposal": lambda by, now, proposal_id: [decide.reopen(proposal_id=proposal_id, by=by, now=now).insight],
    "withdraw": lambda by, now, proposal_id: [withdraw(proposal_id=proposal_id, by=by, now=now).insight],
    "inbox state": lambda by, now, item, before, after: inbox_state.put_back(
        item=item, before=before, after=after, by=by, now=now
    ),
}
# Steps that are refused unless the row has a given revision. They restore the row as it was before the action, as a new
# revision.
_AT_REVISION = {"revert", "edit back", "undo edit"}


def add_steps(steps: Mapping[str, Callable[..., list[Any]]], *, at_revision: Collection[str] = ()) -> None:
    """Add steps that undo actions on rows other than insights. Each is called with the member, the time and the rest of
    the step. `at_revision`: the steps that are refused unless the row has a given revision; their first returned row
    has the new one.
    """
    _BACK.update(steps)
    _AT_REVISION.update(at_revision)


def is_at_revision(step: Sequence[Any]) -> bool:
    """Return whether the step is refused unless its row has a given revision."""
    return unwrapped(step)[0] in _AT_REVISION
