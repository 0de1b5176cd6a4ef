"""Crowd: the stage of a search that brings a confirmed note into an answer that unreviewed notes of one author fill.

Without it, an author who writes the words of a question into three notes gets the three best results. The confirmed
note would be fourth, and nobody would learn that it exists. The unreviewed notes need not resemble it.
"""

from collections import Counter

import numpy as np

from knowledge.retrieval.actions.hold_back import records_of
from knowledge.retrieval.actions.search_state import SearchState, load
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.retrieval.rules import relevance
from knowledge.rules.vocabulary import Status

# The number of notes of one author that fill an answer.
CROWD = 2


def bring_confirmed(search: SearchState, room: int, documents: int) -> None:
    """Put the likeliest confirmed note second, if one author has at least CROWD of the first `room` rows and none of
    these is confirmed. Put it first if the author of the first row has no standing. `documents`: the number of searched
    insights.
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
    search.placed[found] = "Second, as the best confirmed insight among unreviewed ones of one author."


# The least share of an unreviewed note's evidence that a confirmed note must have. With less, it answers something
# else.
AS_LIKELY = 0.9


def lead_with_confirmed(search: SearchState, room: int) -> None:
    """Move the first confirmed note of the answer to the first place, if the note that leads is an unreviewed one of
    somebody else without standing and the confirmed one answers about as well. The two need not be similar.
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
    """Return why the row may not come before that confirmed one of somebody else; "" if it may."""
    one = search.full[row]
    if not one.author_id or one.author_id == search.full[confirmed].author_id:
        return ""
    known = records_of(search, [(one.team_id, one.author_id)])
    return "".join(record.why_not_unpaired for record in known.values())


def _likeliest_confirmed(search: SearchState, repo: str, documents: int) -> int | None:
    """Return the confirmed row with the most evidence; None if there is none that is likely to be an answer itself.

    It must be of `repo` or of no repository, and must not have been dropped except by trimming.
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
