"""References in a text."""

from knowledge.rules.references import names_one, references, split_references
from tests.cases import cases


@cases(
    ("text", "found"),
    [
        ("See PLAT-42 and (PLAT-7), PLAT-42.", ["PLAT-42", "PLAT-7"]),
        ("PLAT-42's, ME12-3:", ["PLAT-42", "ME12-3"]),
        ("plat-42 PLAT-0 PLAT-007 P-1 X-PLAT-42 docs/PLAT-42 PLAT-42-a PLAT-42/x PLAT-1234567890", []),
        ("UTF-8 is no insight of ours, and is looked up all the same.", ["UTF-8"]),
    ],
)
def test_are_found(text: str, found: list[str]) -> None:
    assert references(text) == found
    assert "".join(part for _, part in split_references(text, found)) == text
    assert [ref for ref, _ in split_references(text, found[:1]) if ref][:1] == found[:1]
    assert names_one(text, found) is bool(found)


def test_is_the_whole_number() -> None:
    assert not names_one("PLAT-421", ["PLAT-42"])
