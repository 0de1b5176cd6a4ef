"""`health/`, `me/`, `preferences/`, `guard-terms/` and `webhooks/`."""

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actions import preferences
from accounts.actions.guard_terms import allow_term, reviewed_terms, withdraw_term
from accounts.actions.settings import set_for_clients
from accounts.actions.webhooks import add_webhook, remove_webhook, webhooks_of
from accounts.adapters.disk_space import lacking_component
from accounts.adapters.failing_programs import failing_components
from accounts.authentication import AgentRequest
from accounts.serializers import (
    EffectiveOut,
    GuardTermIn,
    GuardTermOut,
    GuardTermsOut,
    HealthOut,
    MeIn,
    MeOut,
    PreferenceEdit,
    PreferenceIn,
    PreferenceOut,
    PreferencesAsked,
    PreferencesOut,
    WebhookAddedOut,
    WebhookIn,
    WebhookOut,
    WebhooksOut,
)


class Health(APIView):
    """Whether the service answers, and which of its parts are failing. Needs no token."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(responses=HealthOut)
    def get(self, request: AgentRequest) -> Response:
        degraded = [*failing_components(), *lacking_component()]
        status = "degraded" if degraded else "ok"
        about = {"status": status, "service": "loam", "version": settings.VERSION, "time": timezone.now()}
        return Response(about | {"degraded": degraded})


class Me(APIView):
    """Who the token stands for, in which teams, with which scopes."""

    @extend_schema(responses=MeOut)
    def get(self, request: AgentRequest) -> Response:
        return Response(MeOut(request.member).data)

    @extend_schema(operation_id="me_edit", request=MeIn, responses=MeOut)
    def patch(self, request: AgentRequest) -> Response:
        """Change a setting of one's own that clients ask for; the others are on the settings page."""
        form = MeIn(data=request.data)
        form.is_valid(raise_exception=True)
        edited = set_for_clients(**form.validated_data, by=request.member)
        return Response(MeOut(edited).data)


class Preferences(APIView):
    """What you and your teams prefer."""

    @extend_schema(operation_id="preferences_list", parameters=[PreferencesAsked], responses=PreferencesOut)
    def get(self, request: AgentRequest) -> Response:
        """What holds for you, each with where it came from and what it holds over; `team`: of shared ones only this."""
        form = PreferencesAsked(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        team, category = form.validated_data["team"], form.validated_data["category"]
        held = preferences.effective(by=request.member, team_slugs=[team] if team else [])
        rows = [one for one in held if category in ("", one.stated.category)]
        return Response({"results": EffectiveOut(rows, many=True).data})

    @extend_schema(
        operation_id="preferences_state", request=PreferenceIn, responses={200: PreferenceOut, 201: PreferenceOut}
    )
    def post(self, request: AgentRequest) -> Response:
        """State one, for yourself or for a team you lead. A key that is there already gets the new value (200)."""
        form = PreferenceIn(data=request.data)
        form.is_valid(raise_exception=True)
        row, new = preferences.state(**form.validated_data, by=request.member, now=timezone.now())
        return Response(PreferenceOut(row).data, status=201 if new else 200)


class OnePreference(APIView):
    """Edit, confirm or forget a preference."""

    @extend_schema(operation_id="preferences_edit", request=PreferenceEdit, responses=PreferenceOut)
    def patch(self, request: AgentRequest, preference_id: int) -> Response:
        """Change what is named; what was inferred is explicit from then on."""
        form = PreferenceEdit(data=request.data)
        form.is_valid(raise_exception=True)
        changes = {name: value for name, value in form.validated_data.items() if name != "source"}
        done = preferences.change(preference_id=preference_id, changes=changes, by=request.member, now=timezone.now())
        return Response(PreferenceOut(done).data)

    @extend_schema(operation_id="preferences_forget", responses={204: None})
    def delete(self, request: AgentRequest, preference_id: int) -> Response:
        """Forget it: it holds no more, and is not inferred again."""
        preferences.forget(preference_id=preference_id, by=request.member, now=timezone.now())
        return Response(status=204)


class GuardTerms(APIView):
    """What a team has reviewed: it looks like a secret, and is none."""

    @extend_schema(operation_id="guard_terms_list", responses=GuardTermsOut)
    def get(self, request: AgentRequest) -> Response:
        """Those of the teams you lead, newest first."""
        return Response({"results": GuardTermOut(reviewed_terms(by=request.member), many=True).data})

    @extend_schema(
        operation_id="guard_terms_add", request=GuardTermIn, responses={200: GuardTermOut, 201: GuardTermOut}
    )
    def post(self, request: AgentRequest) -> Response:
        """Let the guard pass exactly this text in one team. A lead's act."""
        form = GuardTermIn(data=request.data)
        form.is_valid(raise_exception=True)
        row, new = allow_term(**form.validated_data, by=request.member, now=timezone.now())
        return Response(GuardTermOut(row).data, status=201 if new else 200)


class OneGuardTerm(APIView):
    """One reviewed term."""

    @extend_schema(operation_id="guard_terms_withdraw", responses={204: None})
    def delete(self, request: AgentRequest, term_id: int) -> Response:
        """The guard refuses it again. A lead's act."""
        withdraw_term(term_id=term_id, by=request.member, now=timezone.now())
        return Response(status=204)


class Webhooks(APIView):
    """Where a team's events are told."""

    @extend_schema(operation_id="webhooks_list", responses=WebhooksOut)
    def get(self, request: AgentRequest) -> Response:
        """Those of the teams you lead, newest first, with how they are doing."""
        return Response({"results": WebhookOut(webhooks_of(by=request.member), many=True).data})

    @extend_schema(operation_id="webhooks_add", request=WebhookIn, responses={201: WebhookAddedOut})
    def post(self, request: AgentRequest) -> Response:
        """Tell an address of events from now on; the answer has the secret that signs them. A lead's act."""
        form = WebhookIn(data=request.data)
        form.is_valid(raise_exception=True)
        done = add_webhook(**form.validated_data, by=request.member, now=timezone.now())
        return Response({**WebhookOut(done.webhook).data, "secret": done.secret}, status=201)


class OneWebhook(APIView):
    """One webhook."""

    @extend_schema(operation_id="webhooks_remove", responses={204: None})
    def delete(self, request: AgentRequest, webhook_id: int) -> Response:
        """It is told nothing more. A lead's act."""
        remove_webhook(webhook_id=webhook_id, by=request.member, now=timezone.now())
        return Response(status=204)
