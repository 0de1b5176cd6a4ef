"""`sessions/`, `friction/`, `code-index/`, and `session` on the calls of other apps: what is sent, what is answered."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions.members import member_of
from accounts.actions.session_ids import issue
from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.models import Insight, Query, Signal
from sessions_app.models import AgentSession, SessionEvent
from tests.conftest import agent, person
from tests.factories import make_insight

API = "/api/v1/"
LESSON = {"kind": "PITFALL", "body": "Celery beat must run as one process, or jobs fire twice."}


def post(client: APIClient, path: str, body: dict[str, Any], status: int = 200, **headers: str) -> Any:
    answer = client.post(f"{API}{path}", body, **headers)
    assert answer.status_code == status, answer.json()
    return answer.json()


def begin(client: APIClient, **over: Any) -> dict[str, Any]:
    return post(client, "sessions/", {"repo": "acme/web", "team": "platform", **over}, 201)


class TestAWorkingDay:
    def test_is_handed_over(self, bobs_agent: APIClient, alices_agent: APIClient) -> None:
        first = begin(bobs_agent, prompt="fix the importer", agent="check", branch="main", machine="laptop")
        assert set(first) >= {"session", "ref", "orientation", "recovered"}
        assert (first["recovered"], first["orientation"]["tokens"] <= 200) == (False, True)
        at = f"sessions/{first['session']}/"
        events = [{"kind": "edit", "path": "src/a.py"}, {"kind": "read", "path": "src/b.py"}]
        assert post(bobs_agent, f"{at}events/", {"events": events}) == {"stored": 1, "skipped": 1, "repeated": 0}
        claimed = post(bobs_agent, f"{at}claims/", {"files": ["src/a.py"]})
        assert [one["path"] for one in claimed["claims"]] == ["src/a.py"]
        assert post(bobs_agent, f"{at}checkpoint/", {"summary": "half"})["handoff"]["state"] == "provisional"
        talk = [{"role": "assistant", "text": "Decision: we stream because memory is capped at 512 MB."}]
        ended = post(
            bobs_agent, f"{at}end/", {"summary": "It streams.", "handoff_note": "Next: tests", "transcript": talk}
        )
        assert (ended["state"], ended["handoff"]["state"]) == ("ended", "clean")
        assert ended["handoff"]["handoff_note"] == "Next: tests"
        assert ended["decisions"][0]["ref"] == "PLAT-1"
        second = begin(alices_agent)
        [pointer] = [one for one in second["orientation"]["pointers"] if one["kind"] == "handoff"]
        assert (pointer["ref"], pointer["title"]) == (first["ref"], "‹ Next: tests")  # no line of Loam's
        whole = alices_agent.get(f"{API}sessions/{pointer['ref']}/").json()
        assert (whole["session"], whole["user"], whole["events"]) == (first["session"], "bob", 1)
        assert whole["handoff"]["files"] == ["src/a.py"]
        done = post(alices_agent, f"sessions/{second['session']}/ack/", {})
        assert done["acknowledged_by"] == "alice"
        assert not [p for p in begin(alices_agent)["orientation"]["pointers"] if p["kind"] == "handoff"]

    def test_is_listed_newest_first(self, bobs_agent: APIClient, charlies_agent: APIClient) -> None:
        begin(charlies_agent, team="mobile")
        refs = [begin(bobs_agent, repo=repo)["ref"] for repo in ("acme/web", "acme/api", "acme/web")]
        listed = bobs_agent.get(f"{API}sessions/").json()["results"]
        assert [one["ref"] for one in listed] == refs[::-1]
        narrowed = bobs_agent.get(
            f"{API}sessions/", {"repo": "acme/web", "team": "platform", "limit": 1, "state": "live"}
        )
        assert [one["ref"] for one in narrowed.json()["results"]] == [refs[2]]

    @pytest.mark.parametrize("query", ["limit=0", "limit=101", "state=gone", "colour=red", "team=mobile", "repo=%00"])
    def test_is_listed_by_what_there_is(self, bobs_agent: APIClient, query: str) -> None:
        assert bobs_agent.get(f"{API}sessions/?{query}").status_code == 400

    def test_costs_one_statement_to_list(self, bobs_agent: APIClient) -> None:
        def statements() -> int:
            with CaptureQueriesContext(connection) as caught:
                bobs_agent.get(f"{API}sessions/")
            return len(caught)

        for _ in range(2):
            post(bobs_agent, f"sessions/{begin(bobs_agent)['session']}/end/", {"summary": "x"})
        few = statements()
        for _ in range(3):
            post(bobs_agent, f"sessions/{begin(bobs_agent)['session']}/end/", {"summary": "x"})
        assert statements() == few <= 3

    def test_repeats_without_doubling(self, bobs_agent: APIClient) -> None:
        key = {"HTTP_IDEMPOTENCY_KEY": "k1"}
        body = {"repo": "acme/web", "team": "platform"}
        first, again = (post(bobs_agent, "sessions/", body, 201, **key) for _ in range(2))
        assert first["session"] == again["session"]
        at, events = f"sessions/{first['session']}/events/", {"events": [{"kind": "edit", "path": "a.py"}] * 2}
        assert [post(bobs_agent, at, events, **key)["stored"] for _ in range(2)] == [2, 0]


class TestLimits:
    @pytest.mark.parametrize(
        ("path", "body", "fault"),
        [
            ("events/", {"events": [{"kind": "edit"}] * 101}, "events"),
            ("events/", {"events": [{"kind": "dance"}]}, "events.0.kind"),
            ("events/", {"events": [{"kind": "edit", "path": "x" * 1_001}]}, "events.0.path"),
            ("events/", {}, "events"),
            ("end/", {"summary": "x" * 20_001}, "summary"),
            ("end/", {"pending": ["x"] * 51}, "pending"),
            ("end/", {"transcript": [{"role": "user", "text": "x"}] * 401}, "transcript"),
            ("checkpoint/", {"transcript": [{"role": "user", "text": "x" * 20_001}]}, "transcript.0.text"),
            ("claims/", {"minutes": 1_441}, "minutes"),
            ("claims/", {"files": ["x" * 401]}, "files.0"),
        ],
    )
    def test_are_told(self, bobs_agent: APIClient, path: str, body: dict[str, Any], fault: str) -> None:
        session = begin(bobs_agent)["session"]
        answer = bobs_agent.post(f"{API}sessions/{session}/{path}", body)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [fault])

    def test_of_the_orientation_are_ones_own(self, bobs_agent: APIClient) -> None:
        assert begin(bobs_agent, max_tokens=60)["orientation"]["tokens"] <= 60
        for most in (59, 2_001):
            body = {"repo": "acme/web", "team": "platform", "max_tokens": most}
            assert bobs_agent.post(f"{API}sessions/", body).status_code == 400


class TestASessionOnOtherCalls:
    def test_is_what_their_rows_carry(self, bobs_agent: APIClient) -> None:
        session = begin(bobs_agent)["session"]
        ref = post(bobs_agent, "insights/", {**LESSON, "session": session}, 201)["insight"]["ref"]
        post(bobs_agent, "query/", {"query": "celery beat", "session": session})
        post(bobs_agent, "ratings/", {"insight": ref, "verdict": "helpful", "session": session})
        keys = [model.objects.values_list("session_key", flat=True)[0] for model in (Insight, Query, Signal)]
        assert keys == [session] * 3

    def test_is_each_items_own_in_a_batch(self, alice: Member, bobs_agent: APIClient) -> None:
        one, two = begin(bobs_agent)["session"], begin(bobs_agent)["session"]
        theirs = issue(user_id=alice.user_id)
        bodies = [f"Lesson {word} is about {word} only." for word in ("apples", "trains", "violins", "glaciers")]
        items = [
            {"kind": "CONTEXT", "body": body, "team": "platform", **({"session": session} if session else {})}
            for body, session in zip(bodies, (one, two, theirs, ""), strict=True)
        ]
        results = post(bobs_agent, "insights/batch/", {"insights": items})["results"]
        assert [result["status"] for result in results] == [201, 201, 400, 201]
        assert list(results[2]["problem"]["errors"]) == ["session"]
        rows = dict(Insight.objects.values_list("body", "session_key"))
        assert (rows[bodies[0]], rows[bodies[1]], rows[bodies[3]].startswith("token:")) == (one, two, True)

    def test_counts_as_one_voice_beside_the_token(self, alice: Member, bobs_agent: APIClient, platform: Team) -> None:
        ref = make_insight(alice, body=LESSON["body"]).ref
        sessions = [begin(bobs_agent)["session"] for _ in range(2)]
        for session in (*sessions, *sessions, ""):
            done = post(bobs_agent, "ratings/", {"insight": ref, "verdict": "helpful", "session": session})["results"]
        assert Signal.objects.count() == 3
        assert done[0]["status"] == "draft"  # three sessions, and one user beside the author
        danas = agent(member_of(user=person("dana", platform)))
        done = post(danas, "ratings/", {"insight": ref, "verdict": "helpful"})["results"]
        assert done[0]["status"] == "promoted"

    @pytest.mark.parametrize("made_up", ["x", "loam-s-" + "A" * 44, "token:1", "S-1"])
    def test_made_up_is_refused(self, bobs_agent: APIClient, made_up: str) -> None:
        begin(bobs_agent)
        for path, body in (
            ("insights/", LESSON),
            ("query/", {"query": "x"}),
            ("ratings/", {"insight": "PLAT-1", "verdict": "helpful"}),
        ):
            answer = bobs_agent.post(f"{API}{path}", {**body, "session": made_up})
            assert (answer.status_code, list(answer.json()["errors"])) == (400, ["session"])
        assert not Insight.objects.exists()

    def test_is_kept_alive_by_them_with_a_write_a_minute(self, bobs_agent: APIClient) -> None:
        session = begin(bobs_agent)["session"]
        long_ago = timezone.now() - timedelta(minutes=29)
        AgentSession.objects.update(last_seen_at=long_ago)
        post(bobs_agent, "query/", {"query": "x", "session": session})
        assert AgentSession.objects.get().last_seen_at > long_ago
        with CaptureQueriesContext(connection) as caught:
            post(bobs_agent, "query/", {"query": "x", "session": session})
        assert not [query["sql"] for query in caught if "agentsession" in query["sql"].lower()]

    def test_is_brought_back_to_life_by_them(self, bobs_agent: APIClient, now: datetime) -> None:
        session = begin(bobs_agent)["session"]
        post(bobs_agent, f"sessions/{session}/events/", {"events": [{"kind": "edit", "path": "a.py"}]})
        AgentSession.objects.update(last_seen_at=timezone.now() - timedelta(minutes=31))
        begin(bobs_agent)
        assert AgentSession.objects.get(key=session).handoff.state == "recovered"
        post(bobs_agent, "query/", {"query": "x", "session": session})
        row = AgentSession.objects.get(key=session)
        assert (row.state, row.handoff.state) == ("live", "provisional")

    def test_refused_is_no_sign_of_life(self, bobs_agent: APIClient) -> None:
        session = begin(bobs_agent)["session"]
        long_ago = timezone.now() - timedelta(minutes=29)
        AgentSession.objects.update(last_seen_at=long_ago)
        bobs_agent.post(f"{API}query/", {"query": " ", "session": session})
        assert AgentSession.objects.get().last_seen_at == long_ago


class TestRights:
    def test_a_colleague_reads_and_does_not_write(self, bobs_agent: APIClient, alices_agent: APIClient) -> None:
        first = begin(bobs_agent)
        for name in (first["session"], first["ref"]):
            assert alices_agent.get(f"{API}sessions/{name}/").status_code == 200
            for verb, body in (("events", {"events": []}), ("end", {}), ("checkpoint", {}), ("claims", {})):
                assert alices_agent.post(f"{API}sessions/{name}/{verb}/", body).status_code == 403
        assert AgentSession.objects.get().state == "live"
        assert not SessionEvent.objects.exists()

    def test_a_token_that_only_reads_starts_none(self, bob: Member) -> None:
        answer = agent(bob, scopes=["read"]).post(f"{API}sessions/", {"repo": "acme/web", "team": "platform"})
        assert answer.status_code == 403


class TestTheCodeIndex:
    def test_brings_what_a_file_imports_near(self, bobs_agent: APIClient, bob: Member) -> None:
        files = [{"path": "web/views.py", "imports": ["lib.money"]}, {"path": "lib/money.py", "imports": []}]
        body = {"repo": "acme/web", "commit": "c1", "team": "platform", "files": files}
        ref = make_insight(bob, body="Money is kept in cents.", files=["lib/money.py"]).ref
        asked = {"query": "money cents", "files": ["web/views.py"], "repo": "acme/web", "explain": True}

        def locality() -> tuple[float, str]:
            [hit] = post(bobs_agent, "query/", asked)["insights"]
            assert hit["ref"] == ref
            return next((part["value"], part["why"]) for part in hit["parts"] if part["name"] == "locality")

        assert locality()[0] == 0
        assert post(bobs_agent, "code-index/", body) == {"repo": "acme/web", "commit": "c1", "files": 2, "imports": 1}
        assert locality() == (0.5, "imports or imported by: lib/money.py")

    def test_costs_a_question_one_statement_and_only_with_files_and_repo(self, bobs_agent: APIClient) -> None:
        def statements(**over: Any) -> int:
            post(bobs_agent, "query/", {"query": "money", **over})
            with CaptureQueriesContext(connection) as caught:
                post(bobs_agent, "query/", {"query": "money", **over})
            return len(caught)

        assert statements(repo="acme/web") == statements()
        assert statements(files=["a.py"], repo="acme/web") == statements(files=["a.py"]) + 1

    def test_is_no_strangers(self, bobs_agent: APIClient, charlies_agent: APIClient, charlie: Member) -> None:
        files = [{"path": "web/views.py", "imports": ["lib/money.py"]}, {"path": "lib/money.py"}]
        post(bobs_agent, "code-index/", {"repo": "acme/web", "commit": "c1", "team": "platform", "files": files})
        make_insight(charlie, body="Money is kept in cents.", files=["lib/money.py"], team="mobile")
        asked = {"query": "money cents", "files": ["web/views.py"], "repo": "acme/web", "explain": True}
        [hit] = post(charlies_agent, "query/", asked)["insights"]
        assert next(part["value"] for part in hit["parts"] if part["name"] == "locality") == 0


class TestFriction:
    def test_is_reported(self, bobs_agent: APIClient, alices_agent: APIClient) -> None:
        event = {
            "kind": "test",
            "path": "src/web/a.py",
            "command": "pytest",
            "outcome": "failed",
            "error": "KeyError: 'x'",
        }
        for client in (bobs_agent, alices_agent):
            post(client, f"sessions/{begin(client)['session']}/events/", {"events": [event]})
        body = bobs_agent.get(f"{API}friction/", {"repo": "acme/web", "days": 7}).json()
        [error] = body["errors"]
        assert (error["count"], error["sessions"], error["modules"], error["insights"]) == (2, 2, ["src/web"], [])
        assert body["modules"] == [{"module": "src/web", "errors": 1, "count": 2}]

    @pytest.mark.parametrize("query", ["days=0", "days=91", "days=x", "colour=red"])
    def test_names_the_faults(self, bobs_agent: APIClient, query: str) -> None:
        assert bobs_agent.get(f"{API}friction/?{query}").status_code == 400
