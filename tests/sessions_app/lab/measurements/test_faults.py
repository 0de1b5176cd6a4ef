"""Fingerprints and the guard, measured on files."""

import json
from pathlib import Path

import pytest

from sessions_app.lab.measurements.faults import NoSuchFile, fingerprints, guard
from sessions_app.lab.metrics.ranked_lists import grouping_accuracy
from tests.cases import cases


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


class TestFingerprints:
    def test_counts_the_lines_in_a_group_of_their_own(self, tmp_path: Path) -> None:
        lines = [
            {"system": "db", "content": f"ERROR: connection to 10.0.0.{n} timed out after {n} ms", "group": "a"}
            for n in range(4)
        ] + [{"system": "db", "content": "ERROR: disk full", "group": "b"}]
        figures, table = fingerprints(path=write(tmp_path / "x.jsonl", lines))
        assert figures["mean"] == {"accuracy": 1.0, "exact text": 0.2}
        assert "| db" in table.markdown

    def test_says_what_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(NoSuchFile):
            fingerprints(path=tmp_path / "none.jsonl")


class TestGroupingAccuracy:
    @cases(
        ("groups", "found", "share"),
        [("aabb", "xxyy", 1), ("aabb", "xxxy", 0), ("aabc", "xxyz", 1), ("aabb", "xxyz", 0.5), ("", "", 0)],
    )
    def test_takes_exact_groups_only(self, groups: str, found: str, share: float) -> None:
        assert grouping_accuracy(groups, found) == share


class TestGuard:
    def test_shows_where_and_never_what(self, tmp_path: Path) -> None:
        secret = "AKIA" + "Z7QF3MXT9WKD2RVB"
        write(tmp_path / "a.jsonl", [{"id": "1", "body": f"use {secret}"}, {"id": "2", "body": "nothing here"}])
        figures, [counts, found] = guard(folder=tmp_path)
        assert (figures["documents"], figures["refused"], figures["masked"]) == (2, 1, 0)
        assert secret not in counts.markdown + found.markdown
        assert "| a.jsonl" in found.markdown
