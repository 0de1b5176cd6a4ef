"""`ratings/` for agents."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest, in_session
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.serializers.insights import RatingIn
from sessions_app.actions.rate import rate
from sessions_app.serializers.ratings import RatingsOut


class RatingsView(APIView):
    """Say whether what was returned helped."""

    @extend_schema(operation_id="ratings", request=RatingIn, responses=RatingsOut)
    def post(self, request: AgentRequest) -> Response:
        """All or none. `query_id` tells for which question; it decides in which context the rating counts again.

        A conversation is named as the answer names it (S-12), and must have been in an answer of yours.
        """
        form = RatingIn(data=request.data, context={"member": request.member})
        form.is_valid(raise_exception=True)
        data = form.validated_data
        done = rate(
            refs=form.refs,
            verdict=SignalKind(data["verdict"]),
            query_id=data["query_id"],
            reason=data["reason"],
            by=in_session(request, data["session"]),
            now=timezone.now(),
        )
        return Response(RatingsOut(done).data)
