import os
import time
from pathlib import Path
from typing import Any

import pytest

from knowledge.evidence.adapters import grep
from knowledge.evidence.adapters.grep import GrepDown, GrepStopped, located, mark, matched_words, words_of_streams


def grepped(folder: Path, pattern: str, **over: Any) -> dict[str, list[str]]:
    fields = {"folder": folder, "pattern": pattern, "largest": 10_000, "ends": time.monotonic() + 10, **over}
    return {path: list(words.elements()) for path, words in matched_words(**fields)}


class TestGrep:
    def test_brings_the_matched_words_of_each_file(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("One URLField\nand two fields\n")
        (tmp_path / "b.txt").write_text("nothing\n")
        assert grepped(tmp_path, r"\w*field\w*") == {"a.txt": ["URLField", "fields"]}

    @pytest.mark.parametrize("name", ["-e", "--files", "two\nlines", "a\n\nb", "x:y", " ", "-"])
    def test_takes_any_name(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_text("field field\n")
        (tmp_path / "zz").write_text("field\n")
        assert grepped(tmp_path, "field") == {name: ["field", "field"], "zz": ["field"]}

    def test_takes_a_pattern_for_no_option(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("--files and -e\n")
        assert grepped(tmp_path, "--files") == {"a.txt": ["--files"]}

    def test_follows_no_link_and_opens_no_pipe(self, tmp_path: Path) -> None:
        (tmp_path / "in").mkdir()
        (tmp_path / "secret").write_text("field")
        (tmp_path / "in" / "link").symlink_to(tmp_path / "secret")
        (tmp_path / "in" / "folder").symlink_to(tmp_path)
        os.mkfifo(tmp_path / "in" / "pipe")
        assert grepped(tmp_path / "in", "field", ends=time.monotonic() + 3) == {}

    def test_leaves_out_what_is_too_large_binary_or_in_a_folder_to_skip(self, tmp_path: Path) -> None:
        (tmp_path / "large").write_text("field\n" * 5_000)
        (tmp_path / "binary").write_bytes(b"\0\0field\n")
        (tmp_path / "node_modules").mkdir()
        (tmp_path / "node_modules" / "x").write_text("field")
        assert grepped(tmp_path, "field", skip=["node_modules"]) == {}

    def test_reads_no_settings_of_its_own(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        config = tmp_path / "rc"
        config.write_text("--files\n")
        monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(config))
        (tmp_path / "a.txt").write_text("field\n")
        assert grepped(tmp_path, "^field")["a.txt"] == ["field"]

    def test_ends_when_nobody_waits(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("field\n")
        with pytest.raises(GrepStopped, match="disconnected"):
            grepped(tmp_path, "field", gone=lambda: True)

    def test_ends_when_time_is_over(self, tmp_path: Path) -> None:
        with pytest.raises(GrepStopped, match="time"):
            grepped(tmp_path, "field", ends=time.monotonic() - 1)

    def test_is_killed_then(self, tmp_path: Path, settings: Any) -> None:
        """A program that never ends in ripgrep's place: it does not outlive the search."""
        program = tmp_path / "slow"
        program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
        program.chmod(0o755)
        settings.LOAM_RIPGREP = str(program)
        began = time.monotonic()
        with pytest.raises(GrepStopped):
            grepped(tmp_path, "field", ends=began + 0.5)
        assert time.monotonic() - began < 3
        assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()

    def test_shows_nobody_what_is_looked_for(self, tmp_path: Path, settings: Any) -> None:
        """Who has an account on the machine reads the arguments of all programs that run on it."""
        program = tmp_path / "rg"
        program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/arguments\nexec {settings.LOAM_RIPGREP} "$@"\n')
        program.chmod(0o755)
        settings.LOAM_RIPGREP = str(program)
        (tmp_path / "a.txt").write_text("the quokka of June\n")
        ends = time.monotonic() + 10
        assert grepped(tmp_path, "quokka") == {"a.txt": ["quokka"]}
        assert (
            located(folder=tmp_path, terms=["quokka", "June"], paths=["a.txt"], ends=ends).counts["a.txt"]["june"] == 1
        )
        assert words_of_streams(iter([mark(3), b"a quokka"]), pattern="quokka", ends=ends)[3]["quokka"] == 1
        assert "quokka" not in (tmp_path / "arguments").read_text()

    def test_gives_up_on_too_much(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "a.txt").write_text("field\n" * 1_000)
        monkeypatch.setattr(grep, "MOST_BYTES", 1_000)
        with pytest.raises(GrepStopped, match="too many matches"):
            grepped(tmp_path, "field")

    def test_says_that_it_is_not_there(self, tmp_path: Path, settings: Any) -> None:
        settings.LOAM_RIPGREP = "/nowhere/rg"
        with pytest.raises(GrepDown, match="did not start"):
            grepped(tmp_path, "field")

    def test_says_that_the_pattern_is_none(self, tmp_path: Path) -> None:
        with pytest.raises(GrepDown):
            grepped(tmp_path, "(")
