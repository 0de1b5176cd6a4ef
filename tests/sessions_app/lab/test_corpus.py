"""A made-up corpus is what deposits of the same texts would have left."""

import numpy as np
import pytest
from django.db import connection

from accounts.actions.members import enrol, member_of
from accounts.models import Membership, Team, User
from accounts.rules.rights import Level
from knowledge.models import Anchor, Insight, Lexicon, Term
from knowledge.retrieval.rules import bm25
from sessions_app.adapters.steps import StepLog
from sessions_app.lab.corpora import synthetic_corpus
from sessions_app.lab.corpora.synthetic_corpus import SHARES, fill
from tests.conftest import NOW
from tests.factories import make_insight

SIZE, REAL, CHUNK = 300, 200, 70


@pytest.fixture
def small(transactional_db, settings, monkeypatch):
    settings.LOAM_EMBEDDER = "tests.counted.CountedEmbedder"
    monkeypatch.setattr(synthetic_corpus, "REAL", REAL)
    monkeypatch.setattr(synthetic_corpus, "CHUNK", CHUNK)


@pytest.fixture
def made(small, tmp_path):
    before = indexes()
    filled = fill(size=SIZE, now=NOW, cache=tmp_path, progress=lambda *_: None)
    assert indexes() == before
    return filled


def indexes() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'knowledge_%'")
        return {definition for (definition,) in cursor.fetchall()}


class CutOff(Exception):
    pass


class TestFillThatWasCutOff:
    @pytest.mark.parametrize("step", ["load", "index insight_near"])
    def test_goes_on_and_ends_with_the_same_rows(self, small, tmp_path, step):
        """The chunks that are there stay as they are, and indexes that stand are not built again."""
        steps, before = StepLog(), indexes()

        def cut(what, done, total):
            if what == step and done >= total // 2:
                raise CutOff

        with pytest.raises(CutOff):
            fill(size=SIZE, now=NOW, cache=tmp_path, progress=cut, steps=steps)
        written, built = contents(), indexes()
        assert 0 < len(written) <= SIZE and built < before
        progress = []
        fill(size=SIZE, now=NOW, cache=tmp_path, progress=lambda *said: progress.append(said), steps=steps)
        now, after = contents(), indexes()
        assert {key: now[key] for key in written} == written
        assert after == before
        assert progress[-1][1] == progress[-1][2]
        whole = {key: text for key, (_, text) in now.items()}
        Anchor.objects.all().delete()
        Insight.objects.update(superseded_by=None)
        Insight.objects.all().delete()
        fill(size=SIZE, now=NOW, cache=tmp_path, progress=lambda *_: None)
        assert {key: text for key, (_, text) in contents().items()} == whole


def contents() -> dict[int, tuple[str, str]]:
    """By key: the transaction that wrote a row, and the row."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, xmin::text, i::text FROM knowledge_insight i")
        return {key: (by, text) for key, by, text in cursor.fetchall()}


class TestFill:
    def test_writes_rows_as_deposits_would(self, made):
        self._has_what_it_says(made)
        self._is_searchable_by_word()
        self._counts_its_words()
        self._takes_a_deposit()

    def _has_what_it_says(self, made):
        rows = list(Insight.objects.order_by("pk"))
        assert len(rows) == SIZE == made.size
        stored = np.array([row.embedding for row in rows], np.float32)
        assert np.allclose(np.linalg.norm(stored, axis=1), 1, atol=1e-2)
        assert 0 < Insight.objects.retrievable().count() < SIZE
        for team in Team.objects.filter(slug__in=SHARES):
            numbers = [row.number for row in rows if row.team_id == team.pk]
            assert numbers == list(range(1, team.last_number + 1)), team.slug
        teams = {slug: Insight.objects.filter(team__slug=slug).count() for slug in SHARES}
        assert teams["tenth"] < teams["third"] < teams["rest"]
        assert Anchor.objects.filter(insight=rows[0], kind="tag").count() == len(set(made.samples[0].tags))

    def _is_searchable_by_word(self):
        row = Insight.objects.select_related("team").order_by("pk").last()
        pivot = Lexicon.objects.get(team=row.team).pivot
        stored = dict(zip([at + 1 for at in row.bm25.indices()], row.bm25.values(), strict=True))
        assert stored == pytest.approx(bm25.document_weights(row.words, pivot), rel=1e-3)
        assert row.length == len(row.words)
        assert row in Insight.objects.with_all(row.words[:5])

    def _counts_its_words(self):
        team = Team.objects.get(slug="rest")
        mine = [set(row.words) for row in Insight.objects.filter(team=team)]
        word = Insight.objects.filter(team=team).first().words[0]
        assert Term.objects.get(team=team, term=word).documents == sum(word in words for words in mine)
        assert Lexicon.objects.get(team=team).documents == len(mine)

    def _takes_a_deposit(self):
        user = User.objects.create(username="dora")
        Membership.objects.create(user=user, team=Team.objects.get(slug="rest"), level=Level.CONTRIBUTOR)
        enrol(user=user)
        assert make_insight(member_of(user=user), team="rest").pk == SIZE + 1
