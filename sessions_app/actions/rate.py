"""Rate: whether what was returned helped: insights, and conversations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.rules.rights import Member
from knowledge.lifecycle.actions.rate import Rated
from knowledge.lifecycle.actions.rate import rate as rate_insights
from knowledge.lifecycle.rules.lifecycle import SignalKind
from sessions_app.conversations.actions.use import RatedConversation, rate_conversation

# As an answer names a conversation. No insight is named so: a team's prefix has two letters at least.
_SESSION_REF = re.compile(r"S-\d+")


@dataclass(frozen=True)
class Ratings:
    """What was rated, each sort in the order of its references."""

    results: list[Rated] = field(default_factory=list)
    conversations: list[RatedConversation] = field(default_factory=list)


def rate(
    *,
    refs: Sequence[str],
    verdict: SignalKind,
    by: Member,
    now: datetime,
    query_id: UUID | None = None,
    reason: str = "",
) -> Ratings:
    """Rate what these references name, all or none. A reason is kept with insights alone.

    Raises what `knowledge.lifecycle.actions.rate.rate` and `rate_conversation` raise.
    """
    said = sorted({ref for ref in refs if _SESSION_REF.fullmatch(ref)})
    noted = [ref for ref in refs if ref not in said]
    helpful = verdict is SignalKind.HELPFUL
    with transaction.atomic():
        conversations = [rate_conversation(ref=ref, helpful=helpful, query_id=query_id, by=by) for ref in said]
        results = []
        if noted or not said:
            results = rate_insights(refs=noted, verdict=verdict, by=by, now=now, query_id=query_id, reason=reason)
    return Ratings(results, conversations)
