"""Do it, or suggest it: what pages offer to a lead, whose team may require a second reviewer for promoted insights."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.rules.rights import Member
from knowledge.models import Conflict, EditProposal, Insight, Pair
from knowledge.review.actions import combine, curate, settle, vault_conflicts
from knowledge.review.actions.second_reviewer import NeedsReviewer
from knowledge.review.proposals.actions.propose import BadAct, propose, propose_act

# The longest reason that a suggestion keeps.
_NOTE = 1_000


def suggest(
    *,
    ref: str,
    act: str = EditProposal.Act.EDIT,
    other: str = "",
    changes: Mapping[str, Any],
    note: str = "",
    revision: int | None = None,
    by: Member,
    now: datetime,
) -> tuple[EditProposal, bool]:
    """Suggest an edit, or another act on an insight. Returns and raises as `propose` and `propose_act`, BadAct."""
    if act == EditProposal.Act.EDIT:
        if other:
            raise BadAct(errors={"other": ["Only with act supersede or merge."]})
        return propose(ref=ref, changes=changes, note=note, revision=revision, by=by, now=now)
    if changes:
        raise BadAct(errors={name: [f"Only with act {EditProposal.Act.EDIT}."] for name in changes})
    return propose_act(ref=ref, act=act, other=other, note=note, by=by, now=now)


def edit_or_suggest(
    *,
    ref: str,
    changes: Mapping[str, Any],
    revision: int,
    by: Member,
    now: datetime,
    why: str = "",
    seen: Insight | None = None,
) -> Insight | EditProposal:
    """The insight as edited, or the suggested edit that another lead approves. `seen` and errors as of `curate.edit`,
    `propose`.
    """
    sent: dict[str, Any] = {"ref": ref, "changes": changes, "revision": revision, "by": by, "now": now}
    try:
        return curate.edit(**sent, why=why, seen=seen)
    except NeedsReviewer:
        return propose(**sent, note=why[:_NOTE])[0]


def deprecate_or_suggest(*, ref: str, by: Member, now: datetime, why: str = "") -> Insight | EditProposal:
    """The insight as deprecated, or the suggested deprecation. Raises as `curate.deprecate`, `propose_act`."""
    try:
        return curate.deprecate(ref=ref, by=by, now=now, why=why)
    except NeedsReviewer:
        return propose_act(ref=ref, act=EditProposal.Act.DEPRECATE, note=why[:_NOTE], by=by, now=now)[0]


def combine_or_suggest(
    *, act: str, ref: str, other: str, by: Member, now: datetime, why: str = ""
) -> Insight | EditProposal:
    """What `combine.supersede` or `combine.merge` returns, or the suggestion to do so. Raises as they do."""
    sent: dict[str, Any] = {"ref": ref, "by": by, "now": now}
    try:
        if act == EditProposal.Act.MERGE:
            return combine.merge(**sent, into=other, why=why)
        return combine.supersede(**sent, by_ref=other, why=why)
    except NeedsReviewer:
        return propose_act(**sent, act=act, other=other, note=why[:_NOTE])[0]


def resolve_or_suggest(
    *, pair_id: int, keep: str, merging: bool, by: Member, now: datetime, marks: str = ""
) -> Pair | EditProposal:
    """The pair as settled, or the suggestion to let one give way: approved, it settles the pair. Raises as
    `settle.resolve`, `propose_act`.
    """
    try:
        return settle.resolve(pair_id=pair_id, keep=keep, merging=merging, by=by, now=now, marks=marks)
    except NeedsReviewer:
        pair = Pair.objects.visible_to(by).select_related("a", "b").get(pk=pair_id)
        gone = pair.b if keep == pair.a.ref else pair.a
        act = EditProposal.Act.MERGE if merging else EditProposal.Act.SUPERSEDE
        return propose_act(ref=gone.ref, act=act, other=keep, note=pair.reason[:_NOTE], by=by, now=now)[0]


def take_or_suggest(
    *,
    conflict_id: int,
    revision: int,
    by: Member,
    now: datetime,
    changes: Mapping[str, Any] | None = None,
    why: str = "",
) -> Conflict | EditProposal:
    """The edit in the vault as taken, or suggested, which resolves the conflict too. Raises as `vault_conflicts.take`,
    `propose`.
    """
    sent: dict[str, Any] = {"conflict_id": conflict_id, "by": by, "now": now, "why": why}
    try:
        return vault_conflicts.take(**sent, revision=revision, changes=changes)
    except NeedsReviewer:
        with transaction.atomic():
            row = vault_conflicts.suggest(**sent)
            assert row.insight is not None
            wanted = row.theirs if changes is None else changes
            edit: dict[str, Any] = {"ref": row.insight.ref, "changes": wanted, "revision": revision}
            return propose(**edit, note=why[:_NOTE] or "from the vault", by=by, now=now)[0]
