"""Vectors of two models are never compared: a process of another model than the store's does without."""

import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection

from accounts.rules.rights import Member
from config.database import vectors
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.judging.actions.deposit import deposit
from knowledge.models import Insight
from knowledge.retrieval.rules.ask import Ask
from sessions_app.answers.actions.build_answer import build_answer
from tests.conftest import NOW
from tests.factories import make_draft, make_insight


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    vectors._known.clear()
    yield
    vectors._known.clear()


class TestTheModelOfTheStore:
    def test_is_the_first_one_s(self, transactional_db: None, alice: Member) -> None:
        assert vectors.objection("any@1") == ""
        make_insight(alice)
        vectors._known.clear()
        assert vectors.objection(current().name) == ""
        assert "run manage.py reembed" in vectors.objection("any@1")

    def test_is_asked_for_now_and_then(self, transactional_db: None, alice: Member) -> None:
        assert vectors.objection("any@1") == ""
        make_insight(alice)
        assert vectors.objection("any@1") == ""

    def test_is_not_waited_for_while_somebody_holds_the_table(self, transactional_db: None, alice: Member) -> None:
        make_insight(alice)
        said = vectors.objection("any@1")
        with psycopg.connect(**connection.get_connection_params()) as migration:
            migration.execute("LOCK TABLE knowledge_insight IN ACCESS EXCLUSIVE MODE")
            for key, (_, found) in list(vectors._known.items()):
                vectors._known[key] = (-vectors.HOLDS, found)
            begun = time.monotonic()
            assert vectors.objection("any@1") == said != ""
            assert time.monotonic() - begun < 2

    def test_bears_a_row_of_another_that_the_sweep_will_make_anew(self, transactional_db: None, alice: Member) -> None:
        make_insight(alice)
        row = make_insight(alice, body="Something else of the kestrel entirely.")
        Insight.objects.filter(pk=row.pk).update(embedded_by="other@1")
        assert vectors.objection(current().name) == ""


class TestAProcessOfAnotherModel:
    @pytest.fixture(autouse=True)
    def stored(self, transactional_db: None, alice: Member, settings: Any) -> None:
        make_insight(alice)
        settings.LOAM_EMBEDDER = "tests.fakes.TurnedEmbedder"

    def test_embeds_nothing(self) -> None:
        with pytest.raises(EmbedderDown, match="the stored vectors are from all-MiniLM"):
            current().embed(["x"])

    def test_answers_by_words_and_says_so(self, alice: Member) -> None:
        done = build_answer(ask=Ask(text="lock_timeout ALTER"), by=alice, now=NOW, max_tokens=500, include=["insights"])
        assert [hit.insight.title[:3] for hit in done.found.hits] == ["Run"]
        assert done.found.degraded[0]["component"] == "embedder"
        assert "reembed" in done.found.degraded[0]["reason"]

    def test_merges_nothing_by_a_cosine_of_two_models(self, alice: Member) -> None:
        done = deposit(draft=make_draft(), by=alice, now=NOW)
        assert done.degraded[0]["component"] == "embedder"
        assert (done.insight.embedding, done.insight.unweighed) == (None, True)
