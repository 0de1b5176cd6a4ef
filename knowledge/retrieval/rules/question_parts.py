"""Split a long question into parts that are searched separately.

What is asked often stands in one sentence, and the other sentences say where it came up. The vector of a long text is
near nothing in particular, and its words match everywhere. On 300 titles of notes placed at the end of 25 to 54 words
of an unrelated conversation, the note was the best result for 35 % by the whole text, and for 64 % by its best part.
The best part separates these from 278 long questions without an answer with an AUC of 0.95, the whole text with 0.82
(docs/decisions/0028-long-questions.md).
"""

import re
from collections.abc import Sequence

from knowledge.retrieval.rules.relevance import COVERAGE_WEIGHT

# In words. Shorter questions are searched as a whole; half of the labelled questions written by people have fewer than
# 12 words.
LONG = 20
# MOST_PARTS limits the number of index searches. A part has at least LEAST_WORDS words: a shorter sentence says too
# little, and phrases that are in every report ("A failing test is at …") would find notes about just that.
MOST_PARTS, LEAST_WORDS = 3, 8
# Subtracted from the cosine of a part, because the maximum over several parts is higher by chance. With this value, as
# many long questions without an answer are answered as by the whole text alone.
DISCOUNT = 0.06
# Weight of the part's BM25 in the ranking; the rest is the whole question's. (The decision to answer uses the part's
# alone.) In questions where each sentence narrows the subject (CACM), the part's BM25 alone costs 0.09 of nDCG@10, and
# with this weight 0.007. The price: the title at the end of a conversation ranks first for 65 % instead of 69 %.
RANKING_SHARE = 0.3

_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")


def question_parts(text: str) -> list[str]:
    """Return at most MOST_PARTS parts made of whole sentences, of about equal length; none if the text is short or one
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
    """Return the (cosine distance, −BM25) of a row by the part that matches it best, scaled to the whole question.

    They are returned unchanged if no part matches better than the whole. `of_parts`: distance and −BM25 for each part
    in turn. `total`, `totals`: `bm25.total_idf` of the whole question and of each part.
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
    """Return the evidence for one row, as `relevance.evidence` does for all."""
    return max(1.0 - distance, 0.0) + COVERAGE_WEIGHT * min(-keyword / total if total else 0.0, 1.0)
