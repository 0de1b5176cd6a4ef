"""`evidence/…` for agents."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest
from accounts.rules.problems import of_refused
from accounts.rules.refused import NotFound, Refused
from knowledge.evidence.actions.inquiry import Cancelled, Inquiry, begin
from knowledge.evidence.actions.search import run, search
from knowledge.evidence.actions.share import deposit
from knowledge.evidence.models import KnowledgeCluster, Source
from knowledge.evidence.models import Search as Asked
from knowledge.evidence.rules.ask import Phase
from knowledge.evidence.serializers import (
    AnswerOut,
    ClusterOut,
    ClustersIn,
    ClustersOut,
    HistoryOut,
    SearchIn,
    ShareIn,
    SourceOut,
    SourcesOut,
    answer_out,
    phase_out,
)
from knowledge.rules.vocabulary import Kind
from knowledge.serializers import DepositedOut

STREAM = "text/event-stream"
# A line nobody reads, so that a proxy does not think the connection dead.
KEEP_ALIVE = 10.0
SORTS = {"hotness": "-hotness_at", "confidence": "-confidence", "updated": "-updated_at"}


class EvidenceSearch(APIView):
    """Search raw files."""

    @extend_schema(
        operation_id="evidence_search",
        request=SearchIn,
        responses={(200, "application/json"): AnswerOut, (200, STREAM): OpenApiResponse(OpenApiTypes.STR)},
    )
    def post(self, request: AgentRequest) -> HttpResponseBase:
        """Files ranked, the lines that answer cited, a briefing. With `Accept: text/event-stream` each phase is told as
        it ends: events `phase`, then `result` (this answer) or `problem`.
        """
        form = SearchIn(data=request.data)
        form.is_valid(raise_exception=True)
        asked: dict[str, Any] = {"ask": form.ask(), "by": request.member, "now": timezone.now(), "gone": gone(request)}
        if STREAM not in request.headers.get("Accept", ""):
            return Response(answer_out(search(**asked)))
        answer = StreamingHttpResponse(_events(begin(**asked)), content_type=STREAM)
        answer["Cache-Control"] = "no-cache"
        answer["X-Accel-Buffering"] = "no"
        return answer


class EvidenceSources(APIView):
    """What can be searched."""

    @extend_schema(operation_id="evidence_sources", responses=SourcesOut)
    def get(self, request: AgentRequest) -> Response:
        rows = Source.objects.visible_to(request.member).searchable().select_related("team")
        return Response({"results": SourceOut(rows, many=True).data})


class EvidenceClusters(APIView):
    """What earlier searches have learned."""

    @extend_schema(operation_id="evidence_clusters_list", parameters=[ClustersIn], responses=ClustersOut)
    def get(self, request: AgentRequest) -> Response:
        form = ClustersIn(data=request.query_params)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        rows = KnowledgeCluster.objects.visible_to(request.member).standing().whole()
        if "lifecycle" in wanted:
            rows = rows.filter(lifecycle=wanted["lifecycle"])
        found = rows.order_by(SORTS[wanted["sort"]], "-pk")[: wanted["limit"]]
        return Response({"results": ClusterOut(found, many=True).data})


class EvidenceCluster(APIView):
    """One cluster."""

    @extend_schema(operation_id="evidence_clusters_get", responses=ClusterOut)
    def get(self, request: AgentRequest, cluster: str) -> Response:
        found = KnowledgeCluster.objects.visible_to(request.member).whole().filter(ref=cluster).first()
        if found is None:
            raise NotFound
        return Response(ClusterOut(found).data)


class EvidenceDeposit(APIView):
    """Make a cluster an insight."""

    @extend_schema(operation_id="evidence_clusters_deposit", request=ShareIn, responses={201: DepositedOut})
    def post(self, request: AgentRequest, cluster: str) -> Response:
        """Its files come along as provenance. Deposited before in this version: the insight of then."""
        form = ShareIn(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        done = deposit(
            ref=cluster,
            kind=Kind(data["kind"]),
            title=data["title"],
            tags=tuple(data["tags"]),
            by=request.member,
            now=timezone.now(),
        )
        return Response(DepositedOut(done).data, status=201)


class EvidenceHistory(APIView):
    """What one has asked the files."""

    @extend_schema(operation_id="evidence_history", responses=HistoryOut(many=True))
    def get(self, request: AgentRequest) -> Response:
        rows = Asked.objects.asked_by(request.member).order_by("-at")[:50]
        return Response({"results": HistoryOut(rows, many=True).data})


def gone(request: AgentRequest) -> Callable[[], bool]:
    """Whether the client has hung up: config/asgi.py leaves a flag in the scope of the connection."""
    flag = getattr(request._request, "scope", {}).get("loam.gone")
    return flag.is_set if flag is not None else bool


async def _events(inquiry: Inquiry) -> AsyncIterator[bytes]:
    """The phases as they end, then the result. The search runs in the request's own thread."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue()

    def told(phase: Phase) -> None:
        loop.call_soon_threadsafe(queue.put_nowait, _phase(phase))

    inquiry.progress = told
    work = asyncio.ensure_future(sync_to_async(_result)(inquiry))
    work.add_done_callback(lambda done: None)
    try:
        while not (work.done() and queue.empty()):
            try:
                yield await asyncio.wait_for(queue.get(), KEEP_ALIVE if not work.done() else 0.01)
            except TimeoutError:
                if not work.done():
                    yield b": still searching\n\n"
            if not work.done() and queue.empty():
                await asyncio.wait({work}, timeout=0.02)
        yield await work
    finally:
        if not work.done():
            work.cancel()


def _result(inquiry: Inquiry) -> bytes:
    try:
        return _event("result", answer_out(run(inquiry=inquiry)))
    except Refused as refused:
        return _event("problem", of_refused(refused))
    except Cancelled:
        return _event("problem", {"code": "cancelled", "detail": "Nobody waits for the answer any more."})


def _phase(phase: Phase) -> bytes:
    return _event("phase", phase_out(phase))


def _event(name: str, data: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, default=str)}\n\n".encode()
