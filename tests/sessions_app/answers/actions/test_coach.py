"""Coaching: what a member is told, how it fades, and when they are left alone."""

from datetime import datetime

from rest_framework.test import APIClient

from accounts.rules.rights import Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from sessions_app.answers.actions.coach import coach
from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.coaching import UNTIL, CoachingMoment, Concept, lesson_for
from sessions_app.models import Coached
from tests.factories import make_insight

SURFACING, RATING, DEPOSITING, DRAFTS = (
    lesson_for(concept, Interface.REST)
    for concept in (Concept.SURFACING, Concept.RATING, Concept.DEPOSITING, Concept.DRAFTS)
)


class TestBesideAnAnswer:
    def test_says_how_to_rate_until_one_rates(
        self, alice: Member, bob: Member, bobs_agent: APIClient, now: datetime
    ) -> None:
        ref = make_insight(alice, body="Celery beat runs once.").ref
        first = bobs_agent.post("/api/v1/query/", {"query": "celery beat"}).json()["coaching"]
        rate(refs=[ref], verdict=SignalKind.HELPFUL, by=bob, now=now)
        then = bobs_agent.post("/api/v1/query/", {"query": "celery beat"}).json()["coaching"]
        assert (first, then) == (RATING.full, DRAFTS.full)

    def test_says_how_to_deposit_when_nothing_is_known(self, platform: object, bobs_agent: APIClient) -> None:
        answer = bobs_agent.post("/api/v1/query/", {"query": "sourdough"}).json()
        assert answer["coaching"] == DEPOSITING.full
        assert answer["text"].endswith(DEPOSITING.full)

    def test_is_part_of_the_text_within_its_budget(self, alice: Member, bobs_agent: APIClient) -> None:
        make_insight(alice, body="Celery beat runs once. " + "It fires each job of the crontab. " * 200)
        for asked in ({"query": "celery beat"}, {"query": "celery beat", "max_tokens": 100}):
            answer = bobs_agent.post("/api/v1/query/", asked).json()
            assert answer.get("coaching", "") in answer["text"]
            assert answer["tokens"] <= asked.get("max_tokens", 800)

    def test_is_not_counted_where_it_has_no_room(self, bob: Member, now: datetime) -> None:
        assert coach(moment=CoachingMoment.NOTHING_KNOWN, by=bob, now=now, room=5) == ""
        assert not Coached.objects.exists()

    def test_is_left_out_when_there_is_nothing_new(self, platform: object, bobs_agent: APIClient) -> None:
        answers = [bobs_agent.post("/api/v1/query/", {"query": "sourdough"}).json() for _ in range(UNTIL + 1)]
        assert ["coaching" in answer for answer in answers] == [True] * UNTIL + [False]


class TestCoach:
    def test_tells_in_full_then_in_a_line_then_not_at_all(self, bob: Member, now: datetime) -> None:
        told = [coach(moment=CoachingMoment.NOTHING_KNOWN, by=bob, now=now) for _ in range(UNTIL + 2)]
        assert told == [DEPOSITING.full, *[DEPOSITING.line] * (UNTIL - 1), "", ""]
        assert Coached.objects.get().told == UNTIL

    def test_fades_for_each_member_and_each_concept_by_itself(self, alice: Member, bob: Member, now: datetime) -> None:
        for _ in range(UNTIL):
            coach(moment=CoachingMoment.NOTHING_KNOWN, by=bob, now=now)
        assert coach(moment=CoachingMoment.NOTHING_KNOWN, by=bob, now=now) == ""
        assert coach(moment=CoachingMoment.NOTHING_KNOWN, by=alice, now=now) == DEPOSITING.full
        assert coach(moment=CoachingMoment.SURFACED, by=bob, now=now) == SURFACING.full

    def test_does_not_explain_what_somebody_does_already(self, alice: Member, bob: Member, now: datetime) -> None:
        ref = make_insight(alice, body="Celery beat runs once.").ref
        rate(refs=[ref], verdict=SignalKind.HELPFUL, by=bob, now=now)
        assert coach(moment=CoachingMoment.ANSWERED, by=bob, now=now) == DRAFTS.full
        assert Coached.objects.get(concept=Concept.RATING).known_at == now

    def test_is_kept_in_the_personal_team(self, bob: Member, now: datetime) -> None:
        coach(moment=CoachingMoment.NOTHING_KNOWN, by=bob, now=now)
        assert Coached.objects.get().team_id == bob.home_id

    def test_costs_one_statement_when_there_is_nothing_new(
        self, bob: Member, now: datetime, django_assert_num_queries: object
    ) -> None:
        for _ in range(UNTIL):
            coach(moment=CoachingMoment.NOTHING_KNOWN, by=bob, now=now)
        with django_assert_num_queries(1):  # type: ignore[operator]
            assert coach(moment=CoachingMoment.NOTHING_KNOWN, by=bob, now=now) == ""
