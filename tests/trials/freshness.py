"""How well the client tells what changed under a note: replayed on the history of a repository.

    python -m tests.trials.freshness [REPOSITORY] [--pairs N]

For pairs of commits, an older and a newer one, each file of the older one is an anchor, with the hash it had; the
newer one is checked out, and the client is asked. The truth is git's own comparison of the two commits (`git diff -M`),
which the client does not use: it reads the files, and follows what is gone commit by commit.
"""

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from sessions_app.client.src.checkout.freshness import FileState, file_states

ROOT = Path(__file__).resolve().parents[2]
# Anchors of one pair: as many as an answer and its neighbours name at most.
ANCHORS = 200


@dataclass
class Counts:
    """`caught` of `changed`, `alarms` in `same`, `followed` of `moved`; `slowest`: seconds for one pair's anchors."""

    changed: int = 0
    caught: int = 0
    same: int = 0
    alarms: int = 0
    moved: int = 0
    followed: int = 0
    pairs: int = 0
    slowest: float = 0.0

    @property
    def recall(self) -> float:
        return self.caught / self.changed if self.changed else 1.0

    @property
    def false_alarms(self) -> float:
        return self.alarms / self.same if self.same else 0.0

    @property
    def renames(self) -> float:
        return self.followed / self.moved if self.moved else 1.0

    def __str__(self) -> str:
        return (
            f"{self.pairs} pairs: changed anchors caught {self.caught} of {self.changed} ({self.recall:.3f}), "
            f"false alarms {self.alarms} of {self.same} ({self.false_alarms:.3f}), "
            f"renames followed {self.followed} of {self.moved} ({self.renames:.3f}), "
            f"slowest {self.slowest * 1e3:.0f} ms"
        )


def replay(repository: Path, *, pairs: int, seed: int = 7) -> Counts:
    """Return the counts over so many pairs of commits."""
    counts, rng = Counts(), random.Random(seed)
    with _copy(repository) as copy:
        commits = _git(copy, "rev-list", "--first-parent", "HEAD").split()[::-1]
        for _ in range(pairs):
            older = rng.randrange(len(commits) - 1)
            newer = rng.randrange(older + 1, len(commits))
            _one_pair(copy, commits[older], commits[newer], counts, rng)
    return counts


def _one_pair(copy: Path, older: str, newer: str, counts: Counts, rng: random.Random) -> None:
    _git(copy, "checkout", "-q", "--force", newer)
    paths = _git(copy, "ls-tree", "-r", "--name-only", "-z", older).strip("\0").split("\0")
    truth, moves = _truth(copy, older, newer)
    # Of the files that stayed as they were a sample is enough; all that moved or changed are asked for.
    touched = [path for path in paths if path in truth]
    rest = [path for path in paths if path not in truth]
    asked = [*rng.sample(touched, min(len(touched), ANCHORS // 2)), *rng.sample(rest, min(len(rest), ANCHORS // 2))]
    anchors = [(path, sha256(_bytes(copy, older, path)).hexdigest()) for path in asked]
    began = time.perf_counter()
    states = file_states(str(copy), anchors, until=time.monotonic() + 5)
    counts.slowest = max(counts.slowest, time.perf_counter() - began)
    counts.pairs += 1
    for path, digest in anchors:
        _count(states[path, digest], truth.get(path, "same"), moves.get(path, ""), counts)


def _count(state: FileState, truth: str, moved_to: str, counts: Counts) -> None:
    told = state.state in ("changed", "gone")
    if truth == "same":
        counts.same += 1
        counts.alarms += told
    else:
        counts.changed += 1
        counts.caught += told
    if moved_to:
        counts.moved += 1
        counts.followed += state.now == moved_to


def _truth(copy: Path, older: str, newer: str) -> tuple[dict[str, str], dict[str, str]]:
    """Path → changed, gone or same (moved, its content as it was); and where each moved one lies."""
    parts = iter(_git(copy, "diff", "-M", "--name-status", "-z", older, newer).split("\0"))
    truth, moves = {}, {}
    for part in parts:
        if part[:1] == "R":
            path, now = next(parts), next(parts)
            truth[path], moves[path] = ("same" if part == "R100" else "changed"), now
        elif part[:1] == "C":
            next(parts), next(parts)
        elif part[:1] in ("M", "T"):
            truth[next(parts)] = "changed"
        elif part[:1] == "D":
            truth[next(parts)] = "gone"
        elif part[:1] == "A":
            next(parts)
    return truth, moves


@contextmanager
def _copy(repository: Path) -> Iterator[Path]:
    with TemporaryDirectory(prefix="loam-replay-") as folder:
        place = Path(folder) / "copy"
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(repository), str(place)], check=True)
        yield place


def _git(copy: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=copy, check=True, capture_output=True, text=True).stdout


def _bytes(copy: Path, commit: str, path: str) -> bytes:
    return subprocess.run(["git", "show", f"{commit}:{path}"], cwd=copy, check=True, capture_output=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path, nargs="?", default=ROOT)
    parser.add_argument("--pairs", type=int, default=40)
    args = parser.parse_args()
    counts = replay(args.repository, pairs=args.pairs)
    print(counts)
    return 0 if counts.recall >= 0.95 and counts.false_alarms <= 0.05 and counts.renames >= 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
