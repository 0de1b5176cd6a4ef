"""What can be read off a question."""

import pytest

from knowledge.rules.ask import Ask


class TestReferences:
    @pytest.mark.parametrize(
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
