"""What BM25 needs to know of a team's insights as a whole, kept by the writes and recounted by beat; and by that,
whether two have anything in common.
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

# The length (in terms) a first insight is measured against, before the team has an average of its own.
FIRST_PIVOT = 60.0


class Lexicon(models.Model):
    """How many insights a team has, how long they are together, and the average length their keyword vectors assume."""

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
        """The team's row, made with its first insight."""
        return cls.objects.get_or_create(team_id=team_id)[0]

    def count(self, *, added: Iterable[list[str]] = (), removed: Iterable[list[str]] = ()) -> None:
        """Count texts (as their terms, repeated) in and out. The caller holds the team's row.

        Statistics that were wrong before stop nobody: they are never below nothing, and beat recounts them.
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
        """Forget the terms that no insight has any more."""
        Term.objects.filter(team_id=self.pk, documents__lte=0).delete()

    @property
    def average(self) -> float:
        """Terms in an insight, on the mean; the pivot while there is none."""
        return self.length / self.documents if self.documents else self.pivot


class Term(models.Model):
    """In how many of a team's insights a term occurs."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    term = models.CharField(max_length=200)
    documents = models.IntegerField(default=0)

    objects = TermQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "term"], name="term_once_a_team")]

    def __str__(self) -> str:
        return f"{self.term} ({self.documents})"


def similarity(one: "Insight", other: "Insight") -> float:
    """Cosine of two notes; 0 where one has no vector."""
    mine, theirs = one.embedding, other.embedding
    return 0.0 if mine is None or theirs is None else float(unit(mine) @ unit(theirs))


# So much of a note's own words, by rarity, another has that it belongs to, however far the two are apart: a handful of
# others may, and none of dozens.
BELONGS = 0.2


def far_apart(one: "Insight", other: "Insight") -> bool:
    """Whether two notes are further apart than unrelated ones are. Not known of a note without a vector."""
    known = one.embedding is not None and other.embedding is not None
    return known and similarity(one, other) < closeness.UNRELATED


def belongs(one: "Insight", other: "Insight") -> bool:
    """Whether a note has something in common with another one of its team: it is not far from it, or has its words."""
    if not far_apart(one, other):
        return True
    words, theirs = set(one.words), set(other.words)
    documents, df = Term.objects.all().frequencies([one.team_id], words, Lexicon.objects.all())
    return closeness.own_words(words, theirs, (), documents, df) >= BELONGS


def nothing_in_common(one: "Insight", other: "Insight") -> bool:
    """Whether two notes of a team are far apart, and share no two rare words: where a team has some dozen notes, nearly
    every word is rare, and one is shared by chance.
    """
    if not far_apart(one, other):
        return False
    shared = set(one.words) & set(other.words)
    documents, df = Term.objects.all().frequencies([one.team_id], shared, Lexicon.objects.all())
    return len(neighbours.rare(shared, documents, df)) < neighbours.FEWEST
