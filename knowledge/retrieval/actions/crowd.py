"""Crowd: the stage of a search that brings what the team has confirmed into an answer which one author's unreviewed
notes fill.

Who writes a question's words into three notes has the three best results, and what is confirmed comes fourth: then the
one who writes most decides, and nobody is told that there is something else. Such notes need not read like it.
"""

from collections import Counter

import numpy as np

from knowledge.retrieval.actions.hold_back import records_of
from knowledge.retrieval.actions.search_state import SearchState, load
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.retrieval.rules import relevance
from knowledge.rules.vocabulary import Status

# From so many of one author on.
CROWD = 2


def bring_confirmed(search: SearchState, room: int, documents: int) -> None:
    """Put the likeliest confirmed note second, if one author has several of the first `room` and none of these is
    confirmed; first, where the author of the first one has no standing. `documents`: how many insights were searched.
    """
    front = [row for row in search.cut.order if row in search.full][:room]
    authors = Counter(author for row in front if (author := search.full[row].author_id))
    if max(authors.values(), default=0) < CROWD or any(is_confirmed(search.full[row]) for row in front):
        return
    found = _likeliest_confirmed(search, search.rows[front[0]].repo, documents)
    if found is None:
        return
    if found not in search.full:
        load(search, [found])
    first, *others = (row for row in search.cut.order if row != found)
    why = _why_not_first(search, first, found)
    if why:
        search.cut.bring([found, first, *others])
        search.held.setdefault(first, f"Behind {search.full[found].ref}: {why}.")
        return
    search.cut.bring([first, found, *others])
    search.placed[found] = "Second, as the likeliest confirmed insight beside unreviewed ones of one author."


# A confirmed note with less of the evidence of an unreviewed one than this answers something else.
AS_LIKELY = 0.9


def lead_with_confirmed(search: SearchState, room: int) -> None:
    """Bring the first confirmed note of an answer to its beginning, where it answers as well as the unreviewed one of
    somebody else that leads, whose author has no standing: that need not read like it.
    """
    front = [row for row in search.cut.order[:room] if row in search.full]
    if not front or is_confirmed(search.full[front[0]]):
        return
    first, evidence = front[0], search.cut.evidence
    likely = (row for row in front if evidence[row] >= AS_LIKELY * evidence[first])
    found = next((row for row in likely if is_confirmed(search.full[row])), None)
    why = _why_not_trusted(search, first, found) if found is not None else ""
    if found is None or not why:
        return
    search.cut.bring([found, *(row for row in search.cut.order if row != found)])
    search.held.setdefault(first, f"Behind {search.full[found].ref}: {why}.")


def _why_not_trusted(search: SearchState, row: int, confirmed: int) -> str:
    one = search.full[row]
    if not one.author_id or one.author_id == search.full[confirmed].author_id:
        return ""
    return "".join(one.why_not_trusted for one in records_of(search, [(one.team_id, one.author_id)]).values())


def _why_not_first(search: SearchState, row: int, confirmed: int) -> str:
    """Why an unreviewed note may not stand before that confirmed one of somebody else; "" if it may."""
    one = search.full[row]
    if not one.author_id or one.author_id == search.full[confirmed].author_id:
        return ""
    known = records_of(search, [(one.team_id, one.author_id)])
    return "".join(record.why_not_unpaired for record in known.values())


def _likeliest_confirmed(search: SearchState, repo: str, documents: int) -> int | None:
    """The one that is likely to be an answer itself and was dropped for nothing but being weaker: of this repository,
    or of none.
    """
    evidence = search.cut.evidence
    for row in np.argsort(-evidence).tolist():
        if not relevance.likely(evidence[[row]], documents):
            return None
        one, drop = search.rows[row], search.cut.drops.get(search.rows[row].id)
        elsewhere = one.repo and repo and one.repo != repo
        if elsewhere or one.id in search.strangers or (drop and drop.stage != "trim"):
            continue
        if one.status == Status.PROMOTED or one.pinned:
            return int(row)
    return None
