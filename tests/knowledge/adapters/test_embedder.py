import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from knowledge.adapters import embedder as module
from knowledge.adapters.embedder import (
    DIMENSIONS,
    MAX_CHARACTERS,
    NAME,
    CachedEmbedder,
    EmbedderDown,
    OnnxEmbedder,
    RecentlyAsked,
    batches,
    current,
    exported,
)

ROOT = Path(__file__).resolve().parents[3]


class CountingEmbedder:
    """Gives every text a vector of its own, and keeps what it was asked."""

    name = "counting@1"
    dimensions = 4

    def __init__(self):
        self.asked = []

    def embed(self, texts):
        self.asked.extend(texts)
        vectors = [np.random.default_rng(list(text.encode()) or 0).normal(size=4) for text in texts]
        return np.array([vector / np.linalg.norm(vector) for vector in vectors], np.float32).reshape(-1, 4)


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """A folder with the exported model; two ask for it at once, as two processes would on a first start. It is one
    folder for all processes of a run: an export takes eight seconds.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "exported"
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(exported, [folder, folder])
    assert first == second
    return folder


@pytest.fixture(scope="session")
def embedder(models):
    return OnnxEmbedder(models=models)


@pytest.mark.slow
class TestExport:
    def test_agrees_with_sentence_transformers(self, models):
        check = json.loads((exported(models) / "check.json").read_text())
        assert check["lowest_cosine"] >= 0.999

    def test_leaves_nothing_half_made(self, models):
        assert sorted(path.name for path in models.iterdir()) == [".lock", exported(models).name]

    def test_can_be_read_by_another_user(self, models):
        assert all(path.stat().st_mode & 0o044 == 0o044 for path in exported(models).iterdir())


@pytest.mark.slow
class TestOnnxEmbedder:
    def test_gives_unit_vectors_in_the_order_of_the_texts(self, embedder):
        texts = ["a much longer text about locks, tables and migrations", "short", "", "数据库 connection 🔥"]
        together = embedder.embed(texts)
        assert together.shape == (4, DIMENSIONS)
        assert together.dtype == np.float32
        assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
        for row, text in enumerate(texts):
            assert together[row] @ embedder.embed([text])[0] == pytest.approx(1, abs=1e-5)

    def test_puts_like_meanings_near(self, embedder):
        question, near, far = embedder.embed(
            ["recover lost commits", "the reflog still lists work thrown away by git reset", "red wine with fish"]
        )
        assert question @ near > question @ far + 0.2

    def test_reads_256_pieces_and_bears_a_megabyte(self, embedder):
        text = "lock " * 300
        vectors = embedder.embed([text, text + "banana " * 200_000])
        assert vectors[0] @ vectors[1] == pytest.approx(1, abs=1e-5)

    def test_takes_no_texts(self, embedder):
        assert embedder.embed([]).shape == (0, DIMENSIONS)

    def test_serves_threads_at_once(self, embedder):
        texts = [f"question number {n} about queues" for n in range(40)]
        alone = embedder.embed(texts)
        with ThreadPoolExecutor(4) as pool:
            threaded = np.vstack(list(pool.map(lambda text: embedder.embed([text]), texts)))
        assert (alone * threaded).sum(axis=1) == pytest.approx(np.ones(40), abs=1e-5)

    def test_never_imports_torch(self, models):
        program = (
            "import sys; from pathlib import Path; from django.conf import settings; settings.configure()\n"
            "from knowledge.adapters.embedder import OnnxEmbedder\n"
            f"OnnxEmbedder(models=Path({str(models)!r})).embed(['x'])\n"
            "assert 'torch' not in sys.modules and 'sentence_transformers' not in sys.modules"
        )
        subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


class TestEmbedderDown:
    def test_is_what_a_failed_load_raises_and_is_not_paid_for_twice(self, tmp_path):
        (tmp_path / "file").write_text("in the way")
        embedder = OnnxEmbedder(models=tmp_path / "file")
        with pytest.raises(EmbedderDown, match="did not load"):
            embedder.embed(["x"])
        (tmp_path / "file").unlink()
        started = time.monotonic()
        with pytest.raises(EmbedderDown, match="did not load"):
            embedder.embed(["x"])
        assert time.monotonic() - started < 1

    def test_is_not_for_a_file_that_was_cut_off_which_is_made_anew(self, models, tmp_path, monkeypatch):
        # What the export makes is looked at above; that it is asked for again is the story here.
        monkeypatch.setattr(module, "_export", lambda folder: shutil.copytree(exported(models), folder))
        copy = tmp_path / "models"
        shutil.copytree(models, copy)
        (file,) = copy.glob("*/model.onnx")
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2])
        assert OnnxEmbedder(models=copy).embed(["x"]).shape == (1, DIMENSIONS)
        assert file.read_bytes() == whole


class TestBatches:
    def test_holds_every_row_once_and_keeps_to_the_limit(self):
        lengths = [5, 200, 7, 256, 3, 256, 90]
        groups = list(batches(lengths, limit=512))
        assert sorted(row for group in groups for row in group) == list(range(7))
        assert all(len(group) * max(lengths[row] for row in group) <= 512 for group in groups)

    def test_gives_a_text_past_the_limit_a_run_of_its_own(self):
        assert list(batches([600, 600], limit=512)) == [[0], [1]]


class TestRecentlyAsked:
    def test_asks_for_a_question_once(self):
        inner = CountingEmbedder()
        recent = RecentlyAsked(inner)
        assert (recent.embed(["why"]) == recent.embed(["why"])).all()
        assert inner.asked == ["why"]

    def test_forgets_the_one_unused_longest(self):
        inner = CountingEmbedder()
        recent = RecentlyAsked(inner, size=2)
        for text in ("a", "b", "a", "c", "a", "b"):
            recent.embed([text])
        assert inner.asked == ["a", "b", "c", "b"]

    def test_passes_batches_on(self):
        inner = CountingEmbedder()
        assert RecentlyAsked(inner).embed(["a", "b"]).shape == (2, 4)

    def test_does_not_let_a_caller_spoil_its_memory(self):
        with pytest.raises(ValueError, match="read-only"):
            RecentlyAsked(CountingEmbedder()).embed(["a"])[0, 0] = 7


class TestCurrent:
    def test_is_one_instance_for_the_settings_it_reads(self, settings, tmp_path):
        settings.LOAM_EMBEDDER = "knowledge.adapters.embedder.OnnxEmbedder"
        settings.LOAM_MODELS = tmp_path / "one"
        one = current()
        assert current() is one
        assert (one.name, one.dimensions) == (NAME, DIMENSIONS)
        settings.LOAM_MODELS = tmp_path / "two"
        assert current() is not one

    def test_loads_nothing(self, settings, tmp_path):
        settings.LOAM_EMBEDDER = "knowledge.adapters.embedder.OnnxEmbedder"
        settings.LOAM_MODELS = tmp_path / "models"
        current()
        assert not (tmp_path / "models").exists()


class TestCachedEmbedder:
    def test_asks_only_for_what_it_has_not_seen(self, tmp_path):
        inner = CountingEmbedder()
        first = CachedEmbedder(inner, tmp_path).embed(["a", "b", "a"])
        again = CachedEmbedder(inner, tmp_path).embed(["b", "c", "a"])
        assert inner.asked == ["a", "b", "c"]
        assert (first[[1, 0]] == again[[0, 2]]).all()

    def test_keeps_models_apart(self, tmp_path):
        one, other = CountingEmbedder(), CountingEmbedder()
        other.name = "counting@2"
        CachedEmbedder(one, tmp_path).embed(["a"])
        CachedEmbedder(other, tmp_path).embed(["a"])
        assert other.asked == ["a"]

    def test_mends_a_torn_end(self, tmp_path):
        inner = CountingEmbedder()
        whole = CachedEmbedder(inner, tmp_path).embed(["a", "b"])
        (vectors,) = tmp_path.glob("*.f32")
        with vectors.open("ab") as file:
            file.write(b"torn")
        cached = CachedEmbedder(inner, tmp_path)
        cached.embed(["c"])
        assert (cached.embed(["a", "b"]) == whole).all()
        assert (cached.embed(["c"]) == inner.embed(["c"])).all()

    def test_reads_what_is_whole_while_another_process_writes(self, tmp_path):
        cached = CachedEmbedder(CountingEmbedder(), tmp_path)
        whole = cached.embed(["a", "b"])
        (vectors,) = tmp_path.glob("*.f32")
        with vectors.open("ab") as file:
            file.write(b"half")
        assert (cached.embed(["a", "b"]) == whole).all()

    def test_takes_no_texts(self, tmp_path):
        assert CachedEmbedder(CountingEmbedder(), tmp_path).embed([]).shape == (0, 4)


class TestLimits:
    def test_keep_more_characters_than_the_pieces_of_a_text_can_fill(self):
        assert MAX_CHARACTERS > 256 * 20
