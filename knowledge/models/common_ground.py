"""Whether two notes have anything in common: what one may say of another that somebody else wrote rests on it."""

from knowledge.judging.rules import closeness, neighbours
from knowledge.models.insight import Insight
from knowledge.models.lexicon import Lexicon, Term
from knowledge.rules.vectors import unit


def similarity(one: Insight, other: Insight) -> float:
    """Cosine of two notes; 0 where one has no vector."""
    mine, theirs = one.embedding, other.embedding
    return 0.0 if mine is None or theirs is None else float(unit(mine) @ unit(theirs))


def nothing_in_common(one: Insight, other: Insight) -> bool:
    """Whether two notes of a team are further apart than unrelated ones are, and share no rare word. Not known of a
    note without a vector.
    """
    if one.embedding is None or other.embedding is None or similarity(one, other) >= closeness.UNRELATED:
        return False
    shared = set(one.words) & set(other.words)
    documents, df = Term.objects.all().frequencies([one.team_id], shared, Lexicon.objects.all())
    return not neighbours.rare(shared, documents, df)
