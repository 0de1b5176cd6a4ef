import json
import time
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.rules.rights import Member
from knowledge.evidence.models import KnowledgeCluster, Source
from tests.conftest import agent

QUESTION = "how do I list the largest files in a git repository"
SEARCH = "/api/v1/evidence/search/"


def events(answer: Any) -> list[tuple[str, Any]]:
    text = b"".join(iter(answer)).decode()
    blocks = [block.split("\n") for block in text.strip().split("\n\n") if not block.startswith(":")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


class TestSearch:
    @pytest.mark.parametrize("mode", ["FILENAME_ONLY", "FAST", "DEEP"])
    def test_answers_with_every_field(self, books: Source, alices_agent: APIClient, mode: str) -> None:
        answer = alices_agent.post(SEARCH, {"query": QUESTION, "mode": mode})
        assert answer.status_code == 200
        body = answer.json()
        assert set(body) >= {
            "cluster", "reused", "content", "evidences", "patterns", "confidence", "files_ranked", "phases", "took_ms",
            "degraded",
        }  # fmt: skip
        assert body["files_ranked"][0]["path"] == "git/find-large-files.md"
        if mode != "FILENAME_ONLY":
            assert body["evidences"][0]["file"] == "git/find-large-files.md"
            assert body["cluster"]["queries"] == [QUESTION]

    def test_says_that_it_reused(self, books: Source, alices_agent: APIClient) -> None:
        alices_agent.post(SEARCH, {"query": QUESTION, "mode": "DEEP"})
        body = alices_agent.post(SEARCH, {"query": "list the largest files of a git repo", "mode": "DEEP"}).json()
        assert body["reused"] is True
        assert body["evidences"] and body["files_ranked"] and body["patterns"]

    def test_searches_anew_when_asked_to(self, books: Source, alices_agent: APIClient) -> None:
        first = alices_agent.post(SEARCH, {"query": QUESTION}).json()
        assert alices_agent.post(SEARCH, {"query": QUESTION}).json()["reused"] is True
        again = alices_agent.post(SEARCH, {"query": QUESTION, "reuse": False})
        assert again.status_code == 200 and again.json()["reused"] is False
        assert again.json()["cluster"]["id"] == first["cluster"]["id"]

    def test_goes_on_from_the_question_before(self, books: Source, alices_agent: APIClient) -> None:
        body = alices_agent.post(SEARCH, {"query": "and why is that?", "history": ["redis is out of memory"]}).json()
        assert body["query"] == "redis is out of memory and why is that?"
        assert body["calls"] == []

    def test_names_the_field_of_a_bad_path(self, books: Source, alices_agent: APIClient) -> None:
        answer = alices_agent.post(SEARCH, {"query": "root", "paths": ["../../../../etc"]})
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["paths"])

    @pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators")
    def test_streams_its_phases_and_then_the_answer(self, books: Source, alices_agent: APIClient) -> None:
        answer = alices_agent.post(SEARCH, {"query": QUESTION}, HTTP_ACCEPT="text/event-stream")
        assert answer["Content-Type"] == "text/event-stream"
        told = events(answer)
        assert [name for name, _ in told] == ["phase"] * 6 + ["result"]
        assert [data["name"] for _, data in told[:-1]] == ["reuse", "probe", "rank", "sample", "brief", "keep"]
        assert told[-1][1]["files_ranked"][0]["path"] == "git/find-large-files.md"

    @pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators")
    def test_ends_when_it_is_done_and_not_with_the_next_sign_of_life(
        self, books: Source, alices_agent: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("knowledge.evidence.serializers.KEEP_ALIVE", 60.0)
        began = time.monotonic()
        events(alices_agent.post(SEARCH, {"query": QUESTION}, HTTP_ACCEPT="text/event-stream"))
        assert time.monotonic() - began < 60

    def test_refuses_before_it_streams(self, books: Source, alices_agent: APIClient) -> None:
        answer = alices_agent.post(SEARCH, {"query": "x", "sources": ["none"]}, HTTP_ACCEPT="text/event-stream")
        assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")

    def test_takes_no_browser_session(self, books: Source, alice_user: Any) -> None:
        client = Client()
        client.force_login(alice_user)
        assert client.post(SEARCH, {"query": "x"}, content_type="application/json").status_code == 401

    def test_of_a_narrowed_token_sees_its_teams_alone(self, books: Source, alice: Member) -> None:
        narrowed = agent(alice, team_slugs=["personal"])
        assert narrowed.post(SEARCH, {"query": QUESTION}).json()["files_ranked"] == []


class TestSources:
    def test_are_listed_with_their_health(self, books: Source, alices_agent: APIClient) -> None:
        (row,) = alices_agent.get("/api/v1/evidence/sources/").json()["results"]
        assert (row["slug"], row["team"], row["health"]["files"]) == ("books", "platform", 5)

    def test_tell_no_path_of_the_machine(self, books: Source, files: Path, alices_agent: APIClient) -> None:
        assert str(files.parent) not in alices_agent.get("/api/v1/evidence/sources/").content.decode()

    def test_are_of_ones_teams(self, books: Source, charlies_agent: APIClient) -> None:
        assert charlies_agent.get("/api/v1/evidence/sources/").json() == {"results": []}


class TestClusters:
    @pytest.fixture
    def ref(self, books: Source, alices_agent: APIClient) -> str:
        return str(alices_agent.post(SEARCH, {"query": QUESTION, "mode": "DEEP"}).json()["cluster"]["id"])

    def test_are_listed_and_read(self, ref: str, bobs_agent: APIClient) -> None:
        listed = bobs_agent.get("/api/v1/evidence/clusters/").json()["results"]
        assert [row["id"] for row in listed] == [ref]
        assert bobs_agent.get(f"/api/v1/evidence/clusters/{ref}/").json() == listed[0] | {
            "hotness": bobs_agent.get(f"/api/v1/evidence/clusters/{ref}/").json()["hotness"]
        }

    def test_are_none_to_a_stranger(self, ref: str, charlies_agent: APIClient) -> None:
        assert charlies_agent.get("/api/v1/evidence/clusters/").json() == {"results": []}
        assert charlies_agent.get(f"/api/v1/evidence/clusters/{ref}/").status_code == 404
        assert charlies_agent.post(f"/api/v1/evidence/clusters/{ref}/deposit/", {}).status_code == 404
        assert charlies_agent.post(f"/api/v1/evidence/clusters/{ref}/refresh/").status_code == 404

    def test_are_searched_again_on_demand(self, ref: str, files: Path, bobs_agent: APIClient) -> None:
        before = bobs_agent.get(f"/api/v1/evidence/clusters/{ref}/").json()
        path = files / "git" / "find-large-files.md"
        path.write_text(path.read_text().replace("rev-list", "sizer"))
        answer = bobs_agent.post(f"/api/v1/evidence/clusters/{ref}/refresh/")
        assert answer.status_code == 200
        body = answer.json()
        assert body["reused"] is False and body["query"] == QUESTION
        assert (body["cluster"]["id"], body["cluster"]["version"]) == (ref, before["version"] + 1)
        assert "sizer" in body["content"]

    def test_whose_answer_is_gone_are_contested_by_a_refresh(
        self, ref: str, files: Path, bobs_agent: APIClient
    ) -> None:
        for path in list(files.rglob("*.md")):
            path.unlink()
        body = bobs_agent.post(f"/api/v1/evidence/clusters/{ref}/refresh/").json()
        assert body["cluster"] is None
        assert bobs_agent.get(f"/api/v1/evidence/clusters/{ref}/").json()["lifecycle"] in ("contested", "deprecated")

    def test_are_not_refreshed_by_a_reader(self, ref: str, alice: Member) -> None:
        reader = agent(alice, scopes=["read"])
        assert reader.post(f"/api/v1/evidence/clusters/{ref}/refresh/").status_code == 403

    def test_become_insights(self, ref: str, bobs_agent: APIClient) -> None:
        answer = bobs_agent.post(f"/api/v1/evidence/clusters/{ref}/deposit/", {"kind": "WORKFLOW", "tags": ["git"]})
        assert answer.status_code == 201
        insight = answer.json()["insight"]
        assert (insight["kind"], insight["tags"]) == ("WORKFLOW", ["git"])
        assert "git/find-large-files.md" in insight["files"]
        assert KnowledgeCluster.objects.get().insight.ref == insight["ref"]

    def test_become_one_insight_however_often(self, ref: str, bobs_agent: APIClient) -> None:
        first, second = (
            bobs_agent.post(f"/api/v1/evidence/clusters/{ref}/deposit/", {}).json()["insight"]["ref"] for _ in range(2)
        )
        assert first == second

    def test_out_of_use_become_none(self, ref: str, bobs_agent: APIClient) -> None:
        KnowledgeCluster.objects.update(lifecycle="contested")
        assert bobs_agent.post(f"/api/v1/evidence/clusters/{ref}/deposit/", {}).status_code == 409


class TestHistory:
    def test_is_ones_own(self, books: Source, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        alices_agent.post(SEARCH, {"query": QUESTION})
        rows = alices_agent.get("/api/v1/evidence/history/").json()["results"]
        assert [row["query"] for row in rows] == [QUESTION]
        assert bobs_agent.get("/api/v1/evidence/history/").json()["results"] == []

    def test_suggests_what_was_asked_and_what_clusters_answer(
        self, books: Source, alices_agent: APIClient, bobs_agent: APIClient, charlies_agent: APIClient
    ) -> None:
        alices_agent.post(SEARCH, {"query": QUESTION})
        history = "/api/v1/evidence/history/"
        assert bobs_agent.get(history, {"q": "largest"}).json()["suggestions"] == [QUESTION]
        assert bobs_agent.get(history, {"q": "redis"}).json()["suggestions"] == []
        assert charlies_agent.get(history).json()["suggestions"] == []
