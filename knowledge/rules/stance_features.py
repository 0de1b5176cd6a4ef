"""What two texts look like side by side, as numbers for the network: how near in meaning, how far their words cover
each other, what is left over on either side, and what the cues found.

Order does not matter: whatever is measured from either side stands as the smaller and the larger of both. No feature
needs a vector that is not stored anyway. `NAMES` is the recipe; the weights name it, and refuse another.
"""

from collections import Counter
from collections.abc import Sequence, Set
from itertools import pairwise
from math import log

import numpy as np
from numpy.typing import NDArray

from knowledge.rules.stance_cues import Cue, CueKind
from knowledge.rules.stance_reading import Reading
from knowledge.rules.stance_slots import slots
from knowledge.rules.stance_tokens import Sort, Token

# Of code the network is not asked, so it has no feature of it.
TOLD = tuple(kind for kind in CueKind if kind is not CueKind.CODE)

NAMES = (
    "cosine",
    "cosine_squared",
    "cosine_over_83",
    "cover_min",
    "cover_max",
    "cover_both",
    "cover_exact_min",
    "cover_exact_max",
    "jaccard",
    "bigrams",
    "letters",
    "order",
    "opening",
    "clause_min",
    "clause_max",
    "left_min",
    "left_max",
    "left_words_min",
    "left_words_max",
    "left_letters",
    "slots",
    "names_shared",
    "names_left_min",
    "names_left_max",
    "numbers_shared",
    "numbers_left_min",
    "numbers_left_max",
    "denied_min",
    "denied_max",
    "denied_difference",
    "over_any",
    "length_ratio",
    "length_min",
    "length_max",
    "cosine_by_cover",
    "cosine_less_cover",
    "hard_cues",
    "soft_cues",
    *(f"cue_{kind.value}" for kind in TOLD),
)


def features(one: Reading, other: Reading, cosine: float, cues: Sequence[Cue]) -> NDArray[np.float64]:
    """One value for each of NAMES."""
    values = {"cosine": cosine, "cosine_squared": cosine * cosine, "cosine_over_83": max(0.0, cosine - 0.83)}
    values |= _coverage(one, other) | _leftovers(one, other) | _signs(one, other) | _lengths(one, other)
    cover = values["cover_both"]
    values |= {"cosine_by_cover": cosine * cover, "cosine_less_cover": cosine - cover}
    kinds = Counter(cue.kind for cue in cues)
    values |= {f"cue_{kind.value}": float(kinds[kind] > 0) for kind in TOLD}
    hard = sum(cue.hard for cue in cues)
    values |= {"hard_cues": min(2.0, hard), "soft_cues": min(2.0, len(cues) - hard)}
    return np.array([values[name] for name in NAMES])


def _pair(name: str, first: float, second: float) -> dict[str, float]:
    return {f"{name}_min": min(first, second), f"{name}_max": max(first, second)}


# --- coverage -------------------------------------------------------------------------------------------------
def _coverage(one: Reading, other: Reading) -> dict[str, float]:
    first, second = _covered(one, other), _covered(other, one)
    mine, theirs = [token.key for token in one.content], [token.key for token in other.content]
    exact_mine, exact_theirs = {token.text for token in one.content}, {token.text for token in other.content}
    values = _pair("cover", first, second) | {"cover_both": 2 * first * second / (first + second or 1.0)}
    values |= _pair("cover_exact", _share(exact_mine, exact_theirs), _share(exact_theirs, exact_mine))
    values["jaccard"] = _dice(set(mine), set(theirs))
    values["bigrams"] = _dice(set(pairwise(mine)), set(pairwise(theirs)))
    values["letters"] = _dice(_fours(" ".join(one.words)), _fours(" ".join(other.words)))
    values["order"] = _in_order(mine, theirs)
    values["opening"] = float(mine[:1] == theirs[:1])
    return values | _pair("clause", _clauses_met(one, other), _clauses_met(other, one))


