"""The same session's transcript, sent several times, is laid over what is kept of it."""

from collections.abc import Iterable

from sessions_app.conversations.rules.cut_passages import Piece
from sessions_app.conversations.rules.join import PlacedPassage, join
from sessions_app.transcripts.rules.speakers import Speaker
from tests.cases import cases


def pieces(texts: Iterable[str]) -> list[Piece]:
    return [Piece(Speaker.AGENT, text, (), n, n) for n, text in enumerate(texts)]


def joined(kept: str, sent: str, most: int = 600) -> str:
    """Each letter a passage; what is kept stands from 0."""
    before = [PlacedPassage(n, one) for n, one in enumerate(pieces(kept))]
    return "".join(one.piece.text for one in join(before, pieces(sent), most))


class TestJoin:
    @cases(
        ("what", "kept", "sent", "after"),
        [
            ("the first", "", "abc", "abc"),
            ("none", "abc", "", "abc"),
            ("the same", "abc", "abc", "abc"),
            ("longer", "abc", "abcde", "abcde"),
            ("a late retry of a shorter one", "abcde", "abc", "abcde"),
            ("one that begins later", "abcde", "defg", "abcdefg"),
            ("one that begins later, with the beginning cut", "abcde", "xdefg", "abcdefg"),
            ("one that begins earlier", "cde", "abcdef", "abcdef"),
            ("rewritten at its end", "abcde", "abxy", "abxy"),
            ("rewritten at its beginning", "abcde", "xbcde", "xbcde"),
            ("rewritten whole", "abc", "xyz", "xyz"),
            ("with what was said twice", "abab", "ababab", "ababab"),
        ],
    )
    def test_gives_what_the_session_has_from_then_on(self, what: str, kept: str, sent: str, after: str) -> None:
        assert joined(kept, sent) == after

    def test_keeps_the_last_ones(self) -> None:
        assert joined("abcdef", "abcdefgh", most=4) == "efgh"

    def test_keeps_positions_so_that_rows_stay(self) -> None:
        kept = [PlacedPassage(10 + n, one) for n, one in enumerate(pieces("cde"))]
        assert [(one.position, one.piece.text) for one in join(kept, pieces("abcdef"))] == [
            *((8, "a"), (9, "b"), (10, "c"), (11, "d"), (12, "e"), (13, "f")),
        ]

    def test_takes_the_last_passage_as_grown(self) -> None:
        kept = [PlacedPassage(n, one) for n, one in enumerate(pieces(["one", "two"]))]
        assert [one.piece.text for one in join(kept, pieces(["one", "two, and more", "three"]))] == [
            *("one", "two, and more", "three")
        ]
        grown = [PlacedPassage(n, one) for n, one in enumerate(pieces(["one", "two, and more", "three"]))]
        assert join(grown, pieces(["one", "two"])) == grown

    def test_puts_what_shares_nothing_behind_if_it_was_said_later(self) -> None:
        kept = [PlacedPassage(0, Piece(Speaker.AGENT, "a", (), 0, 0, "2026-11-20T09:00:00Z"))]
        sent = [Piece(Speaker.AGENT, "b", (), 0, 0, "2026-11-20T10:00:00Z")]
        assert [one.piece.text for one in join(kept, sent)] == ["a", "b"]
