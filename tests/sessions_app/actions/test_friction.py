"""What keeps going wrong, and where."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.rules.rights import Member
from sessions_app.actions.capture import Report
from sessions_app.actions.friction import friction
from tests.factories import make_insight
from tests.sessions_app.sitting import MINUTE, PASSED, begin, do, sit

TRACE = "Traceback (most recent call last):\n  File \"/home/{}/web/a.py\", line {}, in run\nKeyError: 'tenant'"


def failing(name: str, line: int) -> Report:
    return Report("test", path="src/web/a.py", command="pytest", outcome="failed", error=TRACE.format(name, line))


@pytest.fixture
def met_twice(alice: Member, bob: Member, now: datetime) -> None:
    for who, name, line in ((alice, "ann", 4), (bob, "ben", 7)):
        sit(who, now, failing(name, line))


class TestTheReport:
    def test_knows_an_error_again_on_another_machine(self, met_twice: None, bob: Member, now: datetime) -> None:
        [error] = friction(by=bob, now=now).errors
        assert (error.met.count, error.met.sessions, error.met.people) == (2, 2, 2)
        assert (error.modules, error.met.repos, error.insights) == (("src/web",), ("acme/web",), ())
        assert "KeyError" in error.met.template

    def test_names_what_the_team_knows_of_it(self, met_twice: None, bob: Member, now: datetime) -> None:
        ref = make_insight(bob, body="Warm the registry on boot.", error=TRACE.format("cho", 9)).ref
        assert friction(by=bob, now=now).errors[0].insights == (ref,)

    def test_leaves_out_what_was_overcome_and_said(self, bob: Member, now: datetime) -> None:
        for n in range(2):
            session = sit(bob, now, failing("ben", n))
            do(session, bob, now + MINUTE, PASSED)
        assert friction(by=bob, now=now).errors
        make_insight(bob, body="Warm the registry on boot.", error=TRACE.format("cho", 9))
        assert not friction(by=bob, now=now).errors

    def test_is_of_one_repo_and_of_the_last_days(self, met_twice: None, bob: Member, now: datetime) -> None:
        assert friction(by=bob, now=now, repo="acme/web").errors
        assert not friction(by=bob, now=now, repo="acme/api").errors
        assert not friction(by=bob, now=now + timedelta(days=31)).errors
        assert friction(by=bob, now=now + timedelta(days=31), days=90).errors

    def test_leaves_out_what_happened_once(self, bob: Member, now: datetime) -> None:
        begin(bob, now)
        sit(bob, now, failing("ben", 1))
        assert friction(by=bob, now=now).errors == ()

    def test_leaves_out_look_ups_that_found_nothing(self, alice: Member, bob: Member, now: datetime) -> None:
        missing = Report("error", command="ls src/gone", outcome="failed", error="ls: cannot access 'src/gone'")
        for who in (alice, bob):
            sit(who, now, missing)
        assert friction(by=bob, now=now).errors == ()

    def test_shows_a_stranger_nothing(self, met_twice: None, charlie: Member, now: datetime) -> None:
        assert friction(by=charlie, now=now).errors == ()

    def test_costs_two_statements(self, met_twice: None, bob: Member, now: datetime) -> None:
        with CaptureQueriesContext(connection) as caught:
            friction(by=bob, now=now)
        assert len(caught) == 2
