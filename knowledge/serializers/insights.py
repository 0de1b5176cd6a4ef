"""Shapes at the door of `insights/`. What comes in is cleaned to a Draft; what goes out is read off the row."""

from collections.abc import Iterable
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from accounts.serializers import (
    RefField,
    SessionField,
    StrictCharField,
    StrictSerializer,
    WordField,
)
from knowledge.imports.rules.notes import KEYS
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Insight
from knowledge.models.insight import KINDS, STABILITIES
from knowledge.retrieval.actions.related import Related
from knowledge.retrieval.rules.currency import Currency
from knowledge.rules.draft import LONGEST_QUESTION, MOST_QUESTIONS, Draft
from knowledge.rules.vocabulary import Kind, Source, Stability

# A lesson is a page, not a file. Ten of the longest still fit into one request.
LONGEST_BODY = 20_000
LONGEST_ERROR = 20_000
LONGEST_KEY = 200
MOST_IN_BATCH = 10
MOST_RELATIONS = 20


def free_key(key: str) -> None:
    """Refuses an idempotency key of the kind that imports use."""
    if key.startswith(KEYS):
        raise serializers.ValidationError(f"Keys that begin with {KEYS} are Loam's own.")


def words(most: int = 50, longest: int = 200) -> serializers.ListField:
    """A list of short strings."""
    return serializers.ListField(
        child=StrictCharField(max_length=longest), max_length=most, required=False, default=list
    )


class SourceIn(StrictSerializer):
    """Where a note comes from. `human` is what a person writes on a page: with a token it is stored as `agent`."""

    type = WordField([s.value for s in Source], required=False, default=Source.AGENT.value)
    date = serializers.DateTimeField(required=False, default=None, allow_null=True)
    url = serializers.URLField(max_length=500, required=False, default="", allow_blank=True)


class ProvenanceIn(StrictSerializer):
    path = StrictCharField(max_length=400)
    sha256 = serializers.RegexField(r"^[0-9a-f]{64}$", max_length=64)


class RelationIn(StrictSerializer):
    """What a note is to another one: it `duplicates`, `supersedes`, `contradicts` or `complements` it, or is
    `unrelated`.
    """

    ref = RefField(max_length=24)
    relation = WordField([relation.value for relation in Relation])
    note = StrictCharField(max_length=500, required=False, default="", allow_blank=True)

    @staticmethod
    def statements(given: Any) -> tuple[Statement, ...]:
        """Each other note once; of one thing said twice, the last note."""
        return tuple(
            {one["ref"]: Statement(one["ref"], Relation(one["relation"]), one["note"]) for one in given}.values()
        )


class RelatingIn(StrictSerializer):
    """Has `relations`. Two different words for one note are refused: nobody can tell which is meant."""

    def validate(self, data: Any) -> Any:
        given = data.get("relations", ())
        first: dict[str, int] = {}
        for at, one in enumerate(given):
            before = first.setdefault(one["ref"], at)
            word = given[before]["relation"]
            if word != one["relation"]:
                fault = f"relations.{before} already says `{word}` of {one['ref']}; keep one of the two."
                raise serializers.ValidationError({f"relations.{at}.ref": [fault]})
        return data


class RelationsIn(RelatingIn):
    """What a note is to others."""

    relations = serializers.ListField(child=RelationIn(), allow_empty=False, max_length=MOST_RELATIONS)


