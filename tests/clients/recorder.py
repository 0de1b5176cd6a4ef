"""What the client of Loam is called with by an agent: put before the installed client, it writes down and passes on.

It is the installed `loam-client/__main__.py` while a trial runs; the one it takes the place of is run in the same
process, so that killing the hook kills both. Python 3.9, the standard library alone.
"""

import atexit
import contextlib
import json
import os
import runpy
import sys
import time
from pathlib import Path

ENTRY = "_recorded_entry.py"
# Where the records go; `install` writes the trial's folder here.
RECORDS = ""


class _Tee:
    """Stdout that is remembered."""

    def __init__(self, out):
        self.out, self.said = out, []

    def write(self, text):
        self.said.append(text)
        return self.out.write(text)

    def __getattr__(self, name):
        return getattr(self.out, name)


def main():
    began = time.time()
    hook = len(sys.argv) > 2 and sys.argv[1] == "hook"
    given = sys.stdin.buffer.read().decode("utf-8", "replace") if hook else ""
    place = Path(RECORDS) / f"{time.time_ns()}-{os.getpid()}.json"
    record = {"argv": sys.argv[1:], "given": given, "began": began, "parent": _name(os.getppid()), "said": None}
    _write(place, record)
    if hook:
        # The client may read the descriptor itself: what was read is there for it once more.
        with (Path(RECORDS) / f".{place.stem}.in").open("w+b") as again:
            again.write(given.encode())
            again.seek(0)
            os.dup2(again.fileno(), 0)
        Path(again.name).unlink()
        sys.stdout = _Tee(sys.stdout)
        atexit.register(lambda: _write(place, {**record, "ended": time.time(), "said": "".join(sys.stdout.said)}))
    runpy.run_path(str(Path(__file__).with_name(ENTRY)), run_name="__main__")


def _name(pid):
    with contextlib.suppress(OSError):
        return (Path("/proc") / str(pid) / "comm").read_text().strip()
    return ""


def _write(place, record):
    draft = place.with_suffix(".draft")
    draft.write_text(json.dumps(record), encoding="utf-8")
    draft.replace(place)


if __name__ == "__main__":
    main()
