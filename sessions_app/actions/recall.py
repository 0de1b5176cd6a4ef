"""Recall: everything the team has to say to one question, in one answer.

Today that is insights and preferences; skills join here, with the same query vector, when they exist.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from accounts.actions import preferences
from accounts.rules.preferences import Effective
from accounts.rules.rights import Member
from knowledge.actions.retrieve import Retrieved, retrieve
from knowledge.rules.ask import Ask
from sessions_app.models import CodeFile
from sessions_app.rules.neighbours import related
from sessions_app.rules.packing import Item, Packed, Wish, pack


@dataclass(frozen=True)
class Recalled:
    """The retrieved insights, the preferences that hold, and both as one text within the budget.

    `items` are the insights as they are packed, for whoever must leave some out.
    """

    found: Retrieved
    packed: Packed
    preferences: list[Effective]
    items: list[Item]


def recall(*, ask: Ask, max_tokens: int, by: Member, now: datetime, with_preferences: bool = True) -> Recalled:
    """Answer an agent's question. Raises what `retrieve` raises."""
    found = retrieve(ask=_widened(ask, by), by=by, now=now)
    held = preferences.effective(by=by, team_slugs=ask.teams) if with_preferences else []
    wishes = [Wish(one.held.key, one.held.value, one.held.whose, one.held.statement) for one in held]
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
    return Recalled(found, pack(items, max_tokens, wishes), held, items)


def _widened(ask: Ask, by: Member) -> Ask:
    """The question with the files that stand next to those it names, if their repo has a code index: one statement, and
    none unless both are named.
    """
    files = sorted(ask.context.files)
    if not files or not ask.repo.strip():
        return ask
    rows = CodeFile.objects.all().around(by.team_ids, ask.repo.strip(), files).values_list("path", "imports")
    return replace(ask, related=related(files, rows))
