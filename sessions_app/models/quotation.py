"""Which passage of a conversation an insight was made from."""

from django.db import models

from accounts.models import User
from knowledge.models import Insight
from sessions_app.models.passage import Passage
from sessions_app.models.session import AgentSession
from sessions_app.querysets.passages import QuotationQuerySet


class Quotation(models.Model):
    """An insight quotes a passage. It has no text of its own: the words are shown to who may read the passage, and are
    gone once that is. What is left then is the session that they were said in.
    """

    insight = models.ForeignKey(Insight, on_delete=models.CASCADE, related_name="quotations")
    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="quotations")
    passage = models.ForeignKey(Passage, null=True, on_delete=models.SET_NULL, related_name="quotations")
    # Who chose it; nobody if it was proposed, because it answered often.
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    proposed = models.BooleanField(default=False)
    at = models.DateTimeField()

    objects = QuotationQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["insight", "passage"], name="quotation_once")]
        indexes = [
            models.Index(fields=["insight"], name="quotation_proposed", condition=models.Q(proposed=True)),
        ]

    def __str__(self) -> str:
        return f"{self.insight_id} quotes S-{self.session_id}"
