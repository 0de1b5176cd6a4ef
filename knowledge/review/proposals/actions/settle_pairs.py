"""Settle several pairs in one action, which can be undone as one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from accounts.actions.refusals import log_refusal
from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.models import EditProposal, Pair
from knowledge.review.actions.bulk_edit import MOST, TooMany
from knowledge.review.actions.settle import PairChoice, dismiss
from knowledge.review.proposals.actions.suggest import resolve_or_suggest


@dataclass(frozen=True)
class SettledPairs:
    """The result: the settled pairs, and by the number of each other pair the suggestion that was made, or why it was
    refused.
    """

    pairs: list[Pair] = field(default_factory=list)
    suggested: dict[int, EditProposal] = field(default_factory=dict)
    refused: dict[int, Refused] = field(default_factory=dict)


def settle_pairs(*, how: str, choices: Sequence[PairChoice], by: Member, now: datetime) -> SettledPairs:
    """Settle each of these pairs; `how` is one of `settle.IN_BULK`. A refusal does not affect the others. Raises
    TooMany.
    """
    if len(choices) > MOST:
        raise TooMany(errors={"ref": [f"At most {MOST}; {len(choices)} were selected."]})
    done = SettledPairs()
    for one in choices:
        sent: dict[str, Any] = {"pair_id": one.pair_id, "marks": one.marks, "by": by, "now": now}
        try:
            if how == "dismiss":
                done.pairs.append(dismiss(**sent))
                continue
            made = resolve_or_suggest(**sent, keep=one.keep, merging=how == "merge")
            if isinstance(made, EditProposal):
                done.suggested[one.pair_id] = made
            else:
                done.pairs.append(made)
        except Refused as refused:
            log_refusal(error=refused, call=f"{how} pair {one.pair_id}", by=by, now=now)
            done.refused[one.pair_id] = refused
    return done
