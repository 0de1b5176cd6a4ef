from hypothesis import example, given
from hypothesis import strategies as st

from knowledge.evidence.rules.keywords import Reader, extract, pattern
from knowledge.evidence.rules.windows import Finder, TermHit, compiled

QUESTIONS = (
    "largest git files",
    "read_csv in django.db.models or `a/b`, pre-commit and --no-verify",
    "CUSTOMS_RETRY_LIMIT of naming queries",
    "wie heißen die größten Dateien",
)
PIECES = st.sampled_from(
    (
        "git",
        "Git",
        "gitlab",
        "a/b",
        "a",
        ".",
        "_",
        "x",
        "é",
        " ",
        "\n",
        "-",
        "files",
        "READ_CSV",
        "queries",
        "django.db",
    )
)


def by_pattern(text: str, question: str, start: int, end: int) -> list[TermHit]:
    """The hits that the pattern of ripgrep has."""
    keywords = extract(question)
    read = Reader(keywords)
    matches = compiled(pattern(keywords)).finditer(text, start, end)
    return [TermHit(found.start(), words) for found in matches if (words := read(found.group()))]


class TestFinder:
    @given(st.lists(PIECES, max_size=40), st.sampled_from(QUESTIONS), st.integers(0, 9), st.integers(0, 60))
    @example(["x", "git", "a/b", "git"], QUESTIONS[1], 0, 60)
    def test_finds_what_the_pattern_matches(self, pieces: list[str], question: str, start: int, end: int) -> None:
        text = "".join(pieces)
        start, end = min(start, len(text)), min(end, len(text))
        assert Finder(extract(question)).hits(text, start, end) == by_pattern(text, question, start, end)

    def test_takes_a_letter_that_grows_in_lower_case_where_it_stands(self) -> None:
        assert [hit.at for hit in Finder(extract("git files")).hits("İ git")] == [2]

    def test_finds_nothing_for_a_question_without_words(self) -> None:
        assert Finder(extract("what is it")).hits("what is it") == []
