"""A deposit on its way in."""

from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules.draft import TITLE_LENGTH, Draft, clean_paths, clean_symbols, clean_tags, derive_title, searchable
from knowledge.rules.vocabulary import Kind
from tests.cases import cases

NINETY = "word " * 17 + "ninet"


class TestDerivedTitle:
    @cases(
        ("body", "title"),
        [
            ("Beat must run once.", "Beat must run once"),
            ("Beat must run once. Or every job fires twice.", "Beat must run once"),
            ("Is beat running twice? Then every job is.", "Is beat running twice?"),
            ("Never! Not even once.", "Never!"),
            ("Beat runs once:\n- as a pod\n- as a unit", "Beat runs once"),
            ("One process; no more.", "One process; no more"),
            ("Fix: set `lock_timeout` first. Always.", "Fix: set lock_timeout first"),
            ("Fix:\nset lock_timeout first. Always.", "Fix: set lock_timeout first"),
            ("**Problem:** the build fails on arm64.", "Problem: the build fails on arm64"),
            ("## Root cause\n\nThe clock is frozen.", "Root cause: The clock is frozen"),
            ("Beat runs:\n- once", "Beat runs: once"),
            ("Fix:", "Fix"),
            ("Use a lock, e.g. Redis's, or a row. Never both.", "Use a lock, e.g. Redis's, or a row"),
            ("Pin pip==24.0. the next one breaks", "Pin pip==24.0. the next one breaks"),
            ("1. Freeze the branch.\n2. Tag it.", "Freeze the branch"),
            ("- 2) second of a list", "second of a list"),
            ("先停止服务。然后迁移。", "先停止服务"),
            ("no full stop", "no full stop"),
            ("# Beat\n\nMust run once.", "Beat"),
            ("### Beat #1 runs once", "Beat #1 runs once"),
            ("- first of a list\n- second", "first of a list"),
            ("> quoted words", "quoted words"),
            ("**Beat** must run `once`", "Beat must run once"),
            ("```\nmake run\n```", "make run"),
            ("```python\nretries = 3\n```\nThree tries are enough. Not five.", "Three tries are enough"),
            ("~~~sh\nmake run\n~~~", "make run"),
            ("Run it:\n```sh\nmake run\n```\nThen wait.", "Run it: make run"),
            ("```\nmake run", "make run"),
            ("\n\n   \nAfter blank lines.", "After blank lines"),
            ("Use v1.2.3 of it. Always.", "Use v1.2.3 of it"),
            ("Call os.path.join with parts", "Call os.path.join with parts"),
            ("---\n***\n###", "Untitled"),
            ("", "Untitled"),
        ],
    )
    def test_is_the_first_sentence_of_the_first_line_that_says_something(self, body: str, title: str) -> None:
        assert derive_title(body) == title

    def test_is_whole_at_ninety_characters_and_cut_between_words_from_ninety_one(self) -> None:
        assert len(NINETY) == TITLE_LENGTH == 90
        assert derive_title(NINETY) == NINETY
        assert derive_title(NINETY + "y") == "word " * 16 + "word…"

    def test_is_cut_inside_a_word_when_there_is_only_one(self) -> None:
        assert derive_title("x" * 200) == "x" * 89 + "…"

    @given(st.text())
    def test_is_never_empty_never_longer_never_two_lines(self, body: str) -> None:
        title = derive_title(body)
        assert title.strip()
        assert len(title) <= TITLE_LENGTH
        assert len(title.splitlines()) == 1

    def test_gives_way_to_one_that_was_sent(self) -> None:
        assert Draft(Kind.PATTERN, "Beat must run once.", title="  Beat  ").headline == "Beat"
        assert Draft(Kind.PATTERN, "Beat must run once.", title="   ").headline == "Beat must run once"


class TestSearchedText:
    def test_is_title_body_and_reasoning(self) -> None:
        assert searchable("Beat", "Must run once.", "It fires twice.") == "Beat\n\nMust run once.\n\nIt fires twice."

    @cases("title", ["Must run", "Must run once", "Must run…"])
    def test_does_not_say_a_title_twice_that_is_the_beginning_of_the_body(self, title: str) -> None:
        assert searchable(title, "Must run once. Always.", "") == "Must run once. Always."

    def test_of_a_draft_is_that_of_the_row_it_becomes(self) -> None:
        draft = Draft(Kind.DECISION, "Must run once. Always.", reasoning="It fires twice.")
        assert draft.text == "Must run once. Always.\n\nIt fires twice."
        assert draft.text == searchable(draft.headline, draft.body, draft.reasoning)


class TestAnchors:
    def test_tags_are_lower_case_single_spaced_and_each_once(self) -> None:
        assert clean_tags(["Row  Locks", "row locks", " OAuth", "", "  ", "C++"]) == ["row locks", "oauth", "c++"]

    def test_paths_are_cleaned_and_each_once(self) -> None:
        assert clean_paths(["./a/b.py", "a\\b.py", "", "/", "c.py"]) == ["a/b.py", "c.py"]

    def test_symbols_keep_their_case_and_are_each_once(self) -> None:
        assert clean_symbols(["Beat.tick", " Beat.tick ", "", " ", "beat.tick"]) == ["Beat.tick", "beat.tick"]
