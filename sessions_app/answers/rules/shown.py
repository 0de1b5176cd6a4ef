"""The conversations that a session was shown before."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class ShownConversations:
    """References of conversations that a session was shown: `told` in any way, `quoted` with sentences, and `reminded`
    of since: last shown without a quotation.
    """

    told: frozenset[str] = frozenset()
    quoted: frozenset[str] = frozenset()
    reminded: frozenset[str] = frozenset()


def shown_conversations(
    answers: Iterable[tuple[UUID | None, Sequence[str]]], quoted: Collection[tuple[UUID, str]]
) -> ShownConversations:
    """Return the conversations that a session was shown by these answers (query and references of each, in order).
    `quoted`: the pairs of a query and a reference with a quotation.
    """
    told: set[str] = set()
    ever: set[str] = set()
    reminded: set[str] = set()
    for query, refs in answers:
        now = {ref for ref in refs if (query, ref) in quoted}
        reminded = (reminded | (ever & set(refs))) - now
        ever |= now
        told |= set(refs)
    return ShownConversations(frozenset(told), frozenset(ever), frozenset(reminded))
