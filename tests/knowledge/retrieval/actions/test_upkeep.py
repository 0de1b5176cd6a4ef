"""Sweeps: what the writes left to be done."""

from collections import Counter
from datetime import datetime, timedelta
from math import log
from typing import Any

import numpy as np
import pytest
from django.db.models import FloatField, Value
from pgvector.django import MaxInnerProduct

from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.models import Insight, Lexicon, Query, Receipt, Term
from knowledge.models.lexicon import FIRST_PIVOT
from knowledge.retrieval.actions import upkeep
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.rules.vectors import sparse, unit
from tests.database import changed, contents
from tests.factories import make_insight
from tests.knowledge.library import LESSONS, counted, recounted, stock
from tests.together import together

SLOW = "tests.fakes.SlowEmbedder"


def plain_bm25(query: str, texts: list[str], k1: float = 0.6, b: float = 0.75) -> list[float]:
    """BM25 as the textbook has it, with Lucene's idf: nothing of it is shared with the product but the tokeniser."""
    documents = [bm25.terms(text) for text in texts]
    average = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        counts, total = Counter(document), 0.0
        for term, times in Counter(bm25.terms(query)).items():
            df = sum(term in other for other in documents)
            idf = log(1 + (len(documents) - df + 0.5) / (df + 0.5))
            tf = counts[term]
            total += times * idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(document) / average))
        scores.append(total)
    return scores


def stored_bm25(query: str, team: Team) -> list[float]:
    """What the database makes of it, in the order of the references."""
    words = bm25.terms(query)
    n, df = Term.objects.all().frequencies([team.pk], words, Lexicon.objects.all())
    score = MaxInnerProduct("bm25", sparse(bm25.query_weights(words, n, df))) * Value(-1.0, FloatField())
    rows = Insight.objects.filter(team=team).order_by("number").annotate(score=score)
    return list(rows.values_list("score", flat=True))


