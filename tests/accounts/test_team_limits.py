"""What a team may use: calls a minute over all web processes, and insights stored."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import Permission
from django.test import Client
from rest_framework.test import APIClient

from accounts.actions import throttle as module
from accounts.actions.throttle import throttle_each
from accounts.actions.turns import IncomingCall, Turns
from accounts.models import Tally, Team, User
from accounts.rules.rights import Level, Member
from knowledge.models import Insight
from sessions_app.adapters.web import database_url
from tests.config.running import wait_until
from tests.conftest import agent
from tests.factories import make_insight

ME, INSIGHTS, QUERY = "/api/v1/me/", "/api/v1/insights/", "/api/v1/query/"


@pytest.fixture(autouse=True)
def another_process() -> Iterator[None]:
    """One that has counted nothing yet."""
    module._counts.clear()
    yield
    module._counts.clear()


def until_refused(client: APIClient, path: str = ME, body: Any = None, most: int = 7) -> list[Any]:
    """The answers up to the first 429; more than one minute's window may be met."""
    answers = []
    for _ in range(most):
        answers.append(client.post(path, body, format="json") if body is not None else client.get(path))
        if answers[-1].status_code == 429:
            break
    return answers


class TestATeam:
    def test_has_one_limit_for_all_its_tokens(
        self, platform: Team, alices_agent: APIClient, bobs_agent: APIClient, charlies_agent: APIClient
    ) -> None:
        Team.objects.filter(pk=platform.pk).update(calls_per_minute=3)
        assert alices_agent.get(ME).status_code == 200
        refused = until_refused(bobs_agent)[-1]
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        assert "'platform' is limited to 3 calls a minute" in refused.json()["detail"]
        assert 1 <= int(refused["Retry-After"]) <= 60
        assert refused["Content-Type"] == "application/problem+json"
        assert charlies_agent.get(ME).status_code == 200  # another team goes on

    def test_that_has_none_of_its_own_has_the_setting(self, settings: Any, bobs_agent: APIClient) -> None:
        settings.LOAM_TEAM_RATE_LIMIT = 2
        assert "limited to 2 calls" in until_refused(bobs_agent)[-1].json()["detail"]

    def test_may_be_without_limit(self, settings: Any, platform: Team, bobs_agent: APIClient) -> None:
        settings.LOAM_TEAM_RATE_LIMIT = 1
        Team.objects.filter(pk=platform.pk).update(calls_per_minute=0)
        assert {answer.status_code for answer in until_refused(bobs_agent)} == {200}

    def test_over_its_limit_leaves_its_members_their_other_teams(
        self, platform: Team, mobile: Team, bob_user: User, bob: Member
    ) -> None:
        mobile.memberships.create(user=bob_user, level=Level.CONTRIBUTOR)
        Team.objects.filter(pk=platform.pk).update(calls_per_minute=1)
        bobs = agent(bob)
        refused = until_refused(bobs, QUERY, {"query": "locks", "teams": ["platform"]})[-1]
        assert refused.status_code == 429
        assert bobs.post(QUERY, {"query": "locks", "teams": ["mobile"]}, format="json").status_code == 200
        assert bobs.get(f"{INSIGHTS}?team=mobile").status_code == 200
        assert bobs.post(QUERY, {"query": "locks", "teams": ["personal"]}, format="json").status_code == 200
        # A call that names none is for both.
        assert until_refused(bobs, QUERY, {"query": "locks"})[-1].status_code == 429

    @pytest.mark.parametrize("body", ["{", "[1]", '{"team": 5, "teams": {"a": 1}}', "[" * 5_000, '"\\ud800"', ""])
    def test_is_counted_for_whatever_a_body_is(
        self, mobile: Team, bob_user: User, bob: Member, platform: Team, body: str
    ) -> None:
        """What is wrong with it is said as ever."""
        mobile.memberships.create(user=bob_user, level=Level.CONTRIBUTOR)
        refused = agent(bob).post(QUERY, body, content_type="application/json")
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
        assert f"team:{platform.pk}" in module._counts

    def test_is_not_told_of_by_a_stranger_who_names_it(
        self, platform: Team, mobile: Team, charlies_agent: APIClient
    ) -> None:
        """Nor used up."""
        Team.objects.filter(pk=platform.pk).update(calls_per_minute=1)
        for _ in range(3):
            assert charlies_agent.get(f"{INSIGHTS}?team=platform").status_code != 429
        assert f"team:{platform.pk}" not in module._counts


# One web process of several: it makes so many calls of one team, and says how many were let through.
CALLS = """
import sys
from django.utils import timezone
from datetime import datetime
from accounts.actions.throttle import throttle_each
from accounts.actions.turns import Turns
now = datetime.fromisoformat(sys.argv[-1])
print(sum(not throttle_each(limits={"team:1": 40, "token:%s" % sys.argv[-2]: 1000}, now=now)[1] for _ in range(40)))
"""


