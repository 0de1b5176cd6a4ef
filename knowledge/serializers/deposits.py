"""What a deposit is answered with."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import (
    DegradedOut,
    ProblemOut,
    WordField,
)
from knowledge.judging.rules.dedup import DedupOutcome
from knowledge.judging.rules.relations import CueKind, Reason, Relation, RelationState
from knowledge.retrieval.rules.score import Score
from knowledge.serializers.insights import InsightOut


class CueOut(serializers.Serializer[Any]):
    """One thing that two texts differ in, with the words of either."""

    kind = WordField([kind.value for kind in CueKind])
    first = serializers.ListField(child=serializers.CharField())
    second = serializers.ListField(child=serializers.CharField())


class AskedOut(serializers.Serializer[Any]):
    """An insight near the deposit, of which its agent may say what the deposit is to it. `text` is at most 60 words;
    `cues`: what the two differ in, the words of the older one first; `repo`: its repository, if that is another one.
    """

    ref = serializers.CharField()
    title = serializers.CharField()
    text = serializers.CharField()
    kind = serializers.CharField()
    status = serializers.CharField()
    pinned = serializers.BooleanField()
    author = serializers.CharField(allow_null=True)
    source_type = serializers.CharField()
    age_days = serializers.FloatField()
    similarity = serializers.FloatField()
    cues = CueOut(many=True)
    repo = serializers.CharField(allow_blank=True)


class AskOut(serializers.Serializer[Any]):
    """A question to the depositing agent, which `insights/{ref}/relations/` answers. Nothing is lost if it does not."""

    neighbours = AskedOut(many=True)
    relations = serializers.ListField(child=serializers.CharField())


class NamedOut(serializers.Serializer[Any]):
    """A note near the deposit that its agent is not asked about: what stands out too little for a question may still be
    what the deposit replaces, and its agent sees that. `text` is at most 25 words of what follows its title.
    """

    ref = serializers.CharField()
    title = serializers.CharField()
    text = serializers.CharField()
    kind = serializers.CharField()
    status = serializers.CharField()
    age_days = serializers.FloatField()


class StatedOut(serializers.Serializer[Any]):
    """What became of a relation that was stated, and why. `instead_of`: the reference that was named, if that note has
    given way to `ref`; else empty.
    """

    ref = serializers.CharField()
    relation = WordField([relation.value for relation in Relation])
    state = WordField([state.value for state in RelationState])
    reason = WordField([reason.value for reason in Reason])
    cues = CueOut(many=True)
    instead_of = serializers.CharField(allow_blank=True, default="")


class NeighbourOut(serializers.Serializer[Any]):
    """What was near a deposit. `stance`: what the server made of it, null where it asks."""

    ref = serializers.CharField()
    similarity = serializers.FloatField()
    stance = serializers.CharField(allow_null=True)
    by = serializers.CharField(allow_null=True)


class RedactionOut(serializers.Serializer[Any]):
    """Personal data that was masked: what it was and where, in the text as it came."""

    pattern = serializers.CharField()
    field = serializers.CharField()
    line = serializers.IntegerField()
    column = serializers.IntegerField()


class QualityOut(serializers.Serializer[Any]):
    score = serializers.SerializerMethodField()
    parts = serializers.SerializerMethodField()

    def get_score(self, quality: Score) -> float:
        return round(quality.total, 4)

    def get_parts(self, quality: Score) -> list[dict[str, Any]]:
        return [
            {"name": p.name, "value": round(p.value, 4), "weight": p.weight, "worth": round(p.worth, 4), "why": p.why}
            for p in quality.parts
        ]


class DepositedOut(serializers.Serializer[Any]):
    """What became of a deposit: `insight` is its row, or the one it was merged into.

    `superseded` is what gave way to it, `supersedes` all of them if there are several. `stripped` counts invisible
    characters that were taken out, by field.
    """

    outcome = WordField([outcome.value for outcome in DedupOutcome])
    insight = InsightOut()
    superseded = serializers.SerializerMethodField()
    supersedes = serializers.ListField(child=serializers.CharField(), source="superseded")
    ask = AskOut(allow_null=True, source="question")
    near = NamedOut(many=True)
    related = StatedOut(many=True)
    neighbours = NeighbourOut(many=True)
    quality = QualityOut()
    redactions = RedactionOut(many=True)
    stripped = serializers.DictField(child=serializers.IntegerField())
    degraded = DegradedOut(many=True)

    def get_superseded(self, done: Any) -> str | None:
        return done.superseded[0] if done.superseded else None


class BatchItemOut(serializers.Serializer[Any]):
    """One item's answer: `outcome` and `insight` when it was stored, `problem` (a problem document) when not."""

    status = serializers.IntegerField()
    outcome = serializers.CharField(required=False)
    insight = InsightOut(required=False)
    superseded = serializers.CharField(required=False, allow_null=True)
    supersedes = serializers.ListField(child=serializers.CharField(), required=False)
    ask = AskOut(allow_null=True, required=False)
    near = NamedOut(many=True, required=False)
    related = StatedOut(many=True, required=False)
    neighbours = NeighbourOut(many=True, required=False)
    quality = QualityOut(required=False)
    redactions = RedactionOut(many=True, required=False)
    stripped = serializers.DictField(child=serializers.IntegerField(), required=False)
    degraded = DegradedOut(many=True, required=False)
    problem = ProblemOut(required=False)


class BatchOut(serializers.Serializer[Any]):
    results = BatchItemOut(many=True)
