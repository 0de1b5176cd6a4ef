from knowledge.rules.stance_reading import read
from knowledge.rules.stance_slots import MOST_WORDS, slots


def fillings(a, b):
    return [(slot.first, slot.second) for slot in slots(read(a), read(b))]


class TestSlots:
    def test_are_where_one_sentence_has_other_words(self):
        assert fillings("Pin the base image by tag.", "Pin the base image by digest.") == [(("tag",), ("digest",))]

    def test_may_be_several(self):
        assert (
            len(
                fillings(
                    "The billing worker reads from the invoices queue",
                    "The shipping worker reads from the parcels queue",
                )
            )
            == 2
        )

    def test_hold_when_a_reason_follows_one_text(self):
        found = fillings(
            "Errors must be logged in the importer.", "Errors must be raised in the importer, to fail early."
        )
        assert found == [(("logged",), ("raised",))]

    def test_are_none_in_a_text_in_other_words(self):
        assert fillings("Pin the base image by digest.", "Base images are referred to with their digest.") == []

    def test_are_none_where_the_words_are_synonyms_or_numbers(self):
        assert fillings("Clean the folder at night", "Clean the directory at night") == []
        assert fillings("Keep the last 5 copies", "Keep the last 7 copies") == []

    def test_say_whether_both_fillings_are_names(self):
        (slot,) = slots(read("Build it with yarn in the web repo"), read("Build it with pnpm in the web repo"))
        assert slot.named

    def test_turn_with_the_texts(self):
        a, b = "Pin the base image by tag.", "Pin the base image by digest."
        assert fillings(b, a) == [(second, first) for first, second in fillings(a, b)]

    def test_are_found_in_long_texts_between_their_common_beginning_and_end(self):
        before, after = "alpha beta gamma " * MOST_WORDS, " delta epsilon zeta" * 3
        assert fillings(before + "tag" + after, before + "digest" + after) == [(("tag",), ("digest",))]

    def test_are_none_of_empty_texts(self):
        assert fillings("", "") == fillings("", "one two three") == []