class DraftIn(RelatingIn):
    """An insight to be deposited."""

    kind = WordField(KINDS)
    body = StrictCharField(max_length=LONGEST_BODY, trim_whitespace=False)
    title = StrictCharField(max_length=200, required=False, default="", allow_blank=True)
    reasoning = StrictCharField(max_length=LONGEST_BODY, required=False, default="", allow_blank=True)
    tags = words(longest=60)
    files = words(longest=400)
    symbols = words()
    questions = words(MOST_QUESTIONS, LONGEST_QUESTION)
    repo = StrictCharField(max_length=200, required=False, default="", allow_blank=True)
    error = StrictCharField(
        max_length=LONGEST_ERROR, required=False, default="", allow_blank=True, trim_whitespace=False
    )
    stability = WordField(STABILITIES, required=False, default=Stability.STABLE.value)
    team = StrictCharField(max_length=60, required=False, default="", allow_blank=True)
    source = SourceIn(required=False)  # type: ignore[assignment]
    provenance = ProvenanceIn(many=True, required=False)
    relations = serializers.ListField(child=RelationIn(), required=False, default=list, max_length=MOST_RELATIONS)
    idempotency_key = StrictCharField(
        max_length=LONGEST_KEY, required=False, default="", allow_blank=True, validators=[free_key]
    )
    session = SessionField()

    def draft(self, key: str = "") -> Draft:
        """The validated draft; `key` is the Idempotency-Key header."""
        data = dict(self.validated_data)
        del data["session"]
        source = data.pop("source", None) or {}
        return Draft(
            **{
                **data,
                "kind": Kind(data["kind"]),
                "stability": Stability(data["stability"]),
                "idempotency_key": data["idempotency_key"] or key,
                "provenance": [dict(item) for item in data.get("provenance", [])],
                "relations": RelationIn.statements(data.get("relations", ())),
                "source_type": Source(source.get("type", Source.AGENT)),
                "source_date": source.get("date"),
                "source_url": source.get("url", ""),
            }
        )


class EditIn(StrictSerializer):
    """Changes to an insight; what is left out stays as it is."""

    kind = WordField(KINDS, required=False)
    title = StrictCharField(max_length=200, required=False)
    body = StrictCharField(max_length=LONGEST_BODY, required=False, trim_whitespace=False)
    reasoning = StrictCharField(max_length=LONGEST_BODY, required=False, allow_blank=True)
    tags = serializers.ListField(child=StrictCharField(max_length=60), max_length=50, required=False)
    files = serializers.ListField(child=StrictCharField(max_length=400), max_length=50, required=False)
    symbols = serializers.ListField(child=StrictCharField(max_length=200), max_length=50, required=False)
    questions = serializers.ListField(
        child=StrictCharField(max_length=LONGEST_QUESTION), max_length=MOST_QUESTIONS, required=False
    )
    repo = StrictCharField(max_length=200, required=False, allow_blank=True)
    stability = WordField(STABILITIES, required=False)
    reason = StrictCharField(max_length=1000, required=False, allow_blank=True)


class BatchIn(StrictSerializer):
    """Up to ten insights, each judged for itself."""

    insights = serializers.ListField(min_length=1, max_length=MOST_IN_BATCH)


class ReasonIn(StrictSerializer):
    reason = StrictCharField(max_length=1000, required=False, default="", allow_blank=True)


class RatingIn(StrictSerializer):
    """A verdict on one insight, or on several."""

    insight = StrictCharField(max_length=24, required=False, default="")
    insights = serializers.ListField(child=StrictCharField(max_length=24), max_length=50, required=False, default=list)
    verdict = WordField(["helpful", "unhelpful"])
    query_id = serializers.UUIDField(required=False, default=None, allow_null=True)
    session = SessionField()
    reason = StrictCharField(max_length=1000, required=False, default="", allow_blank=True)

    @property
    def refs(self) -> list[str]:
        data = self.validated_data
        return [ref for ref in (data["insight"], *data["insights"]) if ref]


class CombineIn(ReasonIn):
    """`by` for supersede, `into` for merge, `corroboration` for unmerge."""

    by = StrictCharField(max_length=24, required=False)
    into = StrictCharField(max_length=24, required=False)
    corroboration = serializers.IntegerField(min_value=1, max_value=2**63 - 1, required=False)


class OwnerIn(ReasonIn):
    """`owner`: a member of the team, or empty for nobody."""

    owner = StrictCharField(max_length=150, allow_blank=True)


class OwnedOut(serializers.Serializer[Any]):
    """Who answers for an insight."""

    ref = serializers.CharField()
    owner = serializers.CharField(source="owner.username", allow_null=True, default=None)


class RatedOut(serializers.Serializer[Any]):
    """`counted` is false when the same voice had said the same of the same question before."""

    ref = serializers.CharField(source="insight.ref")
    strength = serializers.SerializerMethodField()
    status = serializers.CharField(source="insight.status")
    counted = serializers.BooleanField()

    def get_strength(self, rated: Any) -> float:
        return round(rated.insight.effective_strength(timezone.now()), 2)


