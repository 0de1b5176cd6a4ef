"""`manage.py cell …`: this cell, and the moves of teams between cells (docs/operations/scale.md)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.actions.moving import mark_moved, resume_writes, stop_writes, teams_in_motion
from accounts.rules.refused import Refused
from accounts.rules.rights import SYSTEM
from sessions_app.vault.actions.delete_moved import delete_moved, left_behind
from sessions_app.vault.actions.move_team import SETTLE, move_team, this_cell
from sessions_app.vault.adapters.other_cell import OtherCell, OutcomeUnknown


class Command(BaseCommand):
    help = "Show this cell, and move a team to another one."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True, metavar="show|move|stop|moved|resume|delete")
        show = acts.add_parser("show", help="this cell's name, and the teams that are stopped or moved")
        show.add_argument("--json", action="store_true", help="as another cell reads it")
        move = acts.add_parser("move", help="move a team: all steps, with the time in which it took no writes")
        stop = acts.add_parser("stop", help="stop the writes to a team; it is read on")
        moved = acts.add_parser("moved", help="tell everybody of a stopped team that it is in another cell")
        resume = acts.add_parser("resume", help="undo stop and moved: the team is read and written to here")
        delete = acts.add_parser("delete", help="delete what is left here of a team that moved")
        for act in (move, stop, moved, resume, delete):
            act.add_argument("team", help="slug of a shared team")
        move.add_argument(
            "directory", type=Path, metavar="DIR", help="empty folder for its vault, which both cells see"
        )
        move.add_argument(
            "--there", required=True, metavar="COMMAND", help="what runs manage.py of the other cell, without arguments"
        )
        for act in (move, moved):
            act.add_argument("--address", required=True, metavar="URL", help="where people and agents find it then")
        move.add_argument("--conversations", action="store_true", help="take conversations along")
        move.add_argument(
            "--same-people", action="store_true", help="accounts there of the same names are the same people"
        )
        move.add_argument(
            "--settle", type=float, default=SETTLE, metavar="SECONDS", help="from the stop to the last pass (2)"
        )
        delete.add_argument("--yes", action="store_true", help="it cannot be undone")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(ACTS[options["act"]](self, options))
        except Refused as refused:
            raise CommandError(refused.in_full) from None
        except OutcomeUnknown as fault:
            raise CommandError(
                f"{str(fault).rstrip('.')}. Run this again: it sees what the other cell has of the team, and goes on"
                " from there. Whether writes are stopped here says: manage.py cell show."
            ) from None

    def _show(self, options: dict[str, Any]) -> str:
        about = this_cell()
        if options["json"]:
            return json.dumps(about)
        lines = [f"cell: {about['cell'] or 'none (LOAM_CELL is not set)'}"]
        for team in teams_in_motion():
            state = f"moved to {team.moved_to}" if team.moved_to else "takes no writes"
            lines.append(f"{team.slug}: {state}, since {team.writes_stopped_at:%Y-%m-%d %H:%M:%S} UTC")
        return "\n".join(lines)

    def _move(self, options: dict[str, Any]) -> str:
        if stays := left_behind(options["team"]):
            told = ", ".join(f"{count:,} {name}" for name, count in stays.items())
            self.stdout.write(f"Does not go along, and stays here: {told}.")
        done = move_team(
            slug=options["team"],
            folder=options["directory"],
            there=OtherCell(options["there"]),
            address=options["address"],
            by=SYSTEM,
            clock=timezone.now,
            conversations=options["conversations"],
            same_people=options["same_people"],
            settle=options["settle"],
            told=self._tell,
        )
        for line in done.warnings:
            self.stderr.write(self.style.WARNING(line))
        stopped = f"It took no writes for {done.stopped:.1f} s." if done.stopped else "It was there already."
        team = options["team"]
        return f"{team} is at {options['address']}. {stopped} To undo it: manage.py cell resume {team}"

    def _tell(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

    def _stop(self, options: dict[str, Any]) -> str:
        team = stop_writes(slug=options["team"], by=SYSTEM, now=timezone.now())
        return f"{team.slug} is read and takes no writes. To undo it: manage.py cell resume {team.slug}"

    def _moved(self, options: dict[str, Any]) -> str:
        team = mark_moved(slug=options["team"], address=options["address"], by=SYSTEM, now=timezone.now())
        return f"{team.slug} is at {team.moved_to}. To undo it: manage.py cell resume {team.slug}"

    def _resume(self, options: dict[str, Any]) -> str:
        team = resume_writes(slug=options["team"], by=SYSTEM, now=timezone.now())
        return f"{team.slug} is read and written to here."

    def _delete(self, options: dict[str, Any]) -> str:
        if not options["yes"]:
            raise CommandError("This deletes all that is left here of the team, for good: repeat it with --yes.")
        rows = delete_moved(slug=options["team"], by=SYSTEM, now=timezone.now())
        return f"{options['team']} is deleted here: {rows:,} rows."


ACTS: dict[str, Callable[[Command, dict[str, Any]], str]] = {
    "show": Command._show,
    "move": Command._move,
    "stop": Command._stop,
    "moved": Command._moved,
    "resume": Command._resume,
    "delete": Command._delete,
}
