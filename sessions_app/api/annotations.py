"""`annotations/` for scripts: a CI job marks a deploy on the time axis of the team's dashboard."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest
from sessions_app.actions.annotations import annotate, annotations_of, remove_annotation
from sessions_app.serializers.annotations import AnnotationIn, AnnotationOut, AnnotationsAsked, AnnotationsOut


class Annotations(APIView):
    """Marks on the time axis of a team's dashboard."""

    @extend_schema(operation_id="annotations_list", parameters=[AnnotationsAsked], responses=AnnotationsOut)
    def get(self, request: AgentRequest) -> Response:
        """Those of your teams, the latest day first; with `team` of that one, with `since` from that day on."""
        form = AnnotationsAsked(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        rows = annotations_of(**form.validated_data, by=request.member)
        return Response({"results": AnnotationOut(rows, many=True).data})

    @extend_schema(
        operation_id="annotations_add", request=AnnotationIn, responses={200: AnnotationOut, 201: AnnotationOut}
    )
    def post(self, request: AgentRequest) -> Response:
        """Mark a day; without `day` the present one, in UTC. The same text on the same day is stored once (200)."""
        form = AnnotationIn(data=request.data)
        form.is_valid(raise_exception=True)
        row, new = annotate(**form.validated_data, by=request.member, now=timezone.now())
        return Response(AnnotationOut(row).data, status=201 if new else 200)


class OneAnnotation(APIView):
    """One mark on the time axis."""

    @extend_schema(operation_id="annotations_remove", responses={204: None})
    def delete(self, request: AgentRequest, annotation_id: int) -> Response:
        """Remove it. A lead may, and who added it."""
        remove_annotation(annotation_id=annotation_id, by=request.member, now=timezone.now())
        return Response(status=204)
