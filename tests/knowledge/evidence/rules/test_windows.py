import pytest

from knowledge.evidence.rules import windows
from knowledge.evidence.rules.keywords import extract
from knowledge.evidence.rules.windows import WINDOW, Finder, Lines, best
from tests.cases import cases

TEXT = "# Title\n\nnothing here\n" + "filler line\n" * 200 + "the largest files of git\n" + "more\n" * 200


def found(text: str, question: str, count: int = 2) -> list:  # type: ignore[type-arg]
    keywords = extract(question)
    return best(text, Finder(keywords).hits(text), keywords, dict.fromkeys(keywords.words, 1.0), count)


class TestBest:
    def test_begins_where_the_words_are_with_true_lines(self) -> None:
        window = found(TEXT, "largest git files")[0]
        assert TEXT.split("\n")[window.start_line - 1].startswith("the largest files")
        assert TEXT[window.start : window.end].startswith("the largest files")

    def test_takes_words_together_over_words_apart(self) -> None:
        text = "git\n" + "x\n" * 2_000 + "largest\n" + "y\n" * 2_000 + "the largest git files\n"
        assert text[found(text, "largest git files", 1)[0].start :].startswith("the largest git")

    def test_is_worth_about_one_with_every_word_in_order(self) -> None:
        assert found("largest git files", "largest git files")[0].coverage == pytest.approx(1.0, abs=0.2)

    def test_takes_windows_that_do_not_overlap(self) -> None:
        first, second = found("git files\n" * 300, "git files")
        assert first.end <= second.start or second.end <= first.start

    def test_is_nothing_without_a_hit(self) -> None:
        assert found("other words", "git") == []

    def test_cuts_a_line_without_an_end(self) -> None:
        window = found("x" * 50_000 + " git " + "y" * 50_000, "git")[0]
        assert window.end - window.start <= 3 * WINDOW


class TestLines:
    @cases(("at", "line"), [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3)])
    def test_are_counted_from_one(self, at: int, line: int) -> None:
        assert Lines("a\nb\nc").number(at) == line

    def test_of_a_window_are_without_blank_ends(self) -> None:
        window = Lines("\n\nword\n\n\n").window(0, 7)
        assert (window.start_line, window.end_line) == (3, 3)


class TestWholeSentences:
    TEXT = (
        "# Paquetes\n\nSi llega dañado, se hacen tres fotos y se rellena el parte el mismo día. El\n"
        "transportista solo acepta reclamaciones durante siete días, y solo si el\nparte se ha rellenado.\n\n"
        "Otra cosa.\n"
    )

    def window(self, text: str, line: str) -> str:
        at = text.index(line)
        grown = windows.whole_sentences(text, Lines(text).window(at, at + len(line)))
        assert grown.start_line == text[: grown.start].count("\n") + 1
        assert grown.end_line == text[: grown.end - 1].count("\n") + 1
        return text[grown.start : grown.end]

    def test_begin_in_the_line_before_and_end_in_the_one_after(self) -> None:
        shown = self.window(self.TEXT, "transportista solo acepta reclamaciones durante siete días, y solo si el")
        assert shown.startswith("Si llega") and shown.endswith("se ha rellenado.")

    def test_are_left_as_they_are_where_the_lines_are_whole_or_code(self) -> None:
        assert self.window(self.TEXT, "Otra cosa.") == "Otra cosa."
        code = "def one(a, b):\n    return a\n\ndef two(c):\n    x = one(c, c)\n    return x\n"
        assert self.window(code, "    x = one(c, c)") == "x = one(c, c)"


class TestAWindowsEnds:
    def test_cut_no_word(self) -> None:
        text = "pump | " * ((WINDOW - 6) // 7) + "serial SN-RITZ-0083915 | " + "tail | " * 300
        window = Lines(text).window(0, WINDOW)
        assert "SN-RITZ-0083915" in text[window.start : window.end]
        assert not text[window.end - 1].isspace() and text[window.end].isspace()
        inner = Lines(text).window(text.index("0083915") + WINDOW, len(text))
        assert text[inner.start :].startswith("SN-RITZ-0083915")

    def test_cut_a_text_without_blanks_where_they_are(self) -> None:
        text = "高" * 5_000
        assert len(text[Lines(text).window(0, WINDOW).start : Lines(text).window(0, WINDOW).end]) == WINDOW
