"""`health/` and `me/`."""

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest
from accounts.serializers import HealthOut, MeOut


class Health(APIView):
    """Whether the service answers. Needs no token."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(responses=HealthOut)
    def get(self, request: AgentRequest) -> Response:
        return Response({"status": "ok", "service": "loam", "version": settings.VERSION, "time": timezone.now()})


class Me(APIView):
    """Who the token stands for, in which teams, with which scopes."""

    @extend_schema(responses=MeOut)
    def get(self, request: AgentRequest) -> Response:
        return Response(MeOut(request.member).data)
