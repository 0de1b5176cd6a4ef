"""`contradictions/…/comments/`, `insights/…/proposals/…/comments/`: what was said about a pair, or a suggested edit."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest
from accounts.rules.refused import NotFound
from knowledge.models import EditProposal, Pair
from knowledge.review.proposals.actions import decide
from knowledge.review.proposals.actions.comments import comment_on_pair
from knowledge.serializers.comments import CommentIn, CommentOut, CommentsOut

# As many as one reads; the page has all.
SHOWN = 200


class PairComments(APIView):
    """Comments on a contradiction, or on a pair that may be one insight."""

    @extend_schema(operation_id="contradictions_comments", responses=CommentsOut)
    def get(self, request: AgentRequest, pair_id: int) -> Response:
        """The first two hundred, the oldest first."""
        pair = Pair.objects.visible_to(request.member).filter(pk=pair_id).select_related("a", "b").first()
        return _thread(pair, request)

    @extend_schema(operation_id="contradictions_comment", request=CommentIn, responses={201: CommentOut})
    def post(self, request: AgentRequest, pair_id: int) -> Response:
        """Say something about it. Who is mentioned as `@name` finds it in the inbox, until they answer or settle it."""
        text = _text(request)
        made = comment_on_pair(pair_id=pair_id, text=text, by=request.member, now=timezone.now())
        return Response(CommentOut(made).data, status=201)


class ProposalComments(APIView):
    """Comments on a suggested edit."""

    @extend_schema(operation_id="insights_proposals_comments", responses=CommentsOut)
    def get(self, request: AgentRequest, ref: str, proposal_id: int) -> Response:
        """The first two hundred, the oldest first."""
        return _thread(_proposal(request, ref, proposal_id), request)

    @extend_schema(operation_id="insights_proposals_comment", request=CommentIn, responses={201: CommentOut})
    def post(self, request: AgentRequest, ref: str, proposal_id: int) -> Response:
        """Say something about it. Who is mentioned as `@name` finds it in the inbox, until they answer or decide."""
        if _proposal(request, ref, proposal_id) is None:
            raise NotFound
        made = decide.comment(proposal_id=proposal_id, text=_text(request), by=request.member, now=timezone.now())
        return Response(CommentOut(made).data, status=201)


def _proposal(request: AgentRequest, ref: str, proposal_id: int) -> EditProposal | None:
    rows = EditProposal.objects.visible_to(request.member).filter(pk=proposal_id, insight__ref=ref)
    found: EditProposal | None = rows.first()
    return found


def _thread(row: EditProposal | Pair | None, request: AgentRequest) -> Response:
    if row is None:
        raise NotFound
    return Response({"results": CommentOut(row.thread(request.member)[:SHOWN], many=True).data})


def _text(request: AgentRequest) -> str:
    form = CommentIn(data=request.data)
    form.is_valid(raise_exception=True)
    return str(form.validated_data["text"])
