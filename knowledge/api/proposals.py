"""`insights/…/proposals/`: suggest an edit of an insight, and see what became of it."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest
from accounts.rules.refused import NotFound
from knowledge.models import EditProposal, Insight
from knowledge.review.proposals.actions.suggest import suggest
from knowledge.serializers.proposals import ProposalIn, ProposalOut, ProposalsOut

# As many as one looks back for.
SHOWN = 50


class Proposals(APIView):
    """Suggested edits of an insight."""

    @extend_schema(operation_id="insights_proposals", responses=ProposalsOut)
    def get(self, request: AgentRequest, ref: str) -> Response:
        """The last fifty, open or not, the newest first, with their comments."""
        insight = Insight.objects.visible_to(request.member).called(ref).first()
        if insight is None:
            raise NotFound
        rows = (
            EditProposal.objects.visible_to(request.member).filter(insight=insight).select_related("insight", "other")
        )
        rows = rows.prefetch_related("comments__mentions__user").order_by("-proposed_at", "-pk")[:SHOWN]
        return Response({"results": ProposalOut(rows, many=True).data})

    @extend_schema(operation_id="insights_propose", request=ProposalIn, responses={200: ProposalOut, 201: ProposalOut})
    def post(self, request: AgentRequest, ref: str) -> Response:
        """Suggest new values, or with `act` to deprecate it, supersede it with `other` or merge it into `other`.

        A lead, or the author of a draft, decides; of a promoted insight another lead, if the team requires a second
        reviewer. Suggesting again revises your open one.
        """
        if not Insight.objects.visible_to(request.member).filter(ref=ref).exists():
            raise NotFound
        form = ProposalIn(data=request.data)
        form.is_valid(raise_exception=True)
        changes = dict(form.validated_data)
        sent = {name: changes.pop(name) for name in ("act", "other", "note", "revision") if name in changes}
        row, new = suggest(ref=ref, changes=changes, **sent, by=request.member, now=timezone.now())
        return Response(ProposalOut(row).data, status=201 if new else 200)
