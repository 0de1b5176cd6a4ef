"""`sessions/`, `friction/` and `code-index/` for agents."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest
from knowledge.api.insights import KEY, idempotency_key
from sessions_app.actions.capture import capture
from sessions_app.actions.claims import claim
from sessions_app.actions.end import HandedOver, checkpoint, end
from sessions_app.actions.friction import friction
from sessions_app.actions.history import history, one_session, open_items
from sessions_app.actions.index import index_code
from sessions_app.actions.session_lookup import find_session
from sessions_app.actions.start import start
from sessions_app.answers.actions.ask_to_deposit import ask_to_deposit
from sessions_app.api.interface import interface_of, reader_of
from sessions_app.handoffs.actions.acknowledge import Action, acknowledge
from sessions_app.handoffs.actions.recover_killed import recover_killed
from sessions_app.serializers.handoffs import HandoffOut
from sessions_app.serializers.repositories import ClaimedOut, ClaimsIn, CodeIndexIn, FrictionIn, FrictionOut, IndexedOut
from sessions_app.serializers.sessions import (
    AckIn,
    CapturedOut,
    EventsIn,
    HandedOverOut,
    ImportedOut,
    KilledIn,
    KilledOut,
    ListIn,
    OpenItemOut,
    PastIn,
    QuestionIn,
    QuestionOut,
    ReadIn,
    SessionOut,
    SessionsOut,
    StartedOut,
    StartIn,
    WordsIn,
)
from sessions_app.transcripts.actions.import_past import import_past


class Sessions(APIView):
    """Begin a session, or see what the last ones left."""

    @extend_schema(operation_id="sessions_start", parameters=[KEY], request=StartIn, responses={201: StartedOut})
    def post(self, request: AgentRequest) -> Response:
        """Begin a session on a repo, and be told where things stand. Sessions there that fell silent are recovered."""
        form = StartIn(data=request.data, context={"member": request.member})
        form.is_valid(raise_exception=True)
        opening, via = form.opening(idempotency_key(request)), interface_of(request)
        done = start(opening=opening, by=request.member, now=timezone.now(), via=via)
        return Response(StartedOut(done, context={"via": via}).data, status=201)

    @extend_schema(operation_id="sessions_list", parameters=[ListIn], responses=SessionsOut)
    def get(self, request: AgentRequest) -> Response:
        """The last sessions, newest first, with their handoffs; or, with `open`, the open handoffs of a repo."""
        form = ListIn(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        asked = dict(form.validated_data)
        here = {name: asked.pop(name) for name in ("branch", "checkout")}
        context = {**reader_of(request), "listed": True}
        if not asked.pop("open"):
            rows = history(**asked, by=request.member)
            return Response({"results": SessionOut(rows, many=True, context=context).data})
        asked.pop("state")
        found = open_items(**asked, **here, by=request.member, now=timezone.now())
        return Response({"results": OpenItemOut(found, many=True, context=context).data})


class OneSession(APIView):
    """One session with its handoff."""

    @extend_schema(operation_id="sessions_get", parameters=[ReadIn], responses=SessionOut)
    def get(self, request: AgentRequest, session_id: str) -> Response:
        """`session_id` is an id, or a short name like S-12. `handoff.text` is the handoff as a model reads it."""
        row = one_session(name=session_id, by=request.member)
        form = ReadIn(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        return Response(SessionOut(row, context={**form.validated_data, **reader_of(request)}).data)


class Recover(APIView):
    """Recover a session that was killed."""

    @extend_schema(operation_id="sessions_recover", request=KilledIn, responses=KilledOut)
    def post(self, request: AgentRequest) -> Response:
        """From its transcript, bound to its own session. One call for each; sent again, the same changes nothing."""
        form = KilledIn(data=request.data, context={"member": request.member})
        form.is_valid(raise_exception=True)
        done = recover_killed(killed=form.killed(), by=request.member, now=timezone.now())
        return Response(KilledOut(done, context=reader_of(request)).data)


class ImportPast(APIView):
    """Import a session of the time before Loam."""

    @extend_schema(operation_id="sessions_import", request=PastIn, responses=ImportedOut)
    def post(self, request: AgentRequest) -> Response:
        """Keep its conversation. No handoff is made of it; sent again, or in slices, it stays one session."""
        form = PastIn(data=request.data)
        form.is_valid(raise_exception=True)
        done = import_past(opening=form.opening(), by=request.member, now=timezone.now())
        return Response(ImportedOut(done).data)


class Events(APIView):
    """Tell what was done."""

    @extend_schema(operation_id="sessions_events", parameters=[KEY], request=EventsIn, responses=CapturedOut)
    def post(self, request: AgentRequest, session_id: str) -> Response:
        """Up to 100 edits, test runs, builds, commits, errors. What only looks at something is counted and dropped."""
        find_session(name=session_id, by=request.member)
        form = EventsIn(data=request.data)
        form.is_valid(raise_exception=True)
        key = idempotency_key(request)
        done = capture(name=session_id, reports=form.reports(), by=request.member, now=timezone.now(), key=key)
        return Response(CapturedOut(done).data)


class Checkpoint(APIView):
    """Write a provisional handoff, before a compaction."""

    @extend_schema(operation_id="sessions_checkpoint", request=WordsIn, responses=HandedOverOut)
    def post(self, request: AgentRequest, session_id: str) -> Response:
        return _hand_over(request, session_id, checkpoint)


class End(APIView):
    """End a session."""

    @extend_schema(operation_id="sessions_end", request=WordsIn, responses=HandedOverOut)
    def post(self, request: AgentRequest, session_id: str) -> Response:
        """With a summary and a note to the next one. The decisions found in the transcript are deposited as drafts."""
        return _hand_over(request, session_id, end)


class DepositQuestion(APIView):
    """Ask an agent to deposit before it stops."""

    @extend_schema(operation_id="sessions_deposit_question", request=QuestionIn, responses=QuestionOut)
    def post(self, request: AgentRequest, session_id: str) -> Response:
        """Once a session that edited or decided something and deposited nothing, if its user wants that."""
        find_session(name=session_id, by=request.member)
        form = QuestionIn(data=request.data)
        form.is_valid(raise_exception=True)
        asked = ask_to_deposit(
            name=session_id, **form.validated_data, by=request.member, now=timezone.now(), via=interface_of(request)
        )
        return Response(QuestionOut(asked).data)


class Claims(APIView):
    """Say which files a session works on."""

    @extend_schema(operation_id="sessions_claims", request=ClaimsIn, responses=ClaimedOut)
    def post(self, request: AgentRequest, session_id: str) -> Response:
        """Others who start on the repo are told. What another live session holds stays theirs, and is named; without
        files, all of it.
        """
        find_session(name=session_id, by=request.member)
        form = ClaimsIn(data=request.data)
        form.is_valid(raise_exception=True)
        done = claim(name=session_id, **form.validated_data, by=request.member, now=timezone.now())
        return Response(ClaimedOut(done).data)


class Ack(APIView):
    """Take over a handoff."""

    @extend_schema(operation_id="sessions_ack", request=AckIn, responses=HandoffOut)
    def post(self, request: AgentRequest, session_id: str) -> Response:
        """From then on it is offered to nobody; `action` may also close it (yours, what you took over, or as a lead),
        or open it again. `session_id` is your session, or the one whose handoff it is.
        """
        find_session(name=session_id, by=request.member)
        form = AckIn(data=request.data)
        form.is_valid(raise_exception=True)
        of, action = form.validated_data["handoff"], Action(form.validated_data["action"])
        done = acknowledge(name=session_id, handoff_of=of, action=action, by=request.member, now=timezone.now())
        return Response(HandoffOut(done, context=reader_of(request)).data)


class Friction(APIView):
    """What keeps going wrong."""

    @extend_schema(operation_id="friction", parameters=[FrictionIn], responses=FrictionOut)
    def get(self, request: AgentRequest) -> Response:
        """Errors that recurred in the last days and are unresolved, and the modules where they happen."""
        form = FrictionIn(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        return Response(FrictionOut(friction(**form.validated_data, by=request.member, now=timezone.now())).data)


class CodeIndexes(APIView):
    """Upload a repo's import graph."""

    @extend_schema(operation_id="code_index", request=CodeIndexIn, responses=IndexedOut)
    def post(self, request: AgentRequest) -> Response:
        """Questions about a file then also reach what it imports and what imports it."""
        form = CodeIndexIn(data=request.data)
        form.is_valid(raise_exception=True)
        data = dict(form.validated_data)
        files = {one["path"]: one["imports"] for one in data.pop("files")}
        return Response(IndexedOut(index_code(files=files, **data, by=request.member, now=timezone.now())).data)


def _hand_over(request: AgentRequest, session_id: str, verb: Any) -> Response:
    find_session(name=session_id, by=request.member)
    form = WordsIn(data=request.data)
    form.is_valid(raise_exception=True)
    done: HandedOver = verb(name=session_id, words=form.words(), by=request.member, now=timezone.now())
    return Response(HandedOverOut(done, context={**reader_of(request), "own": True}).data)
