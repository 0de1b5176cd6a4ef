"""Which conversations the files of a question speak for: those in which they were edited or named.

An agent asks before it works on a file, and most of what was decided about the file was said while it was edited. A
fault is reported in other words, but with the same file. So a conversation with the file is likelier meant, and the
more so the fewer there are: a file that is in every conversation tells nothing.

Of the facts of 66 decisions by three authors, asked for by bug reports in other words that name their file, .71 are
quoted within 400 tokens with this rule and .45 without (docs/decisions/0031-files-of-a-question.md).
"""

from collections.abc import Iterable, Sequence

from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.locality import Context
from knowledge.rules.vectors import lexemes

# The weights of a file given with its folder, and of the name alone, which other folders may have too.
WHOLE, BY_NAME = 1.0, 0.5
# Up to this many conversations with a file have its full weight.
FEW = 8
# What the weight adds to the score of a conversation, to the evidence that short-lists it, and to the relevance of each
# of its passages. On 44 of the decisions .63 and .63 of the facts are quoted within 400 tokens with a SCORE of .1, .67
# and .71 with .2, .68 and .71 with .3 (26 Nov 2026); EVIDENCE of .5 and RELEVANCE of .15 are within .03.
SCORE, EVIDENCE, RELEVANCE = 0.2, 0.3, 0.3
# The number of a path's last parts that are searched beside the whole path.
MOST_PARTS = 4


def file_queries(context: Context) -> tuple[str, str]:
    """Return two tsqueries that find the files of a question: one for their paths and the ends of the paths with a
    folder, and one that also finds the names alone. "" for none.

    The search reads a plain path, or a name by itself, as one word. Any other path (`[id]/page.tsx`) is split into
    words, which must all match.
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
    """Return how much the files speak for each session, 0 to 1. `found`: each session, and whether it has a file by its
    path.
    """
    rare = min(1.0, FEW / max(len(found), 1))
    return {session: rare * (WHOLE if whole else BY_NAME) for session, whole in found}
