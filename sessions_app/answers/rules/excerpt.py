"""The sentences of an insight that say most about a question, if there is no room for all of them.

Theory of operation. A note's first sentence says what happened; what is asked for is often further down. A sentence
counts by the words of the question in it, weighted by rarity; by those of the sentence before it, because the sentence
that names a thing is followed by one about it; and by its other words, because a sentence with only the question's
words answers nothing. A figure, a path or code counts too, because it is asked for most often. The first sentence
counts as shorter by the title that need not stand above it. If no sentence has a word of the question, the text is
quoted from its beginning.

Measured on three authors' half years (`evaluate truth`'s kind of notes, 240 questions with the answering note at hand):
of the facts asked for, .56, .60 and .73 are quoted in 160, 260 and 400 characters from the beginning, .63, .71 and .90
by this rule. The cosines of the sentences to the question, which cost an embedding each, add .01.

Measured on 72 paragraphs of four authors that change what an older one says (28 Nov 2026): the new value is quoted in
the 330, 430 and 530 characters of an item in .71, .86 and .94 without figures and the title's room, and in .86, .93 and
.97 with both; in its one sentence in .74 and .79. The words of the older note's answer, counted like the question's,
change nothing (-.01 and +.01).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from math import log

from knowledge.retrieval.rules.bm25 import terms
from knowledge.rules.draft import first_sentence, shortened
from knowledge.rules.pieces import pieces

GAP = "[…]"
NEW_LINE = "\n"
# The weight of the words of the sentence before; from .75 to 1 it makes no difference, at .5 .01 is lost.
BEFORE = 0.75
# The weight of each word that the question lacks, up to so many words.
NEW_WORD, MOST_NEW = 0.05, 12
# The weight of a figure, code or a path; .05 is as good, from .15 on it is worse by .01.
EXACT = 0.1
_EXACT = re.compile(r"[\d`_/]|[a-z][A-Z]")
# A longer sentence takes the room of others: its worth is divided by its length plus FLAT, to this power.
FLAT, POWER = 60, 0.25


def excerpt(text: str, question: str, room: int, *, title_room: int = 0) -> str:
    """Return the whole sentences of the text to quote within `room` characters, in their order with gaps marked; "" to
    quote it from its beginning. `title_room`: characters that are free if the first sentence is quoted, because then no
    title stands above it.
    """
    parts, worth = _read(text, question, title_room)
    kept: set[int] = set()
    for at in sorted(range(len(worth)), key=lambda at: -worth[at]):
        told = kept | {at}
        if len(_joined(parts, told)) <= room + (title_room if 0 in told else 0):
            kept = told
    return _joined(parts, kept) if kept else ""


def sentence(text: str, question: str, room: int, *, title_room: int = 0) -> str:
    """Return the sentence that says most about the question, cut to `room` characters, on one line; the first if none
    has a word of it.
    """
    parts, worth = _read(text, question, title_room)
    told = (at for at in range(len(worth)) if not parts[at].startswith("```"))
    best = max(told, key=worth.__getitem__, default=0)
    return shortened(first_sentence(parts[best]) if best else first_sentence(text), room)


# Cached because one answer computes an item's forms some ten times to distribute its room.
@lru_cache(64)
def _read(text: str, question: str, title_room: int) -> tuple[tuple[str, ...], list[float]]:
    """Return the pieces of a text and the worth of each."""
    parts = pieces(text)
    return parts, _worth(parts, question, title_room)


def _worth(parts: Sequence[str], question: str, title_room: int) -> list[float]:
    """Return the worth of each piece; nothing if none has a word of the question."""
    asked = set(terms(question))
    words = [set(terms(piece)) for piece in parts]
    having = {word: sum(word in some for some in words) for word in asked}
    rarity = {word: log(1 + (len(parts) + 1) / (having[word] + 0.5)) for word in asked}
    if not any(having.values()):
        return []
    covered = [sum(rarity[word] for word in asked & some) / sum(rarity.values()) for some in words]
    lengths = [max(len(piece) - (0 if at else title_room), 0) for at, piece in enumerate(parts)]
    return [
        (here + BEFORE * before + NEW_WORD * min(len(some - asked), MOST_NEW) + EXACT * bool(_EXACT.search(piece)))
        / (length + FLAT) ** POWER
        for here, before, some, piece, length in zip(covered, [0.0, *covered], words, parts, lengths, strict=False)
    ]


def _joined(parts: Sequence[str], kept: set[int]) -> str:
    """Return the pieces joined in their order. A gap is marked where pieces are left out, never on a line of its own; a
    list mark stays before the text it began.
    """
    text, last = "", -1
    for at in sorted(kept):
        if at != last + 1:
            begins = text and parts[at - 1].endswith(NEW_LINE)
            text = f"{text.rstrip()} {GAP}{NEW_LINE if begins else ' '}".lstrip()
        text += parts[at] if at == last + 1 else parts[at].lstrip()
        last = at
    text = text.rstrip()
    return text if last == len(parts) - 1 else f"{text} {GAP}"
