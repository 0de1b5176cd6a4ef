import json

import numpy as np
import pytest

from knowledge.actions.measure_pairs import NoSuchPairs, judged, read_pairs
from knowledge.adapters.judge import OffJudge
from knowledge.rules.stance import Judgement, Stance


class OneVector:
    name = "one@1"
    dimensions = 2

    def embed(self, texts):
        return np.array([[1.0, 0.0]] * len(texts), np.float32)


class YesJudge:
    def judge(self, a, b):
        return Judgement(Stance.SAME, 1.0, by="yes")


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


class TestJudged:
    ROWS = ({"a": "Keep 5 copies", "b": "Keep 7 copies", "label": "updated"},)

    def test_has_the_cosine_and_what_the_judge_says(self):
        (pair,) = judged(rows=self.ROWS, embedder=OneVector(), judge=YesJudge(), progress=lambda *_: None)
        assert (pair.label, pair.cosine, pair.judgement.by) == (Stance.CONTRADICTION, 1.0, "yes")

    def test_has_the_cues_when_there_is_no_judge(self):
        (pair,) = judged(rows=self.ROWS, embedder=OneVector(), judge=OffJudge(), progress=lambda *_: None)
        assert pair.judgement is None
        assert [str(cue) for cue in pair.cues] == ["number: 5 / 7"]

    def test_takes_no_rows(self):
        assert judged(rows=[], embedder=OneVector(), judge=OffJudge(), progress=lambda *_: None) == []
