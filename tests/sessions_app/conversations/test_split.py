"""Transcripts are cut into passages that can stand by themselves, alike wherever the transcript begins."""

from hypothesis import given
from hypothesis import strategies as some

from sessions_app.conversations.rules.belonging import belonging
from sessions_app.conversations.rules.cut_passages import MOST_WORDS, count_words, split_into_passages
from sessions_app.transcripts.rules.speakers import SharedTurns, Speaker
from sessions_app.transcripts.rules.turn import Turn
from tests.cases import cases

SAID = "The reader strips the mark, and the writer never adds one. "


def texts(*turns: Turn) -> list[str]:
    return [piece.text for piece in split_into_passages(turns)]


class TestCut:
    def test_never_mixes_speakers(self) -> None:
        turns = [Turn("user", "Go on."), Turn("assistant", "Yes."), Turn("tool", "Edit a.py"), Turn("user", "Good.")]
        found = split_into_passages(turns)
        assert [(piece.speaker, piece.text) for piece in found] == [
            (Speaker.USER, "Go on."),
            (Speaker.AGENT, "Yes.\n\n[edited a.py]"),
            (Speaker.USER, "Good."),
        ]

    def test_joins_short_turns_of_one_speaker(self) -> None:
        assert texts(Turn("assistant", "Let me look."), Turn("assistant", "It is the cache.")) == [
            "Let me look.\n\nIt is the cache."
        ]

    def test_begins_anew_with_a_turn_behind_a_long_one(self) -> None:
        assert len(texts(Turn("assistant", SAID * 6), Turn("assistant", "Now the tests."))) == 2

    def test_cuts_a_long_turn_between_paragraphs_and_keeps_a_heading_with_its_text(self) -> None:
        text = "\n\n".join([SAID * 12, "## Limits", SAID * 12])
        first, second = texts(Turn("assistant", text))
        assert not first.endswith("Limits")
        assert second.startswith("## Limits\n\nThe reader")

    def test_cuts_a_long_paragraph_between_sentences(self) -> None:
        found = texts(Turn("user", SAID * 40))
        assert all(count_words(text) <= MOST_WORDS for text in found)
        assert all(text.endswith("one.") for text in (one.strip() for one in found))

    @cases("text", ["x" * 9_000, "長い文" * 2_000, "a b " * 2_000, "a,\n" * 2_000])
    def test_cuts_what_has_no_sentences(self, text: str) -> None:
        found = texts(Turn("assistant", text))
        assert all(count_words(one) <= MOST_WORDS for one in found)
        assert sum(len("".join(one.split())) for one in found) == len("".join(text.split()))

    def test_keeps_the_first_lines_of_code(self) -> None:
        code = "\n".join(f"line_{n} = {n}" for n in range(40))
        (text,) = texts(Turn("assistant", f"So:\n\n```python\n{code}\n```\n\nThat is all."))
        assert "line_3 = 3\n… 36 more lines\n```" in text
        assert text.endswith("That is all.")

    def test_keeps_the_paths_of_a_diff(self) -> None:
        diff = "\n".join(["```diff", "diff --git a/x.py b/x.py", "--- a/x.py", "+++ b/x.py", *["+line"] * 30, "```"])
        assert "+++ b/x.py" in texts(Turn("assistant", diff))[0]

    def test_reduces_tools_to_files_commands_and_outcomes(self) -> None:
        turns = [
            Turn("assistant", "Now the tests."),
            Turn("tool", "Edit src/a.py"),
            Turn("tool", "Edit src/b.py"),
            Turn("tool", "Bash: pytest -q\n" + "output\n" * 300 + "E   ValueError: bad row 7\n1 failed"),
            Turn("tool", "Bash: pytest -q\n14 passed"),
            Turn("tool", "Read src/secret.py\nPASSWORD = 1"),
        ]
        (piece,) = split_into_passages(turns)
        assert piece.text == "Now the tests.\n\n[edited src/a.py, src/b.py; ran pytest -q: 14 passed]"
        assert (piece.files, piece.first_turn, piece.last_turn) == (("src/a.py", "src/b.py"), 0, 5)

    def test_gives_a_question_the_files_of_its_answer(self) -> None:
        found = split_into_passages(
            [Turn("user", "Fix it."), Turn("assistant", "Done."), Turn("tool", "Edit src/a.py")]
        )
        assert [piece.files for piece in found] == [("src/a.py",)] * 2

    def test_leaves_out_what_a_client_added(self) -> None:
        assert texts(Turn("user", "<system-reminder>Be brief.</system-reminder>Why?")) == ["Why?"]

    def test_of_nothing_is_nothing(self) -> None:
        assert (
            split_into_passages([]) == split_into_passages([Turn("user", " \n "), Turn("tool", "Read a.py\nx")]) == []
        )

    @given(
        some.lists(some.tuples(some.sampled_from(["user", "assistant", "tool"]), some.text(max_size=400)), max_size=9)
    )
    def test_bears_anything(self, said: list[tuple[str, str]]) -> None:
        found = split_into_passages([Turn(role, text) for role, text in said])
        assert all(piece.text.strip() and piece.first_turn <= piece.last_turn < len(said) for piece in found)

    def test_is_alike_wherever_the_transcript_begins(self) -> None:
        turns = [Turn(role, f"{role} {n}: {SAID * (n % 7)}") for n in range(30) for role in ("user", "assistant")]
        whole, end = split_into_passages(turns), split_into_passages(turns[17:])
        assert [piece.text for piece in end] == [piece.text for piece in whole][-len(end) :]


