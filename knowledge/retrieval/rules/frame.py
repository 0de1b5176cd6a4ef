"""Find how the openings of two similar notes differ.

"Commits in the firmware repo need a sign-off" and "Commits in the web repo need a ticket number" begin alike (they
share a frame) but are about two things. A question about the firmware repo asks for the first one, although "firmware"
is a plain word and no name.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from knowledge.retrieval.rules import bm25

_WORD = re.compile(r"[\w@.-]+")
_OPENING_END = re.compile(r"(?<=[.!?:;])\s|\n")

# Two openings share a frame if their likeness is at least ONE_FRAME (`SequenceMatcher.ratio`: twice the number of words
# in common and in order, divided by all their words) and they have at least LEAST_SHARED words in common. Measured on
# 205 changed facts and 88 siblings of three authors, with agents that state no relation (2026-11-25): a bound of 0.30,
# 0.35, 0.40 and 0.45 takes 4, 2, 0 and 0 changed facts for siblings; of 24 siblings that are missed without this rule
# it finds 14, 13, 13 and 11. Only 25 of the changed facts begin alike at all, so the counts of changed facts rest on
# these 25.
ONE_FRAME = 0.4
LEAST_SHARED = 3


@dataclass(frozen=True)
class Blanks:
    """The words by which two openings differ: those of one (`mine`) and of the other (`theirs`)."""

    mine: frozenset[str]
    theirs: frozenset[str]


def shared_frame(mine: str, theirs: str) -> Blanks | None:
    """Return the words by which the openings of two notes differ; None if they share no frame.

    The end of a single sentence is left out: it is the statement itself, and may have changed. A difference counts only
    if both sides have a word there, or both a figure: a word against nothing, or against a figure, names no other
    thing.
    """
    blanks = _blanks(mine, theirs)
    if blanks is None:
        return None
    filled = [(own, other) for own, other in blanks if _kind(own) == _kind(other) != ""]
    return _apart(filled, mine, theirs)


def _apart(blanks: Iterable[tuple[Collection[str], Collection[str]]], mine: str, theirs: str) -> Blanks:
    """Return the words of these differences, without those that occur anywhere in the other opening."""
    both = list(blanks)
    own = frozenset(word for words, _ in both for word in words)
    others = frozenset(word for _, words in both for word in words)
    return Blanks(own.difference(_opening(theirs)[0]), others.difference(_opening(mine)[0]))


def _blanks(mine: str, theirs: str) -> list[tuple[list[str], list[str]]] | None:
    """Return what each opening has where the other has something else or nothing; None if they share no frame."""
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
    """Return "word" if a meaningful word is among them, else "figure" if a word with a digit is, else ""."""
    if any(term.isalpha() for word in words for term in bm25.terms(word)):
        return "word"
    return "figure" if any(any(map(str.isdigit, word)) for word in words) else ""


def ends_otherwise(mine: str, theirs: str) -> bool:
    """Return whether two single sentences are equal except for their ends.

    "Errors are reported to Rollbar" and "Errors are reported to Sentry" are about one thing, however unlike the two
    names are.
    """
    blanks = _blanks(mine, theirs)
    if blanks is None or any(_opening(text)[1] for text in (mine, theirs)):
        return False
    return _apart(blanks, mine, theirs) == Blanks(frozenset(), frozenset())


# Compare this many words of an opening, because the first ones say what a note is about. With 5, 6, 8 and 12 words,
# `same_places` tells the sibling that is asked for in 71, 73, 83 and 85 of 176 questions about siblings, and wrongly
# finds one in 0, 0, 0 and 1 of 205 questions about changed facts.
FIRST_WORDS = 8
# A word after an article is often the statement itself ("need a sign-off"), so it is not compared.
_ARTICLES = frozenset({"a", "an", "the"})
# Words with the same first letters are taken for one word: "app", "application".
_SAME_BEGINNING = 3
# An opening often begins with its verb: "Toggle portal features" is about no portal called "toggle". So the first
# meaningful word stands in the same place as another opening's first one only. No sibling of the sets above, or of two
# outsiders' 48 questions, is told less often for it (28 Nov 2026).
_FIRST = "^"


def same_places(mine: str, theirs: str) -> list[tuple[str, str]]:
    """Return the pairs (my word, their word) that stand in the same place in two openings, however the openings go on.

    The place is either before the same word ("staging cluster", "production cluster"), or after the same word and
    preposition ("editor on Windows", "editor on Linux").
    """
    own, others = dict[tuple[str, str], str](), dict[tuple[str, str], str]()
    for found, text in ((own, mine), (others, theirs)):
        for place, word in _places(_spelled(text)):
            found.setdefault(place, word)
    pairs = ((word, others[place]) for place, word in own.items() if place in others)
    return [(one, other) for one, other in pairs if one.lower()[:_SAME_BEGINNING] != other.lower()[:_SAME_BEGINNING]]


def _places(words: list[str]) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each meaningful word with its place: the word after it, or the two words before it."""
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
    """Return the first words of the opening as they are written; without the last if the text is a single sentence."""
    opening, *rest = _OPENING_END.split(text.strip(), maxsplit=1)
    words = [word for word in (found.strip(".-") for found in _WORD.findall(opening)) if word]
    return words[:FIRST_WORDS] if "".join(rest).strip() else words[:-1][:FIRST_WORDS]


def _opening(text: str) -> tuple[list[str], str]:
    """Return the lower-case words of the opening (up to the end of the first sentence or a colon), and the rest of the
    text.
    """
    opening, *rest = _OPENING_END.split(text.strip(), maxsplit=1)
    words = (word.strip(".-") for word in _WORD.findall(opening.lower()))
    return [word for word in words if word], "".join(rest).strip()
