"""Which passages to tell of several conversations, where none of them is the answer by itself.

A remark is understood by what stands around it, and one in a conversation about the subject is likelier meant than one
in passing. So a passage's relevance is raised by that of its neighbours, and by that of its conversation:

    weight = relevance + .3 · (best neighbour - least) + .3 · (mean of the conversation's best three - least)

Measured on LoCoMo and BEAM (docs/decisions/0019-searching-conversations.md): the share of the evidence that is told
within 800 tokens rises from .77 to .82 and from .47 to .49 against the relevance of each passage by itself.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

NEIGHBOUR, CONVERSATION = 0.3, 0.3
BEST_OF = 3
# A passage is told if its weight has this share of the best, to who asked and to a prompt: who changes a decision later
# says less of it. Of 36 changes in passing 32 are told without their file, with .4 as without any, 30 with .55 and 26
# with .7; of what is quoted of 14 decisions .46, .50, .61 and .64 of the characters are of these, and to a prompt .25,
# .39, .60 and .63. LoCoMo's evidence within 800 tokens is .767 without any and with .4, .761 with .5; sde-bench's facts
# are the same with each, in fewer characters (28 Nov 2026).
NEARLY, NEARLY_UNASKED = 0.4, 0.55
# The weight of what may have changed since, of the best. With .95 it goes before what was asked for: .787 of LoCoMo's
# evidence is told, .82 with .6 as without it; with .4 prompts do not bring it.
RAISED = 0.6


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


def raised(weights: Mapping[PassagePlace, float], places: Collection[PassagePlace]) -> dict[PassagePlace, float]:
    """The weights, with those of `places` raised to at least RAISED of the best."""
    most = RAISED * max(weights.values(), default=0.0)
    return {**weights, **{place: max(weights.get(place, 0.0), most) for place in places}}


def nearly_best(weights: Mapping[PassagePlace, float], share: float) -> dict[PassagePlace, float]:
    """The weights that have this share of the best."""
    least = share * max(weights.values(), default=0.0)
    return {place: value for place, value in weights.items() if value >= least}


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
