"""What was shown and is then used grows a little stronger."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import Team, User
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.judging.actions.deposit import deposit
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.actions.use import named, open_insight
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Query, Signal
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from tests.conftest import member_of, person
from tests.factories import as_agent, make_draft, make_insight
from tests.knowledge.library import LESSONS

QUESTION = "Why does every celery beat job fire twice?"


@pytest.fixture(autouse=True)
def beat(alice: Member, now: datetime) -> Insight:
    return make_insight(alice, now=now, body=LESSONS["beat"])


def ask(by: Member, now: datetime) -> None:
    assert retrieve(ask=Ask(QUESTION), by=by, now=now).hits


def strength() -> float:
    return Insight.objects.get(ref="PLAT-1").strength


class TestAnInsight:
    def test_that_was_shown_and_is_opened_gains_a_point(self, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        ask(agent, now)
        assert open_insight(ref="PLAT-1", by=agent, now=now).strength == 51
        assert strength() == 51

    def test_that_was_not_shown_gains_nothing(self, bob: Member, now: datetime) -> None:
        assert open_insight(ref="PLAT-1", by=as_agent(bob), now=now).strength == 50

    def test_that_was_shown_to_another_session_gains_nothing(self, bob: Member, now: datetime) -> None:
        ask(as_agent(bob, "one"), now)
        open_insight(ref="PLAT-1", by=as_agent(bob, "two"), now=now)
        assert strength() == 50

    def test_that_was_shown_long_ago_gains_nothing(self, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        ask(agent, now - timedelta(hours=25))
        open_insight(ref="PLAT-1", by=agent, now=now)
        assert strength() == 50

    def test_gains_once_a_day_from_a_person(self, bob: Member, now: datetime) -> None:
        one, two = as_agent(bob, "one"), as_agent(bob, "two")
        for agent in (one, two):
            ask(agent, now)
            for _ in range(3):
                open_insight(ref="PLAT-1", by=agent, now=now)
        assert Signal.objects.filter(kind=SignalKind.USED).count() == 1  # two sessions of one person (decision 0020)
        open_insight(ref="PLAT-1", by=one, now=now + timedelta(hours=13))
        assert Signal.objects.filter(kind=SignalKind.USED).count() == 2

    def test_is_not_promoted_by_being_used(self, bob: Member, now: datetime) -> None:
        for n in range(5):
            agent = as_agent(bob, f"agent {n}")
            ask(agent, now)
            open_insight(ref="PLAT-1", by=agent, now=now)
        assert Insight.objects.get().status == "draft"

    def test_gains_nothing_from_a_reader(self, platform: Team, now: datetime) -> None:
        rita = member_of(user=person("rita", platform, Level.READER))
        ask(rita, now)
        assert open_insight(ref="PLAT-1", by=rita, now=now).strength == 50

    def test_is_not_there_for_a_stranger(self, charlie: Member, now: datetime) -> None:
        with pytest.raises(NotFound):
            open_insight(ref="PLAT-1", by=charlie, now=now)


class TestARating:
    def test_that_helped_is_a_use(self, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        ask(agent, now)
        assert rate(refs=["PLAT-1"], verdict=SignalKind.HELPFUL, by=agent, now=now)[0].insight.strength == 57

    def test_that_did_not_is_none(self, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        ask(agent, now)
        assert rate(refs=["PLAT-1"], verdict=SignalKind.UNHELPFUL, by=agent, now=now)[0].insight.strength == 42


class TestANote:
    def test_that_names_what_was_shown_uses_it(self, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        ask(agent, now)
        assert named(text="as PLAT-1 and PLAT-99 say", by=agent, now=now) == ["PLAT-1"]
        assert named(text="as PLAT-1 says", by=agent, now=now) == []
        assert strength() == 51

    def test_that_is_deposited_uses_it(self, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        ask(agent, now)
        deposit(draft=make_draft(body="As PLAT-1 says, but for workers: any number may run."), by=agent, now=now)
        assert strength() == 51

    def test_of_a_stranger_uses_nothing(self, charlie: Member, now: datetime) -> None:
        assert named(text="as PLAT-1 says", by=charlie, now=now) == []


class TestTheDoors:
    def test_of_the_api(self, bobs_agent: APIClient) -> None:
        bobs_agent.post("/api/v1/query/", {"query": QUESTION})
        bobs_agent.get("/api/v1/insights/PLAT-1/")
        assert Signal.objects.get().kind == SignalKind.USED

    def test_of_the_page_counts_nothing(self, client: Client, bob_user: User) -> None:
        """A person who looks at how agents are answered asks nothing, and what they open is no stronger for it."""
        client.force_login(bob_user)
        client.get("/insights/", {"q": QUESTION, "rank": "agent"})
        assert client.get("/insights/PLAT-1/").status_code == 200
        assert not Signal.objects.exists() and not Query.objects.exists()
