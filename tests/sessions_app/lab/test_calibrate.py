"""`manage.py calibrate` says what it measured and how to use it."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

SAME = ["Run beat once.", "Pin the compiler.", "Rotate the key.", "Warm the cache.", "Drain the node."]


def write(path: Path, rows: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)))


class TestCalibrate:
    def test_prints_a_line_for_the_settings(self, tmp_path: Path) -> None:
        write(tmp_path / "corpus" / "til_jbranchaud.jsonl", [{"title": text, "body": text} for text in SAME])
        out = StringIO()
        call_command("calibrate", data=tmp_path, stdout=out)
        assert "in use    asked 0.28, paired 0.31" in out.getvalue()
        assert "LOAM_CALIBRATION=all-MiniLM-L6-v2=0.45:" in out.getvalue()

    def test_says_what_is_missing(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="til_jbranchaud"):
            call_command("calibrate", data=tmp_path)
