"""The recorded address is the one that is served, for as long as it is."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config import served

HERE, THERE = "http://127.0.0.1:8123", "http://127.0.0.1:9000"


@pytest.fixture(autouse=True)
def var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("LOAM_VAR", str(tmp_path / "var"))
    monkeypatch.setattr(served, "PATIENCE", 0.05)
    yield tmp_path / "var"


class TestRecorded:
    def test_is_the_address_while_it_is_served_and_empty_before_and_after(self) -> None:
        assert served.recorded() == ""
        with served.record(HERE):
            assert served.recorded() == served.recorded() == HERE
        assert served.recorded() == ""

    def test_is_empty_after_one_that_failed(self) -> None:
        with pytest.raises(ZeroDivisionError), served.record(HERE):
            _ = 1 / 0
        assert served.recorded() == ""

    def test_is_not_what_a_killed_process_left_behind(self, var: Path) -> None:
        var.mkdir()
        (var / "served").write_text(HERE)
        assert served.recorded() == ""
        with served.record("http://x:1"):
            assert served.recorded() == "http://x:1"


class TestRecord:
    def test_leaves_the_address_of_another_process(self) -> None:
        with served.record(HERE):
            with served.record(THERE):
                assert served.recorded() == HERE
            assert served.recorded() == HERE

    def test_is_not_kept_from_it_by_a_reader(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(served, "PATIENCE", 5.0)
        tries = [False, False, True]

        def flock(file: object, how: int) -> None:
            if not tries.pop(0):
                raise BlockingIOError

        monkeypatch.setattr(served.fcntl, "flock", flock)
        begun = time.monotonic()
        with served.record(HERE):
            assert time.monotonic() - begun < 1
        assert tries == []
