"""`sessions/{id}/conversation/`, `sessions/{id}/forget/` and `sessions/sharing/` for agents."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest
from sessions_app.api.interface import reader_of
from sessions_app.conversations.actions.forget import forget_conversation
from sessions_app.conversations.actions.read import conversation
from sessions_app.conversations.actions.share import preview, share, sharing_of, unshare
from sessions_app.serializers.conversations import (
    ConversationForgottenOut,
    ConversationIn,
    ConversationOut,
    ForgetConversationIn,
    SharingAsked,
    SharingIn,
    SharingOut,
    UnsharedOut,
    UnsharingIn,
)
from sessions_app.transcripts.rules.speakers import SharedTurns


class ConversationView(APIView):
    """What was said in a session."""

    @extend_schema(operation_id="sessions_conversation", parameters=[ConversationIn], responses=ConversationOut)
    def get(self, request: AgentRequest, session_id: str) -> Response:
        """Its passages in order: all of one's own, of others' what they share. `session_id` may be a name like S-12."""
        form = ConversationIn(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        found = conversation(name=session_id, **asked, by=request.member)
        return Response(ConversationOut(found, context=reader_of(request)).data)


class ForgetConversation(APIView):
    """Forget what was said in a session."""

    @extend_schema(operation_id="sessions_forget", request=ForgetConversationIn, responses=ConversationForgottenOut)
    def post(self, request: AgentRequest, session_id: str) -> Response:
        """Delete its passages and what its transcript told, for good. Its user's act, or a lead's of what they read."""
        form = ForgetConversationIn(data=request.data)
        form.is_valid(raise_exception=True)
        why = form.validated_data["reason"]
        gone = forget_conversation(name=session_id, why=why, by=request.member, now=timezone.now())
        return Response({"passages": gone})


class Sharing(APIView):
    """With which team you share your sessions' conversations, repository by repository."""

    @extend_schema(operation_id="sessions_sharing_list", parameters=[SharingAsked], responses=SharingOut)
    def get(self, request: AgentRequest) -> Response:
        """Your own rows; nobody reads another's. What no row is about is yours alone."""
        form = SharingAsked(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        seen = None
        if asked["preview"]:
            seen = preview(repo=asked["repo"], turns=SharedTurns(asked["turns"]), by=request.member)
        return Response(SharingOut({"results": sharing_of(by=request.member), "preview": seen}).data)

    @extend_schema(operation_id="sessions_sharing_set", request=SharingIn, responses=SharingOut)
    def put(self, request: AgentRequest) -> Response:
        """Share a repository's sessions with a team, those that were and those to come; one row a repository.

        `turns`: `all`, or `agent` for what your agent said and did alone. With `preview` you are told what the team
        would see, and nothing is changed.
        """
        form = SharingIn(data=request.data)
        form.is_valid(raise_exception=True)
        asked = dict(form.validated_data)
        turns = SharedTurns(asked.pop("turns"))
        if asked.pop("preview"):
            seen = preview(repo=asked["repo"], turns=turns, by=request.member)
            return Response(SharingOut({"results": sharing_of(by=request.member), "preview": seen}).data)
        share(**asked, turns=turns, by=request.member, now=timezone.now())
        return Response(SharingOut({"results": sharing_of(by=request.member), "preview": None}).data)

    @extend_schema(operation_id="sessions_sharing_remove", parameters=[UnsharingIn], responses={200: UnsharedOut})
    def delete(self, request: AgentRequest) -> Response:
        """Share them no more: they are yours alone again at once, and stay so if you share all other repositories."""
        form = UnsharingIn(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        back = unshare(**form.validated_data, by=request.member, now=timezone.now())
        return Response({"passages": back})
