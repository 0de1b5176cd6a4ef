"""Crowd: the stage of a search that brings what the team has confirmed into an answer which one author's unreviewed
notes fill.

Who writes a question's words into three notes has the three best results, and what is confirmed comes fourth: then the
one who writes most decides, and nobody is told that there is something else. Such notes need not read like it.
"""

from collections import Counter

import numpy as np

from knowledge.retrieval.actions.search_state import SearchState, load
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.retrieval.rules import relevance
from knowledge.rules.vocabulary import Status

# From so many of one author on.
CROWD = 2


def bring_confirmed(search: SearchState, room: int, documents: int) -> None:
    """Put the likeliest confirmed note by somebody else behind the first of the crowd, if none is among the first
    `room` and it is likely to be an answer itself. `documents`: how many insights were searched.
    """
    front = [row for row in search.cut.order if row in search.full][:room]
    crowd = _crowd(search, front)
    found = _likeliest_confirmed(search, documents) if crowd else None
    if found is None:
        return
    load(search, [row for row in [found] if row not in search.full])
    if search.full[found].author_id == search.full[crowd[0]].author_id:
        return
    order = [row for row in search.cut.order if row != found]
    order.insert(order.index(crowd[0]) + 1, found)
    search.cut.bring(order)


def _crowd(search: SearchState, front: list[int]) -> list[int]:
    """The notes of the author with most of them in the answer, if the team has confirmed nothing in it."""
    if any(is_confirmed(search.full[row]) for row in front):
        return []
    authors = Counter(author for row in front if (author := search.full[row].author_id))
    most = next((author for author, count in authors.most_common(1) if count >= CROWD), None)
    return [row for row in front if search.full[row].author_id == most] if most else []


def _likeliest_confirmed(search: SearchState, documents: int) -> int | None:
    evidence = search.cut.evidence
    for row in np.argsort(-evidence).tolist():
        if not relevance.likely(evidence[[row]], documents):
            return None
        one = search.rows[row]
        if (one.status == Status.PROMOTED or one.pinned) and one.id not in search.strangers:
            return int(row)
    return None
