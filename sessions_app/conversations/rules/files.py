"""Which conversations the files of a question speak for: those in which they were edited or named.

An agent asks before it works on a file, and what was decided about that file was mostly said while it was edited. Who
reports a fault does so in words of their own, but the file is the same one. So such a conversation is more likely
meant, and the more so the fewer there are: what is in every conversation tells nothing.

Of the facts of 66 decisions by three authors, asked for by bug reports in other words that name their file, .45 were
told within 400 tokens without and .71 with this (docs/decisions/0031-files-of-a-question.md).
"""

from collections.abc import Iterable, Sequence

from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.locality import Context
from knowledge.rules.vectors import lexemes

# A file that is given with its folder, and the name alone, which other folders may have too.
WHOLE, BY_NAME = 1.0, 0.5
# Up to so many conversations with a file each speak fully for it.
FEW = 8
# What the weight adds to the score of a conversation, to the evidence by which it is short-listed, and to the relevance
# of each of its passages. On 44 of those decisions .63 and .63 of the facts are told within 400 tokens with a SCORE of
# .1, .67 and .71 with .2, .68 and .71 with .3 (26 Nov 2026); EVIDENCE of .5 and RELEVANCE of .15 are within .03.
SCORE, EVIDENCE, RELEVANCE = 0.2, 0.3, 0.3
# Parts at the end of a path by which it is looked for beside the whole of it.
MOST_PARTS = 4


def file_queries(context: Context) -> tuple[str, str]:
    """Return two tsqueries that find the files of a question: one for their paths, and the ends of these with a folder;
    one for these and their names alone. "" for none.

    To the search a plain path is one word, and so is a name that stands by itself; of others (`[id]/page.tsx`) it has
    the words, which must all be there.
    """
    given = {path.strip("/") for path in (*context.files, *context.loose, *context.named)}
    parted = [path.split("/") for path in sorted(given)]
    ends = {"/".join(parts[-count:]) for parts in parted for count in (*range(1, MOST_PARTS + 1), len(parts))}
    paths = [end for end in ends if "/" in end]
    return any_of(paths), any_of(ends)


def any_of(paths: Iterable[str]) -> str:
    """Return a tsquery that matches any of these paths; "" for none."""
    words = {tuple(sorted(set(bm25.terms(path)))) for path in paths}
    return " | ".join(f"({lexemes(some, ' & ')})" for some in sorted(words) if some)


def file_weights(found: Sequence[tuple[int, bool]]) -> dict[int, float]:
    """Return how much the files speak for each session, 0 to 1; `found`: whether it has one by its path."""
    rare = min(1.0, FEW / max(len(found), 1))
    return {session: rare * (WHOLE if whole else BY_NAME) for session, whole in found}
