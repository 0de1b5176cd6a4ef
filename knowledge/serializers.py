"""Shapes at the door of `insights/`. What comes in is cleaned to a Draft; what goes out is read off the row."""

from typing import Any

from django.utils import timezone
from rest_framework import serializers

from accounts.serializers import ProblemOut, StrictCharField, StrictSerializer
from knowledge.models import Insight
from knowledge.models.insight import KINDS, STABILITIES
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind, Source, Stability

# A lesson is a page, not a file. Ten of the longest still fit into one request.
LONGEST_BODY = 20_000
LONGEST_ERROR = 20_000
MOST_IN_BATCH = 10


def words(most: int = 50, longest: int = 200) -> serializers.ListField:
    """A list of short strings."""
    return serializers.ListField(
        child=StrictCharField(max_length=longest), max_length=most, required=False, default=list
    )


class SourceIn(StrictSerializer):
    type = serializers.ChoiceField([s.value for s in Source], required=False, default=Source.AGENT.value)
    date = serializers.DateTimeField(required=False, default=None, allow_null=True)
    url = serializers.URLField(max_length=500, required=False, default="", allow_blank=True)


class ProvenanceIn(StrictSerializer):
    path = StrictCharField(max_length=400)
    sha256 = serializers.RegexField(r"^[0-9a-f]{64}$", max_length=64)


class DraftIn(StrictSerializer):
    """An insight to be deposited."""

    kind = serializers.ChoiceField(KINDS)
    body = StrictCharField(max_length=LONGEST_BODY, trim_whitespace=False)
    title = StrictCharField(max_length=200, required=False, default="", allow_blank=True)
    reasoning = StrictCharField(max_length=LONGEST_BODY, required=False, default="", allow_blank=True)
    tags = words(longest=60)
    files = words(longest=400)
    symbols = words()
    repo = StrictCharField(max_length=200, required=False, default="", allow_blank=True)
    error = StrictCharField(
        max_length=LONGEST_ERROR, required=False, default="", allow_blank=True, trim_whitespace=False
    )
    stability = serializers.ChoiceField(STABILITIES, required=False, default=Stability.STABLE.value)
    team = StrictCharField(max_length=60, required=False, default="", allow_blank=True)
    source = SourceIn(required=False)  # type: ignore[assignment]
    provenance = ProvenanceIn(many=True, required=False)
    idempotency_key = StrictCharField(max_length=200, required=False, default="", allow_blank=True)

    def draft(self, key: str = "") -> Draft:
        """The validated draft; `key` is the Idempotency-Key header."""
        data = dict(self.validated_data)
        source = data.pop("source", None) or {}
        return Draft(
            **{
                **data,
                "kind": Kind(data["kind"]),
                "stability": Stability(data["stability"]),
                "idempotency_key": data["idempotency_key"] or key,
                "provenance": [dict(item) for item in data.get("provenance", [])],
                "source_type": Source(source.get("type", Source.AGENT)),
                "source_date": source.get("date"),
                "source_url": source.get("url", ""),
            }
        )


class EditIn(StrictSerializer):
    """Changes to an insight; what is left out stays as it is."""

    kind = serializers.ChoiceField(KINDS, required=False)
    title = StrictCharField(max_length=200, required=False)
    body = StrictCharField(max_length=LONGEST_BODY, required=False, trim_whitespace=False)
    reasoning = StrictCharField(max_length=LONGEST_BODY, required=False, allow_blank=True)
    tags = serializers.ListField(child=StrictCharField(max_length=60), max_length=50, required=False)
    files = serializers.ListField(child=StrictCharField(max_length=400), max_length=50, required=False)
    symbols = serializers.ListField(child=StrictCharField(max_length=200), max_length=50, required=False)
    repo = StrictCharField(max_length=200, required=False, allow_blank=True)
    stability = serializers.ChoiceField(STABILITIES, required=False)
    reason = StrictCharField(max_length=1000, required=False, allow_blank=True)


class BatchIn(StrictSerializer):
    """Up to ten insights, each judged for itself."""

    insights = serializers.ListField(min_length=1, max_length=MOST_IN_BATCH)


class ReasonIn(StrictSerializer):
    reason = StrictCharField(max_length=1000, required=False, default="", allow_blank=True)


class InsightOut(serializers.ModelSerializer[Insight]):
    """An insight as agents see it."""

    team = serializers.CharField(source="team.slug")
    author = serializers.SerializerMethodField()
    source = serializers.SerializerMethodField()  # type: ignore[assignment]
    tags = serializers.ListField(child=serializers.CharField())
    files = serializers.ListField(child=serializers.CharField())
    symbols = serializers.ListField(child=serializers.CharField())
    confidence = serializers.CharField()
    strength = serializers.SerializerMethodField()
    age_days = serializers.SerializerMethodField()
    superseded_by = serializers.SerializerMethodField()

    class Meta:
        model = Insight
        fields: tuple[str, ...] = (
            "ref", "team", "kind", "status", "title", "body", "reasoning", "tags", "files", "symbols", "repo",
            "stability", "source", "author", "confidence", "corroboration_count", "last_corroborated_at", "strength",
            "pinned", "trust", "provenance", "superseded_by", "revision", "age_days", "created_at", "updated_at",
        )  # fmt: skip

    def get_author(self, insight: Insight) -> str | None:
        return insight.author.username if insight.author else None

    def get_source(self, insight: Insight) -> dict[str, Any]:
        return {"type": insight.source_type, "date": insight.source_date, "url": insight.source_url or None}

    def get_strength(self, insight: Insight) -> float:
        """Effective now, 0–100."""
        return round(insight.effective_strength(self._now), 2)

    def get_age_days(self, insight: Insight) -> float:
        return round((self._now - insight.created_at).total_seconds() / 86_400, 2)

    def get_superseded_by(self, insight: Insight) -> str | None:
        return insight.superseded_by.ref if insight.superseded_by else None

    @property
    def _now(self) -> Any:
        return self.context.get("now") or timezone.now()


class DegradedOut(serializers.Serializer[Any]):
    component = serializers.CharField()
    reason = serializers.CharField()


class DepositedOut(serializers.Serializer[Any]):
    """What became of a deposit. `stripped` counts invisible characters that were taken out, by field."""

    outcome = serializers.CharField()
    insight = InsightOut()
    stripped = serializers.DictField(child=serializers.IntegerField())
    degraded = DegradedOut(many=True)


class BatchItemOut(serializers.Serializer[Any]):
    """One item's answer: `outcome` and `insight` when it was stored, `problem` (a problem document) when not."""

    status = serializers.IntegerField()
    outcome = serializers.CharField(required=False)
    insight = InsightOut(required=False)
    stripped = serializers.DictField(child=serializers.IntegerField(), required=False)
    degraded = DegradedOut(many=True, required=False)
    problem = ProblemOut(required=False)


class BatchOut(serializers.Serializer[Any]):
    results = BatchItemOut(many=True)


class PageOut(serializers.Serializer[Any]):
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = InsightOut(many=True)


class HistoryOut(serializers.Serializer[Any]):
    """One line of the log."""

    at = serializers.DateTimeField()
    who = serializers.CharField(source="actor")
    what = serializers.CharField(source="line")
    verb = serializers.CharField()
    why = serializers.CharField()
    before = serializers.DictField()
    after = serializers.DictField()