class TestBelonging:
    @cases(
        ("shared", "teams"),
        [
            ({}, (1, 1)),
            ({"": (2, SharedTurns.AGENT)}, (1, 2)),
            ({"": (2, SharedTurns.ALL)}, (2, 2)),
            ({"": (2, SharedTurns.ALL), "shop": (3, SharedTurns.AGENT)}, (1, 3)),
            ({"": (2, SharedTurns.ALL), "shop": (1, SharedTurns.ALL)}, (1, 1)),
            ({"other": (2, SharedTurns.ALL)}, (1, 1)),
        ],
    )
    def test_is_of_the_repos_own_row_then_of_that_of_all(self, shared: dict, teams: tuple[int, int]) -> None:
        whose = belonging("shop", 1, shared)
        assert (whose.team_of(Speaker.USER), whose.team_of(Speaker.AGENT)) == teams


class TestOutcomes:
    @cases(
        "printed, told",
        [
            ("....\n=========== 16 passed, 1 warning in 2.31s ===========", "16 passed, 1 warning in 2.31s"),
            ("................  [100%]\n16 passed in 0.31s", "16 passed in 0.31s"),
            ("Tests:       16 passed, 16 total\nTime: 2 s", "Tests: 16 passed, 16 total"),
            ("test result: ok. 16 passed; 0 failed; 0 ignored", "test result: ok. 16 passed; 0 failed; 0 ignored"),
            ("ok  \tacme/shop/cart\t0.412s", "ok acme/shop/cart 0.412s"),
            ("Ran 16 tests in 0.004s\n\nOK", "Ran 16 tests in 0.004s"),
            ("OK", "OK"),
            ("16 passing (41ms)", "16 passing (41ms)"),
            ("E   ValueError: bad row 7\n15 passed, 1 failed", "ValueError: bad row 7"),
            ("no tests ran", ""),
            ("", ""),
        ],
    )
    def test_is_kept_whether_a_command_went_well_or_not(self, printed: str, told: str) -> None:
        turns = [Turn("assistant", "I run it."), Turn("tool", f"Bash: pytest -q\n{printed}")]
        (piece,) = split_into_passages(turns)
        assert piece.text == f"I run it.\n\n[ran pytest -q{f': {told}' if told else ''}]"
