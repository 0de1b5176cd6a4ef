"""Which passages of a conversation state a decision that was made in it.

A decision is taken from a transcript without its Markdown marks and with its spaces joined. So decisions and passages
are compared by their letters and figures alone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_OTHER = re.compile(r"[\W_]+")
# A shorter statement ("use it") would match passages that do not state the decision.
FEWEST_LETTERS = 16


def decided_in(passages: Iterable[tuple[int, str]], decisions: Sequence[Mapping[str, Any]]) -> dict[int, list[str]]:
    """Return the references of the insights that the decisions became, by the position of the passage that states them;
    an empty list for a passage whose decision became none.

    `passages`: (position, text); `decisions`: {statement, ref} as a session's digest has them.
    """
    wanted = [(_plain_words(str(one.get("statement", ""))), one.get("ref")) for one in decisions]
    wanted = [(words, ref) for words, ref in wanted if len(words) >= FEWEST_LETTERS]
    found: dict[int, list[str]] = {}
    for position, text in passages:
        bare = _plain_words(text) if wanted else ""
        for words, ref in wanted:
            if words in bare:
                found.setdefault(position, []).extend([ref] if ref else [])
    return found


def _plain_words(text: str) -> str:
    return _OTHER.sub("", text).casefold()
