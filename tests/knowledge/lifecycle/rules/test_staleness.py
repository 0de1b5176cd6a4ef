"""Whether an insight still agrees with its files."""

import hashlib

from knowledge.lifecycle.rules.staleness import FileComparison, StaleFinding, compared, confirmed, trust_after
from knowledge.rules.vocabulary import Trust
from tests.cases import cases


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


OLD, NEW = sha("old"), sha("new")
TWO_FILES = [{"path": "src/a.py", "sha256": OLD}, {"path": "src/b.py", "sha256": OLD}]


class TestCompared:
    @cases(
        ("reported", "finding", "changed"),
        [
            ({"src/a.py": OLD, "src/b.py": OLD}, StaleFinding.VALIDATED, []),
            ({"src/a.py": OLD}, StaleFinding.UNCHANGED, []),
            ({"src/a.py": NEW}, StaleFinding.STALE, ["src/a.py"]),
            ({"src/a.py": OLD, "src/b.py": NEW}, StaleFinding.STALE, ["src/b.py"]),
            ({"src/b.py": NEW, "src/a.py": NEW}, StaleFinding.STALE, ["src/a.py", "src/b.py"]),
            ({"src/a.py": ""}, StaleFinding.STALE, ["src/a.py"]),
            ({"src/c.py": NEW}, StaleFinding.UNCHANGED, []),
            ({}, StaleFinding.UNCHANGED, []),
            ({"./src\\a.py": OLD.upper(), "src//b.py": f" {OLD} "}, StaleFinding.VALIDATED, []),
        ],
    )
    def test_tells_stale_from_validated_from_nothing_new(
        self, reported: dict[str, str], finding: StaleFinding, changed: list[str]
    ) -> None:
        found = compared(TWO_FILES, reported)
        assert (found.finding, found.changed) == (finding, changed)

    def test_is_nothing_new_without_provenance(self) -> None:
        assert compared([], {"src/a.py": NEW}) == FileComparison(StaleFinding.UNCHANGED, [], [])

    def test_can_neither_invalidate_nor_validate_a_file_without_a_hash(self) -> None:
        named = [{"path": "src/a.py", "sha256": ""}]
        assert compared(named, {"src/a.py": NEW}).finding is StaleFinding.UNCHANGED
        assert compared([*named, TWO_FILES[1]], {"src/a.py": NEW, "src/b.py": OLD}).finding is StaleFinding.UNCHANGED

    def test_keeps_what_it_saw_until_the_file_is_back(self) -> None:
        changed = compared(TWO_FILES, {"src/a.py": NEW}).provenance
        assert changed[0] == {"path": "src/a.py", "sha256": OLD, "seen": NEW}
        assert compared(changed, {"src/b.py": OLD}).finding is StaleFinding.UNCHANGED
        back = compared(changed, {"src/a.py": OLD, "src/b.py": OLD})
        assert back == FileComparison(StaleFinding.VALIDATED, [], TWO_FILES)


class TestConfirmed:
    def test_takes_over_what_was_seen_so_that_the_next_report_agrees(self) -> None:
        reported = {"src/a.py": NEW, "src/b.py": OLD}
        stale = compared(TWO_FILES, reported)
        assert compared(confirmed(stale.provenance), reported).finding is StaleFinding.VALIDATED

    def test_no_longer_names_a_file_that_is_gone(self) -> None:
        stale = compared(TWO_FILES, {"src/a.py": ""})
        assert confirmed(stale.provenance) == [TWO_FILES[1]]


class TestTrustAfter:
    @cases(
        ("trust", "finding", "expected"),
        [
            (Trust.UNKNOWN, StaleFinding.STALE, Trust.STALE),
            (Trust.VALIDATED, StaleFinding.STALE, Trust.STALE),
            (Trust.STALE, StaleFinding.VALIDATED, Trust.VALIDATED),
            (Trust.UNKNOWN, StaleFinding.VALIDATED, Trust.VALIDATED),
            (Trust.STALE, StaleFinding.UNCHANGED, Trust.STALE),
            (Trust.CONTRADICTED, StaleFinding.VALIDATED, Trust.CONTRADICTED),
            (Trust.CONTRADICTED, StaleFinding.STALE, Trust.CONTRADICTED),
        ],
    )
    def test_follows_the_files_but_settles_no_contradiction(
        self, trust: Trust, finding: StaleFinding, expected: Trust
    ) -> None:
        assert trust_after(trust, finding) is expected
