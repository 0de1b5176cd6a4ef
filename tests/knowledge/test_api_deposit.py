"""`POST insights/` and `insights/batch/`: what is sent, what is answered. The verb is in actions/test_deposit.py."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.actions.members import member_of
from accounts.models import ApiToken, LogEntry, Membership, Team, User
from accounts.rules.rights import Member
from knowledge.models import Insight, Receipt
from tests.conftest import agent
from tests.database import changed, contents

INSIGHTS = "/api/v1/insights/"
BATCH = "/api/v1/insights/batch/"
SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"
LESSON = {"kind": "PITFALL", "body": "Celery beat must run as one process. Or jobs fire twice."}
WHOLE = {
    **LESSON,
    "title": "Beat runs once",
    "reasoning": "Jobs fired twice.",
    "tags": ["Celery"],
    "files": ["./src\\beat.py"],
    "symbols": ["Beat.tick"],
    "questions": ["why does each job run two times"],
    "repo": "acme/web",
    "error": "RuntimeError: two schedulers",
    "stability": "evolving",
    "team": "platform",
    "source": {"type": "transcript", "date": "2026-11-01T10:00:00Z", "url": "https://example.org/beat"},
    "provenance": [{"path": "src/beat.py", "sha256": "a" * 64}],
    "idempotency_key": "k1",
}


class TestDeposit:
    def test_answers_with_the_insight_as_it_is_now(self, bobs_agent: APIClient) -> None:
        answer = bobs_agent.post(INSIGHTS, WHOLE)
        assert answer.status_code == 201
        body = answer.json()
        assert (body["outcome"], body["stripped"], body["degraded"]) == ("inserted", {}, [])
        insight = body["insight"]
        assert {name: insight[name] for name in ("ref", "team", "kind", "status", "title", "author")} == {
            "ref": "PLAT-1",
            "team": "platform",
            "kind": "PITFALL",
            "status": "draft",
            "title": "Beat runs once",
            "author": "bob",
        }
        assert (insight["tags"], insight["files"], insight["symbols"]) == (["celery"], ["src/beat.py"], ["Beat.tick"])
        assert insight["source"] == {
            "type": "transcript",
            "date": "2026-11-01T10:00:00Z",
            "url": "https://example.org/beat",
        }
        assert insight["provenance"] == [{"path": "src/beat.py", "sha256": "a" * 64}]
        assert (insight["confidence"], insight["corroboration_count"], insight["revision"]) == ("low", 1, 1)
        assert (insight["strength"], insight["pinned"], insight["superseded_by"]) == (50.0, False, None)

    def test_says_of_no_agents_note_that_a_person_wrote_it(self, bobs_agent: APIClient) -> None:
        answer = bobs_agent.post(INSIGHTS, {**WHOLE, "source": {"type": "human"}}).json()
        assert answer["insight"]["source"]["type"] == "agent"
        again = bobs_agent.post(INSIGHTS, {**WHOLE, "source": {"type": "human"}, "idempotency_key": "k2"}).json()
        assert again["outcome"] == "merged"
        said = bobs_agent.get(f"{INSIGHTS}{again['insight']['ref']}/corroborations/").json()
        assert [one["source_type"] for one in said] == ["agent"]

    def test_needs_a_kind_and_a_body_and_nothing_else(self, bobs_agent: APIClient) -> None:
        assert bobs_agent.post(INSIGHTS, LESSON).json()["insight"]["title"] == "Celery beat must run as one process"

    def test_remembers_the_token_it_came_by(self, bobs_agent: APIClient) -> None:
        bobs_agent.post(INSIGHTS, LESSON)
        token = ApiToken.objects.get()
        row = Insight.objects.get()
        assert (row.token, row.session_key) == (token, f"token:{token.pk}")
        assert LogEntry.objects.get(verb="deposited").actor == "bob (agent)"

    def test_keeps_the_body_as_it_is_indented(self, bobs_agent: APIClient) -> None:
        body = "Run:\n\n    make test\n\n\tor else\n"
        assert bobs_agent.post(INSIGHTS, {**LESSON, "body": body}).json()["insight"]["body"] == body.strip()

    def test_says_what_it_stripped(self, bobs_agent: APIClient) -> None:
        answer = bobs_agent.post(INSIGHTS, {**LESSON, "title": "Be\u200bat", "tags": ["a\u200b", "b"]})
        assert answer.status_code == 201
        assert answer.json()["stripped"] == {"title": 1, "tags": 1}
        assert answer.json()["insight"]["title"] == "Beat"

    def test_says_what_was_down(self, bobs_agent: APIClient, embedder_down: str) -> None:
        answer = bobs_agent.post(INSIGHTS, LESSON)
        assert answer.status_code == 201
        assert answer.json()["degraded"] == [{"component": "embedder", "reason": embedder_down}]

    def test_refuses_a_secret_by_name_and_place(self, bobs_agent: APIClient) -> None:
        before = contents()
        answer = bobs_agent.post(INSIGHTS, {**LESSON, "body": f"Use {SECRET}\nfor that.", "tags": [SECRET]})
        assert (answer.status_code, answer.json()["code"]) == (400, "secret_found")
        assert set(answer.json()["errors"]) == {"body", "tags"}
        assert "line 1, column 5" in answer.json()["errors"]["body"][0]
        assert SECRET not in answer.content.decode()
        assert changed(before) == []

    @pytest.mark.parametrize(
        ("over", "fields"),
        [
            ({"kind": "DECISION"}, ["reasoning"]),
            ({"body": "  \n "}, ["body"]),
            ({"team": "mobile"}, ["team"]),
            ({"team": "nonsense"}, ["team"]),
            ({"titel": "Beat", "tag": []}, ["tag", "titel"]),
            ({"source": {"type": "agent", "when": "now"}}, ["source.when"]),
            (
                {"provenance": [{"path": "a", "sha256": "b"}, {"path": "a"}]},
                ["provenance.0.sha256", "provenance.1.sha256"],
            ),
            ({"tags": ["fine", 7]}, ["tags.1"]),
        ],
    )
    def test_names_the_faults(self, bobs_agent: APIClient, over: dict[str, Any], fields: list[str]) -> None:
        answer = bobs_agent.post(INSIGHTS, {**LESSON, **over})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
        assert sorted(answer.json()["errors"]) == fields

    def test_names_the_field_that_was_meant(self, bobs_agent: APIClient) -> None:
        answer = bobs_agent.post(
            INSIGHTS, {"kind": "PATTERN", "content": "Beat runs once.", "source": {"tpye": "agent"}}
        )
        assert answer.status_code == 400
        assert answer.json()["errors"] == {"content": ["Unknown field. Did you mean `body`?"]}
        answer = bobs_agent.post(INSIGHTS, {**LESSON, "source": {"tpye": "agent"}})
        assert answer.json()["errors"] == {"source.tpye": ["Unknown field. Did you mean `type`?"]}
        answer = bobs_agent.post(INSIGHTS, {**LESSON, "supersedes": ["PLAT-1"]})
        assert answer.json()["errors"] == {"supersedes": ["Unknown field. Did you mean `relations`?"]}
        answer = bobs_agent.post(INSIGHTS, {**LESSON, "relations": [{"ref": "PLAT-1", "type": "supersedes"}]})
        assert answer.json()["errors"]["relations.0.type"] == ["Unknown field. Did you mean `relation`?"]
        answer = bobs_agent.get(INSIGHTS, {"repository": "acme/web"})
        assert answer.json()["errors"] == {"repository": ["Unknown parameter. Did you mean `repo`?"]}

    def test_never_means_everyone_by_leaving_the_team_out(self, alice: Member) -> None:
        token = agent(alice, team_slugs=["platform", "everyone"])
        assert token.post(INSIGHTS, LESSON).json()["insight"]["ref"] == "PLAT-1"

    def test_asks_which_team_where_there_is_a_choice(self, alice_user: User, mobile: Team) -> None:
        Membership.objects.create(team=mobile, user=alice_user)
        answer = agent(member_of(user=alice_user)).post(INSIGHTS, LESSON)
        assert (answer.status_code, answer.json()["code"]) == (400, "team_unclear")
        assert answer.json()["errors"] == {"team": ["Name the team: one of mobile, platform, or 'personal'."]}

    def test_is_not_for_a_token_that_only_reads(self, bob: Member) -> None:
        answer = agent(bob, scopes=["read"]).post(INSIGHTS, LESSON)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
        assert not Insight.objects.exists()

    def test_of_charlie_goes_to_charlies_team(self, charlies_agent: APIClient, alice: Member) -> None:
        assert charlies_agent.post(INSIGHTS, LESSON).json()["insight"]["ref"] == "MOB-1"


class TestIdempotency:
    @pytest.mark.parametrize("way", ["header", "field", "both"])
    def test_answers_alike_and_stores_once(self, bobs_agent: APIClient, way: str) -> None:
        sent = LESSON if way == "header" else {**LESSON, "idempotency_key": "k1"}
        headers = {} if way == "field" else {"HTTP_IDEMPOTENCY_KEY": "k1"}
        first, again = (bobs_agent.post(INSIGHTS, sent, **headers) for _ in range(2))
        assert first.json()["insight"]["ref"] == again.json()["insight"]["ref"] == "PLAT-1"
        assert again.json()["outcome"] == "inserted"
        assert first.status_code == again.status_code == 201
        assert Insight.objects.count() == Receipt.objects.count() == 1

    def test_knows_a_key_by_either_way(self, bobs_agent: APIClient) -> None:
        bobs_agent.post(INSIGHTS, LESSON, HTTP_IDEMPOTENCY_KEY="k1")
        assert bobs_agent.post(INSIGHTS, {**LESSON, "idempotency_key": "k1"}).json()["insight"]["ref"] == "PLAT-1"

    def test_refuses_a_key_of_an_imports_kind(self, bobs_agent: APIClient) -> None:
        """Imports look such keys up for every user: a planted one would make a colleague's lose a note."""
        key = "import:" + "0" * 64
        header = bobs_agent.post(INSIGHTS, LESSON, HTTP_IDEMPOTENCY_KEY=key)
        field = bobs_agent.post(INSIGHTS, {**LESSON, "idempotency_key": key})
        assert [one.status_code for one in (header, field)] == [400, 400]
        assert Receipt.objects.count() == 0

    def test_refuses_a_key_that_was_for_something_else(self, bobs_agent: APIClient) -> None:
        bobs_agent.post(INSIGHTS, LESSON, HTTP_IDEMPOTENCY_KEY="k1")
        answer = bobs_agent.post(INSIGHTS, {**LESSON, "body": "Other."}, HTTP_IDEMPOTENCY_KEY="k1")
        assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_mismatch")

    @pytest.mark.parametrize(("length", "status"), [(200, 201), (201, 400)])
    def test_takes_a_key_of_200_characters(self, bobs_agent: APIClient, length: int, status: int) -> None:
        assert bobs_agent.post(INSIGHTS, LESSON, HTTP_IDEMPOTENCY_KEY="k" * length).status_code == status
        sent = {**LESSON, "body": "Other.", "idempotency_key": "f" * length}
        assert bobs_agent.post(INSIGHTS, sent).status_code == status


