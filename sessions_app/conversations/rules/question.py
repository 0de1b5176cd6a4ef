"""The subject of a question, and the words by which passages are looked up.

"What did we decide on retries of the carrier API?" is answered by a sentence on retries in which nothing is "decided".
The framing occurs in no answer, and turns the question's vector away from its subject.

Looking a passage up in the index is cheap; scoring it is not, because its row may be anywhere in the table. A passage
that shares a single common word with the question is quoted only if it is also near in meaning, and then the vectors
find it. So rare words are looked up alone and commoner ones in pairs: the index itself finds the passages with both
words, and a third of the rows are left to be scored.
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
# The least number of words that a question keeps.
LEAST_WORDS = 2
# A word finds passages by itself if at most this many have it; in a collection of some hundreds nearly every word does.
# LoCoMo's evidence, nothing left out: .835 with 400, .832 with every passage of up to 2,000; with trimming, of conv-26:
# .790 with 400, .788 with 150.
ALONE = 200
# The number of index entries read for pairs of the commoner words, some 0.1 ms for a thousand: those of the rarest
# words, each paired with one more.
BUDGET = 2_500
# The limit without vectors, where words alone must find passages, however common they are.
WORDS_ALONE = 2_000


def subject_of(question: str) -> str:
    """Return the question without such a framing; unchanged if too little would be left."""
    rest = _FRAMED.sub("", question, count=1)
    return rest if len(rest.split()) >= LEAST_WORDS else question


def lookup(df: Mapping[str, int], *, words_alone: bool) -> str:
    """Return the tsquery that finds the passages to score; "" if the vectors alone must find them.

    `df`: the number of passages that have each word of the question, without words that occur nowhere. `words_alone`:
    there are no vectors, so any one of the words is enough.
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
