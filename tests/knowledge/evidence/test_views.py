"""The pages of evidence."""

from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.evidence.models import KnowledgeCluster, Search, Source
from tests.factories import make_cluster
from tests.knowledge.evidence.test_api import events
from tests.pages import Faults, signed_in

ASKED = {"query": "how do I find large files in a git repository"}
STREAMED = {"HTTP_ACCEPT": "text/event-stream"}
HOSTILE = '<script>alert(1)</script>"><svg onload=x>'


def text(response: Any) -> str:
    return unescape(response.content.decode())


class TestClusters:
    def test_are_listed_and_read_by_their_team(self, bob_user: User, charlie_user: User, alice: Member) -> None:
        team = next(team.id for team in alice.teams if team.slug == "platform")
        make_cluster(team, content="Restart the worker.")
        assert "Restart the worker." in text(signed_in(bob_user).get("/evidence/clusters/C1/"))
        assert "/clusters/C1/" in text(signed_in(bob_user).get("/evidence/clusters/"))
        stranger = signed_in(charlie_user)
        assert stranger.get("/evidence/clusters/C1/").status_code == 404
        assert "/clusters/C1/" not in text(stranger.get("/evidence/clusters/"))

    def test_become_insights(self, alice_user: User, alice: Member) -> None:
        team = next(team.id for team in alice.teams if team.slug == "platform")
        make_cluster(team, content="Restart the worker after the queue was purged, or it waits for ever.")
        form = {"title": "Restart after a purge", "kind": "CONTEXT", "tags": "queue, worker"}
        page = text(signed_in(alice_user).post("/evidence/clusters/C1/", form, follow=True))
        assert "Deposited as PLAT-1" in page
        insight = KnowledgeCluster.objects.get().insight
        assert insight is not None
        assert insight.tags == ["queue", "worker"]

    def test_show_hostile_words_as_words(self, alice_user: User, alice: Member) -> None:
        team = next(team.id for team in alice.teams if team.slug == "platform")
        make_cluster(team, content=HOSTILE)
        for path in ("/evidence/clusters/", "/evidence/clusters/C1/"):
            page = signed_in(alice_user).get(path).content.decode()
            assert Faults(page).found == []
            assert "<script>alert" not in page

    def test_ask_a_bounded_number_of_questions(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        team = next(team.id for team in alice.teams if team.slug == "platform")
        for n in range(12):
            make_cluster(team, ref=f"C{n}")
        client = signed_in(alice_user)
        with django_assert_max_num_queries(11):
            client.get("/evidence/clusters/")


class TestSearch:
    def test_answers_with_lines_and_how_it_was_found(self, books: Source, alice_user: User) -> None:
        client = signed_in(alice_user)
        page = text(client.post("/evidence/", ASKED))
        assert "find-large-files.md" in page
        assert "git rev-list" in page
        assert "Search steps" in page
        assert "Save answer" in page
        whole = client.post("/evidence/", {**ASKED, "mode": "FILENAME_ONLY"}).content.decode()
        assert Faults(whole).found == []
        assert "Recent questions" in whole

    @pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators")
    def test_tells_each_phase_as_it_ends_and_then_the_answer_alone(self, books: Source, alice_user: User) -> None:
        answer = signed_in(alice_user).post("/evidence/", ASKED, **STREAMED)
        assert answer["Content-Type"] == "text/event-stream"
        assert answer["Cache-Control"] == "no-cache"
        told = events(answer)
        assert [name for name, _ in told] == ["phase"] * 6 + ["answer"]
        assert "Rank files" in told[2][1]["html"]
        part = unescape(told[-1][1]["html"])
        assert "git rev-list" in part
        assert "<html" not in part
        for _, data in told:
            assert Faults(data["html"]).found == []

    @pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators")
    def test_streams_hostile_words_as_words(self, books: Source, files: Path, alice_user: User) -> None:
        (files / "evil.md").write_text(f"# Kestrel\n\n{HOSTILE} The kestrel lock is released at noon.\n")
        for query in ("kestrel lock", HOSTILE):
            told = events(signed_in(alice_user).post("/evidence/", {"query": query}, **STREAMED))
            assert told[-1][0] == "answer"
            for _, data in told:
                assert "<script>alert" not in data["html"]
                assert Faults(data["html"]).found == []

    def test_says_on_the_page_what_is_at_fault(self, books: Source, alice_user: User) -> None:
        client = signed_in(alice_user)
        for form in ({"query": ""}, {"query": "x", "sources": ["none"]}, {"query": "\u200b"}):
            answer = client.post("/evidence/", form, **STREAMED)
            assert answer["Content-Type"].startswith("text/html")
            assert 'class="errorlist' in answer.content.decode() or "aria-invalid" in answer.content.decode()
        assert not Search.objects.exists()

    @pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators")
    def test_stops_when_nobody_waits(self, books: Source, alice_user: User, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("knowledge.evidence.views.disconnect_check", lambda request: lambda: True)
        client = signed_in(alice_user)
        assert client.post("/evidence/", ASKED).status_code == 204
        assert [name for name, _ in events(client.post("/evidence/", ASKED, **STREAMED))] == ["problem"]
        assert not Search.objects.exists()

    def test_asks_the_forgery_question_of_a_stream_too(self, books: Source, alice_user: User) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(alice_user)
        assert client.post("/evidence/", ASKED, **STREAMED).status_code == 403

    def test_searches_no_other_teams_files(self, books: Source, charlie_user: User) -> None:
        client = signed_in(charlie_user)
        assert "No evidence sources" in text(client.get("/evidence/"))
        assert "not one of the available choices" not in text(client.post("/evidence/", {"query": "x"}))
        assert "git rev-list" not in text(client.post("/evidence/", {"query": "large git files"}))

    def test_says_that_there_is_nothing_to_search(self, alice_user: User) -> None:
        assert "No evidence sources" in text(signed_in(alice_user).get("/evidence/"))
