"""The pages of evidence."""

import re
from datetime import datetime
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.evidence.actions.sources import check
from knowledge.evidence.models import KnowledgeCluster, Search, Source
from tests.factories import make_cluster
from tests.knowledge.evidence.conftest import Repository
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


FILE = "/evidence/sources/books/file/"


class TestAFile:
    def opened(self, user: User, path: str, lines: tuple[int, int] = (3, 5)) -> Any:
        return signed_in(user).get(FILE, {"path": path, "from": lines[0], "to": lines[1]})

    def test_is_open_at_the_cited_lines(self, books: Source, alice_user: User) -> None:
        client = signed_in(alice_user)
        page = client.post("/evidence/", ASKED).content.decode()
        link = unescape(re.search(r'href="(/evidence/sources/books/file/[^"]+)"', page)[1])  # type: ignore[index]
        opened = client.get(link.partition("#")[0])
        shown = opened.content.decode()
        assert Faults(shown).found == []
        assert "find-large-files.md" in shown and "git rev-list" in shown
        first = int(link.rpartition("#L")[2])
        assert re.search(rf'id="L{first}"\s+class="is-cited"', shown)

    def test_shows_what_is_around_a_line_of_a_long_one(self, books: Source, files: Path, alice_user: User) -> None:
        (files / "long.log").write_text("\n".join(f"event {n}" for n in range(1, 30_001)))
        page = self.opened(alice_user, "long.log", (20_000, 20_001)).content.decode()
        assert re.search(r"id=\"L20000\"\s+class=\"is-cited\"", page) and "event 20001<" in page
        assert "event 1<" not in page and len(page) < 200_000

    def test_is_open_at_its_lines_however_large_it_is(self, books: Source, files: Path, alice_user: User) -> None:
        with (files / "scada.log").open("w") as log:
            log.writelines(f"2026-02-02 02:41:54 INFO poll of station {n} ok\n" for n in range(1, 150_001))
        assert (files / "scada.log").stat().st_size > books.largest_file
        page = self.opened(alice_user, "scada.log", (120_000, 120_000)).content.decode()
        assert re.search(r"id=\"L120000\"\s+class=\"is-cited\"", page) and "station 120000 ok<" in page
        assert "station 119000 ok" not in page and len(page) < 200_000

    def test_shows_the_place_in_a_line_that_is_too_long(self, books: Source, files: Path, alice_user: User) -> None:
        (files / "one.json").write_text(
            '{"k":"' + "abcdefgh " * 1_000_000 + "the crane lifts 12 tonnes" + " xyz" * 9_000 + '"}'
        )
        for path in ("one.json", "short.json"):
            given = {"path": path, "from": 1, "to": 1, "near": "the crane lifts"}
            page = signed_in(alice_user).get(FILE, given).content.decode()
            assert "the crane lifts 12 tonnes" in page and len(page) < 50_000
            (files / "short.json").write_text("z" * 9_000 + "the crane lifts 12 tonnes" + "z" * 9_000)

    def test_is_none_to_a_stranger(self, books: Source, charlie_user: User) -> None:
        assert self.opened(charlie_user, "git/bisect.md").status_code == 404

    @pytest.mark.parametrize(
        "path",
        ["../outside.md", "/etc/passwd", "git/../../outside.md", "", "git", ".git/config", "secret.env", "link.md"],
    )
    def test_is_none_that_a_search_does_not_read(
        self, books: Source, files: Path, alice_user: User, tmp_path: Path, path: str
    ) -> None:
        (files / ".git").mkdir()
        (files / ".git" / "config").write_text("kestrel")
        (files / "secret.env").write_text("kestrel")
        (files / "link.md").symlink_to(tmp_path / "outside.md")
        Source.objects.update(exclude=["*.env"])
        answer = self.opened(alice_user, path)
        assert "kestrel" not in answer.content.decode()
        assert answer.status_code == 404 or "cannot be read" in answer.content.decode()

    def test_shows_no_secret_and_hostile_words_as_words(self, books: Source, files: Path, alice_user: User) -> None:
        token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
        (files / "evil.md").write_text(f"{HOSTILE}\ntoken {token}\n")
        page = self.opened(alice_user, "evil.md").content.decode()
        assert token not in page and "<script>alert" not in page
        assert Faults(page).found == []

    def test_that_is_gone_says_so(self, books: Source, alice_user: User) -> None:
        assert "cannot be read" in text(self.opened(alice_user, "gone.md"))


