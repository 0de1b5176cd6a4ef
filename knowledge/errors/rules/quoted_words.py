"""A question's words as the messages of stored errors are looked up by: who asks quotes a part of a message, or writes
the whole of it into a sentence. Nothing has to tell where in the question an error begins.

Words are letters and digits between anything else, in lower case; what stands for a value (`<num>`) is none. The
database reads the messages in the same way (`knowledge/querysets/anchors.py`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowledge.errors.rules.fingerprint import PLACEHOLDER
from knowledge.rules.vectors import lexemes

_BETWEEN = re.compile(rf"{PLACEHOLDER}|[\W_]")

# So many words name an error in part, of three letters or more each: "cannot open resource". With fewer any question
# about "the file" would name one.
LEAST = 3
_LETTERS = 3
# No part of a message is longer: messages are cut at 200 letters.
MOST = 40
# A whole trace is read from its beginning; what is longer than this is no word.
MOST_READ = 400
_LONGEST = 60


@dataclass(frozen=True)
class QuotedWords:
    """`part`: a tsquery of messages that have all words of the question, "" if those are too few or too many;
    `whole`: of messages that may stand in it, for two words that stand together there stand in both; `words`: of all.
    """

    part: str = ""
    whole: str = ""
    words: tuple[str, ...] = ()

    @property
    def either(self) -> str:
        return " | ".join(f"({one})" for one in (self.part, self.whole) if one)


def words_of(text: str) -> list[str]:
    """In their order."""
    return [word for word in _BETWEEN.split(text.lower()) if 0 < len(word) <= _LONGEST]


def quoted_words(question: str, errors: Sequence[str] = (), named: str = "") -> QuotedWords:
    """What is looked up for a question in the asker's words and the errors beside it. `named`: what the error says,
    without what varies; where there is none, the question itself may be a part of a message.
    """
    told = words_of("\n".join((question, *errors)))[:MOST_READ]
    pairs = dict.fromkeys(tuple(sorted(pair)) for pair in pairwise(told) if len(set(pair)) > 1)
    whole = " | ".join(f"({lexemes(pair, ' & ')})" for pair in pairs)
    part = set(words_of(named or question))
    long = sum(len(word) >= _LETTERS for word in part)
    enough = long >= LEAST and len(part) <= MOST
    return QuotedWords(lexemes(part, " & ") if enough else "", whole, tuple(dict.fromkeys(told)))
