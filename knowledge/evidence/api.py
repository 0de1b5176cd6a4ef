"""`evidence/…` for agents."""

from typing import Any

from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest
from accounts.rules.refused import NotFound
from knowledge.evidence.actions.inquiry import begin
from knowledge.evidence.actions.search import refresh, search
from knowledge.evidence.actions.share import deposit
from knowledge.evidence.actions.suggest import suggest
from knowledge.evidence.models import KnowledgeCluster, Source
from knowledge.evidence.models import Search as Asked
from knowledge.evidence.serializers import (
    STREAM,
    ClusterOut,
    ClustersIn,
    ClustersOut,
    EvidenceAnswerOut,
    EvidenceHistoryOut,
    HistoriesOut,
    HistoryIn,
    SearchIn,
    ShareIn,
    SourceOut,
    SourcesOut,
    answer_out,
    disconnect_check,
    streamed,
)
from knowledge.rules.vocabulary import Kind
from knowledge.serializers.deposits import DepositedOut

SORTS = {"hotness": "-hotness_at", "confidence": "-confidence", "updated": "-updated_at"}


class EvidenceSearch(APIView):
    """Search raw files."""

    @extend_schema(
        operation_id="evidence_search",
        request=SearchIn,
        responses={(200, "application/json"): EvidenceAnswerOut, (200, STREAM): OpenApiResponse(OpenApiTypes.STR)},
    )
    def post(self, request: AgentRequest) -> HttpResponseBase:
        """Files ranked, the lines that answer cited, a briefing. With `Accept: text/event-stream` each phase is told as
        it ends: events `phase`, then `result` (this answer) or `problem`.
        """
        form = SearchIn(data=request.data)
        form.is_valid(raise_exception=True)
        asked: dict[str, Any] = {
            "ask": form.ask(),
            "by": request.member,
            "now": timezone.now(),
            "gone": disconnect_check(request._request),
        }
        if STREAM not in request.headers.get("Accept", ""):
            return Response(answer_out(search(**asked)))
        return streamed(begin(**asked))


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
        form = ClustersIn(data=request.query_params.dict())
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


class EvidenceRefresh(APIView):
    """Search again what a cluster answers."""

    @extend_schema(operation_id="evidence_clusters_refresh", request=None, responses=EvidenceAnswerOut)
    def post(self, request: AgentRequest, cluster: str) -> Response:
        """The cluster's last question is searched in its scope, whatever was saved, and the cluster is renewed. An
        answer that is not found any more is contested.
        """
        gone = disconnect_check(request._request)
        return Response(answer_out(refresh(ref=cluster, by=request.member, now=timezone.now(), gone=gone)))


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

    @extend_schema(operation_id="evidence_history", parameters=[HistoryIn], responses=HistoriesOut)
    def get(self, request: AgentRequest) -> Response:
        """One's last questions, and suggestions: those that hold `q`, one's own and those clusters answer."""
        form = HistoryIn(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        begins = form.validated_data["q"]
        rows = Asked.objects.asked_by(request.member).order_by("-at")[:50]
        suggestions = suggest(by=request.member, now=timezone.now(), begins=begins)
        return Response({"results": EvidenceHistoryOut(rows, many=True).data, "suggestions": suggestions})
