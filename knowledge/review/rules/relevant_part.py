"""The part of a text that is about a question, for a reader who compares two versions of it."""

from knowledge.retrieval.rules import bm25
from knowledge.rules.pieces import pieces

# The number of sentences that are read at a glance beside those of another version.
MOST = 2


def passage_for(text: str, question: str) -> str:
    """Return the sentences with the most words of the question, in their order; without any, the first sentence."""
    asked = set(bm25.terms(question))
    parts = pieces(text)
    shared = [len(asked.intersection(bm25.terms(part))) for part in parts]
    best = sorted((place for place, count in enumerate(shared) if count), key=lambda place: -shared[place])[:MOST]
    return " ".join(parts[place].strip() for place in sorted(best)) or (parts[0].strip() if parts else "")
