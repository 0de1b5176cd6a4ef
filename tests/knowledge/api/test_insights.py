"""`insights/…`: list, read, edit, curate, history."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from rest_framework.test import APIClient

from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.actions import curate
from knowledge.rules.vocabulary import Kind
from tests.conftest import agent
from tests.database import changed, contents
from tests.factories import make_insight

INSIGHTS = "/api/v1/insights/"
FIELDS = {
    "ref", "team", "kind", "status", "title", "body", "reasoning", "questions", "tags", "files", "symbols", "repo",
    "stability", "source", "author", "confidence", "corroboration_count", "last_corroborated_at", "strength", "pinned",
    "trust", "provenance", "superseded_by", "topic", "revision", "age_days", "created_at", "updated_at",
}  # fmt: skip


def one(ref: str, verb: str = "") -> str:
    return f"{INSIGHTS}{ref}/{verb}{'/' if verb else ''}"


def listed(client: APIClient, **query: Any) -> list[str]:
    answer = client.get(INSIGHTS, query)
    assert answer.status_code == 200, answer.json()
    return [row["ref"] for row in answer.json()["results"]]


def edit(client: APIClient, changes: dict[str, Any], revision: str | None = "1", ref: str = "PLAT-1") -> Any:
    headers = {} if revision is None else {"HTTP_IF_MATCH": revision}
    return client.patch(one(ref), changes, **headers)


@pytest.fixture
def insight(bob: Member, now: datetime) -> Insight:
    return make_insight(bob, now=now, title="Beat", body="Beat runs once.", tags=["celery"], files=["a.py"])


class TestReading:
    def test_shows_the_insight_and_its_revision(self, insight: Insight, alices_agent: APIClient) -> None:
        answer = alices_agent.get(one("PLAT-1"))
        assert (answer.status_code, answer["ETag"]) == (200, '"1"')
        assert set(answer.json()) == {*FIELDS, "owner", "current", "related"}
        assert answer.json()["body"] == "Beat runs once."

    def test_shows_strength_and_age_as_of_now(self, bob: Member, alices_agent: APIClient) -> None:
        from_now = datetime.now().astimezone() - timedelta(days=14)
        make_insight(bob, now=from_now)
        body = alices_agent.get(one("PLAT-1")).json()
        assert body["strength"] == pytest.approx(25, abs=0.1)
        assert body["age_days"] == pytest.approx(14, abs=0.1)

    def test_counts_age_from_when_it_was_learned(self, bob: Member, alices_agent: APIClient) -> None:
        make_insight(bob, source_date=datetime.now().astimezone() - timedelta(days=60))
        assert alices_agent.get(one("PLAT-1")).json()["age_days"] == pytest.approx(60, abs=0.1)

    def test_names_the_successor(self, insight: Insight, bob: Member, alices_agent: APIClient) -> None:
        Insight.objects.filter(ref="PLAT-1").update(superseded_by=make_insight(bob))
        assert alices_agent.get(one("PLAT-1")).json()["superseded_by"] == "PLAT-2"

    def test_bears_an_author_who_is_gone(self, insight: Insight, alices_agent: APIClient) -> None:
        Insight.objects.update(author=None)
        assert alices_agent.get(one("PLAT-1")).json()["author"] is None

    @pytest.mark.parametrize("ref", ["PLAT-1", "PLAT-999", "plat-1", "nonsense", "%00", "🙂"])
    def test_tells_charlie_nothing(self, insight: Insight, charlies_agent: APIClient, ref: str) -> None:
        answer = charlies_agent.get(one(ref))
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


class TestEditing:
    def test_changes_what_is_named(self, insight: Insight, bobs_agent: APIClient) -> None:
        answer = edit(bobs_agent, {"title": "Beat runs once", "tags": ["Beat"], "reason": "clearer"})
        assert (answer.status_code, answer["ETag"]) == (200, '"2"')
        body = answer.json()
        assert (body["title"], body["tags"], body["files"], body["revision"]) == (
            "Beat runs once",
            ["beat"],
            ["a.py"],
            2,
        )
        assert bobs_agent.get(one("PLAT-1", "history")).json()[0]["why"] == "clearer"

    @pytest.mark.parametrize("header", ["1", '"1"', 'W/"1"'])
    def test_takes_the_revision_as_it_was_given_out(self, insight: Insight, bobs_agent: APIClient, header: str) -> None:
        assert edit(bobs_agent, {"title": "New"}, header).status_code == 200

    def test_without_a_revision_is_428(self, insight: Insight, bobs_agent: APIClient) -> None:
        answer = edit(bobs_agent, {"title": "New"}, None)
        assert (answer.status_code, answer.json()["code"]) == (428, "precondition_required")

    def test_of_an_outdated_one_is_412_with_the_current(self, insight: Insight, bobs_agent: APIClient) -> None:
        edit(bobs_agent, {"title": "First"})
        answer = edit(bobs_agent, {"title": "Second"})
        assert (answer.status_code, answer.json()["code"]) == (412, "stale_revision")
        assert answer.json()["current_revision"] == 2
        assert Insight.objects.get().title == "First"

    @pytest.mark.parametrize("header", ["", "*", "one", "-1", "1.0", '"1', "1 2", "9" * 10, "\u0661", "1, 2"])
    def test_of_no_number_is_400(self, insight: Insight, bobs_agent: APIClient, header: str) -> None:
        answer = edit(bobs_agent, {"title": "New"}, header)
        assert answer.status_code == 400
        assert list(answer.json()["errors"]) == ["If-Match"]

    def test_of_nothing_changes_nothing(self, insight: Insight, bobs_agent: APIClient) -> None:
        before = contents()
        assert edit(bobs_agent, {}).json()["revision"] == 1
        assert changed(before) == []

    @pytest.mark.parametrize(
        "changes",
        [
            {"status": "promoted"},
            {"ref": "PLAT-9"},
            {"team": "personal"},
            {"pinned": True},
            {"title": ""},
            {"title": None},
            {"kind": "DECISION"},
            {"tags": "celery"},
            {"body": "x" * 20_001},
        ],
    )
    def test_of_anything_else_is_400(self, insight: Insight, alices_agent: APIClient, changes: dict[str, Any]) -> None:
        answer = edit(alices_agent, changes)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
        assert Insight.objects.get().revision == 1

    def test_is_for_the_author_of_a_draft_or_a_lead(
        self, insight: Insight, alices_agent: APIClient, bobs_agent: APIClient, bob: Member
    ) -> None:
        assert edit(agent(bob, scopes=["read"]), {"title": "New"}).status_code == 403
        alices_agent.post(one("PLAT-1", "promote"))
        assert edit(bobs_agent, {"title": "New"}, "2").status_code == 403
        assert edit(alices_agent, {"title": "New"}, "2").status_code == 200

    @pytest.mark.parametrize("revision", [None, "1", "7", "nonsense"])
    def test_tells_charlie_nothing(self, insight: Insight, charlies_agent: APIClient, revision: str | None) -> None:
        for ref in ("PLAT-1", "PLAT-999"):
            assert edit(charlies_agent, {"title": "Mine"}, revision, ref).status_code == 404
            assert edit(charlies_agent, {"nonsense": 1}, revision, ref).status_code == 404


class TestCurating:
    def test_moves_the_insight_and_keeps_the_reason(self, insight: Insight, alices_agent: APIClient) -> None:
        answer = alices_agent.post(one("PLAT-1", "promote"), {"reason": "proved itself"})
        assert (answer.status_code, answer.json()["status"], answer["ETag"]) == (200, "promoted", '"2"')
        for verb, field, value in (
            ("pin", "pinned", True),
            ("unpin", "pinned", False),
            ("deprecate", "status", "deprecated"),
            ("restore", "status", "draft"),
        ):
            assert alices_agent.post(one("PLAT-1", verb)).json()[field] == value
        what = [line["what"] for line in alices_agent.get(one("PLAT-1", "history")).json()]
        assert what == [
            "PLAT-1 restored",
            "PLAT-1 deprecated",
            "PLAT-1 unpinned",
            "PLAT-1 pinned",
            "PLAT-1 promoted",
            "PLAT-1 deposited: Beat",
        ]

    def test_is_refused_where_the_status_is_wrong(self, insight: Insight, alices_agent: APIClient) -> None:
        answer = alices_agent.post(one("PLAT-1", "restore"))
        assert (answer.status_code, answer.json()["code"]) == (409, "wrong_status")
        assert answer.json()["detail"] == "PLAT-1 is draft; it cannot be restored."

    @pytest.mark.parametrize("verb", ["promote", "deprecate", "restore", "pin", "unpin"])
    def test_is_for_leads_and_unknown_to_charlie(
        self, insight: Insight, bobs_agent: APIClient, charlies_agent: APIClient, alice: Member, verb: str
    ) -> None:
        before = contents()
        assert bobs_agent.post(one("PLAT-1", verb)).status_code == 403
        assert agent(alice, scopes=["read", "write"]).post(one("PLAT-1", verb)).status_code == 403
        assert charlies_agent.post(one("PLAT-1", verb)).status_code == 404
        assert set(changed(before)) <= {"accounts_apitoken", "accounts_logentry"}, "but for the token just made"
        assert Insight.objects.get().revision == 1


class TestHistory:
    def test_is_newest_first_with_who_what_why_before_and_after(
        self, insight: Insight, alices_agent: APIClient, bobs_agent: APIClient
    ) -> None:
        edit(bobs_agent, {"title": "Beat runs once"})
        alices_agent.post(one("PLAT-1", "promote"), {"reason": "proved itself"})
        lines = bobs_agent.get(one("PLAT-1", "history")).json()
        assert [line["who"] for line in lines] == ["alice (agent)", "bob (agent)", "bob"]
        assert [line["verb"] for line in lines] == ["promoted", "edited", "deposited"]
        assert (lines[1]["before"], lines[1]["after"]) == ({"title": "Beat"}, {"title": "Beat runs once"})
        assert lines[0]["why"] == "proved itself"

    def test_tells_charlie_nothing(self, insight: Insight, charlies_agent: APIClient) -> None:
        assert charlies_agent.get(one("PLAT-1", "history")).status_code == 404


class TestTheList:
    def test_shows_the_newest_first_of_ones_own_teams(
        self, alice: Member, bob: Member, charlie: Member, bobs_agent: APIClient, now: datetime
    ) -> None:
        make_insight(alice, now=now - timedelta(days=1))
        make_insight(bob, now=now, team="everyone")
        make_insight(alice, now=now, team="personal")
        make_insight(charlie, now=now)
        assert listed(bobs_agent) == ["ALL-1", "PLAT-1"]
        assert listed(bobs_agent, ordering="created_at") == ["PLAT-1", "ALL-1"]

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"kind": "PITFALL"}, {1}),
            ({"status": "promoted"}, {2}),
            ({"tag": "LOCKS"}, {1, 2}),
            ({"tag": "lock"}, set()),
            ({"file": "src/a.py"}, {2}),
            ({"repo": "acme/web"}, {3}),
            ({"team": "everyone"}, {4}),
            ({"team": "mobile"}, set()),
            ({"author": "alice"}, {4}),
            ({"author": "nobody"}, set()),
            ({"pinned": "true"}, {3}),
            ({"pinned": "false"}, {1, 2, 4}),
            ({"stale": "true"}, {1}),
            ({"stale": "false"}, {2, 3, 4}),
            ({"q": "queues of readers"}, {2}),
            ({"q": "the of and"}, {1, 2, 3, 4}),
            ({"q": "it's 'quoted' & | !"}, set()),
            ({"tag": "locks", "kind": "SOLUTION"}, {2}),
            ({"q": ""}, {1, 2, 3, 4}),
        ],
    )
    def test_is_narrowed(
        self,
        alice: Member,
        bob: Member,
        bobs_agent: APIClient,
        now: datetime,
        query: dict[str, str],
        expected: set[int],
    ) -> None:
        rows = [
            make_insight(bob, kind=Kind.PITFALL, tags=["locks"], body="One."),
            make_insight(bob, tags=["Locks", "row"], files=["./src/a.py"], body="A reader in the queue."),
            make_insight(bob, repo="acme/web", body="Three."),
            make_insight(alice, team="everyone", body="Four."),
        ]
        curate.promote(ref=rows[1].ref, by=alice, now=now)
        curate.pin(ref=rows[2].ref, by=alice, now=now)
        Insight.objects.filter(pk=rows[0].pk).update(trust="stale")
        assert set(listed(bobs_agent, **query)) == {rows[number - 1].ref for number in expected}

    @pytest.mark.parametrize(
        ("query", "fault"),
        [
            ({"knd": "PITFALL"}, "knd"),
            ({"kind": "SONG"}, "kind"),
            ({"status": "gone"}, "status"),
            ({"ordering": "title"}, "ordering"),
            ({"q": "x" * 501}, "q"),
            ({"limit": "0"}, "limit"),
            ({"limit": "101"}, "limit"),
            ({"limit": "ten"}, "limit"),
            ({"pinned": "perhaps"}, "pinned"),
            ({"stale": "2"}, "stale"),
            ({"topic": "locks"}, "topic"),
        ],
    )
    def test_says_what_it_cannot_be_narrowed_by(
        self, insight: Insight, bobs_agent: APIClient, query: dict[str, str], fault: str
    ) -> None:
        answer = bobs_agent.get(INSIGHTS, query)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
        assert list(answer.json()["errors"]) == [fault]

    def test_needs_no_more_statements_for_more_rows(
        self, bob: Member, bobs_agent: APIClient, django_assert_max_num_queries: Any
    ) -> None:
        for _ in range(12):
            make_insight(bob, tags=["a"])
        bobs_agent.get(INSIGHTS)
        with django_assert_max_num_queries(4):
            assert len(listed(bobs_agent)) == 12


class TestPages:
    def pages(self, client: APIClient, **query: Any) -> list[list[str]]:
        """All pages, from the first on, by the links."""
        found, link = [], f"{INSIGHTS}?{'&'.join(f'{k}={v}' for k, v in query.items())}"
        while link:
            body = client.get(link).json()
            found.append([row["ref"] for row in body["results"]])
            link = body["next"] and f"{urlsplit(body['next']).path}?{urlsplit(body['next']).query}"
        return found

    @pytest.mark.parametrize("ordering", ["-created_at", "created_at"])
    def test_show_every_row_once_though_all_are_of_one_moment(
        self, bob: Member, bobs_agent: APIClient, ordering: str
    ) -> None:
        refs = [make_insight(bob, body=f"No. {n}").ref for n in range(11)]
        pages = self.pages(bobs_agent, limit=3, ordering=ordering)
        assert [len(page) for page in pages] == [3, 3, 3, 2]
        expected = refs if ordering == "created_at" else refs[::-1]
        assert [ref for page in pages for ref in page] == expected

    def test_are_not_moved_by_what_comes_in_between(self, bob: Member, bobs_agent: APIClient, now: datetime) -> None:
        for n in range(6):
            make_insight(bob, now=now - timedelta(days=n))
        first = bobs_agent.get(INSIGHTS, {"limit": 3}).json()
        make_insight(bob, now=now + timedelta(days=1))
        second = bobs_agent.get(first["next"]).json()
        assert [row["ref"] for row in first["results"] + second["results"]] == [f"PLAT-{n}" for n in range(1, 7)]
        back = bobs_agent.get(second["previous"]).json()
        assert [row["ref"] for row in back["results"]] == [row["ref"] for row in first["results"]]

    def test_keep_the_filters(self, bob: Member, bobs_agent: APIClient) -> None:
        for n in range(8):
            make_insight(bob, body=f"No. {n}", tags=["even"] if n % 2 == 0 else [])
        assert self.pages(bobs_agent, limit=3, tag="even") == [["PLAT-7", "PLAT-5", "PLAT-3"], ["PLAT-1"]]

    @pytest.mark.parametrize(
        "cursor", ["nonsense", "cD0x", "bz1hYmM=", "%00", "x" * 5_000, "cD0yMDI2", "bz0tMQ==", "cD0yMDI2LTAxLTAx"]
    )
    def test_of_a_cursor_that_is_none_are_told_so(self, insight: Insight, bobs_agent: APIClient, cursor: str) -> None:
        answer = bobs_agent.get(INSIGHTS, {"cursor": cursor})
        assert answer.status_code in (400, 404)
        assert answer["Content-Type"] == "application/problem+json"

    def test_of_another_teams_cursor_show_ones_own_rows(
        self, alice: Member, alices_agent: APIClient, charlies_agent: APIClient, charlie: Member, now: datetime
    ) -> None:
        for n in range(4):
            make_insight(alice, now=now - timedelta(days=n))
        make_insight(charlie, now=now - timedelta(days=9))
        link = alices_agent.get(INSIGHTS, {"limit": 2}).json()["next"]
        assert [row["ref"] for row in charlies_agent.get(link).json()["results"]] == ["MOB-1"]
