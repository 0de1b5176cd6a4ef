"""What searching conversations needs beside the passages: how rare each word is, and which passages were served."""

from django.db import models

from accounts.models import Team
from knowledge.models import Query
from sessions_app.models.passage import Passage
from sessions_app.querysets.passage_terms import PassageTermQuerySet
from sessions_app.querysets.served_passages import ServedPassageQuerySet


class PassageTerm(models.Model):
    """In how many of a team's passages a term occurs; the empty term counts all of them.

    Triggers on the passages keep it (migration 0012): rows come, go and change their team in many ways (a session ends,
    is shared, is forgotten, runs out), and the counts must follow each, in its transaction.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+", db_constraint=False)
    term = models.CharField(max_length=200, blank=True)
    passages = models.IntegerField()

    objects = PassageTermQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "term"], name="passage_term_once_a_team")]

    def __str__(self) -> str:
        return f"{self.term} ({self.passages})"


class ServedPassage(models.Model):
    """A passage that was in the answer to a question; whose question it was, and when, is told by `query`.

    `helpful`: what they said of the answer, if anything.
    """

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="passages")
    passage = models.ForeignKey(Passage, on_delete=models.CASCADE, related_name="served")
    # When its asker opened the conversation: the version before writes it, and nothing reads it.
    read_at = models.DateTimeField(null=True)
    helpful = models.BooleanField(null=True)

    objects = ServedPassageQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["query", "passage"], name="passage_served_once_a_query")]
        indexes = [
            models.Index(fields=["passage", "query"], name="served_and_helped", condition=models.Q(helpful=True)),
        ]

    def __str__(self) -> str:
        return f"passage {self.passage_id} for question {self.query_id}"
