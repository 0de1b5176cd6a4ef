"""`insights/…` for agents."""

import re
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest, in_session
from accounts.models import LogEntry
from accounts.rules.field_names import unknown_names
from accounts.rules.problems import document, flat, of_refused
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Member
from knowledge.filters import InsightFilter, InsightPages
from knowledge.imports.rules.notes import KEYS
from knowledge.judging.actions.deposit import Deposited, deposit, deposit_many
from knowledge.judging.actions.questions import with_question
from knowledge.judging.actions.relate import relate
from knowledge.lifecycle.actions import use
from knowledge.lifecycle.rules.decay import STRENGTH_BANDS
from knowledge.models import Insight, Pair
from knowledge.retrieval.actions.retrieve import related_to
from knowledge.review.actions import combine, curate, settle
from knowledge.review.actions.provenance import withhold_names
from knowledge.rules.vocabulary import STANDINGS, Kind
from knowledge.serializers.deposits import BatchOut, DepositedOut
from knowledge.serializers.insights import (
    LONGEST_KEY,
    BatchIn,
    CombineIn,
    CorroborationOut,
    DraftIn,
    EditIn,
    HistoryOut,
    InsightOut,
    InsightReadOut,
    PageOut,
    ReasonIn,
    RelationIn,
    RelationsIn,
    related_out,
)
from knowledge.serializers.pairs import PairOut, PairsIn, PairsOut, ReportIn, ResolveIn
from knowledge.serializers.topics import MergeTopicIn, RenameIn, TopicOut, TopicsIn, TopicsOut
from knowledge.topics.actions import topics

