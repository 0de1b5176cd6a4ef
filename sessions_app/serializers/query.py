"""Shapes at the door of `query/`."""

from typing import Any

from rest_framework import serializers

from accounts.rules.preferences import Effective
from accounts.serializers import DegradedOut, SessionField, StrictCharField, StrictSerializer, WordField
from knowledge.models.insight import KINDS
from knowledge.retrieval.actions.retrieve import Hit
from knowledge.retrieval.actions.warn import Summary
from knowledge.retrieval.rules.ask import DEEPEST, DEFAULT_LIMIT, LONGEST_QUESTION, MOST, Ask
from knowledge.rules.vocabulary import Kind
from knowledge.serializers.insights import LONGEST_ERROR, InsightOut, RelatedInsightOut, related_out, words
from sessions_app.answers.actions.build_answer import PARTS
from sessions_app.conversations.actions.find import ConversationAnswer
from sessions_app.conversations.rules.excerpts import Excerpt
from sessions_app.transcripts.rules.speakers import Speaker
from skills.serializers import AppliedOut

# A question with a stack trace pasted into it. Of the question itself the first LONGEST_QUESTION characters are read.
LONGEST_QUERY = LONGEST_QUESTION + LONGEST_ERROR


class AskIn(StrictSerializer):
    """A question and where it comes from."""

    query = StrictCharField(max_length=LONGEST_QUERY)
    files = words(longest=400)
    symbols = words()
    tags = words(longest=60)
    error = StrictCharField(
        max_length=LONGEST_ERROR, required=False, default="", allow_blank=True, trim_whitespace=False
    )
    repo = StrictCharField(max_length=200, required=False, default="", allow_blank=True)
    kinds = serializers.ListField(
        child=WordField(KINDS),
        max_length=len(Kind),
        required=False,
        default=list,
    )
    teams = words(most=20, longest=60)
    limit = serializers.IntegerField(min_value=1, max_value=MOST, required=False, default=DEFAULT_LIMIT)
    session = SessionField()
    depth = serializers.IntegerField(
        min_value=0,
        max_value=DEEPEST,
        required=False,
        default=DEEPEST,
        help_text="0: topics only; 1: the best insight of each topic; 2: all",
    )
    topic = serializers.UUIDField(required=False, default=None, allow_null=True, help_text="search this topic only")
    explain = serializers.BooleanField(required=False, default=False)
    min_score = serializers.FloatField(required=False, default=None, allow_null=True)
    trim = serializers.BooleanField(
        required=False, default=True, help_text="false: the ranked list as it is, up to the limit"
    )
    max_tokens = serializers.IntegerField(min_value=50, max_value=20_000, required=False, default=800)
    include = serializers.ListField(child=WordField(PARTS), max_length=len(PARTS), required=False, default=list(PARTS))

    def ask(self) -> Ask:
        data = self.validated_data
        names = ("files", "symbols", "tags", "error", "repo", "kinds", "teams", "limit", "min_score", "trim", "depth")
        return Ask(text=data["query"], topic=str(data["topic"] or ""), **{name: data[name] for name in names})


class WhyNotIn(StrictSerializer):
    ref = StrictCharField(max_length=24)


class PartOut(serializers.Serializer[Any]):
    """A piece of a score. The terms are added up; then each part that `multiplies` does so."""

    name = serializers.CharField()
    value = serializers.FloatField()
    weight = serializers.FloatField()
    worth = serializers.FloatField()
    why = serializers.CharField()
    multiplies = serializers.BooleanField()


class LaterOut(serializers.Serializer[Any]):
    """An insight that was learned since, and is perhaps about the same thing."""

    ref = serializers.CharField()
    title = serializers.CharField()


class HitOut(InsightOut):
    """An insight with its rank: `score` is the sum of the parts, `similarity` the cosine. `current`: true, "disputed"
    where it is open which of two holds, as of both sides of a proposed replacement, or false where a lead has kept what
    it was to replace, or it only says again what has been superseded. `held_back`: why it stands behind a confirmed
    one, if it would come before that otherwise. `later`: what was learned since and is perhaps about the same thing,
    though nobody has compared the two.
    """

    current = serializers.JSONField()
    related = RelatedInsightOut(many=True)

    similarity = serializers.FloatField()
    score = serializers.FloatField()
    why = serializers.CharField()
    held_back = serializers.CharField()
    later = LaterOut(many=True)
    parts = PartOut(many=True, required=False)

    class Meta(InsightOut.Meta):
        own = ("similarity", "score", "why", "held_back", "later", "parts", "current", "related")
        fields: tuple[str, ...] = (*InsightOut.Meta.fields, *own)


class SummaryOut(serializers.Serializer[Any]):
    """A topic of what was found: how many insights of which kinds, before the limit."""

    id = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]
    kinds = serializers.DictField(child=serializers.IntegerField())
    count = serializers.IntegerField()


