"""A folder of files below an allowed root of its own, registered for the platform team."""

import subprocess
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.evidence.actions.search import EvidenceAnswer, search
from knowledge.evidence.actions.sources import register
from knowledge.evidence.models import Source
from knowledge.evidence.rules.ask import EvidenceQuestion
from knowledge.evidence.rules.reuse import ReuseMode

FILES = {
    "git/find-large-files.md": "# Find large files in a Git repository\n\nCloning is slow.\n\n"
    "Run `git rev-list --objects --all` to list the largest blobs of the whole history.\n",
    "git/bisect.md": "# Bisect a regression\n\nUse git bisect run with a script that exits 0 for good.\n",
    "redis/memory.md": "# Redis is out of memory\n\nFind the biggest keys with `redis-cli --bigkeys`.\n"
    "Set maxmemory-policy allkeys-lru for the cache, because keys without expiry pile up.\n",
    "postgres/vacuum.md": "# Autovacuum cannot keep up\n\nDead rows make every scan slower.\n",
    "deploy/rollback.md": "# Roll back a release\n\nAlways roll back first: it takes 40 seconds.\n",
}


@pytest.fixture
def files(tmp_path: Path, settings: Any) -> Path:
    """The folder; the allowed root is above it, and beside it lies what nobody may see."""
    settings.LOAM_EVIDENCE_ROOT = tmp_path / "root"
    folder = tmp_path / "root" / "books"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "outside.md").write_text("# Outside\n\nThe kestrel password of the largest git repository.\n")
    return folder


@pytest.fixture
def books(files: Path, platform: Team, root: Member, now: datetime) -> Source:
    return register(slug="books", team_slug="platform", path="books", by=root, now=now)


@pytest.fixture
def ask(books: Source, asks: Callable[..., EvidenceAnswer]) -> Callable[..., EvidenceAnswer]:
    """Ask the folder as Alice; `by` and `now` may be others."""
    return asks


@pytest.fixture
def asks(alice: Member, now: datetime) -> Callable[..., EvidenceAnswer]:
    """Ask whatever is registered as Alice; `by` and `now` may be others."""

    def asked(text: str, mode: ReuseMode = ReuseMode.FAST, **more: Any) -> EvidenceAnswer:
        by, at = more.pop("by", alice), more.pop("now", now)
        extra = {name: more.pop(name) for name in ("progress", "gone") if name in more}
        return search(ask=EvidenceQuestion(text, mode, **more), by=by, now=at, **extra)

    return asked


class Repository:
    """A Git repository with a work tree, written to as somebody does who works in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"]
        program = ["git", "-C", str(self.folder), *who, *arguments]
        return subprocess.run(program, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, files: dict[str, str], *, removed: Sequence[str] = ()) -> str:
        """Commit these files and return the hash."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for name in removed:
            (self.folder / name).unlink()
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=change")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, settings: Any) -> Repository:
    """A repository below the allowed root with the files of `FILES` on its branch `main`, and nothing checked out."""
    settings.LOAM_EVIDENCE_ROOT = tmp_path / "root"
    settings.LOAM_EVIDENCE_TREES = tmp_path / "trees"
    made = Repository(tmp_path / "root" / "books")
    made.commit(FILES)
    return made


@pytest.fixture
def branch(repository: Repository, platform: Team, root: Member, now: datetime) -> Source:
    """The source `books`: the branch `main` of that repository."""
    return register(slug="books", team_slug="platform", path="books", revision="main", by=root, now=now)