class TestBatch:
    def test_answers_each_in_its_place(self, bobs_agent: APIClient) -> None:
        sent = [
            {**LESSON, "title": "One"},
            {**LESSON, "kind": "SONG"},
            {**LESSON, "body": SECRET},
            "not an insight",
            {**LESSON, "title": "Two", "idempotency_key": "k2"},
        ]
        answer = bobs_agent.post(BATCH, {"insights": sent})
        assert answer.status_code == 200
        results = answer.json()["results"]
        assert [item["status"] for item in results] == [201, 400, 400, 400, 201]
        assert [item.get("insight", {}).get("ref") for item in results] == ["PLAT-1", None, None, None, "PLAT-2"]
        assert results[0]["outcome"] == "inserted"
        (fault,) = results[1]["problem"]["errors"]["kind"]
        assert fault.startswith("“SONG” is not one of") and "PITFALL" in fault
        assert results[2]["problem"]["code"] == "secret_found"
        assert list(results[3]["problem"]["errors"]) == ["body"]
        assert SECRET not in answer.content.decode()
        assert Insight.objects.count() == 2

    def test_sent_again_stores_nothing_new(self, bobs_agent: APIClient) -> None:
        sent = {"insights": [{**LESSON, "title": f"No. {n}", "idempotency_key": f"k{n}"} for n in range(3)]}
        first, again = (bobs_agent.post(BATCH, sent).json()["results"] for _ in range(2))
        assert [item["insight"]["ref"] for item in first] == [item["insight"]["ref"] for item in again]
        assert [item["status"] for item in again] == [201, 201, 201]
        assert Insight.objects.count() == 3

    @pytest.mark.parametrize(("count", "status"), [(0, 400), (1, 200), (10, 200), (11, 400)])
    def test_takes_one_to_ten(self, bobs_agent: APIClient, count: int, status: int) -> None:
        sent = [{**LESSON, "repo": f"acme/{number}"} for number in range(count)]
        answer = bobs_agent.post(BATCH, {"insights": sent})
        assert answer.status_code == status
        assert Insight.objects.count() == (count if status == 200 else 0)

    def test_stores_what_it_says_twice_once(self, bobs_agent: APIClient) -> None:
        results = bobs_agent.post(BATCH, {"insights": [LESSON] * 10}).json()["results"]
        assert [item["outcome"] for item in results] == ["inserted"] + ["merged"] * 9
        assert Insight.objects.get().corroboration_count == 10

    def test_goes_to_several_teams(self, bobs_agent: APIClient, bob: Member) -> None:
        sent = [{**LESSON, "team": team} for team in ("platform", "personal", "everyone", "mobile")]
        results = bobs_agent.post(BATCH, {"insights": sent}).json()["results"]
        refs = [item.get("insight", {}).get("ref") for item in results]
        assert refs == ["PLAT-1", f"ME{bob.user_id}-1", "ALL-1", None]
        assert results[3]["problem"]["errors"] == {"team": ["You have no team 'mobile'."]}

    def test_says_what_was_down(self, bobs_agent: APIClient, embedder_down: str) -> None:
        [result] = bobs_agent.post(BATCH, {"insights": [LESSON]}).json()["results"]
        assert result["degraded"] == [{"component": "embedder", "reason": embedder_down}]

    def test_of_a_token_that_only_reads_stores_nothing(self, bob: Member) -> None:
        results = agent(bob, scopes=["read"]).post(BATCH, {"insights": [LESSON]}).json()["results"]
        assert [item["status"] for item in results] == [403]
        assert not Insight.objects.exists()
