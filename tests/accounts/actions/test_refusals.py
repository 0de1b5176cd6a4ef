"""What a member was not allowed to do stands in the team's log, once."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client

from accounts.actions.refusals import MOST_LINES, log_attempt, log_refusal
from accounts.models import LogEntry, Tally, User
from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.actions.settle import report
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

    def test_on_its_session_is_logged_without_its_id(self, insight: Insight, bob: Member) -> None:
        error, call = NotAllowed("No."), "POST sessions/loam-s-QB_dibm-x9/ack/"
        error.team_id = insight.team_id
        log_refusal(error=error, call=call, by=bob, now=NOW)
        assert refused()[0].line == "POST sessions/{session}/ack/ refused: No."

    @pytest.mark.parametrize(
        ("act", "sent"),
        [("resolve", {"keep": "PLAT-2"}), ("resolve", {"scope": "nights"}), ("dismiss", {"reason": "mine"})],
    )
    def test_on_a_pair_is_logged_with_both_of_its_sides(
        self, insight: Insight, alice: Member, bob: Member, act: str, sent: dict[str, str]
    ) -> None:
        other = make_insight(alice, body="Deploys stop at noon on Fridays, except for hotfixes.")
        pair = report(a=insight.ref, b=other.ref, reason="which?", by=alice, now=NOW)
        answer = agent(bob).post(f"/api/v1/contradictions/{pair.pk}/{act}/", sent)
        assert answer.status_code == 403, answer.json()
        (line,) = refused()
        assert line.line.endswith(f"refused: {insight.ref} and {other.ref}: This requires a lead of the team.")

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
        client.force_login(_user(bob))
        client.post("/inbox/act/", {"verb": "pin", "ref": insight.ref})
        assert refused()[-1].line == f"POST /inbox/act/ refused: {insight.ref}: This requires a lead of the team."
        assert "POST /teams/platform/terms/ refused: This requires a lead of the team." in page


class TestTheSameAttempt:
    @pytest.fixture
    def tried(self, insight: Insight, bob: Member) -> Callable[..., LogEntry | None]:
        def once(at: datetime = NOW, *, on: int = 1, by: Member = bob) -> LogEntry | None:
            error = NotAllowed("This takes a lead.", team_id=insight.team_id)
            return log_refusal(error=error, call=f"POST x/{on}/", by=by, now=at)

        return once

    def test_is_logged_again_the_next_day(self, tried: Callable[..., LogEntry | None]) -> None:
        lines = [tried(NOW + timedelta(hours=hours)) for hours in (0, 1, 5, 24)]
        assert [bool(line) for line in lines] == [True, False, False, True]

    def test_is_counted(self, tried: Callable[..., LogEntry | None]) -> None:
        lines = [line.line for line in (tried() for _ in range(120)) if line]
        said = "POST x/1/ refused: This takes a lead."
        assert lines == [said, f"{said} (10 times today)", f"{said} (100 times today)"]

    def test_is_another_one_of_somebody_else(self, tried: Callable[..., LogEntry | None], alice: Member) -> None:
        assert tried() and tried(by=alice)

    def test_leaves_no_count_behind_for_long(self, tried: Callable[..., LogEntry | None]) -> None:
        for on in range(5):
            tried(on=on)
        tried(NOW + timedelta(days=1))
        assert Tally.objects.count() == 2


def test_many_attempts_are_listed_up_to_a_number(insight: Insight, bob: Member) -> None:
    for number in range(MOST_LINES + 50):
        log_attempt(team_id=insight.team_id, line=f"PLAT-{number} refused", by=bob, now=NOW)
    lines = [line.line for line in LogEntry.objects.filter(verb="refused").order_by("pk")]
    assert len(lines) == MOST_LINES
    assert lines[-1] == "More than 99 refused attempts today; further ones are not listed"


def test_a_report_of_two_that_have_nothing_in_common_is_logged(insight: Insight, alice: Member, bob: Member) -> None:
    other = make_insight(alice, body="Bread rises in an hour.")
    answer = agent(bob).post("/api/v1/contradictions/", {"a": insight.ref, "b": other.ref, "reason": "I say so"})
    assert answer.status_code == 400
    (line,) = refused()
    assert line.line.startswith(f"POST contradictions/ refused: {insight.ref} and {other.ref}: ")


def _user(member: Member) -> User:
    return User.objects.get(pk=member.user_id)
