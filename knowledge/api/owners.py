"""`topics/…/owner/`, `insights/…/owner/`: who of the team answers for a topic, or for an insight."""

from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest
from knowledge.review.actions import curate
from knowledge.serializers.insights import OwnedOut, OwnerIn
from knowledge.serializers.topics import TopicOut
from knowledge.topics.actions import topics


class TopicOwning(APIView):
    """Say who answers for a topic; a lead's act, or the present owner's."""

    @extend_schema(operation_id="topics_owner", request=OwnerIn, responses=TopicOut)
    def post(self, request: AgentRequest, topic_id: UUID) -> Response:
        """A member of the team, or nobody."""
        form = OwnerIn(data=request.data)
        form.is_valid(raise_exception=True)
        data, by = form.validated_data, request.member
        sent = {"owner": data["owner"], "by": by, "now": timezone.now(), "why": data["reason"]}
        done = topics.set_owner(topic_id=topic_id, **sent)
        return Response(TopicOut(topics.overview(topic_id=done.pk, by=by)).data)


class InsightOwning(APIView):
    """Say who answers for an insight; a lead's act, or the present owner's."""

    @extend_schema(operation_id="insights_owner", request=OwnerIn, responses=OwnedOut)
    def post(self, request: AgentRequest, ref: str) -> Response:
        """A member of the team, or nobody."""
        form = OwnerIn(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        sent = {"owner": data["owner"], "by": request.member, "now": timezone.now(), "why": data["reason"]}
        return Response(OwnedOut(curate.set_owner(ref=ref, **sent)).data)
