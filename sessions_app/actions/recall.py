"""Recall: everything the team has to say to one question, in one answer.

Today that is insights; skills and preferences join here, with the same query vector, when they exist.
"""

from dataclasses import dataclass
from datetime import datetime

from accounts.rules.rights import Member
from knowledge.actions.retrieve import Retrieved, retrieve
from knowledge.rules.ask import Ask
from sessions_app.rules.packing import Item, Packed, pack


@dataclass(frozen=True)
class Recalled:
    """The retrieved insights, and the same as one text within the budget."""

    found: Retrieved
    packed: Packed


def recall(*, ask: Ask, max_tokens: int, by: Member, now: datetime) -> Recalled:
    """Answer an agent's question. Raises what `retrieve` raises."""
    found = retrieve(ask=ask, by=by, now=now)
    items = [
        Item(
            ref=hit.insight.ref,
            kind=hit.insight.kind,
            status=hit.insight.status,
            title=hit.insight.title,
            body=hit.insight.body,
            reasoning=hit.insight.reasoning,
            date=f"{hit.insight.updated_at:%Y-%m-%d}",
            confidence=hit.insight.confidence,
        )
        for hit in found.hits
    ]
    return Recalled(found, pack(items, max_tokens))
