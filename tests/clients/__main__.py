"""`python -m tests.clients`: the tables. `--only NAME…` for some clients (claude-code, gemini-cli, …) or stories."""

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from tests.clients import capture, machine
from tests.clients.decided import DECIDED
from tests.clients.measures import CLIENTS, measure
from tests.clients.project import share
from tests.clients.report import client_table, project_table, story_table
from tests.clients.stories import STORIES
from tests.clients.world import World, world
from tests.trials import prefix

T = TypeVar("T")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument(
        "--out", type=Path, default=machine.CLIENTS / "report.md", help="where the tables are written too"
    )
    parser.add_argument(
        "--recorded", type=Path, help="a folder of recorded conversations, replayed for the prompt cache"
    )
    parser.add_argument("--sessions", type=int, default=1_000, help="so many of them (1,000)")
    parser.add_argument("--capture", action="store_true", help="write the fixtures that `make test` replays")
    args = parser.parse_args()
    if not (machine.BIN / "claude").exists():
        print("The clients are not installed: make clients", file=sys.stderr)
        return 2
    with world() as here:
        clients = {name: partial(measure, name) for name in CLIENTS}
        measured, failed = _all(clients, here, args.only)
        shared, more = _all({f"project {name}": partial(share, name) for name in CLIENTS}, here, args.only)
        outcomes, also = _all({**STORIES, **DECIDED}, here, args.only)
        replayed = [prefix.of(here, args.recorded, args.sessions)] if args.recorded else []
    for one in measured if args.capture else []:
        capture.write(one)
    tables = ((client_table, measured), (project_table, shared), (story_table, outcomes))
    text = "\n".join([*(table(rows) for table, rows in tables if rows), *replayed])
    args.out.write_text(text)
    print(text)
    return 1 if failed + more + also else 0


def _all(trials: Mapping[str, Callable[[World], T]], here: World, only: Collection[str]) -> tuple[list[T], int]:
    """What came of each trial that is asked for, and how many failed."""
    done: list[T] = []
    failed = 0
    for name, trial in trials.items():
        if only and name not in only and name.lower().replace(" ", "-") not in only:
            continue
        began = time.monotonic()
        try:
            done.append(trial(here))
        except Exception:
            failed += 1
            traceback.print_exc()
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return done, failed


if __name__ == "__main__":
    sys.exit(main())
