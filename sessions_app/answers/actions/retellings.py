"""Retellings: from texts that were merged into a note, the sentence with a word of the question that the note lacks.

An agent may have said that two notes are the same although one says more ("…, but not for hotfixes"). Both texts are
stored and searched; an answer with only the first would hide what was asked for. Below a confirmed note nobody else's
words are quoted before a person has found that the two say the same; until then the line names where more is said.
"""

import re
from collections.abc import Collection, Iterable

from accounts.rules.fence import inert_line, whose
from knowledge.models import Corroboration, Insight
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.retrieval.rules import bm25
from knowledge.rules.draft import shortened

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
LONGEST = 160
# The number of re-tellings that are searched, the latest first.
MOST_LOOKED_AT = 20


def retold(rows: Iterable[Insight], question: str) -> dict[int, str]:
    """Return, by insight id, a line for each insight whose re-telling answers part of the question that its own text
    does not. One statement; none if there are no re-tellings or the notes have all words of the question.
    """
    asked = set(bm25.terms(question))
    again = {row.pk: row for row in rows if row.corroboration_count > 1}
    own = {pk: set(bm25.terms(row.text)) for pk, row in again.items()}
    own = {row: words for row, words in own.items() if not asked <= words}
    if not own:
        return {}
    told = Corroboration.objects.all().merged().filter(insight__in=own).select_related("user").order_by("-at", "-pk")
    found: dict[int, str] = {}
    for one in told[: MOST_LOOKED_AT * len(own)]:
        if one.insight_id not in found and (sentence := _sentence(one.text, asked, own[one.insight_id])):
            who = whose(one.user.username if one.user else None, one.source_type)
            day, ref = f"{one.at:%Y-%m-%d}", one.draft.get("ref")
            if _may_be_quoted(one, again[one.insight_id]):
                said = inert_line(shortened(sentence, LONGEST))
                found[one.insight_id] = f"Told again {day} by {who}, not reviewed: {said}"
            elif ref:
                found[one.insight_id] = f"Told again {day} by {who}, not reviewed: {ref} says more."
    return found


def _may_be_quoted(one: Corroboration, row: Insight) -> bool:
    own = one.user_id is not None and one.user_id == row.author_id
    return own or one.by_person or not is_confirmed(row)


def _sentence(text: str, asked: Collection[str], own: Collection[str]) -> str:
    """Return the sentence with most words of the question that the note lacks; "" if none has one."""
    lacking = set(asked).difference(own)
    worth = {sentence: len(lacking.intersection(bm25.terms(sentence))) for sentence in _SENTENCE_END.split(text)}
    best = max(worth, key=lambda sentence: worth[sentence])
    return best.strip() if worth[best] else ""
