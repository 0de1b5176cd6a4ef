"""A long question in parts, each searched by itself: what is wanted stands in one sentence of it, and the others say
where it came up.

Theory of operation. The vector of a long text is near nothing in particular, and its words are everywhere. Of 300
titles of notes at the end of 25 to 54 words of an unrelated conversation, the note was the best result for 35 % by the
whole text and for 64 % by the best of its parts. The best part tells these from 278 long questions without an answer
with an AUC of .95, the whole text with one of .82 (docs/decisions/0028-long-questions.md).
"""

import re
from collections.abc import Sequence

from knowledge.retrieval.rules.relevance import COVERAGE_WEIGHT

# Shorter ones are asked as a whole: half of the judged questions of people have fewer words than 12.
LONG = 20
# More parts take more of the index. With fewer words than this a sentence says too little, and what stands in every
# report ("A failing test is at …") would be near notes about just that.
MOST_PARTS, LEAST_WORDS = 3, 8
# The best of some tries is better by chance: so much of cosine is taken off. With it as many long questions without an
# answer get one as by the whole text alone.
DISCOUNT = 0.06
# Whether something is an answer is told by the words of the part; which is the better one, by those of the question,
# with this share of the part's: where each sentence of a question narrows it (CACM), the part's words alone lose .09 of
# nDCG@10 and with this share .007; the title at the end of a conversation is first for 65 % instead of 69.
RANKING_SHARE = 0.3

_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")


def question_parts(text: str) -> list[str]:
    """At most MOST_PARTS pieces of whole sentences, of about the same length; none of a text that is short or one
    sentence.
    """
    if len(text.split()) < LONG:
        return []
    parts: list[str] = []
    for sentence in filter(None, map(str.strip, _ENDS.split(text))):
        if parts and len(parts[-1].split()) < LEAST_WORDS:
            parts[-1] += f" {sentence}"
        else:
            parts.append(sentence)
    if len(parts) > 1 and len(parts[-1].split()) < LEAST_WORDS:
        parts[-2:] = [f"{parts[-2]} {parts[-1]}"]
    while len(parts) > MOST_PARTS:
        at = min(range(len(parts) - 1), key=lambda at: len(parts[at].split()) + len(parts[at + 1].split()))
        parts[at : at + 2] = [f"{parts[at]} {parts[at + 1]}"]
    return parts if len(parts) > 1 else []


def by_best_part(
    distance: float | None, keyword: float, of_parts: Sequence[float | None], total: float, totals: Sequence[float]
) -> tuple[float | None, float]:
    """(cosine distance, −BM25) of a row by the part that speaks most for it, as if the whole question did so; as they
    are where none speaks more than the whole.

    `of_parts`: the row's distance and −BM25 by each part in turn; `total`, `totals`: `bm25.total_idf` of the whole and
    of each part.
    """
    if distance is None:
        return distance, keyword
    best, chosen = _evidence(distance, keyword, total), (distance, keyword)
    for at, whole in enumerate(totals):
        far, words = of_parts[2 * at], of_parts[2 * at + 1] or 0.0
        if far is None:
            continue
        found = _evidence(far, words, whole) - DISCOUNT
        if found > best:
            best, chosen = found, (far + DISCOUNT, words * total / whole if whole else 0.0)
    return chosen


def _evidence(distance: float, keyword: float, total: float) -> float:
    """As `relevance.evidence`, of one row."""
    return max(1.0 - distance, 0.0) + COVERAGE_WEIGHT * min(-keyword / total if total else 0.0, 1.0)
