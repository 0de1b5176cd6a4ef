"""Copies: the stage of a search that drops repetitions of a confirmed note and serves the confirmed note with the rest.

Of one author's unreviewed copies of a confirmed note, only the first is served: five copies say no more than one, and
they fill an answer that has room for three. A single correction of a confirmed note is served as before.
"""

from collections.abc import Sequence

from accounts.rules.rights import TeamKind
from knowledge.retrieval.actions.crowd import AS_LIKELY
from knowledge.retrieval.actions.current_first import nearness_of_rows
from knowledge.retrieval.actions.hold_back import ONE_SUBJECT, alike
from knowledge.retrieval.actions.search_state import SearchState, load
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.retrieval.rules.repeated import COPY
from knowledge.rules.vocabulary import Status

# Load at most this many confirmed notes from further down, if an answer has several similar notes of one author.
MOST_LOOKED_AT = 6
# The most rounds of dropping copies and loading the next rows. An author with more copies of one note than that fills
# the rest of the answer.
MOST_ROUNDS = 4


def drop_copies(search: SearchState) -> None:
    """Drop all but the first copy by each author of a confirmed note of somebody else. Rows that move up into the
    answer are loaded and checked too.
    """
    _load_originals(search)
    for _ in range(MOST_ROUNDS):
        _drop_copies(search)
        if not _load_front(search):
            break


def _drop_copies(search: SearchState) -> None:
    for row in _confirmed(search):
        met: dict[int | None, int] = {}
        for copy in _copies(search, row):
            author = search.full[copy].author_id
            if author not in met:
                met[author] = copy
                continue
            kept = search.full[met[author]].ref
            why = f"Like {kept}, of the same author: both are unreviewed and nearly the same as {search.full[row].ref}."
            search.cut.drop([copy], "copy", why, bound=COPY)


def _load_front(search: SearchState) -> bool:
    """Load the first rows of the answer; return whether any was not loaded yet."""
    rows = [row for row in search.cut.order[: search.ask.limit] if row not in search.full]
    load(search, rows)
    return bool(rows)


def bring_originals(search: SearchState, room: int) -> None:
    """Move each confirmed note up to right behind its first copy, or right before it if there is no room behind it."""
    for row in _confirmed(search):
        copy = next(iter(_copies(search, row)), None)
        order = list(search.cut.order)
        if copy is None or order.index(copy) >= min(room, order.index(row)):
            continue
        if search.cut.evidence[row] < AS_LIKELY * search.cut.evidence[copy]:
            continue
        order.remove(row)
        at = order.index(copy)
        order.insert(at + 1 if at + 1 < room else at, row)
        if order == search.cut.order:
            continue
        search.cut.bring(order)
        search.placed.setdefault(row, f"Beside {search.full[copy].ref}, an unreviewed note that says nearly the same.")


def _confirmed(search: SearchState) -> list[int]:
    return [row for row in search.cut.order if row in search.full and is_confirmed(search.full[row])]


def _copies(search: SearchState, row: int) -> list[int]:
    """Return the unreviewed rows of others that nearly repeat this confirmed one, in the order of the answer."""
    return [one for one in search.cut.order if one in search.full and _is_copy(search, one, row)]


def _is_copy(search: SearchState, row: int, confirmed: int) -> bool:
    mine, of = search.full[row], search.full[confirmed]
    if is_confirmed(mine) or mine.team.kind == TeamKind.PERSONAL or mine.author_id == of.author_id:
        return False
    return _are_alike(search, row, confirmed)


def _are_alike(search: SearchState, row: int, other: int) -> bool:
    mine, theirs = search.full[row].repo, search.full[other].repo
    if mine and theirs and mine != theirs:
        return False
    return alike(search, row, other) >= ONE_SUBJECT and nearness_of_rows(search, row, other) >= COPY


def _load_originals(search: SearchState) -> None:
    """Load confirmed notes from further down, if one author has several similar notes in the answer that copy no loaded
    one.
    """
    front = [row for row in search.cut.order if row in search.full]
    if not _several_alike(search, [row for row in front if not is_confirmed(search.full[row])]):
        return
    rest = (row for row in search.cut.order if row not in search.full)
    found = [row for row in rest if search.rows[row].status == Status.PROMOTED or search.rows[row].pinned]
    load(search, found[:MOST_LOOKED_AT])


def _several_alike(search: SearchState, rows: Sequence[int]) -> bool:
    """Return whether two of these rows by one author are copies of each other, and of no loaded confirmed note."""
    confirmed = _confirmed(search)
    lone = [row for row in rows if not any(_is_copy(search, row, one) for one in confirmed)]
    authors = {row: search.full[row].author_id for row in lone}
    return any(
        authors[row] == authors[other] and _are_alike(search, row, other)
        for at, row in enumerate(lone)
        for other in lone[:at]
    )
