"""The lines below the notes of a text: the call that rates them, the components that were down, and an explanation.

They are part of the text's budget, and outside of the fence, because these words are the server's own.
"""

from collections.abc import Iterable, Mapping, Sequence

from sessions_app.answers.rules import calls
from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.packing import Packed, tokens

# With less room than this a text has only its notes and the id of the query.
LEAST_FOR_A_CALL = 200
# The number of conversations that the call names; the others can be rated by their references too. With less room none
# is named, because the call would take the place of a tenth of their text.
MOST_RATED, LEAST_TO_NAME = 3, 600
# The share of the room that an explanation may take.
COACHING_SHARE = 1 / 8


def footer(refs: Sequence[str], said: Sequence[str], query_id: str, budget: int, via: Interface) -> str:
    """Return the call that rates the insights and conversations of one answer; "" without any, or without room."""
    refs = [*refs, *said[:MOST_RATED]] if budget >= LEAST_TO_NAME else refs
    if not refs:
        return ""
    return calls.rate(refs, query_id, via) if budget >= LEAST_FOR_A_CALL else f"query_id: {query_id}"


def lacks(degraded: Iterable[Mapping[str, str]]) -> list[str]:
    """Return a line for each component that the answer lacks."""
    return [f"(Without the {part['component']}: {part['reason']})" for part in degraded]


def reserve(lines: Iterable[str]) -> int:
    """Return the tokens that these lines take below the notes."""
    return sum(tokens(f"{line}\n") for line in lines if line)


def joined(
    packed: Packed, refs: Sequence[str], said: Sequence[str], query_id: str, budget: int, via: Interface, *more: str
) -> str:
    """Return the text, then the call that rates the quoted ones of `refs` and the conversations `said`, then `more`."""
    served = [ref for ref in refs if ref in packed.refs]
    return "\n".join(filter(None, [packed.text, footer(served, said, query_id, budget, via), *more]))
