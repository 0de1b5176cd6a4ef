"""Find notes that were learned after the first insights of an answer and may be about the same thing
(`rules/later_notes`).
"""

from collections.abc import Mapping, Sequence

import numpy as np

from accounts.adapters.traces import traced
from knowledge.models import Insight
from knowledge.models.insight import DIMENSIONS
from knowledge.retrieval.actions.search_state import Neighbourhood, SearchState, load
from knowledge.retrieval.rules.currency import STANDS_OUT_MARGIN
from knowledge.retrieval.rules.later_notes import A_DAY, likely_later, successor
from knowledge.rules.vectors import units
from knowledge.rules.vocabulary import Kind

# Look for later notes of the first this many results, because each takes a line of the answer's text.
MOST_OF_AN_ANSWER = 2


@traced("query successors")
def find_successors(search: SearchState) -> None:
    """Set `search.successors` for the first rows of the answer (`rules.later_notes.successor`), and load these later
    notes.

    Left out are notes already in a pair with the row, notes that answer the question much less well, and notes dropped
    for another reason than being weaker. Warnings are left out of the comparison, since a warning is no version of what
    it warns of.
    """
    for row, near in _around_first(search).items():
        tellings = [at for at, mate in enumerate(near.rows) if search.rows[mate].kind != Kind.PITFALL]
        rows = [near.rows[at] for at in tellings]
        if row not in rows:
            continue
        said = {link.other_id for link in search.links[row]}
        known = [at for at, mate in enumerate(rows) if search.rows[mate].id in said]
        place = successor(rows.index(row), near.vectors[tellings], near.learned_at[tellings], known)
        if place is not None and _may_be_served(search, row, rows[place]):
            search.successors[row] = rows[place]
    load(search, sorted(set(search.successors.values()) - search.full.keys()))


@traced("query later")
def later_of(search: SearchState) -> dict[int, list[int]]:
    """Return, for the first rows of the answer, the rows of the later insights, the likeliest first.

    They are candidates of the same team and repository, served or not. Left out are notes already in a pair with the
    row and strangers' drafts; a row with a proposed replacement gets none.
    """
    found: dict[int, list[int]] = {}
    for row, near in _around_first(search).items():
        said = {link.other_id for link in search.links[row]}
        later = likely_later(
            near.rows.index(row),
            near.vectors,
            near.learned_at,
            np.nan_to_num(search.cosine[near.rows]),
            [at for at, mate in enumerate(near.rows) if search.rows[mate].id in said],
            [at for at, mate in enumerate(near.rows) if mate in search.cut.order],
        )
        found[row] = [near.rows[at] for at in later]
    return found


def _is_outdated(search: SearchState, row: int) -> bool:
    return any(link.proposed and link.successor_id == link.other_id for link in search.links[row])


def _may_be_served(search: SearchState, row: int, other: int) -> bool:
    assert search.ranking is not None
    relevance = search.ranking.relevance
    drop = search.cut.drops.get(search.rows[other].id)
    weaker = drop is None or drop.stage == "trim"
    return weaker and bool(relevance[row] - relevance[other] <= STANDS_OUT_MARGIN)


def _around_first(search: SearchState) -> dict[int, Neighbourhood]:
    """Return, for the first rows of the answer, the candidates that may be about the same thing, the row included.

    Only for rows with a later candidate and without a proposed replacement. All missing vectors are read in one
    statement, once per question.
    """
    first = [row for row in search.cut.order[:MOST_OF_AN_ANSWER] if row in search.full]
    keys = {row: _key(search, row) for row in first if not _is_outdated(search, row)}
    asked = {key: _mates(search, key) for key in set(keys.values()) - search.around.keys()}
    missing = {key: mates for row, key in keys.items() if _has_later(search, row, mates := asked.get(key, []))}
    if missing:
        wanted = sorted({row for mates in missing.values() for row in mates})
        stored = Insight.objects.all().meanings([search.rows[row].id for row in wanted])
        for key, mates in missing.items():
            search.around[key] = _neighbourhood(search, mates, stored)
    around = {row: near for row, key in keys.items() if (near := search.around.get(key)) and row in near.rows}
    return {row: near for row, near in around.items() if _has_later(search, row, near.rows)}


def _neighbourhood(search: SearchState, mates: Sequence[int], stored: Mapping[int, bytes]) -> Neighbourhood:
    rows = [row for row in mates if search.rows[row].id in stored]
    vectors = units([stored[search.rows[row].id] for row in rows]) if rows else np.zeros((0, DIMENSIONS))
    if search.changed is not None:
        for at, row in enumerate(rows):
            if search.rows[row].id == search.changed.id:
                vectors[at] = search.changed.vector
    return Neighbourhood(rows, vectors, np.array([search.rows[row].learned_at for row in rows]))


def _key(search: SearchState, row: int) -> tuple[str, str]:
    """Return the repository and the team prefix of a row."""
    return search.rows[row].repo, search.rows[row].ref.rpartition("-")[0]


def _has_later(search: SearchState, row: int, mates: Sequence[int]) -> bool:
    return any(search.rows[mate].learned_at >= search.rows[row].learned_at + A_DAY for mate in mates)


def _mates(search: SearchState, key: tuple[str, str]) -> list[int]:
    """Return the candidates of a repository and team, without strangers' drafts."""
    rows = range(len(search.rows))
    return [row for row in rows if _key(search, row) == key and search.rows[row].id not in search.strangers]
