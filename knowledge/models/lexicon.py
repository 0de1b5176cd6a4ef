"""The statistics of a team's insights that BM25 needs, updated with each write and recounted by a scheduled job. Also
whether two insights have words in common.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import F
from django.db.models.functions import Greatest

from accounts.models import Team
from knowledge.judging.rules import closeness, neighbours
from knowledge.querysets.words import LexiconQuerySet, TermQuerySet
from knowledge.rules.vectors import unit

if TYPE_CHECKING:
    from knowledge.models.insight import Insight

# In terms: the average length assumed for a team without insights.
FIRST_PIVOT = 60.0


class Lexicon(models.Model):
    """The number of a team's insights (`documents`), their total `length` in terms, and the average length that their
    keyword vectors assume (`pivot`).
    """

    team = models.OneToOneField(Team, primary_key=True, on_delete=models.CASCADE, related_name="lexicon")
    documents = models.PositiveIntegerField(default=0)
    length = models.PositiveBigIntegerField(default=0)
    pivot = models.FloatField(default=FIRST_PIVOT)

    objects = LexiconQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "lexicons"

    def __str__(self) -> str:
        return f"{self.team}: {self.documents} documents"

    @classmethod
    def of(cls, team_id: int) -> Self:
        """Return the team's row; it is created with the first insight."""
        return cls.objects.get_or_create(team_id=team_id)[0]

    def count(self, *, added: Iterable[list[str]] = (), removed: Iterable[list[str]] = ()) -> None:
        """Count texts in and out, each given as its terms with repetitions. The caller holds the team's row.

        Wrong statistics block no write: the counts are never negative, and a scheduled job recounts them.
        """
        added, removed = list(added), list(removed)
        change = Counter(term for terms in added for term in set(terms))
        change.subtract(term for terms in removed for term in set(terms))
        Term.objects.all().add_counts(self.team_id, {term: n for term, n in change.items() if n})
        Lexicon.objects.filter(pk=self.pk).update(
            documents=Greatest(F("documents") + (len(added) - len(removed)), 0),
            length=Greatest(F("length") + (sum(map(len, added)) - sum(map(len, removed))), 0),
        )

    def drop_unused(self) -> None:
        """Delete the terms that no insight has any more."""
        Term.objects.filter(team_id=self.pk, documents__lte=0).delete()

    @property
    def average(self) -> float:
        """The mean number of terms per insight; the pivot without insights."""
        return self.length / self.documents if self.documents else self.pivot


class Term(models.Model):
    """The number of a team's insights that have a term."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    term = models.CharField(max_length=200)
    documents = models.IntegerField(default=0)

    objects = TermQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "term"], name="term_once_a_team")]

    def __str__(self) -> str:
        return f"{self.term} ({self.documents})"


def similarity(one: "Insight", other: "Insight") -> float:
    """Return the cosine of two notes; 0 if one has no vector."""
    mine, theirs = one.embedding, other.embedding
    return 0.0 if mine is None or theirs is None else float(unit(mine) @ unit(theirs))


# A note belongs to another one that has at least this share of its own words, weighted by rarity, however far apart
# their vectors are. For a note among dozens, a handful of others reach it, or none.
BELONGS = 0.2


def far_apart(one: "Insight", other: "Insight") -> bool:
    """Return whether two notes are further apart than unrelated ones; False without both vectors."""
    known = one.embedding is not None and other.embedding is not None
    return known and similarity(one, other) < closeness.UNRELATED


def belongs(one: "Insight", other: "Insight") -> bool:
    """Return whether a note has something in common with another one of its team: it is near it or shares its words."""
    if not far_apart(one, other):
        return True
    words, theirs = set(one.words), set(other.words)
    documents, df = Term.objects.all().frequencies([one.team_id], words, Lexicon.objects.all())
    return closeness.own_words(words, theirs, (), documents, df) >= BELONGS


def nothing_in_common(one: "Insight", other: "Insight") -> bool:
    """Return whether two notes of a team are far apart and share fewer than two rare words. In a team with a few dozen
    notes nearly every word is rare, and one is shared by chance.
    """
    if not far_apart(one, other):
        return False
    shared = set(one.words) & set(other.words)
    documents, df = Term.objects.all().frequencies([one.team_id], shared, Lexicon.objects.all())
    return len(neighbours.rare(shared, documents, df)) < neighbours.FEWEST