class TestTwoProcesses:
    def test_share_the_limit_of_a_team(self, transactional_db: None, now: datetime) -> None:
        """Two programs at once on one database, each with 40 calls of a team that has 40. The count of each is added
        after a twentieth of the limit: it may be passed by as much.
        """
        environment = os.environ | {
            "DATABASE_URL": database_url(),
            "PRODUCTION": "off",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        program = f"import django; django.setup()\n{CALLS}"
        both = [
            subprocess.Popen(
                [sys.executable, "-c", program, token, now.isoformat()],
                cwd=django_settings.BASE_DIR,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            for token in ("1", "2")
        ]
        let_through = [int(one.communicate(timeout=60)[0]) for one in both]
        assert 40 <= sum(let_through) <= 40 + 2
        assert Tally.objects.get(key="team:1").count >= 40
        # A third that starts now knows with its first look.
        assert sum(not throttle_each(limits={"team:1": 40}, now=now)[1] for _ in range(10)) <= 2


class TestCallsAtOnce:
    @pytest.fixture
    def turns(self, monkeypatch: pytest.MonkeyPatch) -> Turns:
        """None taken, for the calls of the test as well."""
        fresh = Turns()
        monkeypatch.setattr("accounts.authentication.turns", fresh)
        monkeypatch.setattr("accounts.middleware.turns", fresh)
        return fresh

    def test_go_on_by_teams_in_turn(self, turns: Turns) -> None:
        """Team 1 has sent six when team 2 sends three: those do not wait for all of team 1, and the first for none."""
        calls = [turns.arrive(0) for _ in range(9)]
        went: list[int] = []
        threads = []
        for number, team in enumerate([1, 1, 1, 1, 1, 1, 2, 2, 2]):

            def run(call: IncomingCall = calls[number], team: int = team) -> None:
                if turns.take(call, caller=team, most=2):
                    went.append(team)

            threads.append(threading.Thread(target=run, daemon=True))
            threads[-1].start()
            wait_until(lambda number=number: len(turns._waiting) + len(went) == number + 1)
        assert went == [1, 1, 2]
        for number, team in enumerate([1, 1, 2, 1, 2, 1, 2]):
            turns.leave(next(call for call in calls if call.has_turn and call.caller == team), most=2)
            wait_until(lambda number=number: len(went) >= number + 3)
        for thread in threads:
            thread.join(20)
        assert went == [1, 1, 2, 1, 2, 1, 2, 1, 1]

    def test_of_a_team_that_used_less_go_first(self, turns: Turns) -> None:
        spent = turns.arrive(0)
        turns.identify(spent, 1)
        turns.leave(spent, seconds=5.0)
        running = {team: turns.arrive(0) for team in (1, 2, 3)}
        for team, call in running.items():
            assert turns.take(call, caller=team, most=1)
        went: list[int] = []
        waiting = [turns.arrive(0) for _ in (1, 2)]
        for number, team in enumerate((1, 2)):
            threading.Thread(
                target=lambda call, team: went.extend([team] * turns.take(call, caller=team, most=1)),
                args=(waiting[number], team),
                daemon=True,
            ).start()
            wait_until(lambda number=number: len(turns._waiting) == number + 1)
        turns.leave(running[3], most=3)
        wait_until(lambda: bool(went))
        assert went == [2]

    def test_of_a_team_that_is_alone_have_all_turns(self, turns: Turns) -> None:
        assert all(turns.take(turns.arrive(0), caller=1, most=4) for _ in range(4))

    def test_of_a_team_that_keeps_the_process_busy_are_two_but_for_those_that_wait_for_something_else(
        self, monkeypatch: pytest.MonkeyPatch, turns: Turns
    ) -> None:
        spent = turns.arrive(0)
        turns.identify(spent, 1)
        turns.leave(spent, seconds=10.0)
        monkeypatch.setattr("accounts.actions.turns.PATIENCE", 0.01)
        assert [turns.take(turns.arrive(0), caller=1, most=8) for _ in range(3)] == [True, True, False]
        assert [turns.take(turns.arrive(0), caller=2, most=8) for _ in range(3)] == [True] * 3
        monkeypatch.setattr("accounts.actions.turns.QUICK", 0.0)  # the first two take long
        assert turns.take(turns.arrive(0), caller=1, most=8)

    def test_of_a_team_that_has_none_wait_for_nobody(self, settings: Any, turns: Turns, bobs_agent: APIClient) -> None:
        settings.LOAM_AT_ONCE = 1
        assert turns.take(turns.arrive(0), caller=0, most=1)
        assert bobs_agent.get(ME).status_code == 200

    def test_that_get_no_turn_are_told_why(
        self, settings: Any, monkeypatch: pytest.MonkeyPatch, turns: Turns, platform: Team, bobs_agent: APIClient
    ) -> None:
        settings.LOAM_AT_ONCE = 1
        monkeypatch.setattr("accounts.actions.turns.PATIENCE", 0.01)
        call = turns.arrive(0)
        assert turns.take(call, caller=platform.pk, most=1)
        refused = bobs_agent.get(ME)
        assert (refused.status_code, refused["Retry-After"], refused.json()["code"]) == (429, "1", "rate_limited")
        assert "no turn came for the team 'platform'" in refused.json()["detail"]
        turns.leave(call)
        assert [bobs_agent.get(ME).status_code for _ in range(3)] == [200] * 3  # each gave its turn back

    def test_are_given_back_when_a_call_fails(self, settings: Any, turns: Turns, bobs_agent: APIClient) -> None:
        settings.LOAM_AT_ONCE = 1
        assert bobs_agent.post(QUERY, "{", content_type="application/json").status_code == 400
        assert bobs_agent.get(f"{INSIGHTS}NONE-1/").status_code == 404
        assert bobs_agent.get(ME).status_code == 200

    def test_are_their_teams_use_and_pages_their_persons(
        self, turns: Turns, platform: Team, bob_user: User, bobs_agent: APIClient
    ) -> None:
        assert bobs_agent.get(ME).status_code == 200
        browser = Client()
        browser.force_login(bob_user)
        assert browser.get("/insights/").status_code == 200
        assert {caller for caller, used in turns._used.items() if used.seconds > 0} == {platform.pk, -bob_user.pk}


class TestAQuota:
    @pytest.fixture
    def full(self, platform: Team, bob: Member) -> Team:
        make_insight(bob)
        Team.objects.filter(pk=platform.pk).update(most_insights=2)
        return platform

    def test_refuses_what_is_one_too_many_and_says_why(self, full: Team, bob: Member, bobs_agent: APIClient) -> None:
        new = {"kind": "PATTERN", "team": "platform"}
        assert bobs_agent.post(INSIGHTS, {**new, "body": "Wrap retries in a backoff helper."}).status_code == 201
        refused = bobs_agent.post(INSIGHTS, {**new, "body": "The exporter reads its licence from /etc."})
        assert (refused.status_code, refused.json()["code"]) == (403, "quota_reached")
        assert "stores 2 of at most 2 insights" in refused.json()["detail"]
        assert (refused.json()["quota"], refused.json()["stored"]) == (2, 2)
        assert Insight.objects.filter(team=full).count() == 2
        # What it knows already is strengthened all the same, and no number is lost.
        merged = bobs_agent.post(INSIGHTS, {**new, "body": "Wrap retries in a backoff helper."})
        assert merged.status_code == 200
        assert Team.objects.get(pk=full.pk).last_number == 2

    def test_stores_of_a_batch_what_there_is_room_for(self, full: Team, bobs_agent: APIClient) -> None:
        bodies = ("Wrap retries in a backoff helper.", "The exporter reads its licence from /etc.")
        batch = {"insights": [{"kind": "PATTERN", "team": "platform", "body": body} for body in bodies]}
        answer = bobs_agent.post(f"{INSIGHTS}batch/", batch, format="json")
        assert sorted(one["status"] for one in json.loads(answer.content)["results"]) == [201, 403]
        assert Insight.objects.filter(team=full).count() == 2

    def test_has_room_again_for_what_was_forgotten(self, full: Team, alices_agent: APIClient) -> None:
        Team.objects.filter(pk=full.pk).update(most_insights=1)
        new = {"kind": "PATTERN", "team": "platform", "body": "Wrap retries in a backoff helper."}
        assert alices_agent.post(INSIGHTS, new).status_code == 403
        ref = Insight.objects.get(team=full).ref
        assert alices_agent.post(f"{INSIGHTS}{ref}/forget/", {"reason": "old"}).status_code == 200
        assert alices_agent.post(INSIGHTS, new).status_code == 201

    def test_holds_for_what_is_moved_there(
        self, full: Team, bob: Member, alices_agent: APIClient, alice: Member
    ) -> None:
        Team.objects.filter(pk=full.pk).update(most_insights=1)
        own = make_insight(alice, team="personal", body="The exporter reads its licence from /etc.")
        refused = alices_agent.post(f"{INSIGHTS}{own.ref}/move/", {"team": "platform", "reason": "for all"})
        assert (refused.status_code, refused.json()["code"]) == (403, "quota_reached")
        assert Insight.objects.filter(ref=own.ref).exists()


class TestTheAdmin:
    def test_lets_only_a_superuser_set_limits(self, platform: Team, django_user_model: Any) -> None:
        root = django_user_model.objects.create_superuser("root", password="x")
        browser = Client()
        browser.force_login(root)
        page = browser.get(f"/admin/accounts/team/{platform.pk}/change/").content.decode()
        assert 'name="calls_per_minute"' in page and 'name="most_insights"' in page
        staff = django_user_model.objects.create_user("staff", password="x", is_staff=True)
        for name in ("view_team", "change_team"):
            staff.user_permissions.add(_permission(name))
        browser.force_login(staff)
        page = browser.get(f"/admin/accounts/team/{platform.pk}/change/").content.decode()
        assert 'name="slug"' in page and 'name="most_insights"' not in page


def _permission(codename: str) -> Any:
    return Permission.objects.get(codename=codename)
