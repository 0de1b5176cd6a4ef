import pytest

from knowledge.rules.dedup import MINILM
from knowledge.rules.stance import Judgement, Stance
from knowledge.rules.stance_cues import Cue, CueKind
from knowledge.rules.stance_measures import (
    Pair,
    Share,
    by_decision,
    by_judge,
    by_similarity,
    macro_f1,
    measures,
    table,
)

SAME, AGAINST, OTHER, UNSURE = Stance.SAME, Stance.CONTRADICTION, Stance.UNRELATED, Stance.UNSURE


def pair(label, said, cosine=0.9, cues=(), confidence=0.9):
    judgement = said and Judgement(said, confidence, cues)
    return Pair(f"{label} {said} {cosine} {confidence}", "b", label, cosine, judgement, cues)


PAIRS = [
    pair(SAME, SAME),
    pair(SAME, UNSURE),
    pair(SAME, AGAINST),
    pair(SAME, SAME, 0.5),
    pair(AGAINST, SAME),
    pair(AGAINST, AGAINST),
    pair(AGAINST, AGAINST, 0.5),
    pair(OTHER, OTHER),
    pair(OTHER, SAME),
]


class TestMeasures:
    def test_name_their_denominators(self):
        found = measures(PAIRS, by_judge, 0.62)
        assert (found.precision, found.merged, found.merged_of_all) == (Share(1, 3), Share(1, 3), Share(1, 4))
        assert (found.swallowed, found.swallowed_of_all) == (Share(1, 2), Share(1, 3))
        assert (found.superseded, found.false_supersede, found.queued) == (Share(1, 2), Share(1, 9), Share(1, 7))

    def test_of_similarity_merge_all_that_is_in_the_band(self):
        found = measures(PAIRS, by_similarity, 0.62)
        assert (found.precision, found.swallowed) == (Share(3, 7), Share(2, 2))

    def test_of_the_decision_never_merge_over_a_cue(self):
        cued = pair(AGAINST, SAME, cues=(Cue(CueKind.NUMBER, False, ("1",), ("2",)),))
        assert measures([cued], by_judge, 0.62).swallowed == Share(1, 1)
        assert measures([cued], by_decision(MINILM), 0.62).swallowed == Share(0, 1)

    def test_of_the_decision_hold_without_a_judge(self):
        pairs = [pair(SAME, None, 0.94), pair(SAME, None, 0.92)]
        assert measures(pairs, by_decision(MINILM), 0.62).merged == Share(1, 2)

    def test_show_the_worst_first(self):
        pairs = [pair(OTHER, SAME, confidence=1.0), pair(SAME, AGAINST), pair(AGAINST, SAME, confidence=0.5)]
        assert [one.label for one in measures(pairs, by_judge, 0.62).worst] == [AGAINST, OTHER, SAME]

    def test_have_no_value_of_nothing(self):
        found = measures([], by_judge, 0.62)
        assert (found.precision.value, str(found.precision)) == (None, "–")


class TestMacroF1:
    def test_is_one_when_all_is_told(self):
        assert macro_f1([pair(SAME, SAME), pair(AGAINST, AGAINST), pair(OTHER, OTHER)]) == 1.0

    def test_counts_an_unsure_answer_as_a_miss(self):
        assert macro_f1([pair(SAME, SAME), pair(SAME, UNSURE)]) == pytest.approx(2 / 3)
        assert macro_f1([pair(SAME, None)]) == 0.0
        assert macro_f1([]) is None


class TestTable:
    def test_has_a_line_for_each_set_with_shares_and_counts(self):
        text = table("Pairs", [("SICK", measures(PAIRS, by_judge, 0.62))]).markdown
        assert ".333 (1/3)" in text
        assert "| SICK" in text
