"""By which words of a question passages are looked up.

Theory of operation. To look a passage up costs little, to score it much more, for its row is wherever in the table. One
that shares a single word of many with the question is told only if it is near in meaning as well, and then the vectors
find it. So a passage must have two of the words, or one that says as much as half of the question: the index itself
tells which have, and a third to a tenth of the rows are left to be scored.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from knowledge.rules import bm25
from knowledge.rules.vectors import lexemes

# How many entries of the index are read for passages with two of the words, some 0.1 ms for a thousand: those of the
# rarest words, and one more is compared with them.
BUDGET = 5_000
# The share of the question, by rarity, from which on one word is enough; unless more passages than this have it, for it
# tells none of them from the others.
ALONE, MOST_ALONE = 0.5, 2_000


def lookup(words: Sequence[str], total: int, df: Mapping[str, int], *, words_alone: bool) -> str:
    """The tsquery that finds the passages to be scored, "" where the vectors must do.

    `words`: the question's terms; `df`: in how many of `total` passages each occurs, without those that occur nowhere.
    `words_alone`: there are no vectors, so any of the words is enough.
    """
    if words_alone:
        return lexemes(bm25.rarest(df, MOST_ALONE), " | ")
    counts, enough = Counter(words), ALONE * bm25.total_idf(words, total, df)
    alone, others, read = list[str](), list[str](), 0
    for word, found in sorted(df.items(), key=lambda item: (item[1], item[0])):
        if found <= MOST_ALONE and counts[word] * bm25.idf(total, found) >= enough:
            alone.append(word)
        elif read <= BUDGET:
            others.append(word)
            read += found
    return " | ".join(filter(None, [lexemes(alone, " | "), _two_of(others)]))


def _two_of(words: Sequence[str]) -> str:
    """The tsquery of texts with two of the words, at least: one of each half, or two of either."""
    if len(words) < 2:
        return ""
    one, other = words[: len(words) // 2], words[len(words) // 2 :]
    both = f"({lexemes(one, ' | ')}) & ({lexemes(other, ' | ')})"
    return " | ".join(filter(None, [both, _two_of(one), _two_of(other)]))
