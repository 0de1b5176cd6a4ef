"""A language model, behind a real HTTP server that stands in for it, proposes insights from conversations."""

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.rules.rights import Member
from knowledge.adapters.llm import Chat
from knowledge.models import Insight
from sessions_app.conversations.actions.propose_by_model import MOST, propose_by_model
from sessions_app.conversations.actions.share import share
from sessions_app.models import Quotation
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW
from tests.llm_endpoint import Endpoint, data, listening
from tests.sessions_app.conversations.talk import on_day, talk

pytestmark = pytest.mark.django_db(transaction=True)

SAID = [
    Turn("user", "My fear is the worker: it has only 512 MB.", "2026-11-20T09:00:00Z"),
    Turn("assistant", "Tariffs are parsed piece by piece,\nas the worker has 512 MB. Done.", "2026-11-20T09:01:00Z"),
]
GOOD = {
    "kind": "decision",
    "title": "Tariff files are parsed piece by piece",
    "body": "Tariff files are parsed piece by piece with iterparse.",
    "reasoning": "The worker has 512 MB.",
    "quote": "tariffs are parsed piece by piece, as the worker has 512 MB",
}


@pytest.fixture
def model(settings: Any) -> Iterator[Endpoint]:
    with listening() as endpoint:
        settings.LOAM_LLM_URL, settings.LOAM_LLM_MODEL = endpoint.url, "scripted"
        settings.LOAM_LLM_TIMEOUT = 5.0
        Chat._failed.clear()
        yield endpoint
        Chat._failed.clear()


def run() -> dict[str, int]:
    return propose_by_model(now=NOW).counts


class TestWithAModel:
    def test_drafts_with_their_quotation_in_the_team_of_the_words(self, model: Endpoint, bob: Member) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
        session = talk(bob, SAID)

        def answer(asked: dict[str, str]) -> dict[str, list[dict[str, str]]]:
            return {"insights": [GOOD] if "piece by piece" in asked["conversation"] else []}

        model.answers["propose"] = answer
        assert run() == {"read": 1, "proposed": 1}
        (draft,) = Insight.objects.all()
        assert (draft.team.slug, draft.kind, draft.status, draft.author_id) == (
            "platform",
            "DECISION",
            "draft",
            bob.user_id,
        )
        assert f"{draft.source_date:%Y-%m-%d}" == "2026-11-20"
        (quoted,) = Quotation.objects.select_related("passage")
        assert (quoted.insight_id, quoted.session_id) == (draft.pk, session.pk)
        assert "piece by piece" in quoted.passage.text
        told = [data(body)["conversation"] for _, _, body in model.asked]
        assert not any("My fear" in one and "piece by piece" in one for one in told)

    def test_asks_once_about_a_conversation(self, model: Endpoint, bob: Member) -> None:
        talk(bob, SAID)
        model.answers["propose"] = {"insights": []}
        assert run()["read"] == 1
        assert run()["read"] == 0
        assert len(model.asked) == 1

    def test_keeps_nothing_that_was_not_said(self, model: Endpoint, bob: Member) -> None:
        talk(bob, SAID)
        invented = {**GOOD, "quote": "we use Kafka because of its speed"}
        reasonless, unkind = {**GOOD, "reasoning": ""}, {**GOOD, "kind": "RUMOUR"}
        model.answers["propose"] = {"insights": [invented, reasonless, unkind, "text", {}]}
        assert run() == {"read": 1, "proposed": 0}
        assert Insight.objects.count() == 0

    def test_leaves_what_is_shared_with_nobody_to_its_owner(self, model: Endpoint, bob: Member) -> None:
        talk(bob, SAID)
        model.answers["propose"] = {"insights": [GOOD]}
        run()
        assert [row.team_id for row in Insight.objects.all()] == [bob.home_id]

    def test_that_is_down_leaves_the_rest_for_the_next_run(self, model: Endpoint, bob: Member) -> None:
        for day in range(1, 5):
            talk(bob, on_day(day, SAID))
        model.answers["propose"] = (503, b"busy", {})
        done = propose_by_model(now=NOW)
        assert (done.counts["read"], bool(done.down)) == (0, True)
        Chat._failed.clear()
        model.answers["propose"] = {"insights": []}
        assert run()["read"] == 4

    def test_calls_are_bounded(self) -> None:
        assert MOST <= 20


class TestWithoutAModel:
    def test_does_nothing(self, settings: Any, bob: Member) -> None:
        talk(bob, SAID)
        assert run() == {"read": 0, "proposed": 0}

    def test_or_switched_off_does_nothing(self, model: Endpoint, settings: Any, bob: Member) -> None:
        settings.LOAM_PROPOSE = "off"
        talk(bob, SAID)
        assert run() == {"read": 0, "proposed": 0}
        assert model.asked == []
