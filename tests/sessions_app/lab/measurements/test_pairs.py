import json

import numpy as np
import pytest

from knowledge.judging.rules.relations import Reason, Relation
from sessions_app.lab.measurements.pairs import NoSuchPairs, judge_pairs, read_pairs
from sessions_app.lab.metrics.pairs import PairLabel


class OneVector:
    name = "one@1"
    dimensions = 2

    def embed(self, texts):
        return np.array([[1.0, 0.0]] * len(texts), np.float32)


class TwoVectors(OneVector):
    """What is read second lies .6 from what is read first."""

    def __init__(self):
        self.asked = 0

    def embed(self, texts):
        self.asked += 1
        return np.array([[1.0, 0.0] if self.asked == 1 else [0.6, 0.8]] * len(texts), np.float32)


def written(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


class TestReadPairs:
    def test_keeps_the_labels_that_are_measured(self, tmp_path):
        rows = [{"a": "x", "b": "y", "label": label} for label in ("same", "updated", "one_way", "partial")]
        path = written(tmp_path / "p.jsonl", *rows, {"a": "", "b": "y", "label": "same"})
        assert [row["label"] for row in read_pairs(path)] == ["same", "updated"]

    @pytest.mark.parametrize("text", ["not json", '{"a": "x"}', "[1]"])
    def test_refuses_what_is_none(self, tmp_path, text):
        (tmp_path / "p.jsonl").write_text(text)
        with pytest.raises(NoSuchPairs):
            read_pairs(tmp_path / "p.jsonl")
        with pytest.raises(NoSuchPairs):
            read_pairs(tmp_path / "none.jsonl")


def one(a, b, now, label="updated", embedder=None):
    rows = [{"a": a, "b": b, "label": label}]
    (pair,) = judge_pairs(rows=rows, embedder=embedder or OneVector(), now=now, progress=lambda *_: None)
    return pair


class TestJudged:
    def test_has_the_label_the_cosine_and_the_verdict(self, now):
        pair = one("Keep 5 copies.", "Keep 5 copies", now, label="same", embedder=TwoVectors())
        assert (pair.label, pair.cosine) == (PairLabel.SAME, pytest.approx(0.6))
        verdict = pair.verdict
        assert (verdict.relation, verdict.judge, verdict.reason) == (Relation.DUPLICATES, "server", Reason.EQUAL_TEXT)
        assert verdict.similarity == pair.cosine

    def test_leaves_open_what_differs_in_a_number_and_says_so(self, now):
        pair = one("Keep 5 copies", "Keep 7 copies", now)
        assert (pair.label, pair.verdict.relation) == (PairLabel.CONTRADICTION, None)
        assert [str(cue) for cue in pair.verdict.cues] == ["number: 5 / 7"]

    def test_takes_the_second_text_for_the_newer_one(self, now):
        older, newer = "We keep the copies in Frankfurt.", "We no longer keep the copies in Frankfurt."
        assert one(older, newer, now).verdict.relation is Relation.SUPERSEDES
        assert one(newer, older, now).verdict.relation is None

    def test_embeds_in_batches_and_says_how_far_it_is(self, now):
        rows = [{"a": f"Copy {n}", "b": f"Copy {n}", "label": "same"} for n in range(501)]
        told = []
        pairs = judge_pairs(rows=rows, embedder=OneVector(), now=now, progress=lambda *step: told.append(step))
        assert len(pairs) == 501
        assert told == [("embedding", 500, 501), ("embedding", 501, 501)] * 2

    def test_takes_no_rows(self, now):
        assert judge_pairs(rows=[], embedder=OneVector(), now=now, progress=lambda *_: None) == []
