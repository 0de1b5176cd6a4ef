"""`manage.py import_skills PATH --team SLUG`: folders with a SKILL.md, or a zip archive of them, become skills."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.actions.members import acting
from accounts.rules.refused import Refused
from skills.actions.transfer import REFUSED, Arrived, import_path


class Command(BaseCommand):
    help = "Import skills into a team, as drafts: a folder, or a zip archive. Run again, it changes what has changed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder with SKILL.md files in it at any depth, or a .zip of one")
        parser.add_argument("--team", required=True, metavar="SLUG", help="whose skills they become")
        parser.add_argument("--user", metavar="NAME", help="who imports; else the first lead of the team")
        parser.add_argument("--publish", action="store_true", help="put them before agents at once")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            by = acting(team=options["team"], username=options["user"])
            done = import_path(
                path=options["path"], team=options["team"], by=by, now=timezone.now(), live=options["publish"]
            )
        except Refused as refused:
            faults = [fault for faults in refused.errors.values() for fault in faults]
            raise CommandError(" ".join(faults) or refused.message) from None
        self._report(done)

    def _report(self, done: list[Arrived]) -> None:
        for one in done:
            if one.why:
                self.stdout.write(f"  {one.outcome} {one.path or one.name}: {one.why}")
        counts: dict[str, int] = {}
        for one in done:
            counts[one.outcome] = counts.get(one.outcome, 0) + 1
        self.stdout.write(", ".join(f"{count:,} {outcome}" for outcome, count in counts.items()) + ".")
        if counts.get(REFUSED) == len(done):
            raise CommandError("None was imported.")
