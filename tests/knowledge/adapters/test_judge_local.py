import json
from pathlib import Path

import pytest

from knowledge.actions.measure_pairs import judged, read_pairs
from knowledge.adapters import judge_local
from knowledge.adapters.embedder import NAME, EmbedderDown, current
from knowledge.adapters.judge import JudgeDown
from knowledge.adapters.judge_local import WEIGHTS, LocalJudge
from knowledge.rules import stance_measures
from knowledge.rules.dedup import MINILM
from knowledge.rules.stance import Stance, Text
from knowledge.rules.stance_features import NAMES
from knowledge.rules.stance_network import network

PAIRS = Path(__file__).resolve().parents[2] / "pairs"
# A word that no list and no model knows.
W = "zqkvwhtjpx"
AGREED = "the team agreed on it in the weekly"


def texts(*words):
    vectors = current().embed([word.format(w=W) for word in words])
    return [Text(word.format(w=W), vector) for word, vector in zip(words, vectors, strict=True)]


def stances(*words):
    """What each text is to the first."""
    first, *others = texts(*words)
    return [LocalJudge().judge(first, other).stance for other in others]


class TestWeights:
    def test_fit_the_features_and_the_embedder_they_ship_with(self):
        shipped = network(json.loads(WEIGHTS.read_text()))
        assert (shipped.features, shipped.embedder) == (NAMES, NAME)

    def test_are_small(self):
        assert WEIGHTS.stat().st_size < 100_000

    @pytest.mark.parametrize("content", ["", "{}", "[]", '{"mean": "x"}'])
    def test_that_are_no_good_are_no_judge(self, tmp_path, content):
        path = tmp_path / "weights.json"
        path.write_text(content)
        for weights in (path, tmp_path / "none.json"):
            with pytest.raises(JudgeDown, match="are no good"):
                LocalJudge(weights).judge(Text("a"), Text("b"))

    @pytest.mark.parametrize(("change", "why"), [({"embedder": "other@1"}, "other@1"), ({"features": "x"}, "features")])
    def test_for_something_else_are_no_judge(self, tmp_path, change, why):
        stored = json.loads(WEIGHTS.read_text())
        change = {"features": ["x", *stored["features"][1:]]} if "features" in change else change
        path = tmp_path / "weights.json"
        path.write_text(json.dumps(stored | change))
        with pytest.raises(JudgeDown, match=why):
            LocalJudge(path).judge(Text("a"), Text("b"))


class TestLocalJudge:
    def test_needs_no_vector_for_the_same_words(self):
        assert LocalJudge().judge(Text("Pin it."), Text("pin it")).stance is Stance.SAME

    def test_is_down_when_the_embedder_is(self, monkeypatch):
        def down(first, second):
            raise EmbedderDown("out of memory")

        monkeypatch.setattr(judge_local, "_akin", down)
        first, second = (Text(f"Flags are stored per {who}.", [1.0, 0.0]) for who in ("user", "tenant"))
        with pytest.raises(JudgeDown, match="out of memory"):
            LocalJudge().judge(first, second)


@pytest.mark.slow
class TestWithTheModel:
    def test_merges_three_ways_to_say_one_thing(self):
        said = (
            "Always run {w} beat as one single process, never two, or jobs fire twice.",
            "Never run {w} beat as two processes: always one single process, or jobs fire twice.",
            "{w} beat must be one process, never two, otherwise jobs are fired twice.",
        )
        for first in range(3):
            assert stances(*said[first:], *said[:first]) == [Stance.SAME] * 2

    def test_sees_a_change_of_mind(self):
        found = stances(
            f"In {W} we use Jest for all front-end tests.\n{AGREED}",
            f"In {W} we no longer use Jest for front-end tests, we switched to Vitest.\n{AGREED}",
        )
        assert found == [Stance.CONTRADICTION]

    def test_sees_opposing_advice(self):
        found = stances(
            "Retry the {w} payment webhook on a 409, it is safe.",
            "Never retry the {w} payment webhook on a 409, it charges twice.",
        )
        assert found == [Stance.CONTRADICTION]

    @pytest.mark.parametrize(
        ("form", "one", "other"),
        [
            ("Set {{w}} hnsw ef_search to {} for the catalogue index.", 40, 400),
            ("{{w}} service listens on port {} in staging only.", 7001, 8102),
            ("Pin the {{w}} image by {}.", "tag", "digest"),
        ],
    )
    def test_merges_no_other_value(self, form, one, other):
        assert stances(form.format(one), form.format(other)) != [Stance.SAME]

    def test_does_not_depend_on_the_order(self):
        first, second = texts(
            "Keep {w} controllers thin, no SQL in them.", "No SQL in {w} controllers, keep them thin."
        )
        there, back = LocalJudge().judge(first, second), LocalJudge().judge(second, first)
        assert (there.stance, there.confidence) == (back.stance, pytest.approx(back.confidence))


@pytest.fixture(scope="module")
def found():
    """What the write decision makes of the developers' pairs."""
    rows = [row for name in ("choosing", "held_out") for row in read_pairs(PAIRS / f"developer_{name}.jsonl")]
    pairs = judged(rows=rows, embedder=current(), judge=LocalJudge(), progress=lambda *_: None)
    return stance_measures.measures(pairs, stance_measures.by_decision(MINILM), MINILM.band)


@pytest.mark.slow
class TestDevelopersPairs:
    """The bars the judge ships by, on pairs that were written and labelled before it was."""

    def test_are_enough_to_say_something(self, found):
        assert found.false_supersede.of >= 150

    def test_lose_hardly_a_contradiction(self, found):
        assert found.swallowed.value <= 0.17

    def test_are_hardly_ever_superseded_wrongly(self, found):
        assert found.false_supersede.value <= 0.05

    def test_are_merged_where_they_say_the_same(self, found):
        assert found.merged_of_all.value >= 0.5
        assert found.precision.value >= 0.9
