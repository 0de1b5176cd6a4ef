"""What the files of a question speak for: the conversations in which they were edited or named.

An agent asks before it works on a file, and what was decided about that file was mostly said while it was edited. Who
reports a fault does so in words of their own, but the file is the same one. So such a conversation is more likely
meant, the more so the fewer there are: what is in every conversation tells nothing.
"""

from collections.abc import Sequence

from knowledge.retrieval.rules.locality import Context

# A file that is given with its folder, and the name alone, which other folders may have too.
WHOLE, BY_NAME = 1.0, 0.5
# Up to so many conversations with a file each speak fully for it.
FEW = 8
# What the weight adds to the score of a conversation, to the evidence by which it is short-listed, and to the relevance
# of each of its passages.
SCORE, EVIDENCE, RELEVANCE = 0.2, 0.3, 0.3


def file_terms(context: Context) -> tuple[list[str], list[str]]:
    """The terms by which the files of a question are found: their paths and the ends of these with a folder, and their
    names alone. To the search a path is one word, and so is a name that stands by itself.
    """
    given = {path.strip("/").lower() for path in (*context.files, *context.loose, *context.named)}
    ends = {"/".join(parts[at:]) for parts in (path.split("/") for path in given) for at in range(len(parts))}
    return sorted(end for end in ends if "/" in end), sorted(end for end in ends if "/" not in end)


def file_weights(found: Sequence[tuple[int, bool]]) -> dict[int, float]:
    """How much the files speak for each session; `found`: whether it has one by its whole path."""
    rare = min(1.0, FEW / max(len(found), 1))
    return {session: rare * (WHOLE if whole else BY_NAME) for session, whole in found}
