"""`python -m tests.trials.replay [--sessions N]`: recorded sessions with Loam on and off, as many as are asked for.

The suite replays some (tests/sessions_app/test_replay.py). Prints what Loam costs a client's prompt cache, and
how many tokens it puts into a session.
"""

import argparse
import os
import sys
import time

import pytest

SESSIONS = "LOAM_REPLAY_SESSIONS"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=1_000)
    wanted = parser.parse_args()
    os.environ[SESSIONS] = str(wanted.sessions)
    began = time.monotonic()
    failed = pytest.main(["tests/sessions_app/test_replay.py", "--tb=short", "-s", "-p", "no:xdist"])
    sys.stdout.write(f"{time.monotonic() - began:.0f} s\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
