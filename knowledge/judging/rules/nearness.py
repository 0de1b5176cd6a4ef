"""How near a warning is to the advice that it warns about, or any note to one that it belongs to.

A warning describes an event, so it reads unlike the advice, but names the same things. Nearness is the cosine, plus
half of the share of the shorter text's words that both have, plus a little for words that are adjacent in both
("rollout restart").
"""

from collections.abc import Set as AbstractSet
from itertools import pairwise

from knowledge.retrieval.rules import bm25

# From this nearness on two notes belong together. Of 52 warnings of four authors 51 are this near to their advice, and
# 3 of 2,652 pairs with another's; by a cosine of .45 alone, 47 and 2. Of 90 notes by which a hostile account would have
# run commands on every machine none is this near to one of 60 honest notes; by the cosine 59 of the 5,400 pairs are
# (2026-11-27).
BELONG = 0.55
OF_WORDS = 0.5
OF_PHRASES = 0.08
MOST_PHRASES = 2


def nearness(
    cosine: float,
    terms: tuple[AbstractSet[str], AbstractSet[str]],
    phrases: tuple[AbstractSet[tuple[str, str]], AbstractSet[tuple[str, str]]],
) -> float:
    """Return the nearness of two texts. `terms`, `phrases`: of either text; a phrase is two adjacent terms."""
    (one, other), (mine, theirs) = terms, phrases
    words = len(one & other) / max(min(len(one), len(other)), 1)
    return cosine + OF_WORDS * words + OF_PHRASES * min(len(mine & theirs), MOST_PHRASES)


def nearness_of_texts(cosine: float, one: str, other: str) -> float:
    said, told = bm25.terms(one), bm25.terms(other)
    return nearness(cosine, (set(said), set(told)), (set(pairwise(said)), set(pairwise(told))))
