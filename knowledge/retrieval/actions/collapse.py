"""Collapse: the stage of a search that serves one of several near-duplicates, the current or the confirmed one."""

from collections.abc import Sequence
from math import isfinite

import numpy as np

from knowledge.models.insight import DIMENSIONS
from knowledge.retrieval.actions.current_first import are_paired, trimmed_warnings
from knowledge.retrieval.actions.search_state import SearchState, load
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.retrieval.rules import relevance
from knowledge.rules.vectors import unit
from knowledge.rules.vocabulary import Status

COLLAPSED = "collapsed"


def collapse(search: SearchState) -> None:
    """Drop near-duplicates of a better row. Rows are read in batches, only until the answer is full."""
    vectors = np.zeros((len(search.rows), DIMENSIONS))
    learned = [_since(search, row) for row in range(len(search.rows))]
    warnings = trimmed_warnings(search)
    kept: list[int] = []
    gone: list[int] = []
    for start in range(0, len(search.cut.order), search.ask.limit * 2):
        if len(kept) >= search.ask.limit:
            break
        front = search.cut.order[start : start + search.ask.limit * 2]
        load(search, [*front, *(row for row in warnings if row not in search.full)])
        for row in front:
            meant = search.full[row].meant
            if meant is not None:
                vectors[row] = unit(meant)
        _prefer_confirmed(search, front, learned)
        new = relevance.distinct(vectors, [*kept, *front], learned, lambda row, other: _apart(search, row, other))
        gone += [row for row in (*kept, *front) if row not in new]
        kept = new
    rest = [row for row in search.cut.order if row not in search.full]
    search.cut.bring([*kept, *(row for row in gone), *rest])
    search.cut.drop(gone, COLLAPSED, "Nearly the same as a better result.", bound=relevance.NEAR_DUPLICATE)


def _apart(search: SearchState, row: int, other: int) -> bool:
    """Return whether both rows are served however near they are.

    So if one of them is an exact match, or the two are a known pair. Also, unless they have the same words, if one is
    confirmed and the other is an unconfirmed note of somebody else, or if they belong to two repositories.
    """
    if max(search.exact[row], search.exact[other]) >= 1 or are_paired(search, row, other):
        return True
    mine, theirs = search.full[row], search.full[other]
    if is_confirmed(mine) != is_confirmed(theirs) and mine.author_id != theirs.author_id:
        return _wording(search, row) != _wording(search, other)
    elsewhere = {search.rows[row].repo, search.rows[other].repo} - {""}
    return len(elsewhere) > 1 and _wording(search, row) != _wording(search, other)


def _wording(search: SearchState, row: int) -> str:
    return " ".join(search.full[row].text.split()).lower()


def _since(search: SearchState, row: int) -> float:
    """Return when it was learned, to choose between near-duplicates. -inf for a note of another repository than the one
    asked about, and for a stranger's draft: neither replaces another note.
    """
    asked, mine = search.ask.repo.strip(), search.rows[row].repo
    away = (asked and mine and mine != asked) or search.rows[row].id in search.strangers
    return float("-inf") if away else search.rows[row].learned_at


def _prefer_confirmed(search: SearchState, rows: Sequence[int], learned: list[float]) -> None:
    """Of rows with the same words, let a confirmed one count as the latest, so that it is the one served. Notes of
    another repository than the one asked about are left out.
    """
    said: dict[str, list[int]] = {}
    for row in (row for row in rows if isfinite(learned[row])):
        said.setdefault(_wording(search, row), []).append(row)
    for same in said.values():
        confirmed = [row for row in same if search.rows[row].status == Status.PROMOTED]
        for row in confirmed[: len(same) > 1]:
            learned[row] = max(learned[one] for one in same) + 1
