"""What a conversation told is rated under the reference that the answer gave it."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.actions.members import member_of
from accounts.models import User
from accounts.rules.rights import Level, Member
from knowledge.models import Insight
from sessions_app.conversations.actions.forget import forget_conversation
from sessions_app.conversations.actions.propose import propose_passages
from sessions_app.conversations.actions.share import share, unshare
from sessions_app.models import Passage, Quotation, ServedPassage
from sessions_app.transcripts.rules.speakers import SharedTurns
from tests.conftest import NOW, agent, person
from tests.factories import make_insight
from tests.pages import signed_in
from tests.sessions_app.conversations.decisions import OTHERS, QUESTION, RETRIES
from tests.sessions_app.conversations.talk import talk

pytestmark = pytest.mark.django_db
RATINGS = "/api/v1/ratings/"


@pytest.fixture
def decided(alice: Member) -> str:
    """A decision in a session of Alice's that the platform team reads, among other talk."""
    share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
    for turns in OTHERS:
        talk(alice, turns)
    return talk(alice, RETRIES).ref


def ask(client: APIClient, words: str = QUESTION) -> dict[str, Any]:
    """The answer to a question about it."""
    body: dict[str, Any] = client.post("/api/v1/query/", {"query": words, "repo": "shop"}).json()
    return body


def rate(client: APIClient, ref: str, verdict: str = "helpful", **over: Any) -> Any:
    return client.post(RATINGS, {"insights": [ref], "verdict": verdict, **over}, format="json")


def said() -> list[bool | None]:
    """What was said of each passage that was served."""
    return list(ServedPassage.objects.order_by("pk").values_list("helpful", flat=True))


class TestRating:
    def test_is_asked_for_below_the_answer(self, bobs_agent: APIClient, decided: str) -> None:
        body = ask(bobs_agent)
        line = body["text"].rpartition("</team-memory-")[2].partition(">")[2].strip()
        assert line.startswith(f'Rate what you use: POST ratings/ with insights ["{decided}"]')
        assert body["query_id"] in line and body["tokens"] <= 800

    def test_is_of_the_passages_that_one_answer_told(self, bobs_agent: APIClient, decided: str) -> None:
        first, second = ask(bobs_agent), ask(bobs_agent, f"{QUESTION} And how often?")
        done = rate(bobs_agent, decided, query_id=first["query_id"])
        told = len({one["turn"] for one in first["conversations"][0]["sentences"]})
        assert done.json() == {
            "results": [],
            "conversations": [{"ref": decided, "passages": told, "counted": True}],
        }
        rows = ServedPassage.objects.filter(query=second["query_id"])
        assert rows and not rows.filter(helpful__isnull=False).exists()
        assert not rate(bobs_agent, decided, query_id=first["query_id"]).json()["conversations"][0]["counted"]
        assert rate(bobs_agent, decided, "unhelpful", query_id=first["query_id"]).json()["conversations"][0]["counted"]

    def test_is_of_the_last_answer_where_none_is_named(self, bobs_agent: APIClient, decided: str) -> None:
        ask(bobs_agent)
        last = ask(bobs_agent, f"{QUESTION} And how often?")
        rate(bobs_agent, decided, "unhelpful")
        rated = ServedPassage.objects.filter(helpful=False).values_list("query_id", flat=True)
        assert {str(one) for one in rated} == {last["query_id"]}

    def test_goes_with_that_of_an_insight_and_fails_with_it(
        self, alice: Member, bobs_agent: APIClient, decided: str
    ) -> None:
        note = make_insight(alice, body="Gateway errors are retried by the payment client with backoff.", repo="shop")
        ask(bobs_agent)
        both = {"insights": [note.ref, decided], "verdict": "helpful"}
        done = bobs_agent.post(RATINGS, both, format="json").json()
        assert [one["ref"] for some in done.values() for one in some] == [note.ref, decided]
        ServedPassage.objects.update(helpful=None)
        missing = bobs_agent.post(RATINGS, {**both, "insights": ["PLAT-999", decided]}, format="json")
        assert (missing.status_code, set(said())) == (404, {None})

    def test_takes_an_answer_of_ones_own(
        self, bobs_agent: APIClient, alices_agent: APIClient, charlies_agent: APIClient, decided: str
    ) -> None:
        asked = ask(bobs_agent)["query_id"]
        for other in (alices_agent, charlies_agent):
            assert rate(other, decided).status_code == 404
            assert rate(other, decided, query_id=asked).status_code == 404
        assert rate(bobs_agent, "S-999999").json()["detail"] == "None of your answers contains S-999999."
        assert set(said()) == {None}

    def test_takes_who_may_read_it_still(self, alice: Member, bobs_agent: APIClient, decided: str) -> None:
        asked = ask(bobs_agent)["query_id"]
        unshare(repo="shop", by=alice, now=NOW)
        assert rate(bobs_agent, decided, query_id=asked).status_code == 404

    def test_is_a_write(self, platform: Any, decided: str) -> None:
        person("dana", platform, Level.READER)
        reader = agent(_member("dana"))
        ask(reader)
        assert rate(reader, decided).status_code == 403
        assert set(said()) == {None}


def _member(username: str) -> Member:
    return member_of(user=User.objects.get(username=username), token_name="laptop")


class TestProposing:
    @pytest.fixture
    def helped(self, platform: Any, decided: str, bobs_agent: APIClient) -> str:
        """It helped Bob twice and Dana once."""
        person("dana", platform)
        danas = agent(_member("dana"))
        for client, words in ((bobs_agent, QUESTION), (bobs_agent, f"{QUESTION} Tell me."), (danas, QUESTION)):
            assert rate(client, decided, query_id=ask(client, words)["query_id"]).status_code == 200
        return decided

    def test_takes_three_helpful_answers_of_two_people(self, helped: str) -> None:
        assert propose_passages(now=NOW).counts["proposed"] > 0
        drafts = Insight.objects.filter(source_type__in=("said", "transcript"))
        assert {row.status for row in drafts} == {"draft"}
        assert {row.session.ref for row in Quotation.objects.filter(insight__in=drafts)} == {helped}

    def test_takes_no_word_of_who_said_the_opposite_since(self, helped: str, bobs_agent: APIClient) -> None:
        rate(bobs_agent, helped, "unhelpful")
        assert propose_passages(now=NOW).counts["proposed"] == 0

    def test_takes_no_word_of_who_reads_it_no_more(self, helped: str, alice: Member, mobile: Any) -> None:
        unshare(repo="shop", by=alice, now=NOW)
        assert propose_passages(now=NOW).counts["proposed"] == 0
        Passage.objects.update(team=mobile)
        assert propose_passages(now=NOW).counts["proposed"] == 0

    def test_goes_with_the_sharing_and_with_what_is_forgotten(self, helped: str, alice: Member) -> None:
        propose_passages(now=NOW)
        unshare(repo="shop", by=alice, now=NOW)
        rows = Insight.objects.filter(source_type__in=("said", "transcript"))
        assert rows.exists() and not rows.filter(forgotten_at__isnull=True).exists()
        forget_conversation(name=helped, why="", by=alice, now=NOW)
        assert said() == []

    def test_is_seen_on_the_page_of_the_session(self, helped: str, alice_user: User) -> None:
        page = signed_in(alice_user).get(f"/sessions/{helped}/conversation/").content.decode()
        assert "rated helpful 3 times" in " ".join(page.split())
