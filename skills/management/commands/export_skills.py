"""`manage.py export_skills DIR --team SLUG`: a team's skills as folders with a SKILL.md."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from accounts.actions.members import acting
from accounts.rules.refused import Refused
from skills.actions.transfer import export_folder


class Command(BaseCommand):
    help = "Export a team's published skills, each as a folder. Run again, it renews them; nothing is deleted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dir", type=Path, help="where the folders are made: .claude/skills, .agents/skills, …")
        parser.add_argument("--team", required=True, metavar="SLUG", help="whose skills")
        parser.add_argument("--user", metavar="NAME", help="who exports; else the first lead of the team")
        parser.add_argument("--drafts", action="store_true", help="those not published, too")
        parser.add_argument("--force", action="store_true", help="also over a SKILL.md that was edited there")

    def handle(self, *args: Any, **options: Any) -> None:
        with tqdm(unit=" skills", disable=not sys.stderr.isatty(), leave=False) as bar:
            try:
                done = export_folder(
                    path=options["dir"],
                    team=options["team"],
                    by=acting(team=options["team"], username=options["user"]),
                    drafts=options["drafts"],
                    force=options["force"],
                    progress=lambda number, total: _show(bar, number, total),
                )
            except Refused as refused:
                faults = [fault for faults in refused.errors.values() for fault in faults]
                raise CommandError(" ".join(faults) or refused.message) from None
        for name in done.kept:
            self.stdout.write(f"  kept {name}: it was edited there; import it first, or --force")
        self.stdout.write(f"{len(done.written):,} written, {len(done.kept):,} kept.")


def _show(bar: Any, number: int, total: int) -> None:
    bar.total = total
    bar.update(number - bar.n)
