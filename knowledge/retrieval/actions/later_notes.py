"""Later: with the first insights of an answer, later ones that are perhaps about the same thing (`rules/later`)."""

from collections.abc import Sequence

import numpy as np

from accounts.adapters.traces import traced
from knowledge.models import Insight
from knowledge.retrieval.actions.search_state import SearchState
from knowledge.retrieval.rules.later_notes import A_DAY, likely_later
from knowledge.rules.vectors import units

# Of so many of the answer, the first ones: each takes a line of the text.
MOST_OF_AN_ANSWER = 2


@traced("query later")
def later_of(search: SearchState) -> dict[int, list[int]]:
    """By row of the answer, the rows of the later insights, the likeliest first; of its team and repository, and of
    what the search has found, those among them that are served themselves.

    None that it is a pair with already, none by a stranger, and none where it is said what replaces it. The vectors are
    read in one statement, and none where nothing later was found.
    """
    rows = [row for row in search.cut.order[:MOST_OF_AN_ANSWER] if not _is_outdated(search, row)]
    asked = {row: mates for row in rows if len(mates := _mates(search, row)) > 1}
    if not asked:
        return {}
    wanted = sorted({row for mates in asked.values() for row in mates})
    vectors = Insight.objects.all().meanings([search.rows[row].id for row in wanted])
    found: dict[int, list[int]] = {}
    for row, mates in asked.items():
        known = [mate for mate in mates if search.rows[mate].id in vectors]
        if row not in known:
            continue
        said = {link.other_id for link in search.links[row]}
        later = likely_later(
            known.index(row),
            units([vectors[search.rows[mate].id] for mate in known]),
            np.array([search.rows[mate].learned_at for mate in known]),
            np.nan_to_num(search.cosine[known]),
            [at for at, mate in enumerate(known) if search.rows[mate].id in said],
            [at for at, mate in enumerate(known) if mate in search.cut.order],
        )
        found[row] = [known[at] for at in later]
    return found


def _is_outdated(search: SearchState, row: int) -> bool:
    return any(link.proposed and link.successor_id == link.other_id for link in search.links[row])


def _mates(search: SearchState, row: int) -> Sequence[int]:
    """Its own row, and those that may be about the same thing, if one of them is later."""
    own = search.rows[row]
    team = own.ref.rpartition("-")[0]
    mates = [
        at
        for at, one in enumerate(search.rows)
        if one.repo == own.repo and one.ref.rpartition("-")[0] == team and one.id not in search.strangers
    ]
    return mates if any(search.rows[at].learned_at >= own.learned_at + A_DAY for at in mates) else []
