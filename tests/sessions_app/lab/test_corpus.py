"""A made-up corpus is what deposits of the same texts would have left."""

import numpy as np
import pytest
from django.db import connection

from accounts.actions.members import enrol, member_of
from accounts.models import Membership, Team, User
from accounts.rules.rights import Level
from knowledge.models import Anchor, Insight, Lexicon, Term
from knowledge.retrieval.rules import bm25
from sessions_app.lab.corpora import synthetic_corpus
from sessions_app.lab.corpora.synthetic_corpus import SHARES, fill
from tests.conftest import NOW
from tests.factories import make_insight

SIZE, REAL = 300, 200


@pytest.fixture
def made(transactional_db, settings, tmp_path, monkeypatch):
    settings.LOAM_EMBEDDER = "tests.counted.CountedEmbedder"
    monkeypatch.setattr(synthetic_corpus, "REAL", REAL)
    before = indexes()
    filled = fill(size=SIZE, now=NOW, cache=tmp_path, progress=lambda *_: None)
    assert indexes() == before
    return filled


def indexes() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'knowledge_%'")
        return {definition for (definition,) in cursor.fetchall()}


class TestFill:
    def test_writes_rows_as_deposits_would(self, made):
        self._has_what_it_says(made)
        self._is_searchable_by_word()
        self._counts_its_words()
        self._takes_a_deposit()

    def _has_what_it_says(self, made):
        rows = list(Insight.objects.order_by("pk"))
        assert len(rows) == SIZE == len(made.vectors)
        stored = np.array([row.embedding for row in rows], np.float32)
        assert np.allclose(stored, made.vectors.astype(np.float32), atol=1e-3)
        assert np.allclose(np.linalg.norm(stored, axis=1), 1, atol=1e-2)
        assert [row.team_id for row in rows] == made.teams.tolist()
        served = set(Insight.objects.retrievable().values_list("pk", flat=True))
        assert {key + 1 for key in np.flatnonzero(made.served)} == served
        assert 0 < len(served) < SIZE
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
