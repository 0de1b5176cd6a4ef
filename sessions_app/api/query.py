"""`query/` for agents."""

import time
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import AgentRequest, in_session
from knowledge.retrieval.actions.retrieve import why_not
from knowledge.serializers.insights import InsightOut
from sessions_app.answers.actions.build_answer import build_answer
from sessions_app.answers.rules.packing import tokens
from sessions_app.api.interface import interface_of
from sessions_app.serializers.query import (
    AnswerOut,
    AskIn,
    ContradictionOut,
    WhyNotIn,
    WhyNotOut,
    conversation_out,
    hit_out,
    preference_out,
    summary_out,
)
from skills.serializers import applied_out


class QueryView(APIView):
    """Ask what the team knows."""

    @extend_schema(operation_id="query", request=AskIn, responses=AnswerOut)
    def post(self, request: AgentRequest) -> Response:
        """The best insights for a question, ranked and explained; none when nothing is relevant (`abstained`)."""
        began, now = time.perf_counter(), timezone.now()
        form = AskIn(data=request.data, context={"member": request.member})
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        done = build_answer(
            ask=form.ask(),
            max_tokens=wanted["max_tokens"],
            include=wanted["include"],
            by=in_session(request, wanted["session"]),
            now=now,
            via=interface_of(request),
        )
        found = done.found
        shown = InsightOut(context={"now": now})
        insights = [hit_out(hit, explain=wanted["explain"], shown=shown) for hit in found.hits]
        return Response(
            {
                "query_id": found.query_id,
                "insights": insights if "insights" in wanted["include"] else [],
                "topics": [summary_out(one) for one in done.topics],
                "skills": [applied_out(one) for one in done.skills],
                "preferences": [preference_out(one) for one in done.preferences],
                "contradictions": ContradictionOut(done.contradictions, many=True).data,
                "conversations": [conversation_out(one, done.answer) for one in done.conversations],
                "abstained": found.abstained and not done.conversations,
                "unlikely": done.unlikely,
                "text": done.text,
                "tokens": tokens(done.text),
                "candidate_count": found.candidate_count,
                "took_ms": round((time.perf_counter() - began) * 1000, 2),
                "degraded": found.degraded,
                **({"coaching": done.coaching} if done.coaching else {}),
            }
        )


class WhyNot(APIView):
    """Ask why an insight was not in an answer."""

    @extend_schema(operation_id="query_why_not", request=WhyNotIn, responses=WhyNotOut)
    def post(self, request: AgentRequest, query_id: UUID) -> Response:
        """The stage that dropped it, with figures; asked again as of now."""
        form = WhyNotIn(data=request.data)
        form.is_valid(raise_exception=True)
        drop = why_not(query_id=query_id, ref=form.validated_data["ref"], by=request.member, now=timezone.now())
        return Response(WhyNotOut(drop).data)