def _covered(one: Reading, other: Reading) -> float:
    """The share of a text's content, by weight, that the other has."""
    total = sum(token.weight for token in one.content)
    return sum(token.weight for token in one.content if other.has(token)) / total if total else 0.0


def _share(mine: set[str], theirs: set[str]) -> float:
    return len(mine & theirs) / len(mine) if mine else 0.0


def _dice(mine: Set[object], theirs: Set[object]) -> float:
    total = len(mine) + len(theirs)
    return 2 * len(mine & theirs) / total if total else 0.0


def _fours(text: str) -> set[str]:
    return {text[at : at + 4] for at in range(len(text) - 3)}


# The comparison is quadratic in the words; so many say enough.
MOST_IN_ORDER = 80


def _in_order(mine: list[str], theirs: list[str]) -> float:
    """The longest common subsequence as a share of the shorter text: 1 if one is the other with words put in."""
    mine, theirs = mine[:MOST_IN_ORDER], theirs[:MOST_IN_ORDER]
    if not mine or not theirs:
        return 0.0
    row = [0] * (len(theirs) + 1)
    for key in mine:
        corner = 0
        for at, there in enumerate(theirs, 1):
            corner, row[at] = row[at], corner + 1 if key == there else max(row[at], row[at - 1])
    return row[-1] / min(len(mine), len(theirs))


def _clauses_met(one: Reading, other: Reading) -> float:
    """How well each clause is met by the best clause of the other text, by weight."""
    total = met = 0.0
    theirs = [frozenset(token.key for token in clause) for clause in other.clauses]
    for clause in one.clauses:
        weights = [(token.key, token.weight) for token in clause]
        total += sum(weight for _, weight in weights)
        met += max((sum(weight for key, weight in weights if key in there) for there in theirs), default=0.0)
    return met / total if total else 0.0


# --- what is left over ------------------------------------------------------------------------------------------
def _leftovers(one: Reading, other: Reading) -> dict[str, float]:
    mine, theirs = _left(one, other), _left(other, one)
    values = _pair("left", _weight(mine), _weight(theirs))
    values |= _pair("left_words", log(1 + len(mine)), log(1 + len(theirs)))
    values["left_letters"] = _dice(_fours_each(mine), _fours_each(theirs))
    values["slots"] = min(2.0, len(slots(one, other)))
    for name, sort in (("names", Sort.NAME), ("numbers", Sort.NUMBER)):
        shared = sum(token.sort is sort and other.has(token) for token in one.content)
        values[f"{name}_shared"] = log(1 + shared)
        first, second = (sum(token.sort is sort for token in left) for left in (mine, theirs))
        values |= _pair(f"{name}_left", log(1 + first), log(1 + second))
    return values


def _left(one: Reading, other: Reading) -> list[Token]:
    return [token for token in one.content if not other.has(token)]


def _weight(tokens: list[Token]) -> float:
    return log(1 + sum(token.weight for token in tokens))


def _fours_each(tokens: list[Token]) -> set[str]:
    return {four for token in tokens for four in _fours(f" {token.key} ")}


# --- signs and lengths ------------------------------------------------------------------------------------------
def _signs(one: Reading, other: Reading) -> dict[str, float]:
    mine, theirs = _denials(one), _denials(other)
    over = any(token.over for reading in (one, other) for token in reading.content)
    return _pair("denied", mine, theirs) | {"denied_difference": abs(mine - theirs), "over_any": float(over)}


def _denials(reading: Reading) -> float:
    """How many clauses deny something, on a logarithmic scale."""
    return log(1 + sum(any(token.sign == -1 for token in clause) for clause in reading.clauses))


def _lengths(one: Reading, other: Reading) -> dict[str, float]:
    first, second = len(one.content), len(other.content)
    ratio = min(first, second) / max(first, second, 1)
    return _pair("length", log(1 + first), log(1 + second)) | {"length_ratio": ratio}
