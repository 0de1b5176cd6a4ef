"""Where a text is parted."""

from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules.pieces import pieces
from tests.cases import cases


class TestPieces:
    @cases(
        ("text", "parts"),
        [
            ("It failed. We wait now.", ("It failed. ", "We wait now.")),
            ("Use v1.2.3 of it, e.g. in CI.", ("Use v1.2.3 of it, e.g. in CI.",)),
            # A number that counts stands with what it counts.
            ("1. Send TERM. Wait.\n2. Ours is 15 min.", ("1. Send TERM. ", "Wait.\n", "2. Ours is 15 min.")),
            # A question stands with its answer, where that is on its line.
            ("1. Behind a flag? Switch it off. Done.\n", ("1. Behind a flag? Switch it off. ", "Done.\n")),
            ("Why?\nIt is slow.", ("Why?\n", "It is slow.")),
            ("Ask: is it up?", ("Ask: is it up?",)),
            ("- web 8000\n- db 5433\n", ("- web 8000\n", "- db 5433\n")),
            ("Run:\n```sh\nmake. It\n```\nThen wait.", ("Run:\n", "```sh\nmake. It\n```\n", "Then wait.")),
            ("The limit is:\n800", ("The limit is:\n", "800")),
            ("", ()),
        ],
    )
    def test_are_sentences_lines_and_blocks(self, text: str, parts: tuple[str, ...]) -> None:
        assert pieces(text) == parts

    @given(st.text(alphabet="aB1.!? \n`", max_size=200))
    def test_lose_nothing_but_space(self, text: str) -> None:
        assert "".join("".join(pieces(text)).split()) == "".join(text.split())
