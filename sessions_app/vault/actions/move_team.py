"""Move a team to another cell by its vault: it is read all the while, and written to until the last pass begins.

The other cell imports it and holds that open: it is not there for anybody. What changes meanwhile follows in passes,
and the writes stop for the last one alone, which ends with the commit there. Whatever ends it before that leaves
nothing there, and the writes go on here.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from accounts.actions.moving import (
    CannotMove,
    mark_moved,
    require_address,
    require_movable,
    resume_writes,
    stop_writes,
)
from accounts.rules.rights import Member
from sessions_app.vault.actions.pages import ExportedVault, Passes
from sessions_app.vault.actions.vault import export
from sessions_app.vault.adapters.other_cell import COMMIT, OtherCell, OtherCellFailed, OutcomeUnknown, RunningCommand

# Seconds between the stop and the last pass. What is on record in the log is stopped at once; a rating, or what a
# session reports, that was let in before the stop is written by then.
SETTLE = 2.0
# Passes before the stop, and of how many changed pages the next one may be the last.
MOST_PASSES, FEW = 5, 50


@dataclass
class TeamMove:
    """`stopped`: seconds without writes; `steps`: what was done, with seconds; `warnings`: what is unsafe."""

    stopped: float = 0.0
    steps: list[tuple[str, float]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def this_cell() -> dict[str, str]:
    """Its name, and what tells its database and its secret key from another cell's without giving either away."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT system_identifier::text FROM pg_control_system()")
        (server,) = cursor.fetchone()
    key = hashlib.sha256(f"loam cell {settings.SECRET_KEY}".encode()).hexdigest()[:16]
    return {"cell": settings.LOAM_CELL, "database": f"{server}/{connection.settings_dict['NAME']}", "key": key}


def move_team(
    *,
    slug: str,
    folder: Path,
    there: OtherCell,
    address: str,
    by: Member,
    clock: Callable[[], datetime],
    conversations: bool = False,
    same_people: bool = False,
    settle: float = SETTLE,
    told: Callable[[str], None] = lambda line: None,
) -> TeamMove:
    """Carry the team to the cell whose manage.py is `there`, and tell its people from then on that it is at `address`.

    `told` is given a line for each step. Raises Refused, and whatever else ends it, with the writes as they were. Only
    when it is not known whether the other cell has committed (OutcomeUnknown) they stay stopped, as the team may be
    there: run again, this goes on.
    """
    require_address(address)
    done, words = TeamMove(), ["vault", "import", str(folder.resolve()), "--team", slug, "--passes"]
    words += ["--same-people"] if same_people else []
    stopped_at = require_movable(slug).writes_stopped_at
    done.warnings = _compare(this_cell(), there.show())
    passes = Passes()

    def step(name: str, work: Callable[[], Any], words: Callable[[Any], str] = lambda said: "") -> Any:
        began = time.monotonic()
        said = work()
        done.steps.append((name, time.monotonic() - began))
        told(f"{done.steps[-1][1]:7.1f} s  {name}" + (f": {words(said)}" if words(said) else ""))
        return said

    def write() -> ExportedVault:
        return export(shared=folder, team=slug, conversations=conversations, passes=passes)

    def follow(importer: RunningCommand, name: str) -> int:
        """Take over what has changed; how many pages that are."""
        out: ExportedVault = step(f"exported {name}", write, lambda out: f"{len(out.changed):,} pages")
        step("imported in the other cell, held", lambda: importer.tell(out.changed))
        return len(out.changed)

    with there.talk(*words) as importer:
        came_by = importer.hear()["there"]
        if stopped_at and came_by == stopped_at.isoformat():
            # An earlier move has committed there, and did not hear of it or come to mark it.
            step("marked as moved", lambda: mark_moved(slug=slug, address=address, by=by, now=clock()))
            return done
        if came_by is not None:
            raise CannotMove(f"There is a team {slug} in the other cell already, which is not what was stopped here.")
        if stopped_at:
            # An earlier move was ended after it had stopped the writes, and the other cell has nothing of it.
            step("writes resumed until the last pass", lambda: resume_writes(slug=slug, by=by, now=clock()))
        step("exported", write, lambda out: f"{out.pages:,} pages")
        step("imported in the other cell, held", lambda: importer.tell({}))
        for _ in range(MOST_PASSES):
            if follow(importer, "what had changed") <= FEW:
                break
        began = time.monotonic()
        try:
            team = step("writes stopped", lambda: stop_writes(slug=slug, by=by, now=clock()))
            time.sleep(settle)
            follow(importer, "the rest")
        except BaseException:
            resume_writes(slug=slug, by=by, now=clock())
            raise
        try:
            stop = team.writes_stopped_at.isoformat()
            step("committed in the other cell", lambda: importer.tell({COMMIT: stop}))
        except OtherCellFailed as fault:
            raise OutcomeUnknown(fault.in_full) from None
        step("marked as moved", lambda: mark_moved(slug=slug, address=address, by=by, now=clock()))
        done.stopped = time.monotonic() - began
    return done


def _compare(here: dict[str, str], there: dict[str, str]) -> list[str]:
    """What is unsafe about the two. Raises CannotMove if they are one."""
    if here["database"] == there["database"]:
        raise CannotMove("The other cell has the same database as this one.")
    if here["cell"] == there["cell"]:
        name = f"the name “{here['cell']}”" if here["cell"] else "no name (LOAM_CELL)"
        raise CannotMove(f"Both cells have {name}: a router could not tell their tokens.")
    if here["key"] == there["key"]:
        return ["Both cells have the same SECRET_KEY: each accepts what the other signed (links in emails)."]
    return []
