import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules.stance_cues import conflicts
from knowledge.rules.stance_features import NAMES, features
from knowledge.rules.stance_reading import read


def seen(a, b, cosine=0.8):
    return dict(zip(NAMES, features(read(a), read(b), cosine, conflicts(a, b)), strict=True))


class TestFeatures:
    def test_of_equal_texts_say_that_all_is_covered_and_nothing_left(self):
        found = seen("Pin the base image by digest", "Pin the base image by digest", 1.0)
        assert [found[name] for name in ("cover_min", "cover_both", "jaccard", "bigrams", "order", "clause_min")] == [
            pytest.approx(1.0)
        ] * 6
        assert found["left_max"] == found["hard_cues"] == found["slots"] == 0

    def test_of_texts_without_a_common_word_say_that_nothing_is(self):
        found = seen("Pin images", "Retry webhooks")
        assert found["cover_max"] == found["jaccard"] == found["order"] == 0

    def test_count_synonyms_as_covered_though_not_as_exact(self):
        found = seen("Delete the folder", "Remove the directory")
        assert (found["cover_min"], found["cover_exact_min"]) == (1.0, 0.0)

    def test_see_a_detail_on_one_side(self):
        found = seen("Retry three times", "Retry")
        assert (found["numbers_left_min"], found["numbers_left_max"] > 0) == (0, True)
        assert found["length_ratio"] == pytest.approx(0.5, abs=0.2)

    def test_count_cues_by_kind(self):
        found = seen("Retry on 409", "Never retry on 409")
        assert (found["cue_negation"], found["hard_cues"], found["denied_difference"] > 0) == (1, 1, True)

    @given(st.text(max_size=200), st.text(max_size=200))
    def test_do_not_depend_on_the_order_and_are_always_numbers(self, a, b):
        there, back = seen(a, b), seen(b, a)
        assert np.isfinite(list(there.values())).all()
        assert there == back | {name: there[name] for name in ("opening",)}
