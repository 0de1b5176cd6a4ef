"""Which passages to quote of several conversations, if none of them is the answer by itself.

A remark is understood with its neighbours, and a passage in a conversation about the subject is likelier meant than a
passing remark. So the relevance of a passage is raised by that of its neighbours and by that of its conversation:

    weight = relevance + .3 · (best neighbour - least) + .3 · (mean of the conversation's best three - least)

Measured on LoCoMo and BEAM (docs/decisions/0019-searching-conversations.md): the share of the evidence that is quoted
within 800 tokens rises from .77 to .82 and from .47 to .49, compared with the relevance of each passage alone.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

NEIGHBOUR, CONVERSATION = 0.3, 0.3
BEST_OF = 3
# The share of the best weight that a passage needs to be quoted, for a question and for a prompt; a later change is
# less relevant than the decision. Of 36 changes in passing 32 are quoted without their file both with .4 and without a
# limit, 30 with .55 and 26 with .7. Of what is quoted of 14 decisions .46, .50, .61 and .64 of the characters are about
# them, and for a prompt .25, .39, .60 and .63. LoCoMo's evidence within 800 tokens is .767 without a limit and with .4,
# .761 with .5; sde-bench's facts are the same with each, in fewer characters (28 Nov 2026).
NEARLY, NEARLY_UNASKED = 0.4, 0.55
# Beside chosen sentences, only passages whose weight has this share of the best take more room than a small answer has
# (`excerpts.FIRST`). Of what 16 questions of an outsider are quoted within 800 tokens .60 of the characters are of the
# right conversation without it, .66 with .7 and with .85; of sde-bench's .92, .95 and .95, with all facts each time. Of
# LoCoMo's evidence .811, .803 and .783 is quoted (three conversations), of BEAM's .392 each time (28 Nov 2026).
BESIDE = 0.7
# The least weight of a passage that may be a later change, as a share of the best weight. With .95 it precedes what was
# asked for: .787 of LoCoMo's evidence is quoted, .82 with .6 as without this rule; with .4 prompts do not include it.
RAISED = 0.6


class PassagePlace(NamedTuple):
    """The place of a passage: its session and its position."""

    session: int
    position: int


def weights(relevance: Mapping[PassagePlace, float]) -> dict[PassagePlace, float]:
    """Return the weight of each passage; `relevance`: of each passage alone, on any scale."""
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
        # A plain tuple is the same key as a place, and is made in a fifth of the time.
        before = relevance.get((session, position - 1), least)  # type: ignore[call-overload]
        after = relevance.get((session, position + 1), least)  # type: ignore[call-overload]
        beside = before if before > after else after
        found[place] = value + NEIGHBOUR * (beside - least) + CONVERSATION * (mean[session] - least)
    return found


def raised(weights: Mapping[PassagePlace, float], places: Collection[PassagePlace]) -> dict[PassagePlace, float]:
    """Return the weights, with those of `places` raised to at least RAISED of the best."""
    most = RAISED * max(weights.values(), default=0.0)
    return {**weights, **{place: max(weights.get(place, 0.0), most) for place in places}}


def nearly_best(weights: Mapping[PassagePlace, float], share: float) -> dict[PassagePlace, float]:
    """Return the weights that have this share of the best."""
    least = share * max(weights.values(), default=0.0)
    return {place: value for place, value in weights.items() if value >= least}


def _mean(values: Sequence[float], least: float) -> float:
    return sum([*values, *[least] * (BEST_OF - len(values))]) / BEST_OF


def fitting(
    costs: Mapping[PassagePlace, int],
    heads: Mapping[int, int],
    ranked: Sequence[PassagePlace],
    room: int,
    for_near: int = 0,
    near: Collection[PassagePlace] = (),
) -> list[PassagePlace]:
    """Return the passages that fit into the room, the best first; the first of a conversation also takes the room of
    its head. The last `for_near` characters of the room are only for the passages that are `near`.
    """
    kept: list[PassagePlace] = []
    begun: set[int] = set()
    for place in ranked:
        cost = costs[place] + (0 if place.session in begun else heads[place.session])
        if cost <= room - (0 if place in near else for_near):
            room -= cost
            begun.add(place.session)
            kept.append(place)
    return kept
