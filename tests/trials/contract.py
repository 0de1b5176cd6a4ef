"""`python -m tests.trials.contract [--cases N] [--seed N]`: the API held against its OpenAPI schema, at length.

The suite asks the same of some hundred cases, the same ones every time (tests/test_contract.py); here they are as many
as are asked for, and others at every run unless a seed is given. Prints what was answered; fails on any violation.
"""

import argparse
import os
import random
import sys
import time

import pytest

# How the run is told: pytest comes between, and it must be the first to import what the test does.
CASES, SEED = "LOAM_CONTRACT_CASES", "LOAM_CONTRACT_SEED"
# The range of Hypothesis' own seeds that are printed.
SEEDS = 10**6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.randrange(SEEDS))
    wanted = parser.parse_args()
    os.environ |= {CASES: str(wanted.cases), SEED: str(wanted.seed)}
    sys.stdout.write(f"{wanted.cases} cases, seed {wanted.seed}\n")
    began = time.monotonic()
    failed = pytest.main(["tests/test_contract.py", "--tb=short", "-p", "no:xdist"])
    sys.stdout.write(f"{time.monotonic() - began:.0f} s\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
