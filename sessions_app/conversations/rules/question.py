"""What a question is about, and by which of its words passages are looked up.

"What did we decide on retries of the carrier API?" is answered by a sentence on retries in which nothing is "decided":
the framing is in no answer, and turns the question's meaning away from its subject.

To look a passage up costs little, to score it much more, for its row is wherever in the table. One that shares a single
common word with the question is told only if it is near in meaning as well, and then the vectors find it. So rare words
are looked up by themselves, commoner ones two at a time: the index itself tells which passages have two, and a third of
the rows are left to be scored.
"""

import re
from collections.abc import Mapping

from knowledge.retrieval.rules import bm25
from knowledge.rules.vectors import lexemes, two_of

_SUBJECT = r"(?:we|you|they|i|people|(?:the|our|my)\s+(?:team|others?|colleagues?|agents?))"
_SAID = r"(?:deci\w+|agree\w*|settl\w+|conclu\w+|choose|chose\w*|sa(?:y|id)|discuss\w*|talk\w*|figure\w*\s+out)"
_FRAMED = re.compile(
    rf"^\W*+(?:so\s+|and\s+)?(?:what|which|how|why|where|did|do)\b(?:\s+\w+)?\s+(?:(?:did|have|has|do)\s+)?"
    rf"(?:{_SUBJECT}\s+)?(?:been\s+|ever\s+|already\s+)?{_SAID}\b(?:\s+to\s+do)?"
    rf"\s+(?:on|about|for|regarding|concerning|with|in|that|when|if|whether)\s+(?=\S)",
    re.IGNORECASE,
)
# The remaining words must still ask about something.
LEAST_WORDS = 2
# The rarest words find passages by themselves if at most this many passages have them; in a collection of some hundreds
# nearly every word does. LoCoMo's evidence, nothing left out: .835 with 400, .832 with every passage of up to 2,000; as
# it answers, of conv-26: .790 with 400, .788 with 150.
ALONE = 200
# How many entries of the index are read for passages with two of the others, some 0.1 ms for a thousand: those of the
# rarest words, and one more is compared with them.
BUDGET = 2_500
# Without vectors words alone must find what is to be told, however common they are.
WORDS_ALONE = 2_000


def subject_of(question: str) -> str:
    """The question without such a beginning; as it came where nothing would be left."""
    rest = _FRAMED.sub("", question, count=1)
    return rest if len(rest.split()) >= LEAST_WORDS else question


def lookup(df: Mapping[str, int], *, words_alone: bool) -> str:
    """The tsquery that finds the passages to score; "" if the vectors alone must find them.

    `df`: in how many passages each word of the question occurs, without those that occur nowhere. `words_alone`: there
    are no vectors, so any of the words is enough.
    """
    if words_alone:
        return lexemes(bm25.rarest(df, WORDS_ALONE), " | ")
    alone, others, scored, read = list[str](), list[str](), 0, 0
    for word, found in sorted(df.items(), key=lambda item: (item[1], item[0])):
        if scored + found <= ALONE:
            alone.append(word)
            scored += found
        elif read <= BUDGET:
            others.append(word)
            read += found
    return " | ".join(filter(None, [lexemes(alone, " | "), two_of(others)]))
