"""Shapes at the doors of evidence, and the stream of a search that the API and a page both send."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from accounts.rules.problems import of_refused
from accounts.rules.refused import Refused
from accounts.serializers import DegradedOut, StrictCharField, StrictSerializer, WordField
from knowledge.evidence.actions.inquiry import Cancelled, Inquiry
from knowledge.evidence.actions.search import EvidenceAnswer, run
from knowledge.evidence.models import KnowledgeCluster, Source
from knowledge.evidence.rules.ask import (
    DEEP_TOP_K,
    LOOPS,
    MOST_LOOPS,
    MOST_TOKENS,
    MOST_TOP_K,
    TOKENS,
    TOP_K,
    EvidenceQuestion,
    Phase,
)
from knowledge.evidence.rules.lifecycle import Lifecycle
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.evidence.rules.scope import LONGEST_GLOB, LONGEST_PATH
from knowledge.models.insight import KINDS
from knowledge.rules.vocabulary import Kind
from knowledge.serializers.insights import words

LONGEST_QUERY = 4_000
MODES = [mode.value for mode in ReuseMode]


class SearchIn(StrictSerializer):
    """A question to the files."""

    query = StrictCharField(max_length=LONGEST_QUERY)
    sources = words(most=20, longest=60)
    paths = words(most=20, longest=LONGEST_PATH)
    mode = WordField(MODES, required=False, default=ReuseMode.FAST.value)
    include = words(most=20, longest=LONGEST_GLOB)
    exclude = words(most=20, longest=LONGEST_GLOB)
    top_k = serializers.IntegerField(
        min_value=1, max_value=MOST_TOP_K, required=False, help_text=f"files at most: {TOP_K}, in DEEP {DEEP_TOP_K}"
    )
    max_loops = serializers.IntegerField(min_value=1, max_value=MOST_LOOPS, required=False, default=LOOPS)
    max_tokens = serializers.IntegerField(min_value=1_000, max_value=MOST_TOKENS, required=False, default=TOKENS)
    history = words(most=5, longest=LONGEST_QUERY)
    reuse = serializers.BooleanField(required=False, default=True, help_text="false: ignore saved answers")

    def ask(self) -> EvidenceQuestion:
        data = self.validated_data
        given: dict[str, Any] = {
            name: tuple(data[name]) for name in ("sources", "paths", "include", "exclude", "history")
        }
        given |= {name: data[name] for name in ("top_k", "max_loops", "max_tokens") if name in data}
        return EvidenceQuestion(text=data["query"], mode=ReuseMode(data["mode"]), recompute=not data["reuse"], **given)


class ShareIn(StrictSerializer):
    """How a cluster becomes an insight."""

    kind = WordField(KINDS, required=False, default=Kind.CONTEXT.value)
    title = StrictCharField(max_length=200, required=False, default="", allow_blank=True)
    tags = words(longest=60)


class ClustersIn(StrictSerializer):
    limit = serializers.IntegerField(min_value=1, max_value=100, required=False, default=20)
    sort = WordField(["hotness", "confidence", "updated"], required=False, default="updated")
    lifecycle = WordField([one.value for one in Lifecycle], required=False)


class EvidenceOut(serializers.Serializer[Any]):
    """Lines of a file; `file` is the path within its source."""

    file = serializers.CharField(source="path")
    source = serializers.CharField()  # type: ignore[assignment]
    start_line = serializers.IntegerField()
    end_line = serializers.IntegerField()
    summary = serializers.CharField()
    text = serializers.CharField()
    score = serializers.FloatField()
    sha256 = serializers.CharField()
    commit = serializers.CharField(help_text="Commit that the lines are from, in a Git repository; otherwise empty.")
    place = serializers.CharField(help_text="Citation: `path:1-3`, or `path@commit:1-3` in a Git repository.")


class KeptEvidenceOut(EvidenceOut):
    source = serializers.CharField(source="source.slug")


class RankedOut(serializers.Serializer[Any]):
    path = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    score = serializers.FloatField()


class SkippedFileOut(serializers.Serializer[Any]):
    """A file, or a part of one, that was not searched."""

    path = serializers.CharField()
    reason = serializers.CharField()


class PhaseOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    took_ms = serializers.FloatField()
    found = serializers.CharField()


class StepOut(serializers.Serializer[Any]):
    tool = serializers.CharField()
    asked = serializers.CharField()
    found = serializers.CharField()


class CallOut(serializers.Serializer[Any]):
    """One call of a language model; `outcome` is empty for a good answer."""

    purpose = serializers.CharField()
    model = serializers.CharField()
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    tries = serializers.IntegerField()
    took_ms = serializers.FloatField()
    outcome = serializers.CharField()


class BesideOut(serializers.Serializer[Any]):
    ref = serializers.CharField()
    kind = serializers.CharField()
    status = serializers.CharField()
    title = serializers.CharField()


class RelatedOut(serializers.Serializer[Any]):
    id = serializers.CharField(source="ref")
    name = serializers.CharField()


class ClusterOut(serializers.Serializer[Any]):
    """What was learned. `hotness` is as of now; `queries` are the last it answered."""

    id = serializers.CharField(source="ref")
    team = serializers.CharField(source="team.slug")
    name = serializers.CharField()
    description = serializers.CharField()
    content = serializers.CharField()
    patterns = serializers.ListField(child=serializers.CharField())
    confidence = serializers.FloatField()
    mode = serializers.CharField()
    lifecycle = serializers.CharField()
    hotness = serializers.SerializerMethodField()
    version = serializers.IntegerField()
    reuses = serializers.IntegerField()
    queries = serializers.SerializerMethodField()
    evidences = serializers.SerializerMethodField()
    related = serializers.SerializerMethodField()
    insight = serializers.SerializerMethodField()
    merged_into = serializers.SerializerMethodField()
    written_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    checked_at = serializers.DateTimeField()

    def get_hotness(self, cluster: KnowledgeCluster) -> float:
        return round(cluster.hotness_now(timezone.now()), 4)

    def get_queries(self, cluster: KnowledgeCluster) -> list[str]:
        return [one.text for one in sorted(cluster.questions.all(), key=lambda one: one.at, reverse=True)]

    def get_evidences(self, cluster: KnowledgeCluster) -> list[dict[str, Any]]:
        return list(KeptEvidenceOut(sorted(cluster.evidences.all(), key=lambda one: one.rank), many=True).data)

    def get_related(self, cluster: KnowledgeCluster) -> list[dict[str, Any]]:
        relations = sorted(cluster.relations.all(), key=lambda one: -one.weight)
        return [
            {"id": one.target.ref, "name": one.target.name, "weight": one.weight, "why": one.source}
            for one in relations
        ]

    def get_insight(self, cluster: KnowledgeCluster) -> str | None:
        return cluster.insight.ref if cluster.insight else None

    def get_merged_into(self, cluster: KnowledgeCluster) -> str | None:
        return cluster.merged_into.ref if cluster.merged_into else None


class ClustersOut(serializers.Serializer[Any]):
    results = ClusterOut(many=True)


@extend_schema_serializer(component_name="EvidenceAnswer")  # `query/` has an answer too
class EvidenceAnswerOut(serializers.Serializer[Any]):
    """`cluster` is null when nothing was kept: too little found, names only, or a reader asked. When no file answers,
    `evidences` is empty, `confidence` at most 0.3, and `nearest` has what comes nearest.
    """

    search_id = serializers.UUIDField()
    cluster = ClusterOut(allow_null=True)
    reused = serializers.BooleanField()
    content = serializers.CharField()
    evidences = EvidenceOut(many=True, source="cited")
    nearest = EvidenceOut(many=True)
    patterns = serializers.ListField(child=serializers.CharField())
    confidence = serializers.FloatField()
    files_ranked = RankedOut(many=True, source="ranked")
    phases = PhaseOut(many=True)
    steps = StepOut(many=True)
    related = RelatedOut(many=True)
    insights = BesideOut(many=True)
    calls = CallOut(many=True)
    query = serializers.CharField()
    took_ms = serializers.FloatField()
    degraded = DegradedOut(many=True)
    skipped = SkippedFileOut(many=True)


class SourceOut(serializers.Serializer[Any]):
    """A searchable folder, or a Git repository at a `revision`, with what the last look at it found."""

    slug = serializers.CharField()
    name = serializers.CharField()
    team = serializers.CharField(source="team.slug")
    revision = serializers.CharField()
    include = serializers.ListField(child=serializers.CharField())
    exclude = serializers.ListField(child=serializers.CharField())
    health = serializers.DictField()
    checked_at = serializers.DateTimeField(allow_null=True)

    class Meta:
        model = Source


class SourcesOut(serializers.Serializer[Any]):
    results = SourceOut(many=True)


@extend_schema_serializer(component_name="EvidenceHistory")  # and an insight a history
class EvidenceHistoryOut(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    at = serializers.DateTimeField()
    query = serializers.CharField(source="text")
    mode = serializers.CharField(source="ask.mode")
    reused = serializers.BooleanField()
    confidence = serializers.FloatField()
    took_ms = serializers.FloatField()


class HistoryIn(StrictSerializer):
    q = StrictCharField(max_length=200, required=False, default="", allow_blank=True)


class HistoriesOut(serializers.Serializer[Any]):
    results = EvidenceHistoryOut(many=True)
    suggestions = serializers.ListField(child=serializers.CharField())


def phase_out(phase: Phase) -> dict[str, Any]:
    return dict(PhaseOut(phase).data)


def answer_out(answer: EvidenceAnswer) -> dict[str, Any]:
    return dict(EvidenceAnswerOut(answer).data)


# --- what every door streams -----------------------------------------------------------------------------------
# Seconds after which a line that nobody reads is sent, so that a proxy does not think the connection dead.
KEEP_ALIVE = 10.0
# After the last phase: no event is empty.
ENDED = b""


def disconnect_check(request: HttpRequest) -> Callable[[], bool]:
    """Whether the client has hung up: config/asgi.py leaves a flag in the scope of the connection."""
    flag = getattr(request, "scope", {}).get("loam.gone")
    return flag.is_set if flag is not None else bool


STREAM = "text/event-stream"


@dataclass(frozen=True)
class EvidenceTelling:
    """What a door sends of a phase, and of the answer: the data of the events, and what the last of them is called."""

    phase: Callable[[Phase], dict[str, Any]] = phase_out
    answer: Callable[[EvidenceAnswer], dict[str, Any]] = answer_out
    last: str = "result"


def streamed(inquiry: Inquiry, telling: EvidenceTelling = EvidenceTelling()) -> StreamingHttpResponse:
    """The answer to a request that takes STREAM."""
    answer = StreamingHttpResponse(events(inquiry, telling), content_type=STREAM)
    answer["Cache-Control"] = "no-cache"
    answer["X-Accel-Buffering"] = "no"
    return answer


async def events(inquiry: Inquiry, telling: EvidenceTelling) -> AsyncIterator[bytes]:
    """The phases as they end, then the answer. The search runs in the request's own thread."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue()

    def report(phase: Phase) -> None:
        loop.call_soon_threadsafe(queue.put_nowait, _event("phase", telling.phase(phase)))

    inquiry.progress = report
    work = asyncio.ensure_future(sync_to_async(_result)(inquiry, telling))
    work.add_done_callback(lambda done: queue.put_nowait(ENDED))
    try:
        while True:
            try:
                said = await asyncio.wait_for(queue.get(), KEEP_ALIVE)
            except TimeoutError:
                yield b": still searching\n\n"
                continue
            if said == ENDED:
                break
            yield said
        yield await work
    finally:
        if not work.done():
            work.cancel()


def _result(inquiry: Inquiry, telling: EvidenceTelling) -> bytes:
    try:
        return _event(telling.last, telling.answer(run(inquiry=inquiry)))
    except Refused as refused:
        return _event("problem", of_refused(refused))
    except Cancelled:
        return _event("problem", {"code": "cancelled", "detail": "The caller has disconnected."})


def _event(name: str, data: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, default=str)}\n\n".encode()
