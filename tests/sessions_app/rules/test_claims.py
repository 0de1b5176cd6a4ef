"""Which claims mean the same files."""

from sessions_app.rules.claims import overlap
from tests.cases import cases


@cases(
    ("one", "other", "same"),
    [
        ("importer/**", "importer/tariffs.py", True),
        ("importer/**", "importer/deep/er/tariffs.py", True),
        ("importer/", "importer/tariffs.py", True),
        ("./importer/tariffs.py", "importer/tariffs.py", True),
        ("importer/*.py", "importer/tariffs.py", True),
        ("importer/*.py", "importer/deep/tariffs.py", False),
        ("importer/*.py", "importer/tariffs.sql", False),
        ("importer/**", "exporter/tariffs.py", False),
        ("importer/**", "importer2/tariffs.py", False),
        ("**/tariffs.py", "importer/tariffs.py", True),
        ("**/tariffs.py", "tariffs.py", True),
        ("**", "anything/at/all.py", True),
        ("importer/**", "**/tariffs.py", True),
        ("importer/**/models.py", "importer/*/models.py", True),
        ("importer/t*.py", "importer/*s.py", True),
        ("importer/t*.py", "importer/s*.py", False),
        ("importer/tariff?.py", "importer/tariffs.py", True),
        ("importer/tariff?.py", "importer/tariff.py", False),
        ("a/**/b/**/c", "a/x/b/c", True),
        ("a/**/b", "a/b", True),
        ("a/b", "a/b/c", False),
    ],
)
def test_two_claims_overlap_when_some_path_answers_to_both(one: str, other: str, same: bool) -> None:
    assert overlap(one, other) is same
    assert overlap(other, one) is same
