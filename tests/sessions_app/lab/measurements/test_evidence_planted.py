from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from accounts.rules.rights import Member
from sessions_app.lab.corpora import planted_tokens
from sessions_app.lab.corpora.planted_tokens import GB, PlantedFile, _tokens, plant, planted_files
from sessions_app.lab.measurements.evidence_planted import ask_for_tokens, figures

# One of each way to write, small enough for every run.
SMALL = [
    PlantedFile("a.log", 2_000, [1, 10], 10),
    PlantedFile("a.csv", 2_000, [30], 30),
    PlantedFile("a.json", 2_000, [12], 20),
    PlantedFile("a.log.gz", 2_000, [10], 10),
    PlantedFile("a.log.zst", 2_000, [10], 10),
    PlantedFile("a.zip", 2_000, [10], 10),
    PlantedFile("a.tar.gz", 2_000, [10], 10),
    PlantedFile("a.utf-16.txt", 4_000, [10], 10),
    PlantedFile("a.cp1251.txt", 4_000, [10], 20),
    PlantedFile("a.xlsx", 4_000, [20], 20),
    PlantedFile("a.docx", 2_000, [10], 10),
    PlantedFile("a.eml", 2_000, [10], 10),
]


class InThisProcess:
    """As a process that ends well."""

    exitcode = 0

    def __init__(self, *, target: Callable[..., object], args: tuple[object, ...], daemon: bool) -> None:
        self.start = lambda: target(*args)

    def join(self) -> None:
        pass


class TestPlantedTokens:
    def test_are_fifty_up_to_a_gigabyte_and_to_line_five_million(self) -> None:
        files = planted_files()
        assert sum(len(one.lines) for one in files) == 50
        assert max(one.size for one in files) == GB
        assert 5_000_000 in {line for one in files for line in one.lines}
        assert {one.suffix for one in SMALL} == {one.suffix for one in files}

    def test_are_no_two_alike(self) -> None:
        tokens = [token for file in [*SMALL, *planted_files()] for token in _tokens(file).values()]
        assert len(tokens) == len(set(tokens)) == 63

    def test_stand_in_the_line_that_is_told(self, tmp_path: Path) -> None:
        for one in plant(PlantedFile("b.csv", 9_000, [1, 77, 150], 150), tmp_path):
            assert one.line is not None
            assert one.token in (tmp_path / "b.csv").read_text().splitlines()[one.line - 1]

    def test_are_found_in_each_kind_of_file(
        self, root: Member, now: datetime, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Each file is written by a process of its own (as above), whose start takes ten times as long as the file.
        monkeypatch.setattr(planted_tokens, "Process", InThisProcess)
        settings.LOAM_EVIDENCE_ROOT = tmp_path
        rows = ask_for_tokens(files=SMALL, root=tmp_path, by=root, now=now, progress=lambda *_: None)
        assert [row.planted.file.name for row in rows if not row.found] == []
        assert figures(rows)["tokens"] == 13
        assert not any(tmp_path.iterdir())