class CorroborationOut(serializers.Serializer[Any]):
    """What was said again, in its own words."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    who = serializers.SerializerMethodField()
    title = serializers.CharField()
    body = serializers.CharField()
    reasoning = serializers.CharField()
    source_type = serializers.CharField()
    similarity = serializers.FloatField(allow_null=True)
    judged_by = serializers.CharField()

    def get_who(self, said: Any) -> str | None:
        return said.user.username if said.user else None


class InsightOut(serializers.ModelSerializer[Insight]):
    """An insight as agents see it."""

    team = serializers.CharField(source="team.slug")
    author = serializers.SerializerMethodField()
    source = serializers.SerializerMethodField()  # type: ignore[assignment]
    tags = serializers.ListField(child=serializers.CharField())
    files = serializers.ListField(child=serializers.CharField())
    symbols = serializers.ListField(child=serializers.CharField())
    confidence = serializers.SerializerMethodField()
    strength = serializers.SerializerMethodField()
    age_days = serializers.SerializerMethodField()
    superseded_by = serializers.SerializerMethodField()
    topic = serializers.UUIDField(source="topic_id", allow_null=True)
    status = serializers.CharField(source="standing")

    class Meta:
        model = Insight
        fields: tuple[str, ...] = (
            "ref", "team", "kind", "status", "title", "body", "reasoning", "questions", "tags", "files", "symbols",
            "repo", "stability", "source", "author", "confidence", "corroboration_count", "last_corroborated_at",
            "strength", "pinned", "trust", "provenance", "superseded_by", "topic", "revision", "age_days", "created_at",
            "updated_at",
        )  # fmt: skip

    def get_author(self, insight: Insight) -> str | None:
        return insight.author.username if insight.author else None

    def get_source(self, insight: Insight) -> dict[str, Any]:
        return {"type": insight.source_type, "date": insight.source_date, "url": insight.source_url or None}

    def get_confidence(self, insight: Insight) -> str:
        """low, medium or high: by how many people said it. `member` in the context: as that member is shown it."""
        member = self.context.get("member")
        return insight.confidence_for(member) if member else insight.confidence

    def get_strength(self, insight: Insight) -> float:
        """Effective now, 0–100."""
        return round(insight.effective_strength(self._now), 2)

    def get_age_days(self, insight: Insight) -> float:
        """Since it was learned, as a deposit's question counts it: a note imported today may be a year old."""
        return round((self._now - insight.learned_at).total_seconds() / 86_400, 2)

    def get_superseded_by(self, insight: Insight) -> str | None:
        return insight.superseded_by.ref if insight.superseded_by else None

    @property
    def _now(self) -> Any:
        return self.context.get("now") or timezone.now()


# As an answer says it: two plain values, and one word where neither is known.
CURRENT: dict[Currency, bool | str] = {
    Currency.CURRENT: True,
    Currency.OUTDATED: False,
    Currency.DISPUTED: "disputed",
}


class RelatedInsightOut(serializers.Serializer[Any]):
    """What a served insight has to do with another: `relation` is one of duplicates, supersedes, superseded_by,
    contradicts, complements, or undetermined; `state`: open, proposed or settled.
    """

    ref = serializers.CharField(source="insight.ref")
    relation = serializers.CharField()
    state = serializers.CharField(source="link.state")
    newer = serializers.BooleanField()


class InsightReadOut(InsightOut):
    """An insight by itself, with who answers for it and what it has to do with others."""

    owner = serializers.CharField(allow_null=True)
    current = serializers.JSONField()
    related = RelatedInsightOut(many=True)

    class Meta(InsightOut.Meta):
        fields: tuple[str, ...] = (*InsightOut.Meta.fields, "owner", "current", "related")


def related_out(current: Currency, related: Iterable[Related]) -> dict[str, Any]:
    """`current` and `related`, as an answer has them. Two may have several pairs, each with its question: what bears
    most on whether the one holds is said of them.
    """
    bearing = sorted(
        related, key=lambda one: (not one.link.proposed, not one.link.open, one.relation == "undetermined")
    )
    first: dict[str, Related] = {}
    for one in bearing:
        first.setdefault(one.insight.ref, one)
    return {
        "current": CURRENT[current],
        "related": [
            {"ref": one.insight.ref, "relation": one.relation, "state": one.link.state, "newer": one.newer}
            for one in first.values()
        ],
    }


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