class TestAFileOfARepository:
    def test_is_open_as_it_was_at_the_cited_commit(
        self, branch: Source, repository: Repository, alice_user: User
    ) -> None:
        client = signed_in(alice_user)
        first = repository.git("rev-parse", "main")
        page = client.post("/evidence/", ASKED).content.decode()
        assert f"@{first[:10]}" in page and Faults(page).found == []
        link = unescape(re.search(r'href="(/evidence/sources/books/file/[^"]+)"', page)[1])  # type: ignore[index]
        repository.commit({"git/find-large-files.md": "# All is new\n"})
        shown = text(client.get(link.partition("#")[0]))
        assert "git rev-list" in shown and first[:10] in shown and "main" in shown
        now = text(client.get(FILE, {"path": "git/find-large-files.md"}))
        assert "All is new" in now and "git rev-list" not in now

    def test_of_a_commit_beside_the_branch_is_not_shown(
        self, branch: Source, repository: Repository, alice_user: User, charlie_user: User
    ) -> None:
        repository.git("checkout", "--quiet", "-b", "private")
        private = repository.commit({"secret.md": "kestrel"})
        for commit in (private, "0" * 40):
            page = text(signed_in(alice_user).get(FILE, {"path": "secret.md", "commit": commit}))
            assert "kestrel" not in page and "cannot be read" in page
        for commit in ("private", "HEAD", "--upload-pack=x", private[:12], HOSTILE, "main:secret.md"):
            asked = {"path": "secret.md", "commit": commit}
            assert signed_in(alice_user).get(FILE, asked).status_code == 404
        asked = {"path": "git/bisect.md", "commit": repository.git("rev-parse", "main")}
        assert signed_in(charlie_user).get(FILE, asked).status_code == 404

    def test_has_no_commit_in_a_folder(self, books: Source, alice_user: User) -> None:
        assert signed_in(alice_user).get(FILE, {"path": "git/bisect.md", "commit": "0" * 40}).status_code == 404

    def test_is_named_with_its_branch_among_the_sources(self, branch: Source, alice_user: User) -> None:
        assert f"main at {branch.health['commit'][:10]}" in text(signed_in(alice_user).get("/evidence/"))


class TestSearchingAgain:
    def test_is_offered_with_a_saved_answer(self, books: Source, alice_user: User) -> None:
        client = signed_in(alice_user)
        client.post("/evidence/", ASKED)
        assert "Search again" in text(client.post("/evidence/", ASKED))
        assert "saved answer" not in text(client.post("/evidence/", {**ASKED, "recompute": "true"}))

    def test_of_a_cluster_is_for_who_may_write(self, books: Source, alice_user: User, charlie_user: User) -> None:
        client = signed_in(alice_user)
        client.post("/evidence/", ASKED)
        ref = KnowledgeCluster.objects.get().ref
        assert "Searched again: version" in text(client.post(f"/evidence/clusters/{ref}/refresh/", follow=True))
        assert signed_in(charlie_user).post(f"/evidence/clusters/{ref}/refresh/").status_code == 404


class TestSources:
    def test_tell_what_is_not_read(self, books: Source, files: Path, alice_user: User, now: datetime) -> None:
        (files / "old.xls").write_bytes(b"\xd0\xcf")
        check(slug="books", now=now)
        page = text(signed_in(alice_user).get("/evidence/"))
        assert "What is searched" in page
        assert "1 document is not read." in page and "old.xls" in page and "its format is not read" in page
