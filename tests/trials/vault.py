"""`python -m tests.trials.vault [DIR] [--notes N]`: a team's knowledge through a vault and back, at length.

The demo, and N made-up notes or those of a folder of Markdown, restated, superseded, merged, contradicted and rated;
exported, lost, imported, exported: the same files byte for byte, and the same answers in the same order. The suite does
it with a few, as a slow trial (tests/sessions_app/vault/actions/test_vault_at_length.py).
"""

import argparse
import os
import sys

import pytest

from tests.sweep import WHOLE

# How the run is told: pytest comes between.
NOTES, PLACE = "LOAM_VAULT_NOTES", "LOAM_VAULT_PLACE"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir", nargs="?", default="", metavar="DIR", help="a folder of notes, instead of made-up ones")
    parser.add_argument("--notes", type=int, default=2000)
    wanted = parser.parse_args()
    os.environ |= {NOTES: str(wanted.notes), PLACE: wanted.dir, WHOLE: "1"}
    return int(
        pytest.main(["tests/sessions_app/vault/actions/test_vault_at_length.py", "--tb=short", "-p", "no:xdist"])
    )


if __name__ == "__main__":
    sys.exit(main())
