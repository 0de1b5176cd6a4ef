"""`surface/` for prompt hooks."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest, in_session
from sessions_app.answers.actions.surface import decisions, surface
from sessions_app.api.interface import interface_of
from sessions_app.serializers.surface import SurfacedOut, SurfaceIn, SurfaceListIn, SurfaceListOut


class Surface(APIView):
    """What a prompt is worth being told, unasked."""

    @extend_schema(operation_id="surface", request=SurfaceIn, responses=SurfacedOut)
    def post(self, request: AgentRequest) -> Response:
        """Notes for the agent's context if the prompt passes the gates and the team knows something new to it."""
        form = SurfaceIn(data=request.data, context={"member": request.member})
        form.is_valid(raise_exception=True)
        data = dict(form.validated_data)
        by = in_session(request, data.pop("session"))
        done = surface(**data, by=by, now=timezone.now(), via=interface_of(request))
        return Response(SurfacedOut(done).data)

    @extend_schema(operation_id="surface_decisions", parameters=[SurfaceListIn], responses=SurfaceListOut)
    def get(self, request: AgentRequest) -> Response:
        """Your own last prompts, and why something was put beside each or not."""
        form = SurfaceListIn(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        rows = decisions(by=request.member, **form.validated_data)
        return Response(SurfaceListOut({"results": rows}).data)
