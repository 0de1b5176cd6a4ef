"""`python -m tests.clients`: the tables. `--only NAME…` for some clients (claude-code, codex, …) or stories."""

import argparse
import sys
import time
import traceback
from pathlib import Path

from tests.clients.machine import BIN, CLIENTS
from tests.clients.report import story_table
from tests.clients.stories import STORIES, Outcome
from tests.clients.world import world


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=CLIENTS / "report.md", help="where the tables are written too")
    args = parser.parse_args()
    if not (BIN / "claude").exists():
        print("The clients are not installed: make clients", file=sys.stderr)
        return 2
    failed = 0
    with world() as here:
        outcomes: list[Outcome] = []
        for name, story in STORIES.items():
            if args.only and name not in args.only:
                continue
            began = time.monotonic()
            try:
                outcomes.append(story(here))
            except Exception:
                failed += 1
                traceback.print_exc()
            print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
        text = story_table(outcomes)
    args.out.write_text(text)
    print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
