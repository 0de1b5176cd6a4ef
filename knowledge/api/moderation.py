"""`insights/…` for those who moderate: forget, release, move, validate; and `provenance/`, what changed under them."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest
from knowledge.lifecycle.actions.validate import anchored, compare_files, validate
from knowledge.models import Insight
from knowledge.review.actions.forget import KEPT_FOR, forget
from knowledge.review.actions.move import move
from knowledge.review.actions.quarantine import release
from knowledge.serializers.insights import InsightOut
from knowledge.serializers.moderation import (
    AnchoredIn,
    AnchoredOut,
    FilesIn,
    ForgetIn,
    ForgottenOut,
    MoveIn,
    ReleaseIn,
    ReportedOut,
    ValidateIn,
)


class Forgetting(APIView):
    """Take an insight out of every read."""

    @extend_schema(operation_id="insights_forget", request=ForgetIn, responses=ForgottenOut)
    def post(self, request: AgentRequest, ref: str) -> Response:
        """For good after 30 days; until then a lead's `restore` brings it back. A lead's act, or its author's while
        nobody else has said the same, found it helpful, edited or confirmed it.
        """
        form = ForgetIn(data=request.data)
        form.is_valid(raise_exception=True)
        now = timezone.now()
        done = forget(ref=ref, why=form.validated_data["reason"], by=request.member, now=now)
        return Response(ForgottenOut({"ref": done.ref, "forgotten_at": now, "erased_after": now + KEPT_FOR}).data)


class Validation(APIView):
    """Confirm that an insight still holds."""

    @extend_schema(operation_id="insights_validate", request=ValidateIn, responses=InsightOut)
    def post(self, request: AgentRequest, ref: str) -> Response:
        """Its trust is `validated`; files in `provenance` are taken as they are now, the others as last reported."""
        data = _valid(ValidateIn, request)
        done = validate(
            ref=ref, by=request.member, now=timezone.now(), why=data["reason"], provenance=data.get("provenance", [])
        )
        return _insight(done)


class Moving(APIView):
    """Bring an insight to another team."""

    @extend_schema(operation_id="insights_move", request=MoveIn, responses=InsightOut)
    def post(self, request: AgentRequest, ref: str) -> Response:
        """It has a reference of that team then; the old one finds it still, for who may see it. A lead's act."""
        data = _valid(MoveIn, request)
        return _insight(move(ref=ref, team=data["team"], by=request.member, now=timezone.now(), why=data["reason"]))


class Release(APIView):
    """Let an insight out of quarantine."""

    @extend_schema(operation_id="insights_release", request=ReleaseIn, responses=InsightOut)
    def post(self, request: AgentRequest, ref: str) -> Response:
        """With its secrets masked; or, `mask` being false, as it is: they become reviewed terms. A lead's act."""
        data = _valid(ReleaseIn, request)
        return _insight(release(ref=ref, by=request.member, now=timezone.now(), why=data["reason"], mask=data["mask"]))


class Provenance(APIView):
    """What a repository's files were like when something was learned from them, and what they are like now."""

    @extend_schema(operation_id="provenance_list", parameters=[AnchoredIn], responses=AnchoredOut)
    def get(self, request: AgentRequest) -> Response:
        """The files each insight was learned from, with the hash each had then: for a client that compares them."""
        form = AnchoredIn(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        data = form.validated_data
        refs = [ref.strip() for ref in data["refs"].split(",") if ref.strip()]
        rows = anchored(repo=data["repo"], refs=refs, limit=data["limit"], by=request.member)
        return Response(AnchoredOut({"insights": rows}).data)

    @extend_schema(operation_id="provenance", request=FilesIn, responses=ReportedOut)
    def post(self, request: AgentRequest) -> Response:
        """Which insights learned from these files turned stale by it, and which agree with them all (again)."""
        data = _valid(FilesIn, request)
        files = {item["path"]: item["sha256"] for item in data["files"]}
        moved = {item["path"]: item["now"] for item in data["files"] if item["now"]}
        done = compare_files(repo=data["repo"], files=files, moved=moved, by=request.member, now=timezone.now())
        stale = [{"ref": ref, "files": paths} for ref, paths in done.stale.items()]
        return Response(
            {
                "checked": done.checked,
                "stale": stale,
                "validated": done.validated,
                "left_for_later": done.left_for_later,
            }
        )


def _valid(shape: Any, request: AgentRequest) -> dict[str, Any]:
    form = shape(data=request.data)
    form.is_valid(raise_exception=True)
    return dict(form.validated_data)


def _insight(insight: Insight) -> Response:
    return Response(InsightOut(insight).data, headers={"ETag": f'"{insight.revision}"'})
