"""Move a team to another cell by its vault: it is read all the while, and written to until the last export begins.

What is exported and rehearsed before the writes stop makes the stop short, and refusals come before it. If the import
is refused after all, the writes go on here, as if nothing had been.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection

from accounts.actions.moving import CannotMove, mark_moved, require_address, resume_writes, stop_writes
from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from sessions_app.vault.actions.vault import export
from sessions_app.vault.adapters.other_cell import OtherCell

# Seconds between the stop and the last export. What is on record in the log is stopped at once; a rating, or what a
# session reports, that was let in before the stop is written by then.
SETTLE = 2.0


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

    `told` is given a line for each step. Raises Refused with nothing changed. Whatever else ends it leaves the writes
    stopped, as the team may be there: OutcomeUnknown, say.
    """
    require_address(address)
    done, words = TeamMove(), ["vault", "import", str(folder.resolve()), "--team", slug]
    words += ["--same-people"] if same_people else []
    done.warnings = _compare(this_cell(), there.show())

    def step(name: str, work: Callable[[], object]) -> None:
        began = time.monotonic()
        said = work()
        done.steps.append((name, time.monotonic() - began))
        told(f"{done.steps[-1][1]:7.1f} s  {name}" + (f": {said}" if isinstance(said, str) else ""))

    def write() -> str:
        written = export(shared=folder, team=slug, conversations=conversations)
        return f"{written.pages:,} pages, {written.written:,} written"

    step("exported", write)
    step("rehearsed in the other cell", lambda: there.run(*words, "--rehearse"))
    began = time.monotonic()
    try:
        step("writes stopped", lambda: stop_writes(slug=slug, by=by, now=clock()))
        time.sleep(settle)
        step("exported what had changed", write)
        step("imported in the other cell", lambda: there.run(*words))
    except Refused:
        resume_writes(slug=slug, by=by, now=clock())
        raise
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
        return ["Both cells have one SECRET_KEY: what is signed in one (links in emails) is taken by the other."]
    return []
