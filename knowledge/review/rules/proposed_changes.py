"""What a proposal would change in an insight as it is now: a three-way merge with the changes since it was made.

Each proposed field has three values: `base`, as the proposer saw it; `now`; and `proposed`. What only one side changed
is taken from that side. What both changed is merged by line, and where both changed the same lines, a person decides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knowledge.review.rules.three_way_merge import merge_entries, merge_texts

# The fields that can be proposed, in the order in which they are shown.
PROPOSABLE = ("title", "kind", "body", "reasoning", "tags", "repo", "files", "symbols", "questions", "stability")
_LONG = ("body", "reasoning")
_LISTS = ("tags", "files", "symbols", "questions")


@dataclass(frozen=True)
class ProposedField:
    """One field of a proposal. `merged`: the value that approving writes; `conflicts`: (now, proposed) of each stretch
    that both changed differently.
    """

    name: str
    base: Any
    now: Any
    proposed: Any
    merged: Any
    conflicts: tuple[tuple[str, str], ...] = ()

    @property
    def changed_since(self) -> bool:
        """Return whether somebody has changed the field since it was proposed."""
        return bool(self.base != self.now)


def proposed_fields(
    base: Mapping[str, Any], now: Mapping[str, Any], proposed: Mapping[str, Any]
) -> list[ProposedField]:
    """Return each proposed field with the value that approving would write. `now` and `base` must contain at least
    these fields.
    """
    return [_merged(name, base[name], now[name], proposed[name]) for name in PROPOSABLE if name in proposed]


def open_conflicts(fields: Sequence[ProposedField]) -> bool:
    """Return whether a person has to decide what is written."""
    return any(field.conflicts for field in fields)


def changes_to_write(fields: Sequence[ProposedField]) -> dict[str, Any]:
    """Return what approving changes, by field; {} if the insight has all of it already."""
    return {field.name: field.merged for field in fields if field.merged != field.now}


def _merged(name: str, base: Any, now: Any, proposed: Any) -> ProposedField:
    if name in _LISTS:
        return ProposedField(name, base, now, proposed, sorted(merge_entries(base, now, proposed)))
    if name in _LONG:
        found = merge_texts(base, now, proposed)
        return ProposedField(name, base, now, proposed, found.text, found.conflicts)
    both = proposed not in (base, now) and now != base
    merged = now if proposed == base else proposed
    return ProposedField(name, base, now, proposed, merged, ((now, proposed),) if both else ())
