"""Apply a change, or suggest it if the team requires a second reviewer for promoted insights. Used by the pages of
leads.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.rules.rights import Member
from knowledge.models import Conflict, EditProposal, Insight, Pair
from knowledge.review.actions import combine, curate, settle, vault_conflicts
from knowledge.review.actions.second_reviewer import NeedsReviewer
from knowledge.review.proposals.actions.propose import BadAct, propose, propose_act

# The length to which the reason of a suggestion is cut.
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
    """Suggest an edit, or another action on an insight. Returns and raises what `propose` and `propose_act` do, and
    BadAct.
    """
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
    """Return the edited insight, or the suggested edit that another lead has to approve. `seen` and errors: see
    `curate.edit`, `propose`.
    """
    sent: dict[str, Any] = {"ref": ref, "changes": changes, "revision": revision, "by": by, "now": now}
    try:
        return curate.edit(**sent, why=why, seen=seen)
    except NeedsReviewer:
        return propose(**sent, note=why[:_NOTE])[0]


def deprecate_or_suggest(*, ref: str, by: Member, now: datetime, why: str = "") -> Insight | EditProposal:
    """Return the deprecated insight, or the suggested deprecation. Raises what `curate.deprecate` and `propose_act`
    raise.
    """
    try:
        return curate.deprecate(ref=ref, by=by, now=now, why=why)
    except NeedsReviewer:
        return propose_act(ref=ref, act=EditProposal.Act.DEPRECATE, note=why[:_NOTE], by=by, now=now)[0]


def combine_or_suggest(
    *, act: str, ref: str, other: str, by: Member, now: datetime, why: str = ""
) -> Insight | EditProposal:
    """Return what `combine.supersede` or `combine.merge` returns, or the suggestion to do so. Raises what they
    raise.
    """
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
    """Return the settled pair, or the suggestion to supersede one side; approving it settles the pair. Raises what
    `settle.resolve` and `propose_act` raise.
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
    """Return the result of taking the edit from the vault, or of suggesting it, which resolves the conflict too. Raises
    what `vault_conflicts.take` and `propose` raise.
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
