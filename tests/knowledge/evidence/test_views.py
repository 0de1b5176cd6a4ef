"""The pages of evidence."""

from html import unescape
from typing import Any

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.evidence.models import KnowledgeCluster, Source
from tests.factories import make_cluster
from tests.pages import HTMX, Faults, signed_in

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
        assert "It is PLAT-1 now" in page
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
        form = {"query": "how do I find large files in a git repository"}
        part = text(client.post("/evidence/", form, **HTMX))
        assert "find-large-files.md" in part
        assert "git rev-list" in part
        assert "How it was found" in part
        assert "<html" not in part
        whole = client.post("/evidence/", {**form, "mode": "FILENAME_ONLY"}).content.decode()
        assert Faults(whole).found == []
        assert "You asked before" in whole

    def test_searches_no_other_teams_files(self, books: Source, charlie_user: User) -> None:
        client = signed_in(charlie_user)
        assert "Nothing to search yet" in text(client.get("/evidence/"))
        assert "not one of the available choices" not in text(client.post("/evidence/", {"query": "x"}))
        assert "git rev-list" not in text(client.post("/evidence/", {"query": "large git files"}))

    def test_says_that_there_is_nothing_to_search(self, alice_user: User) -> None:
        assert "Nothing to search yet" in text(signed_in(alice_user).get("/evidence/"))