class TestEmbedWaiting:
    def test_leaves_out_the_one_that_cannot_be_embedded(
        self, alice: Member, now: datetime, settings: Any, caplog: Any
    ) -> None:
        refs = stock(alice, now)
        Insight.objects.filter(ref=refs["beat"]).update(title="poison")
        Insight.objects.update(embedding=None, embedded_by="")
        settings.LOAM_EMBEDDER = "tests.fakes.PickyEmbedder"
        done = upkeep.embed_waiting()
        assert list(Insight.objects.filter(embedding=None).values_list("ref", flat=True)) == [refs["beat"]]
        assert done.work.found == f"Skipped (see the log): {refs['beat']}."
        assert f"embed_waiting leaves {refs['beat']} out" in caplog.text

    def test_makes_what_is_missing_and_nothing_else(self, alice: Member, now: datetime) -> None:
        refs = stock(alice, now)
        Insight.objects.filter(ref=refs["beat"]).update(embedding=None, embedded_by="")
        assert upkeep.embed_waiting() == upkeep.Swept(1)
        row = Insight.objects.get(ref=refs["beat"])
        assert np.allclose(unit(row.embedding), current().embed([LESSONS["beat"]])[0], atol=1e-3)
        assert upkeep.embed_waiting() == upkeep.Swept(0)

    def test_makes_those_of_another_model_anew(self, alice: Member, now: datetime) -> None:
        stock(alice, now)
        Insight.objects.update(embedded_by="another-model@1")
        assert upkeep.embed_waiting().changed == len(LESSONS)
        assert set(Insight.objects.values_list("embedded_by", flat=True)) == {current().name}

    def test_goes_on_beyond_one_batch(self, alice: Member, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
        stock(alice, now)
        monkeypatch.setattr(upkeep, "BATCH", 3)
        Insight.objects.update(embedding=None, embedded_by="")
        assert upkeep.embed_waiting().changed == len(LESSONS)

    def test_stops_at_the_limit_and_goes_on_next_time(
        self, alice: Member, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stock(alice, now)
        monkeypatch.setattr(upkeep, "BATCH", 2)
        Insight.objects.update(embedding=None, embedded_by="")
        assert [upkeep.embed_waiting(limit=4).changed for _ in range(3)] == [4, 3, 0]

    def test_says_what_was_down_and_touches_nothing(self, alice: Member, now: datetime, embedder_down: str) -> None:
        make_insight(alice)
        before = contents()
        assert upkeep.embed_waiting() == upkeep.Swept(0, embedder_down)
        assert changed(before) == []

    def test_never_writes_the_vector_of_words_that_were_edited_meanwhile(
        self, alice: Member, now: datetime, settings: Any, embedder_down: str
    ) -> None:
        ref = make_insight(alice, body="Beat must run once.").ref
        settings.LOAM_EMBEDDER = SLOW
        text = {"title": "Kaniko", "body": "Images are built by kaniko."}
        current().inner.interrupt = lambda: curate.edit(ref=ref, changes=text, revision=1, by=alice, now=now)
        upkeep.embed_waiting()
        row = Insight.objects.get(ref=ref)
        assert row.body == "Images are built by kaniko."
        assert np.allclose(unit(row.embedding), current().embed([row.text])[0], atol=1e-3)


class TestReweigh:
    TEXTS = (
        *LESSONS.values(),
        "Beat.",
        "Celery beat beat beat, and the beat of a scheduled job that fires twice: celery, celery.",
        " ".join(LESSONS.values()),
        "read_csv in pandas reads `sep=';'`; readCsv in the front end does not, see utils/read-csv.ts.",
    )
    QUERIES = ("celery beat fires twice", "how does read_csv work", "ERR_QUOTA_7731 disk disk", "push after a rebase")

    def test_makes_the_scores_exactly_bm25(self, alice: Member, platform: Team, now: datetime) -> None:
        for body in self.TEXTS:
            make_insight(alice, title="T", body=f"T {body}")
        assert upkeep.rebuild_keyword_vectors(team_id=platform.pk) == len(self.TEXTS)
        texts = [f"T {body}" for body in self.TEXTS]
        for query in self.QUERIES:
            expected = plain_bm25(query, texts)
            assert max(expected) > 0
            assert stored_bm25(query, platform) == pytest.approx(expected, rel=1e-5)

    def test_is_needed_for_that_only_when_lengths_have_drifted(
        self, alice: Member, platform: Team, now: datetime
    ) -> None:
        stock(alice, now)
        before = stored_bm25("celery beat", platform)
        assert Lexicon.of(platform.pk).pivot == FIRST_PIVOT
        assert upkeep.reweigh_drifted().changed == len(LESSONS)
        assert stored_bm25("celery beat", platform) != pytest.approx(before, rel=0.01)
        assert upkeep.reweigh_drifted().changed == 0

    @pytest.mark.parametrize(("share", "rows"), [(0.86, 0), (0.84, 7), (1.14, 0), (1.16, 7)])
    def test_is_done_from_fifteen_percent_on(
        self, alice: Member, platform: Team, now: datetime, share: float, rows: int
    ) -> None:
        stock(alice, now)
        lexicon = Lexicon.of(platform.pk)
        Lexicon.objects.filter(pk=platform.pk).update(pivot=lexicon.average / share)
        assert upkeep.reweigh_drifted().changed == rows

    def test_leaves_other_teams_alone(self, alice: Member, charlie: Member, mobile: Team, now: datetime) -> None:
        stock(alice, now)
        make_insight(charlie, body="Ours.")
        before = list(Insight.objects.filter(team=mobile).values())
        upkeep.rebuild_keyword_vectors(team_id=Team.objects.get(slug="platform").pk)
        assert list(Insight.objects.filter(team=mobile).values()) == before

    def test_of_a_team_without_insights_is_nothing(self, platform: Team) -> None:
        assert upkeep.rebuild_keyword_vectors(team_id=platform.pk) == 0
        assert upkeep.reweigh_drifted() == upkeep.Swept(0)

    def test_loses_no_edit_that_comes_between(
        self, transactional_db: None, alice: Member, platform: Team, now: datetime
    ) -> None:
        refs = stock(alice, now)

        def rewrite(ref: str) -> Insight:
            text = {"title": "Kaniko", "body": f"Images of {ref} are built by kaniko."}
            return curate.edit(ref=ref, changes=text, revision=1, by=alice, now=now)

        acts = [lambda ref=ref: rewrite(ref) for ref in refs.values()]
        done = together(*acts, *[lambda: upkeep.rebuild_keyword_vectors(team_id=platform.pk)] * 2)
        assert not [answer for answer in done if isinstance(answer, Exception)]
        upkeep.rebuild_keyword_vectors(team_id=platform.pk)
        assert Insight.objects.all().with_all(["kaniko"]).count() == len(refs)
        assert counted(platform.pk) == recounted(platform.pk)
        texts = [row.text for row in Insight.objects.order_by("number")]
        assert stored_bm25("kaniko images", platform) == pytest.approx(plain_bm25("kaniko images", texts), rel=1e-5)


class TestRecount:
    def test_mends_what_is_wrong(self, alice: Member, platform: Team, now: datetime) -> None:
        stock(alice, now)
        Term.objects.filter(term="celeri").update(documents=99)
        Term.objects.filter(term="beat").delete()
        Term.objects.create(team=platform, term="nowhere", documents=5)
        Lexicon.objects.update(documents=1, length=1)
        assert counted(platform.pk) != recounted(platform.pk)
        assert upkeep.recount().changed == 1
        assert counted(platform.pk) == recounted(platform.pk)

    def test_changes_nothing_that_is_right(self, alice: Member, charlie: Member, now: datetime) -> None:
        stock(alice, now)
        make_insight(charlie, body="It's a `quoted' \\backslash and C++ or C#.")
        before = [counted(team.pk) for team in Team.objects.order_by("pk")]
        upkeep.recount()
        assert [counted(team.pk) for team in Team.objects.order_by("pk")] == before

    def test_counts_an_insight_whose_words_are_none(self, alice: Member, platform: Team) -> None:
        make_insight(alice, title="!?", body="…")
        assert counted(platform.pk) == recounted(platform.pk) == (1, 0, {})
        upkeep.recount()
        assert counted(platform.pk) == (1, 0, {})


class TestForgetOld:
    def test_drops_questions_after_120_days_and_receipts_after_90(self, alice: Member, now: datetime) -> None:
        for days in (119, 121):
            retrieve(ask=Ask(f"asked {days} days ago"), by=alice, now=now - timedelta(days=days))
        for days in (89, 91):
            make_insight(alice, idempotency_key=f"{days}", now=now - timedelta(days=days))
        assert upkeep.forget_old(now=now) == upkeep.Swept(2)
        assert Query.objects.get().text == "asked 119 days ago"
        assert Receipt.objects.get().key == "89"
        assert Insight.objects.count() == 2
