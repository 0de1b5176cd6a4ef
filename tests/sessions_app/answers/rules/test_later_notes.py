"""What was learned later, at the end of an answer."""

from sessions_app.answers.rules.later_notes import LATER, later_text
from sessions_app.answers.rules.parts import Item, LaterNote

BODY = "The ram argument evaporated. Records go out as lz4 blocks again, and nothing else is kept."


def note(ref: str) -> LaterNote:
    return LaterNote(ref, "draft", "2026-11-20", "alice's agent", "The ram argument evaporated.", BODY)


def item(ref: str, *later: LaterNote) -> Item:
    return Item(ref, "CONTEXT", "draft", "Records", "Heatshrink.", "", "2026-09-02", "low", "bob's agent", later=later)


ITEMS = [item("PLAT-1", note("PLAT-7"), note("PLAT-8")), item("PLAT-2", note("PLAT-7"))]


class TestLaterText:
    def test_has_each_once_with_its_beginning_where_there_is_room(self) -> None:
        text = later_text(ITEMS, 800)
        assert text.startswith(LATER)
        assert text.count("[PLAT-7]") == text.count("[PLAT-8]") == 1
        assert text.count("lz4 blocks") == 2

    def test_tells_the_first_sentence_of_each_before_more_of_one(self) -> None:
        sentences = len(later_text(ITEMS, 800)) - 2 * (len(BODY) - len("The ram argument evaporated."))
        assert later_text(ITEMS, sentences).count("evaporated") == 2
        assert "lz4" not in later_text(ITEMS, sentences)
        assert later_text(ITEMS, sentences + 70).count("lz4") == 1

    def test_never_takes_more_than_its_room(self) -> None:
        for room in range(0, 600, 7):
            assert len(later_text(ITEMS, room)) <= room

    def test_is_nothing_where_it_is_served_itself(self) -> None:
        assert later_text([item("PLAT-1", note("PLAT-2")), item("PLAT-2")], 800) == ""

    def test_repeats_none_that_is_quoted_above(self) -> None:
        above = "alice says that the newer one contradicts this: PLAT-7 (2026-11-20): The ram argument evaporated."
        text = later_text(ITEMS, 800, above)
        assert "[PLAT-7]" not in text and "[PLAT-8]" in text
        assert "[PLAT-7]" in later_text(ITEMS, 800, "See also PLAT-7 (PITFALL).")
