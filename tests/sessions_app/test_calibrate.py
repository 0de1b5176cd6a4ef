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
        rows = [{"a": f"{text} {n}", "b": f"{text} {n}!", "label": "same"} for text in SAME for n in range(5)]
        rows += [{"a": text, "b": other, "label": "unrelated"} for text in SAME for other in SAME if text != other]
        for name in ("sick", "mrpc", "nl2bash", "gitbugs"):
            write(tmp_path / "pairs" / f"{name}.jsonl", rows)
        write(tmp_path / "corpus" / "til_jbranchaud.jsonl", [{"title": text, "body": text} for text in SAME])
        out = StringIO()
        call_command("calibrate", data=tmp_path, stdout=out)
        assert "in use    band 0.62, queue 0.83, fail-safe 0.93" in out.getvalue()
        assert "LOAM_CALIBRATION=all-MiniLM-L6-v2=0." in out.getvalue()

    def test_says_what_is_missing(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="sick"):
            call_command("calibrate", data=tmp_path)
