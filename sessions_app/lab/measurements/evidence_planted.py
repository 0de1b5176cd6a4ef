"""Evaluate: whether a token that stands in one place of a file is found there, how fast, and with how much memory."""

import resource
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from accounts.actions.members import create_team, member_of
from accounts.models import User
from accounts.rules.rights import Member
from knowledge.evidence.actions.search import EvidenceAnswer, search
from knowledge.evidence.actions.sources import register
from knowledge.evidence.rules.ask import EvidenceQuestion
from knowledge.evidence.rules.reuse import ReuseMode
from sessions_app.lab.corpora.planted_tokens import PlantedFile, PlantedToken, plant

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class FoundToken:
    """What became of one question. Seconds on the clock, and of all processors, children included; bytes of memory that
    this process had at most during the question, that the largest program it has started so far had, and that the
    question took more than there was before it: a server with its model loaded has 330 MB, this laboratory more.
    """

    planted: PlantedToken
    found: bool
    took: float
    cpu: float
    memory: int
    child: int
    grown: int


def ask_for_tokens(
    *, files: Sequence[PlantedFile], root: Path, by: Member, now: datetime, progress: Progress
) -> list[FoundToken]:
    """Write a file below `root`, ask for its tokens in FAST, remove it, and so on; nothing is reused."""
    team = create_team(name="Planted", slug="planted", prefix="PLANTED", by=by, now=now)
    me = member_of(user=User.objects.get(pk=by.user_id), only=frozenset({team.pk}))
    asked: list[FoundToken] = []
    for done, file in enumerate(files, start=1):
        folder = root / f"planted-{done}"
        tokens = plant(file, folder)
        register(slug=folder.name, team_slug=team.slug, path=folder.name, by=by, now=now)
        _ask(PlantedToken(file, "", None, "which host was restarted"), folder.name, me, now)  # the model is loaded
        asked += [_ask(one, folder.name, me, now) for one in tokens]
        shutil.rmtree(folder)
        progress("planted", done, len(files))
    return asked


def _ask(one: PlantedToken, source: str, by: Member, now: datetime) -> FoundToken:
    ask = EvidenceQuestion(one.question, ReuseMode.FAST, sources=(source,), reuse=False, beside=False)
    _reset_peak()
    at_first = _memory("VmRSS:")
    began, before = time.perf_counter(), _processor_seconds()
    answer = search(ask=ask, by=by, now=now)
    took, cpu = time.perf_counter() - began, _processor_seconds() - before
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    peak = _memory("VmHWM:")
    return FoundToken(one, is_found(one, answer), took, cpu, peak, child, peak - at_first)


def is_found(one: PlantedToken, answer: EvidenceAnswer) -> bool:
    """Whether the token is cited in its file, at its line where lines are those of the file."""
    return any(
        cited.path.startswith(one.file.name)
        and one.token.lower() in cited.text.lower()
        and (one.line is None or cited.start_line <= one.line <= cited.end_line)
        for cited in answer.cited
    )


def _processor_seconds() -> float:
    some = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in some)


def _reset_peak() -> None:
    """Let the kernel count this process's largest memory from now on; elsewhere than on Linux it stays that so far."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _memory(which: str) -> int:
    """Bytes of this process now, or at most since it was reset."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(which):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def figures(rows: Sequence[FoundToken]) -> dict[str, float]:
    """Of some tokens: the share found, seconds in the median and at most, the most memory."""
    took, cpu = [row.took for row in rows], [row.cpu for row in rows]
    return {
        "tokens": len(rows),
        "found": float(np.mean([row.found for row in rows])),
        "p50_s": float(np.median(took)),
        "most_s": max(took),
        "cpu_p50_s": float(np.median(cpu)),
        "cpu_most_s": max(cpu),
        "memory_mb": max(row.memory for row in rows) / 1e6,
        "grown_mb": max(row.grown for row in rows) / 1e6,
        "child_mb": max(row.child for row in rows) / 1e6,
    }
