from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accounts.rules.rights import Member
from config.database import vectors
from knowledge.adapters.embedder import current
from knowledge.judging.actions.deposit import deposit
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Signal
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.rules.vectors import unit
from sessions_app.actions import reembed as module
from sessions_app.actions.reembed import reembed
from skills.models import SkillVersion
from tests.conftest import NOW
from tests.factories import make_draft, make_insight, make_skill
from tests.together import together

TEXTS = {
    "beat": "Celery beat must run as one process, or every job fires twice.",
    "pool": "A pool of database connections has to be closed before a fork.",
    "lock": "Run the lock_timeout guard before a long ALTER, or every reader waits.",
}
ASKED = "scheduled jobs happen two times"


def quiet(done: int, total: int) -> None:
    pass


def models() -> set[str]:
    return set(Insight.objects.values_list("embedded_by", flat=True))


class TestReembed:
    @pytest.fixture(autouse=True)
    def stored(self, transactional_db: None, alice: Member) -> Iterator[None]:
        for body in TEXTS.values():
            make_insight(alice, body=body)
        vectors._known.clear()
        yield
        vectors._known.clear()

    @pytest.fixture
    def turned(self, settings: Any) -> str:
        settings.LOAM_EMBEDDER = "tests.fakes.TurnedEmbedder"
        return current().name

    def answer(self, by: Member) -> list[tuple[str, float]]:
        vectors._known.clear()
        found = retrieve(ask=Ask(text=ASKED, limit=3), by=by, now=NOW)
        assert found.degraded == ()
        return [(hit.insight.ref, round(hit.similarity, 3)) for hit in found.hits]

    def test_answers_by_the_new_model_as_well_as_by_the_old(self, alice: Member, settings: Any, tmp_path: Path) -> None:
        before = self.answer(alice)
        settings.LOAM_EMBEDDER = "tests.fakes.TurnedEmbedder"
        done = reembed(folder=tmp_path, progress=quiet)
        assert (done.changed, models()) == (3, {current().name})
        assert before == self.answer(alice)
        assert reembed(folder=tmp_path, progress=quiet).changed == 0

    def test_takes_skills_and_the_questions_of_ratings_along(
        self, alice: Member, settings: Any, tmp_path: Path
    ) -> None:
        make_skill(alice)
        found = retrieve(ask=Ask(text=ASKED), by=alice, now=NOW)
        rate(refs=[found.hits[0].insight.ref], verdict=SignalKind.HELPFUL, by=alice, now=NOW, query_id=found.query_id)
        settings.LOAM_EMBEDDER = "tests.fakes.TurnedEmbedder"
        assert reembed(folder=tmp_path, progress=quiet).changed == 5
        for kind in (SkillVersion, Signal):
            assert set(kind.objects.exclude(embedded_by="").values_list("embedded_by", flat=True)) == {current().name}
        (said,) = Signal.objects.filter(kind=SignalKind.HELPFUL)
        assert np.allclose(unit(said.embedding), current().inner.embed([ASKED])[0], atol=1e-3)

    def test_changes_nothing_before_all_is_made(
        self, turned: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "BATCH", 1)
        seen: list[set[str]] = []
        reembed(folder=tmp_path, progress=lambda done, total: seen.append(models()))
        assert len(seen) == 3
        assert all(turned not in some for some in seen)

    def test_takes_what_was_deposited_meanwhile(
        self, alice: Member, turned: str, settings: Any, tmp_path: Path
    ) -> None:
        def meanwhile(done: int, total: int) -> None:
            settings.LOAM_EMBEDDER = "knowledge.adapters.embedder.OnnxEmbedder"
            together(lambda: deposit(draft=make_draft(body="The kestrel release ships on Friday."), by=alice, now=NOW))

        assert reembed(folder=tmp_path, progress=meanwhile).changed == 4
        assert models() == {turned}

    def test_takes_what_was_being_written_at_the_switch(
        self, alice: Member, turned: str, settings: Any, tmp_path: Path
    ) -> None:
        def straggler() -> None:
            assert models() == {turned}
            row = make_insight(alice, body="The kestrel release ships on Friday.")
            Insight.objects.filter(pk=row.pk).update(embedded_by="before@1")
            vectors._known.clear()
            assert "stored vectors are from turned" in vectors.objection("before@1")

        assert reembed(folder=tmp_path, progress=quiet, wait=straggler).changed == 4
        assert models() == {turned}
