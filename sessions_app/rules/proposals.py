"""What a language model proposes from a conversation, as far as it can be believed: each with words that were said."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from knowledge.rules.vocabulary import Kind

# A conversation that teaches more than this teaches nothing in particular.
MOST = 5
FEWEST_WORDS = 4
LONGEST_TITLE, LONGEST_BODY = 200, 2_000


@dataclass(frozen=True)
class Proposal:
    """An insight that somebody may keep. `quote` stands in the conversation, letter by letter, blanks apart."""

    kind: Kind
    title: str
    body: str
    reasoning: str
    quote: str


def proposals(given: Any, said: str) -> list[Proposal]:
    """The usable ones of a model's answer, {"insights": [{kind, title, body, reasoning, quote}]}, at most MOST.

    One is left out if its quotation is not in what was `said`, if its kind is none, or a DECISION has no reason.
    """
    rows = given.get("insights") if isinstance(given, Mapping) else None
    found = [one for row in rows or () if isinstance(row, Mapping) and (one := _proposal(row, _blanks(said)))]
    return found[:MOST]


def _proposal(row: Mapping[str, Any], said: str) -> Proposal | None:
    title, body, reasoning, quote = (
        _blanks(str(row.get(name) or "")) for name in ("title", "body", "reasoning", "quote")
    )
    kind = str(row.get("kind") or "").strip().upper()
    if kind not in tuple(Kind) or not body or len(quote.split()) < FEWEST_WORDS or quote.lower() not in said.lower():
        return None
    if kind == Kind.DECISION and not reasoning:
        return None
    return Proposal(Kind(kind), title[:LONGEST_TITLE], body[:LONGEST_BODY], reasoning[:LONGEST_BODY], quote)


def _blanks(text: str) -> str:
    return " ".join(text.split())
