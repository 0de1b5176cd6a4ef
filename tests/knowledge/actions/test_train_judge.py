import json
from itertools import pairwise

import numpy as np
import pytest

from knowledge.actions.train_judge import NoTrainingData, train_judge
from knowledge.rules.stance_features import NAMES
from knowledge.rules.stance_network import network


class WordsEmbedder:
    """Vectors that are near when texts share letters."""

    name = "letters@1"
    dimensions = 26

    def embed(self, texts):
        rows = np.array([[text.lower().count(chr(97 + at)) + 0.1 for at in range(26)] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def data(tmp_path):
    """A few rows of each of the three files, in their formats."""
    nouns = ["table", "index", "folder", "branch", "worker", "server", "bucket", "token"]
    same = [
        {"a": f"Delete the {n} at night", "b": f"Remove each {n} nightly", "label": "same", "cmd": n} for n in nouns
    ]
    other = [
        {"a": f"Show the {n}", "b": f"Copy the {m}", "label": "unrelated", "cmd_a": n, "cmd_b": m}
        for n, m in pairwise(nouns)
    ]
    notes = [
        {"body": f"You can use the {n} with Redis in 3.{at}, because it is public. Never delete the {n} by hand here."}
        for at, n in enumerate(nouns * 3)
    ]
    for name, rows in (
        ("pairs/nl2bash", same + other),
        ("pairs/gitbugs", same[:4]),
        ("corpus/til_jbranchaud", notes),
    ):
        path = tmp_path / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def trained(data, out):
    return train_judge(data=data, embedder=WordsEmbedder(), out=out, progress=lambda *_: None)


class TestTrainJudge:
    def test_writes_weights_that_name_what_they_are_for(self, data, tmp_path):
        figures = trained(data, tmp_path / "w.json")
        made = network(json.loads((tmp_path / "w.json").read_text()))
        assert (made.features, made.embedder, made.data) == (NAMES, "letters@1", figures["data"])
        assert figures["bytes"] == (tmp_path / "w.json").stat().st_size
        assert 0.6 < figures["right"] <= 1

    def test_gives_the_same_weights_again(self, data, tmp_path):
        trained(data, tmp_path / "first.json")
        trained(data, tmp_path / "again.json")
        assert (tmp_path / "first.json").read_bytes() == (tmp_path / "again.json").read_bytes()

    def test_learns_all_three_labels(self, data, tmp_path):
        labels = {name.rpartition(", ")[2] for name in trained(data, tmp_path / "w.json")["examples"]}
        assert labels == {"same", "contradiction", "unrelated"}

    @pytest.mark.parametrize("name", ["pairs/nl2bash.jsonl", "pairs/gitbugs.jsonl", "corpus/til_jbranchaud.jsonl"])
    def test_refuses_when_data_is_missing_or_broken(self, data, tmp_path, name):
        (data / name).write_text("{not json")
        with pytest.raises(NoTrainingData):
            trained(data, tmp_path / "w.json")
        (data / name).unlink()
        with pytest.raises(NoTrainingData):
            trained(data, tmp_path / "w.json")
        assert not (tmp_path / "w.json").exists()