class PreferenceHeldOut(serializers.Serializer[Any]):
    """A preference that holds for the asker, and why it does. All of it is at `preferences/`."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    value = serializers.CharField()
    statement = serializers.CharField()
    category = serializers.CharField()
    scope = serializers.CharField()
    team = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    confidence = serializers.FloatField()
    why = serializers.CharField()


class ContradictionOut(serializers.Serializer[Any]):
    """Two insights that speak against each other; `newer` is the one that was learned later, null if both were at
    once.
    """

    a = serializers.CharField()
    b = serializers.CharField()
    reason = serializers.CharField()
    signs = serializers.ListField(child=serializers.CharField())
    confidence = serializers.FloatField()
    newer = serializers.CharField(allow_null=True)

    def to_representation(self, warning: Any) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(warning)
        return shown | {"confidence": round(warning.confidence, 2), "newer": warning.newer or None}


class ConversationSentenceOut(serializers.Serializer[Any]):
    """One sentence of a conversation, as it was said."""

    speaker = WordField([speaker.value for speaker in Speaker])
    turn = serializers.IntegerField(help_text="the place of its passage in the conversation")
    text = serializers.CharField()


class ToldConversationOut(serializers.Serializer[Any]):
    """A conversation that answers the question, and what was told of it. Nobody has reviewed it.

    `amended_by`: a later one on the same subject, which goes before it; `amends`: the one before it. `text` is as it
    stands in the answer's `text`.
    """

    session = serializers.CharField()
    said_at = serializers.DateTimeField()
    who = serializers.CharField()
    agent = serializers.CharField()
    repo = serializers.CharField()
    branch = serializers.CharField()
    score = serializers.FloatField()
    amended_by = serializers.CharField(allow_null=True)
    amends = serializers.CharField(allow_null=True)
    sentences = ConversationSentenceOut(many=True)
    text = serializers.CharField()


class AnswerOut(serializers.Serializer[Any]):
    """`text` is ready to be put before an agent; `query_id` is what a rating and `why-not` refer to."""

    query_id = serializers.UUIDField()
    insights = HitOut(many=True)
    topics = SummaryOut(many=True)
    skills = AppliedOut(many=True)
    preferences = PreferenceHeldOut(many=True)
    contradictions = ContradictionOut(many=True)
    conversations = ToldConversationOut(many=True)
    abstained = serializers.BooleanField()
    unlikely = serializers.BooleanField(
        help_text="the insights probably do not answer the question: the text lists their titles"
    )
    text = serializers.CharField()
    tokens = serializers.IntegerField()
    candidate_count = serializers.IntegerField()
    took_ms = serializers.FloatField()
    degraded = DegradedOut(many=True)
    coaching = serializers.CharField(
        required=False, help_text="a hint about asking that you have not seen; omitted if there is none"
    )


class WhyNotOut(serializers.Serializer[Any]):
    stage = serializers.CharField()
    why = serializers.CharField()
    figures = serializers.DictField(child=serializers.FloatField())


def summary_out(one: Summary) -> dict[str, Any]:
    """As SummaryOut has it: an answer may have seventy, and a serializer took 2 ms for them."""
    return {"id": str(one.id), "label": one.label, "kinds": one.kinds, "count": one.count}


def preference_out(one: Effective) -> dict[str, Any]:
    """As PreferenceHeldOut has it."""
    held = one.stated
    names = ("id", "key", "value", "statement", "category", "source", "confidence")
    shown = {name: getattr(held, name) for name in names}
    return {**shown, "scope": held.scope.value, "team": held.team.slug, "why": one.why}


def conversation_out(told: Excerpt, answer: ConversationAnswer) -> dict[str, Any]:
    """As ToldConversationOut has it."""
    found, first = told.found, answer.lines[told.found.ref][0]
    return {
        "session": found.ref,
        "said_at": max(passage.said_at for passage in found.passages),
        "who": first.who,
        "agent": first.agent,
        "repo": first.repo,
        "branch": first.branch,
        "score": round(answer.scores[found.ref], 4),
        "amended_by": found.changed_by.ref if found.changed_by and found.changed_by.sure else None,
        "amends": found.changes.ref if found.changes and found.changes.sure else None,
        "sentences": [{"speaker": one.speaker.value, "turn": one.position, "text": one.text} for one in told.sentences],
        "text": told.text.strip(),
    }


def hit_out(hit: Hit, *, explain: bool, shown: InsightOut) -> dict[str, Any]:
    """An insight with the figures of its rank, and every part of them if `explain`.

    `shown` is one serializer for all hits: to make one takes three times as long as to use it.
    """
    data: dict[str, Any] = dict(shown.to_representation(hit.insight))
    data["similarity"] = round(hit.similarity, 4)
    data["score"] = round(hit.score.total, 4)
    data["why"] = hit.score.why
    data["held_back"] = hit.held_back
    data["later"] = [{"ref": row.ref, "title": row.title} for row in hit.later]
    data |= related_out(hit.currency, hit.related)
    if explain:
        data["parts"] = PartOut(hit.score.parts, many=True).data
    return data