# One parameter for each filter, as the schema shows them; what is left empty does not narrow.
_WORDS = {
    "kind": [*Kind, ""],
    "status": [*STANDINGS, ""],
    "pinned": ["true", "false", ""],
    "stale": ["true", "false", ""],
    "strength": [*STRENGTH_BANDS, ""],
    "ordering": list(InsightPages.orderings),
}
_PAGE: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": InsightPages.max_page_size}
NARROWING = [
    *(
        OpenApiParameter(name, OpenApiTypes.STR, enum=_WORDS.get(name))
        for name in (*InsightFilter.base_filters, "cursor", "ordering")
    ),
    OpenApiParameter("limit", _PAGE),
]
KEY = OpenApiParameter("Idempotency-Key", OpenApiTypes.STR, OpenApiParameter.HEADER)
IF_MATCH = OpenApiParameter("If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, required=True)
_REVISION = re.compile(r'(?:W/)?"([0-9]{1,9})"|([0-9]{1,9})')
_LIMIT = re.compile(r"[0-9]{1,9}")


class PreconditionMissing(Refused):
    code = "precondition_required"
    status = 428
    detail = "Send the revision you read in the If-Match header."


class BadHeader(Refused):
    code = "invalid"


class Insights(APIView):
    """Deposit an insight, or list them."""

    @extend_schema(operation_id="insights_list", parameters=NARROWING, responses=PageOut)
    def get(self, request: AgentRequest) -> Response:
        """Newest first; narrowed by the parameters; a page at a time."""
        _known_parameters(request)
        narrowed = InsightFilter(request.query_params, Insight.objects.visible_to(request.member).whole())
        if not narrowed.is_valid():
            raise ValidationError(narrowed.errors)
        pages = InsightPages()
        rows: list[Insight] = pages.paginate_queryset(narrowed.qs, request, view=self) or []
        return pages.get_paginated_response(InsightOut(rows, many=True).data)

    @extend_schema(
        operation_id="insights_deposit",
        parameters=[KEY],
        request=DraftIn,
        responses={200: DepositedOut, 201: DepositedOut},
    )
    def post(self, request: AgentRequest) -> Response:
        """Save a lesson for the team. The same Idempotency-Key sent again is answered alike and stored once."""
        form = DraftIn(data=request.data, context={"member": request.member})
        form.is_valid(raise_exception=True)
        by = in_session(request, form.validated_data["session"])
        done = deposit(draft=form.draft(idempotency_key(request)), by=by, now=timezone.now())
        return Response(_deposit_answer(done, by), status=_status(done))


class InsightBatch(APIView):
    """Deposit up to ten."""

    @extend_schema(operation_id="insights_deposit_batch", request=BatchIn, responses=BatchOut)
    def post(self, request: AgentRequest) -> Response:
        """Each item has its own answer, in the order sent; one that is refused never spoils the others."""
        form = BatchIn(data=request.data)
        form.is_valid(raise_exception=True)
        items = [DraftIn(data=item, context={"member": request.member}) for item in form.validated_data["insights"]]
        done = _deposited(request, [item for item in items if item.is_valid()])
        return Response({"results": [_result(done.get(item, item), request.member) for item in items]})


class OneInsight(APIView):
    """Read or edit an insight."""

    @extend_schema(operation_id="insights_get", responses=InsightReadOut)
    def get(self, request: AgentRequest, ref: str) -> Response:
        """By its reference, or by one it had before it was moved. What was shown and is then read grows stronger."""
        insight = use.open_insight(ref=ref, by=request.member, now=timezone.now())
        told = related_out(*related_to(insight))
        shown = InsightOut(insight, context={"member": request.member})
        owned = {"owner": insight.owner.username if insight.owner else None}
        return Response({**shown.data, **owned, **told}, headers=_tag(insight))

    @extend_schema(operation_id="insights_edit", parameters=[IF_MATCH], request=EditIn, responses=InsightOut)
    def patch(self, request: AgentRequest, ref: str) -> Response:
        """Change what is named. `If-Match` carries the revision you read: missing 428, outdated 412."""
        _find(request, ref)
        revision = sent_revision(request)
        form = EditIn(data=request.data)
        form.is_valid(raise_exception=True)
        changes = dict(form.validated_data)
        why = changes.pop("reason", "")
        done = curate.edit(ref=ref, changes=changes, revision=revision, by=request.member, now=timezone.now(), why=why)
        return _insight(done)


class Curation(APIView):
    """promote, deprecate, restore, pin or unpin an insight; which one is set by the URL."""

    verb: Any = None

    @extend_schema(request=ReasonIn, responses=InsightOut)
    def post(self, request: AgentRequest, ref: str) -> Response:
        form = ReasonIn(data=request.data)
        form.is_valid(raise_exception=True)
        act = getattr(curate, self.verb)
        return _insight(act(ref=ref, by=request.member, now=timezone.now(), why=form.validated_data["reason"]))


class Relations(APIView):
    """Say what an insight of yours is to others."""

    @extend_schema(operation_id="insights_relate", request=RelationsIn, responses=DepositedOut)
    def post(self, request: AgentRequest, ref: str) -> Response:
        """The answer to what a deposit asked; also without having been asked. Said again, it changes nothing; said
        otherwise, it replaces what you said before, unless a lead has settled it.
        """
        form = RelationsIn(data=request.data)
        form.is_valid(raise_exception=True)
        statements = RelationIn.statements(form.validated_data["relations"])
        done = relate(ref=ref, statements=statements, by=request.member, now=timezone.now())
        return Response(_deposit_answer(done, request.member))


class History(APIView):
    """What happened to an insight, newest first."""

    @extend_schema(operation_id="insights_history", responses=HistoryOut(many=True))
    def get(self, request: AgentRequest, ref: str) -> Response:
        names = _find(request, ref).names()
        lines = LogEntry.objects.visible_to(request.member).about(*names)[:500]
        return Response(HistoryOut(lines, many=True).data)


class Combination(APIView):
    """supersede, reinstate, merge or unmerge: two insights become one, or one gives way; which is set by the URL."""

    verb: Any = None
    # What each verb needs beside the insight, and the argument of the action it becomes.
    needs = MappingProxyType(
        {"supersede": ("by", "by_ref"), "merge": ("into", "into"), "unmerge": ("corroboration",) * 2}
    )

    @extend_schema(request=CombineIn, responses=InsightOut)
    def post(self, request: AgentRequest, ref: str) -> Response:
        form = CombineIn(data=request.data)
        form.is_valid(raise_exception=True)
        field, argument = self.needs.get(self.verb, ("", ""))
        if field and field not in form.validated_data:
            raise ValidationError({field: ["This field is required."]})
        more = {argument: form.validated_data[field]} if field else {}
        act = getattr(combine, self.verb)
        done = act(ref=ref, by=request.member, now=timezone.now(), why=form.validated_data["reason"], **more)
        return _insight(_find(request, done.ref))


class Corroborations(APIView):
    """What was merged into an insight, in its own words."""

    @extend_schema(operation_id="insights_corroborations", responses=CorroborationOut(many=True))
    def get(self, request: AgentRequest, ref: str) -> Response:
        insight = _find(request, ref)
        said = insight.corroborations.all().merged().select_related("user").order_by("at")
        return Response(CorroborationOut(withhold_names(said, insight=insight, by=request.member), many=True).data)


class Contradictions(APIView):
    """Pairs that speak against each other, or seem to say the same."""

    @extend_schema(operation_id="contradictions_list", parameters=[PairsIn], responses=PairsOut)
    def get(self, request: AgentRequest) -> Response:
        """Open ones, newest first; `state=all` and `question=duplicate` for the others."""
        form = PairsIn(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        pairs = Pair.objects.visible_to(request.member).filter(question=form.validated_data["question"])
        if form.validated_data["state"] == "open":
            pairs = pairs.open()
        rows = pairs.select_related("a", "b").order_by("-raised_at", "-pk")[:200]
        return Response({"results": PairOut(rows, many=True).data})

    @extend_schema(operation_id="contradictions_report", request=ReportIn, responses={201: PairOut})
    def post(self, request: AgentRequest) -> Response:
        """Report that two insights contradict each other."""
        form = ReportIn(data=request.data)
        form.is_valid(raise_exception=True)
        pair = settle.report(**form.validated_data, by=request.member, now=timezone.now())
        return Response(PairOut(pair).data, status=201)


class Settling(APIView):
    """Resolve a pair (keep one, or say in which scope each is true), or dismiss it; a lead's act."""

    verb: Any = None

    @extend_schema(request=ResolveIn, responses=PairOut)
    def post(self, request: AgentRequest, pair_id: int) -> Response:
        form = (ResolveIn if self.verb == "resolve" else ReasonIn)(data=request.data)
        form.is_valid(raise_exception=True)
        data = dict(form.validated_data)
        if self.verb == "resolve":
            pair = settle.resolve(pair_id=pair_id, by=request.member, now=timezone.now(), **data)
        else:
            pair = settle.dismiss(pair_id=pair_id, by=request.member, now=timezone.now(), why=data["reason"])
        return Response(PairOut(pair).data)


class Topics(APIView):
    """What the team's insights are about."""

    @extend_schema(operation_id="topics_list", parameters=[TopicsIn], responses=TopicsOut)
    def get(self, request: AgentRequest) -> Response:
        """The topics of your teams, the largest first."""
        form = TopicsIn(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        found = topics.overviews(by=request.member, team=form.validated_data["team"])
        shown = TopicOut(found[: form.validated_data["limit"]], many=True).data
        return Response({"results": shown, "total": len(found)})


class OneTopic(APIView):
    """A topic."""

    @extend_schema(operation_id="topics_get", responses=TopicOut)
    def get(self, request: AgentRequest, topic_id: UUID) -> Response:
        """Its insights are at `insights/?topic=`. One that was merged into another is answered with that."""
        return Response(TopicOut(topics.overview(topic_id=topic_id, by=request.member)).data)


class TopicNaming(APIView):
    """Give a topic a name that stays; a lead's act."""

    @extend_schema(operation_id="topics_rename", request=RenameIn, responses=TopicOut)
    def post(self, request: AgentRequest, topic_id: UUID) -> Response:
        form = RenameIn(data=request.data)
        form.is_valid(raise_exception=True)
        data, by = form.validated_data, request.member
        done = topics.rename(topic_id=topic_id, label=data["label"], by=by, now=timezone.now(), why=data["reason"])
        return Response(TopicOut(topics.overview(topic_id=done.pk, by=by)).data)


class TopicMerging(APIView):
    """Put a topic into another; a lead's act."""

    @extend_schema(operation_id="topics_merge", request=MergeTopicIn, responses=TopicOut)
    def post(self, request: AgentRequest, topic_id: UUID) -> Response:
        """The answer is the topic that stays; the other's id leads to it from now on."""
        form = MergeTopicIn(data=request.data)
        form.is_valid(raise_exception=True)
        data, by = form.validated_data, request.member
        done = topics.merge(topic_id=topic_id, into=data["into"], by=by, now=timezone.now(), why=data["reason"])
        return Response(TopicOut(topics.overview(topic_id=done.pk, by=by)).data)


def _find(request: AgentRequest, ref: str) -> Insight:
    insight = Insight.objects.visible_to(request.member).whole().called(ref).first()
    if insight is None:
        raise NotFound
    return insight


def _insight(insight: Insight) -> Response:
    return Response(InsightOut(insight).data, headers=_tag(insight))


def _tag(insight: Insight) -> dict[str, str]:
    return {"ETag": f'"{insight.revision}"'}


def idempotency_key(request: AgentRequest) -> str:
    key = request.headers.get("Idempotency-Key", "")
    if len(key) > LONGEST_KEY or "\0" in key:
        raise BadHeader(errors={"Idempotency-Key": [f"At most {LONGEST_KEY} characters, without NUL."]})
    if key.startswith(KEYS):
        raise BadHeader(errors={"Idempotency-Key": [f"Keys that start with {KEYS} are reserved for Loam."]})
    return key


def sent_revision(request: AgentRequest) -> int:
    """The revision in If-Match. Raises PreconditionMissing, BadHeader."""
    sent = request.headers.get("If-Match")
    if sent is None:
        raise PreconditionMissing
    found = _REVISION.fullmatch(sent)
    if found is None:
        raise BadHeader(errors={"If-Match": ["Not a revision number."]})
    return int(found[1] or found[2])


def _deposited(request: AgentRequest, items: list[DraftIn]) -> dict[DraftIn, Deposited | Refused]:
    """What became of each item: one deposit for all that come from one session, which is nearly always all."""
    now = timezone.now()
    done: dict[DraftIn, Deposited | Refused] = {}
    for session in dict.fromkeys(item.validated_data["session"] for item in items):
        mine = [item for item in items if item.validated_data["session"] == session]
        results = deposit_many(drafts=[item.draft() for item in mine], by=in_session(request, session), now=now)
        done.update(zip(mine, results, strict=True))
    return done


def _deposit_answer(done: Deposited, by: Member) -> dict[str, Any]:
    """The answer to a deposit, with what its agent is asked."""
    stored = with_question(done, by=by, now=timezone.now())
    answer: dict[str, Any] = DepositedOut(stored, context={"member": by}).data
    return answer


def _status(done: Deposited) -> int:
    """200 when no row was made, for it said what one says already."""
    return 200 if done.outcome == "merged" else 201


def _result(item: Any, by: Member) -> dict[str, Any]:
    """A batch item's answer: stored, refused by the action, or refused by the form."""
    if isinstance(item, Deposited):
        # Nobody reads a hundred notes named beside a hundred deposits.
        return {"status": _status(item), **_deposit_answer(replace(item, nearest=()), by)}
    if isinstance(item, Refused):
        return {"status": item.status, "problem": of_refused(item)}
    return {"status": 400, "problem": document(400, "The insight is invalid.", errors=flat(item.errors))}


def _known_parameters(request: AgentRequest) -> None:
    known = {*InsightFilter.base_filters, "cursor", "limit", "ordering"}
    if faults := unknown_names(request.query_params, known, "parameter"):
        raise ValidationError(faults)
    if request.query_params.get("ordering", "-created_at") not in InsightPages.orderings:
        raise ValidationError({"ordering": [f"One of {', '.join(InsightPages.orderings)}."]})
    limit = request.query_params.get("limit", "1")
    if not _LIMIT.fullmatch(limit) or not 1 <= int(limit) <= InsightPages.max_page_size:
        raise ValidationError({"limit": [f"A number from 1 to {InsightPages.max_page_size}."]})
