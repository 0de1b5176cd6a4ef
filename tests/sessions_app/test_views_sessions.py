"""The pages of sessions, of what was surfaced, of friction, and the dashboard."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import JobRun, LogEntry, User
from accounts.rules.rights import Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from sessions_app.answers.actions.surface import surface
from sessions_app.models import AgentSession, SessionEvent
from tests.factories import make_insight, make_skill
from tests.pages import HTMX, Faults, signed_in
from tests.sessions_app.sitting import EDIT, FAILED, PASSED, Report, begin, do, sit, stop

HOSTILE = '<script>alert(1)</script>"><svg onload=x>'
NOW = timezone.now()
AGO = NOW - timedelta(minutes=5)


def text(response: Any) -> str:
    return unescape(response.content.decode())


class TestSessions:
    def test_come_with_the_last_heard_of_first(self, alice_user: User, alice: Member) -> None:
        stop(sit(alice, AGO, repo="acme/web"), alice, AGO)
        begin(alice, AGO + timedelta(minutes=1), repo="acme/api")
        page = text(signed_in(alice_user).get("/sessions/"))
        assert page.index(">acme/api<") < page.index(">acme/web<")
        narrowed = text(signed_in(alice_user).get("/sessions/?repo=acme/web"))
        assert "S-" in narrowed
        assert "acme/api" not in narrowed

    def test_say_what_fills_the_list(self, alice_user: User) -> None:
        assert "Connect an agent" in text(signed_in(alice_user).get("/sessions/"))

    def test_are_the_teams(self, bob_user: User, charlie_user: User, alice: Member) -> None:
        session = sit(alice, AGO)
        assert session.ref in text(signed_in(bob_user).get("/sessions/"))
        stranger = signed_in(charlie_user)
        assert session.ref not in text(stranger.get("/sessions/"))
        assert stranger.get(f"/sessions/{session.ref}/").status_code == 404
        assert stranger.post(f"/sessions/{session.ref}/acknowledge/").status_code == 404

    def test_ask_a_bounded_number_of_questions(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        for n in range(8):
            stop(sit(alice, AGO, repo=f"acme/{n}"), alice, AGO)
        client = signed_in(alice_user)
        with django_assert_max_num_queries(7):
            client.get("/sessions/")

    @pytest.mark.parametrize("query", ["?team=nope", "?state=x", "?page=99", "?page=x", "?repo=%00"])
    def test_take_nonsense_for_nothing(self, query: str, alice_user: User) -> None:
        assert signed_in(alice_user).get(f"/sessions/{query}").status_code == 200


class TestOneSession:
    def test_shows_what_it_left_and_what_happened(self, alice_user: User, bob_user: User, alice: Member) -> None:
        session = sit(alice, AGO, EDIT, FAILED, PASSED)
        stop(session, alice, AGO, summary="Half of it.", pending=["write the test"])
        page = text(signed_in(bob_user).get(f"/sessions/{session.ref}/"))
        assert "Half of it." in page
        assert "write the test" in page
        assert "src/a.py" in page
        assert "failed, later passed" in page
        assert "100 %" in page
        assert session.key not in page

    def test_shows_its_questions_to_who_asked_alone(
        self, alice_user: User, bob_user: User, alice: Member, bob: Member
    ) -> None:
        session = sit(alice, AGO)
        from_session = alice.__class__(**{**alice.__dict__, "session": session.key})
        retrieve(ask=Ask("my very own question"), by=from_session, now=AGO)
        assert "my very own question" in text(signed_in(alice_user).get(f"/sessions/{session.ref}/"))
        assert "my very own question" not in text(signed_in(bob_user).get(f"/sessions/{session.ref}/"))

    def test_lets_a_handoff_be_taken_over(self, alice_user: User, bob_user: User, alice: Member) -> None:
        session = sit(alice, AGO)
        stop(session, alice, AGO)
        page = text(signed_in(bob_user).post(f"/sessions/{session.ref}/acknowledge/", follow=True))
        assert "was taken over" in page
        assert "Taken over by bob" in page
        assert "Mark as taken over" not in page

    def test_shows_hostile_words_as_words(self, alice_user: User, alice: Member) -> None:
        report = Report("test", path=HOSTILE, command=HOSTILE, outcome="failed", error=HOSTILE)
        session = sit(alice, AGO, report, repo=f"acme/{HOSTILE}", branch=HOSTILE, agent=HOSTILE, prompt=HOSTILE)
        stop(session, alice, AGO, summary=HOSTILE, handoff_note=HOSTILE, pending=[HOSTILE])
        for path in ("/sessions/", f"/sessions/{session.ref}/", "/friction/"):
            page = signed_in(alice_user).get(path).content.decode()
            assert Faults(page).found == [], path
            assert "<script>alert" not in page
            assert "<svg onload" not in page

    def test_asks_a_bounded_number_of_questions(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        session = sit(alice, AGO, *[Report("edit", path=f"src/{n}.py") for n in range(60)])
        stop(session, alice, AGO)
        client = signed_in(alice_user)
        with django_assert_max_num_queries(10):
            client.get(f"/sessions/{session.ref}/")

    def test_shows_the_first_of_very_many_events(self, alice_user: User, alice: Member) -> None:
        session = sit(alice, AGO)
        rows = [SessionEvent(session=session, kind="edit", at=AGO, received_at=AGO, path=f"{n}.py") for n in range(250)]
        SessionEvent.objects.bulk_create(rows)
        assert "First 200 of 251" in text(signed_in(alice_user).get(f"/sessions/{session.ref}/"))


class TestSurfaced:
    def test_says_why_something_came_or_did_not(self, alice_user: User, bob_user: User, alice: Member) -> None:
        make_insight(alice, body="Celery beat must run as one process, or nightly jobs fire twice.")
        surface(prompt="Why does celery beat fire our nightly jobs twice?", by=alice, now=AGO)
        surface(prompt="thanks a lot", by=alice, now=AGO)
        page = text(signed_in(alice_user).get("/sessions/surfaced/"))
        assert "PLAT-1" in page
        assert "thanks a lot" in page
        assert "stopped:" in page
        opened = text(signed_in(alice_user).get("/sessions/surfaced/?gate=open"))
        assert "thanks a lot" not in opened
        assert "celery beat" not in text(signed_in(bob_user).get("/sessions/surfaced/"))

    def test_masks_and_escapes(self, alice_user: User, alice: Member) -> None:
        surface(prompt=f"why does {HOSTILE} fail in the beat scheduler", by=alice, now=AGO)
        page = signed_in(alice_user).get("/sessions/surfaced/").content.decode()
        assert "<script>alert" not in page
        assert Faults(page).found == []

    def test_asks_a_bounded_number_of_questions(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        for _ in range(10):
            surface(prompt="thanks a lot", by=alice, now=AGO)
        client = signed_in(alice_user)
        with django_assert_max_num_queries(7):
            client.get("/sessions/surfaced/")


class TestFriction:
    def test_names_what_keeps_coming_back_and_where(self, alice_user: User, charlie_user: User, alice: Member) -> None:
        for _ in range(2):
            failed = Report("test", path="src/jobs/beat.py", command="x", outcome="failed", error="KeyError: 'beat'")
            do(begin(alice, AGO).session, alice, AGO, failed)
        page = text(signed_in(alice_user).get("/friction/"))
        assert "KeyError" in page
        assert "in 2 sessions" in page
        assert "src/jobs" in page
        assert "KeyError" not in text(signed_in(charlie_user).get("/friction/"))

    def test_says_when_nothing_does(self, alice_user: User) -> None:
        assert "No recurring errors" in text(signed_in(alice_user).get("/friction/?days=999"))


class TestDashboard:
    def test_counts_what_the_team_did(self, alice_user: User, alice: Member, bob: Member) -> None:
        row = make_insight(alice, now=AGO, body="Celery beat must run as one process, or jobs fire twice.")
        found = retrieve(ask=Ask("celery beat fires twice"), by=bob, now=AGO)
        retrieve(ask=Ask("which wine goes with fish"), by=bob, now=AGO)
        rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=bob, now=AGO, query_id=found.query_id)
        page = text(signed_in(alice_user).get("/dashboard/?team=platform"))
        assert "2 questions" in page
        assert "1 deposit" in page
        assert page.count("50 %") == 2
        assert "100 %" in page
        assert row.title in page
        assert "wine" not in page

    def test_counts_no_stranger(self, charlie_user: User, alice: Member) -> None:
        make_insight(alice, now=AGO)
        retrieve(ask=Ask("celery"), by=alice, now=AGO)
        page = text(signed_in(charlie_user).get("/dashboard/"))
        assert "0 questions" in page
        assert "0 deposits" in page

    def test_has_a_table_behind_each_picture(self, alice_user: User, alice: Member) -> None:
        page = text(signed_in(alice_user).get("/dashboard/"))
        assert page.count("<figure") == page.count("Show as table") == 9
        assert Faults(page).found == []

    def test_rings_the_auditors_alarm(self, alice_user: User, alice: Member) -> None:
        counts = {"faults": 2}
        JobRun.objects.create(
            name="knowledge.audit",
            started_at=AGO,
            finished_at=AGO,
            outcome="done",
            counts=counts,
            detail="PLAT-1 is lost",
        )
        page = text(signed_in(alice_user).get("/dashboard/"))
        assert "The integrity check found 2 errors" in page
        assert "PLAT-1 is lost" not in page

    @pytest.mark.parametrize("query", ["?days=7", "?days=90", "?days=x", "?team=nope", "?team=mobile"])
    def test_takes_any_span_and_nonsense(self, query: str, alice_user: User) -> None:
        assert signed_in(alice_user).get(f"/dashboard/{query}").status_code == 200

    def test_asks_a_bounded_number_of_questions(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        for n in range(10):
            make_insight(alice, now=AGO, title=f"Lesson {n}")
        client = signed_in(alice_user)
        with django_assert_max_num_queries(17):
            client.get("/dashboard/")


class TestGo:
    def test_finds_pages_insights_and_skills_of_ones_teams(
        self, alice_user: User, charlie_user: User, alice: Member
    ) -> None:
        row = make_insight(alice, now=AGO, title="Release on Mondays")
        make_skill(alice)
        page = text(signed_in(alice_user).get("/go/?q=release"))
        assert f"/insights/{row.ref}/" in page
        assert "/skills/platform/release/" in page
        assert Faults(page).found == []
        assert "/settings/" in text(signed_in(alice_user).get("/go/?q=theme"))
        stranger = text(signed_in(charlie_user).get("/go/?q=release"))
        assert row.ref not in stranger
        assert "/skills/platform/" not in stranger

    def test_does_things_too_and_says_which_key_does(self, alice_user: User) -> None:
        page = text(signed_in(alice_user).get("/go/"))
        for path in ("/skills/new/", "/insights/import/", "/skills/import/", "/accounts/logout/"):
            assert f'href="{path}"' in page
        assert re.search(r"Insights</span><kbd[^>]*>/</kbd>", page)

    def test_finds_sessions_by_reference_branch_and_what_one_may_read_of_them(
        self, alice_user: User, bob_user: User, charlie_user: User, alice: Member, bob: Member
    ) -> None:
        theirs = begin(bob, AGO, branch="tariffs").session
        AgentSession.objects.filter(pk=theirs.pk).update(topic="The private words of bob")
        assert theirs.ref in text(signed_in(bob_user).get("/go/?q=private+words"))
        page = text(signed_in(alice_user).get(f"/go/?q={theirs.ref.lower()}"))
        assert f'href="/sessions/{theirs.ref}/"' in page
        assert "private words" not in page
        assert f'href="/sessions/{theirs.ref}/"' in text(signed_in(alice_user).get("/go/?q=tarif"))
        assert theirs.ref not in text(signed_in(alice_user).get("/go/?q=private+words"))
        assert theirs.ref not in text(signed_in(charlie_user).get("/go/?q=tarif"))

    def test_finds_people_by_their_name_behind_an_at_sign(self, alice_user: User, bob: Member) -> None:
        page = text(signed_in(alice_user).get("/go/?q=@bo"))
        assert "@bob: insights" in page
        assert 'href="/sessions/?user=bob"' in page
        assert "@bob" in text(signed_in(alice_user).get("/go/?q=@"))

    def test_publishes_a_skill_by_name(self, alice_user: User, bob_user: User, alice: Member) -> None:
        make_skill(alice, live=False)
        make_skill(alice, name="review")
        page = text(signed_in(alice_user).get("/go/?q=publish"))
        assert 'href="/skills/platform/release/#acts"' in page
        assert "/skills/platform/review/#acts" not in page
        assert "Publish release" in text(signed_in(alice_user).get("/go/?q=publish+rel"))
        assert "Publish release" not in text(signed_in(bob_user).get("/go/?q=publish"))

    def test_gives_the_part_alone_to_the_palette(self, alice_user: User) -> None:
        part = text(signed_in(alice_user).get("/go/?q=dash", **HTMX))
        assert "<html" not in part
        assert "/dashboard/" in part


class TestOpenWork:
    def test_is_told_by_repo_with_who_and_what_is_unfinished(self, bob_user: User, alice: Member, bob: Member) -> None:
        stop(sit(alice, AGO, EDIT, FAILED, branch="tariffs"), alice, AGO, pending=["write the test"])
        sit_down = sit(bob, AGO, repo="acme/api")
        stop(sit_down, bob, AGO)
        page = text(signed_in(bob_user).get("/sessions/open/"))
        assert page.index("acme/api") < page.index("acme/web") < page.index("write the test")
        assert all(word in page for word in ("tariffs", "1 uncommitted file", "`pytest` failing", "1 next step"))
        assert Faults(page).found == []
        narrowed = text(signed_in(bob_user).get("/sessions/open/?repo=acme/api"))
        assert "write the test" not in narrowed

    def test_can_be_closed_and_opened_again(self, bob_user: User, bob: Member) -> None:
        session = sit(bob, AGO)
        stop(session, bob, AGO)
        act, client = f"/sessions/{session.ref}/acknowledge/", signed_in(bob_user)
        page = text(client.post(act, {"action": "close", "back": "open"}, follow=True))
        assert "Recently closed" in page
        assert "was closed" in page
        assert "No open work" in page
        page = text(client.post(act, {"action": "reopen"}, follow=True))
        assert "was reopened" in page
        assert "Take over" in page
        page = text(client.post(act, {"action": "nonsense"}, follow=True))
        assert "was taken over" in page

    def test_of_a_colleague_is_taken_over_and_not_closed(self, bob_user: User, alice: Member) -> None:
        session = sit(alice, AGO)
        stop(session, alice, AGO)
        act, client = f"/sessions/{session.ref}/acknowledge/", signed_in(bob_user)
        for path in ("/sessions/open/", f"/sessions/{session.ref}/"):
            page = text(client.get(path))
            assert ("Take over" in page, f"Close the handoff of {session.ref}" in page) == (True, False)
        refused = client.post(act, {"action": "close"})
        assert refused.status_code == 403
        assert "left by alice" in text(refused)
        line = LogEntry.objects.visible_to(alice).get(verb="refused").line
        assert session.ref in line
        client.post(act, {"action": "take"})
        # Nor by who took it over and has changed nothing since: with two acts a colleague's would be gone.
        assert f"Close the handoff of {session.ref}" not in text(client.get("/sessions/open/"))
        assert client.post(act, {"action": "close"}).status_code == 403

    def test_is_the_teams(self, charlie_user: User, alice: Member) -> None:
        session = sit(alice, AGO)
        stop(session, alice, AGO)
        stranger = signed_in(charlie_user)
        assert session.ref not in text(stranger.get("/sessions/open/"))
        assert stranger.post(f"/sessions/{session.ref}/acknowledge/", {"action": "reopen"}).status_code == 404

    def test_asks_a_bounded_number_of_questions(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        for n in range(8):
            stop(sit(alice, AGO, repo=f"acme/{n}"), alice, AGO)
        client = signed_in(alice_user)
        with django_assert_max_num_queries(7):
            client.get("/sessions/open/")


class TestWhatAPersonTyped:
    def test_is_on_their_own_pages_alone(self, alice_user: User, bob_user: User, alice: Member) -> None:
        session = sit(alice, AGO, prompt="find out who is to be let go")
        stop(session, alice, AGO, summary="Half of it.", asked="find out who is to be let go")
        for path in ("/sessions/", f"/sessions/{session.ref}/"):
            assert "to be let go" in text(signed_in(alice_user).get(path)), path
            assert "to be let go" not in text(signed_in(bob_user).get(path)), path
        assert "to be let go" not in text(signed_in(bob_user).get("/sessions/open/"))
        chosen = {
            "theme": "dark",
            "density": "compact",
            "keys": "off",
            "machinery": "silent",
            "share_prompts": "on",
            "ask_to_deposit": "off",
        }
        signed_in(alice_user).post("/settings/", chosen)
        assert "to be let go" in text(signed_in(bob_user).get(f"/sessions/{session.ref}/"))
