"""Which passages to tell of several conversations, where none of them is the answer by itself.

A remark is understood by what stands around it, and one in a conversation about the subject is likelier meant than one
in passing. So a passage's relevance is raised by that of its neighbours, and by that of its conversation:

    weight = relevance + .3 · (best neighbour - least) + .3 · (mean of the conversation's best three - least)

Measured on LoCoMo and BEAM (docs/decisions/0019-searching-conversations.md): the share of the evidence that is told
within 800 tokens rises from .77 to .82 and from .47 to .49 against the relevance of each passage by itself.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

NEIGHBOUR, CONVERSATION = 0.3, 0.3
BEST_OF = 3
# Beside a conversation that stands out, a passage of another is told if its weight is at least this share of the best:
# who changes a decision later says less of it. Of 8 changes made in few words 8 are told with .4, 6 with .6 and 5 with
# .8; of LoCoMo's evidence within 800 tokens .803, .805 and .799, of BEAM's as much with each. What is quoted of
# sde-bench's 158 conversations is of the right one for .95 of its characters within 400 tokens with each, for .90, .90
# and .92 within 800 (28 Nov 2026).
NEARLY = 0.4


class PassagePlace(NamedTuple):
    """Where a passage stands."""

    session: int
    position: int


def weights(relevance: Mapping[PassagePlace, float]) -> dict[PassagePlace, float]:
    """The weight of each passage; `relevance` is by itself, on any scale."""
    if not relevance:
        return {}
    least = min(relevance.values())
    of_session: dict[int, list[float]] = {}
    for place, value in relevance.items():
        of_session.setdefault(place.session, []).append(value)
    mean = {session: _mean(sorted(values, reverse=True)[:BEST_OF], least) for session, values in of_session.items()}
    found = {}
    for place, value in relevance.items():
        session, position = place
        # A plain tuple is the same key as a place, and made in a fifth of the time.
        before = relevance.get((session, position - 1), least)  # type: ignore[call-overload]
        after = relevance.get((session, position + 1), least)  # type: ignore[call-overload]
        beside = before if before > after else after
        found[place] = value + NEIGHBOUR * (beside - least) + CONVERSATION * (mean[session] - least)
    return found


def nearly_best(weights: Mapping[PassagePlace, float]) -> set[PassagePlace]:
    """The places whose weight is nearly that of the best."""
    least = NEARLY * max(weights.values(), default=0.0)
    return {place for place, value in weights.items() if value >= least}


def _mean(values: Sequence[float], least: float) -> float:
    return sum([*values, *[least] * (BEST_OF - len(values))]) / BEST_OF


def fitting(
    costs: Mapping[PassagePlace, int], heads: Mapping[int, int], ranked: Sequence[PassagePlace], room: int
) -> list[PassagePlace]:
    """The passages that fit into the room, the best first; the first of a conversation costs its head, too."""
    kept: list[PassagePlace] = []
    begun: set[int] = set()
    for place in ranked:
        cost = costs[place] + (0 if place.session in begun else heads[place.session])
        if cost <= room:
            room -= cost
            begun.add(place.session)
            kept.append(place)
    return kept
