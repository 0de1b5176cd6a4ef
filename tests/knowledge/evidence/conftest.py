"""A folder of files below an allowed root of its own, registered for the platform team."""

from collections.abc import Callable
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
def ask(books: Source, alice: Member, now: datetime) -> Callable[..., EvidenceAnswer]:
    """Ask as Alice; `by` and `now` may be others."""

    def asked(text: str, mode: ReuseMode = ReuseMode.FAST, **more: Any) -> EvidenceAnswer:
        by, at = more.pop("by", alice), more.pop("now", now)
        extra = {name: more.pop(name) for name in ("progress", "gone") if name in more}
        return search(ask=EvidenceQuestion(text, mode, **more), by=by, now=at, **extra)

    return asked
