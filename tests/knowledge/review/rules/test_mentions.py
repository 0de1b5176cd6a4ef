"""Whom a text mentions."""

from knowledge.review.rules.mentions import MOST_MENTIONED, candidates, mentioned, split_mentions
from tests.cases import cases

MEMBERS = {"alice", "bob", "bob.b", "c-3po", "x@example.org", "юля"}


@cases(
    ("text", "names"),
    [
        ("@bob look", ["bob"]),
        ("Ask @bob, @alice.", ["bob", "alice"]),
        ("@bob.b and @bob.", ["bob.b", "bob"]),
        ("(@c-3po) @юля!", ["c-3po", "юля"]),
        ("@x@example.org", ["x@example.org"]),
        ("@bob @bob", ["bob"]),
        ("bob@example.org, node_modules/@bob, a.@bob, @@bob", []),
        ("@charlie @bobby @", []),
        ("@Bob", []),
    ],
)
def test_are_members_after_an_at_sign(text: str, names: list[str]) -> None:
    assert mentioned(text, MEMBERS) == names
    assert set(names) <= candidates(text)
    assert "".join(part for _, part in split_mentions(text, MEMBERS)) == text


def test_are_few() -> None:
    names = [f"u{n}" for n in range(30)]
    assert len(mentioned(" ".join(f"@{name}" for name in names), names)) == MOST_MENTIONED
