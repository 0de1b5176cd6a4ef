"""What can be read off a question."""

from knowledge.retrieval.rules.ask import ERROR_SHARE, LONGEST_QUESTION, Ask, ReadQuestion
from tests.cases import cases


class TestReferences:
    @cases(
        ("text", "found"),
        [
            ("see PLAT-42", ["PLAT-42"]),
            ("PLAT-42", ["PLAT-42"]),
            ("(PLAT-42, MOB-7): which holds?", ["PLAT-42", "MOB-7"]),
            ("MOB-7 and PLAT-42 and MOB-7 again", ["MOB-7", "PLAT-42"]),
            ("ME12-3 is mine", ["ME12-3"]),
            ("plat-42 in small letters", []),
            ("X-1 has too short a prefix", []),
            ("ABCDEFGHIJKL-1 has twelve", ["ABCDEFGHIJKL-1"]),
            ("ABCDEFGHIJKLM-1 has thirteen", []),
            ("2FA-1 begins with a digit", []),
            ("UTF-8 looks like one, and finds nothing", ["UTF-8"]),
            ("PLAT-1234567890 has ten digits", []),
            ("PLAT-42a", []),
            ("xPLAT-42", []),
            ("PLAT-", []),
            ("", []),
        ],
    )
    def test_are_found_in_the_order_named_each_once(self, text: str, found: list[str]) -> None:
        assert Ask(text).references == found

    def test_are_ten_at_most(self) -> None:
        assert Ask(" ".join(f"PLAT-{n}" for n in range(99))).references == [f"PLAT-{n}" for n in range(10)]


class TestContext:
    def test_is_cleaned_as_a_deposit_is(self) -> None:
        ask = Ask(
            "why",
            files=["./src\\auth//a.py", "src/auth/a.py", ""],
            tags=[" OAuth ", "oauth", " ", "Row  Locks"],
            symbols=["Refresh", "Refresh"],
            repo=" acme/web ",
        )
        assert ask.context.files == {"src/auth/a.py"}
        assert ask.context.tags == {"oauth", "row locks"}
        assert ask.context.symbols == {"Refresh"}
        assert ask.context.repo == "acme/web"

    def test_is_empty_for_a_bare_question(self) -> None:
        context = Ask("why").context
        assert not (context.files or context.tags or context.symbols or context.repo)


TRACE = (
    "Traceback (most recent call last):\n  File \"/a/b.py\", line 4, in run\nOSError: [Errno 28] No space left: '/x'"
)
SAID = "OSError: [Errno 28] No space left"


class TestQuestion:
    def test_is_the_text_as_it_came(self) -> None:
        assert Ask(" why \n\n so ").question == ReadQuestion(" why \n\n so ")
        assert Ask("why").question.weighted_texts == [("why", 1.0)]

    def test_is_apart_from_an_error_that_was_pasted_into_it(self) -> None:
        question = Ask(f"Why?\n{TRACE}").question
        assert question == ReadQuestion("Why?", (TRACE,))
        assert question.weighted_texts == [("Why?", 1.0), (SAID, ERROR_SHARE)]
        assert question.without_errors.weighted_texts == [("Why?", 1.0)]
        assert (len(question.digests), question.messages) == (1, [SAID])

    def test_has_the_error_that_was_given_first(self) -> None:
        question = Ask(f"Why?\n{TRACE}", error="KeyError: 'tenant_id'").question
        assert question.errors == ("KeyError: 'tenant_id'", TRACE)
        assert question.weighted_texts[1][0] == f"KeyError: 'tenant_id'\n{SAID}"

    def test_of_nothing_but_an_error_is_what_it_says(self) -> None:
        question = Ask(TRACE).question
        assert question.weighted_texts == [(SAID, 1.0)]
        assert question.without_errors == question

    def test_of_an_error_that_says_nothing_is_the_error(self) -> None:
        assert Ask("/a/b.c:12:5: error").question.weighted_texts[0][0]

    def test_is_read_to_a_length(self) -> None:
        assert len(Ask("why " * 2_000).question.text) == LONGEST_QUESTION

    def test_asks_for_what_is_new_in_its_own_words_alone(self) -> None:
        assert Ask("what did we decide last week").latest
        assert Ask(f"why\n{TRACE} what was decided last week").latest is None
