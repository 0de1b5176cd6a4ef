"""What a member was not allowed to do stands in the team's log, once."""

from datetime import timedelta

import pytest
from django.test import Client

from accounts.actions.refusals import log_refusal
from accounts.models import LogEntry, User
from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Member
from knowledge.models import Insight
from tests.conftest import NOW, agent
from tests.factories import make_insight

pytestmark = pytest.mark.django_db


@pytest.fixture
def insight(alice: Member) -> Insight:
    return make_insight(alice, body="Deploys stop at noon on Fridays.")


def refused() -> list[LogEntry]:
    return list(LogEntry.objects.filter(verb="refused"))


class TestAnAgent:
    def test_is_logged_with_what_it_tried_and_why_not(self, insight: Insight, bob: Member) -> None:
        answer = agent(bob).post(f"/api/v1/insights/{insight.ref}/promote/", {"reason": "mine"})
        assert answer.status_code == 403
        (line,) = refused()
        assert (line.subject, line.actor, line.team_id) == ("", "bob (agent)", insight.team_id)
        assert line.line == f"POST insights/{insight.ref}/promote/ refused: This requires a lead of the team."

    def test_in_a_loop_is_logged_once(self, insight: Insight, bob: Member) -> None:
        for _ in range(5):
            agent(bob).post(f"/api/v1/insights/{insight.ref}/promote/", {"reason": "mine"})
        assert len(refused()) == 1

    def test_of_another_team_leaves_no_line(self, insight: Insight, charlie: Member) -> None:
        answer = agent(charlie).post(f"/api/v1/insights/{insight.ref}/promote/", {"reason": "mine"})
        assert (answer.status_code, refused()) == (404, [])


class TestAPerson:
    def test_is_logged_and_the_lead_reads_it(
        self, insight: Insight, bob: Member, alice: Member, client: Client
    ) -> None:
        client.force_login(_user(bob))
        client.post("/teams/platform/terms/", {"term": "payment gateway", "reason": "none"})
        (line,) = refused()
        assert line.actor == "bob"
        client.force_login(_user(alice))
        page = client.get("/activity/?team=platform").content.decode()
        assert "POST /teams/platform/terms/ refused: This requires a lead of the team." in page


def test_the_same_attempt_is_logged_again_after_an_hour(insight: Insight, bob: Member) -> None:
    error = NotAllowed("This takes a lead.", team_id=insight.team_id)
    at = [NOW, NOW + timedelta(minutes=59), NOW + timedelta(minutes=61)]
    lines = [log_refusal(error=error, call="POST x/", by=bob, now=now) for now in at]
    assert [bool(line) for line in lines] == [True, False, True]


def _user(member: Member) -> User:
    return User.objects.get(pk=member.user_id)
