"""The frame two notes share, and what each puts into it.

"Commits in the firmware repo need a sign-off" and "Commits in the web repo need a ticket number" begin alike and are of
two things: who asks about the firmware repo asks for the first, though "firmware" is a plain word and no name.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from knowledge.retrieval.rules import bm25

_WORD = re.compile(r"[\w@.-]+")
_OPENING_END = re.compile(r"(?<=[.!?:;])\s|\n")

# Openings are of one frame from this likeness (difflib: twice the words they share in order, by all their words) and so
# many shared words. 205 changed facts and 88 siblings of three authors, mute agents: .30 takes four changed facts for
# siblings, .35 two, .40 none, .45 none; of 24 siblings whose own word was not heard 14, 13, 13 and 11 are found
# (2026-11-25). Only 25 of the changed facts open alike at all, so that none of them is a small number.
ONE_FRAME = 0.4
LEAST_SHARED = 3


@dataclass(frozen=True)
class Blanks:
    """Of two openings, what each has where the other has something else: `mine` and `theirs`."""

    mine: frozenset[str]
    theirs: frozenset[str]


def shared_frame(mine: str, theirs: str) -> Blanks | None:
    """The words by which the openings of two notes differ; None if they do not share a frame.

    The end of a single sentence does not count: it is the statement, and may have changed. A difference counts only
    against words: if the other opening has nothing or a mere figure there, it names no other thing.
    """
    blanks = _blanks(mine, theirs)
    if blanks is None:
        return None
    filled = [(own, other) for own, other in blanks if _kind(own) == _kind(other) != ""]
    return _apart(filled, mine, theirs)


def _apart(blanks: Iterable[tuple[Collection[str], Collection[str]]], mine: str, theirs: str) -> Blanks:
    """The words in these gaps of one opening that are nowhere in the other."""
    both = list(blanks)
    own = frozenset(word for words, _ in both for word in words)
    others = frozenset(word for _, words in both for word in words)
    return Blanks(own.difference(_opening(theirs)[0]), others.difference(_opening(mine)[0]))


def _blanks(mine: str, theirs: str) -> list[tuple[list[str], list[str]]] | None:
    """What each opening has where the other has something else, or nothing; None where they are not of one frame."""
    (own_opening, own_rest), (other_opening, other_rest) = _opening(mine), _opening(theirs)
    matcher = SequenceMatcher(None, own_opening, other_opening, autojunk=False)
    blocks = matcher.get_opcodes()
    shared = sum(end - start for kind, start, end, *_ in blocks if kind == "equal")
    if shared < LEAST_SHARED or matcher.ratio() < ONE_FRAME:
        return None
    blanks = [block for block in blocks if block[0] != "equal"]
    if not (own_rest and other_rest):
        blanks = blanks[:-1]
    return [(own_opening[start:end], other_opening[begin:stop]) for _, start, end, begin, stop in blanks]


def _kind(words: Iterable[str]) -> str:
    """ "word" if a meaningful word is among them, else "figure" if there is one, else ""."""
    if any(term.isalpha() for word in words for term in bm25.terms(word)):
        return "word"
    return "figure" if any(any(map(str.isdigit, word)) for word in words) else ""


def ends_otherwise(mine: str, theirs: str) -> bool:
    """Whether two single sentences are equal up to their ends: "Errors are reported to Rollbar" and "Errors are
    reported to Sentry" are about one thing, however unlike the two names are.
    """
    blanks = _blanks(mine, theirs)
    if blanks is None or any(_opening(text)[1] for text in (mine, theirs)):
        return False
    return _apart(blanks, mine, theirs) == Blanks(frozenset(), frozenset())


# The first words of an opening say what a note is about. Within 5, 6, 8 and 12 of them 71, 73, 83 and 85 of 176
# questions about siblings are told by what stands in the same place, and 0, 0, 0 and 1 of 205 about changed facts.
FIRST_WORDS = 8
# Words behind an article are as often the statement itself: "need a sign-off".
_ARTICLES = frozenset({"a", "an", "the"})
# "app" and "application" are one word.
_SAME_BEGINNING = 3
# An opening often begins with its verb: "Toggle portal features" is about no portal called "toggle". So the first
# meaningful word stands in the same place as another opening's first one only. No sibling of the sets above, or of two
# outsiders' 48 questions, is told less often for it (28 Nov 2026).
_FIRST = "^"


def same_places(mine: str, theirs: str) -> list[tuple[str, str]]:
    """What stands in the same place in two openings, however they go on: (my word, theirs), before the same word
    ("staging cluster", "production cluster"), or behind it and a preposition ("editor on Windows", "editor on Linux").
    """
    own, others = dict[tuple[str, str], str](), dict[tuple[str, str], str]()
    for found, text in ((own, mine), (others, theirs)):
        for place, word in _places(_spelled(text)):
            found.setdefault(place, word)
    pairs = ((word, others[place]) for place, word in own.items() if place in others)
    return [(one, other) for one, other in pairs if one.lower()[:_SAME_BEGINNING] != other.lower()[:_SAME_BEGINNING]]


def _places(words: list[str]) -> Iterator[tuple[tuple[str, str], str]]:
    """By its position (what it stands before or behind), each meaningful word."""
    says = [bool(bm25.terms(word)) for word in words]
    for at, word in enumerate(words):
        if not says[at]:
            continue
        if at + 1 < len(words) and says[at + 1]:
            yield ("" if any(says[:at]) else _FIRST, words[at + 1].lower()), word
        if at >= 2 and not says[at - 1] and says[at - 2] and words[at - 1].lower() not in _ARTICLES:
            yield (words[at - 2].lower(), words[at - 1].lower()), word
        if at == 1 and not says[0]:
            yield ("", f"{words[0].lower()} "), word


def _spelled(text: str) -> list[str]:
    """The first words of the opening as they are written; of a single sentence without its last."""
    opening, *rest = _OPENING_END.split(text.strip(), maxsplit=1)
    words = [word for word in (found.strip(".-") for found in _WORD.findall(opening)) if word]
    return words[:FIRST_WORDS] if "".join(rest).strip() else words[:-1][:FIRST_WORDS]


def _opening(text: str) -> tuple[list[str], str]:
    """The words of the first sentence, or of what stands before its colon; and what comes after it."""
    opening, *rest = _OPENING_END.split(text.strip(), maxsplit=1)
    words = (word.strip(".-") for word in _WORD.findall(opening.lower()))
    return [word for word in words if word], "".join(rest).strip()
