"""`manage.py import_skills PATH --team SLUG`: import skills from folders and archives, and edits from agents' files."""

from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.actions.members import acting
from accounts.rules.refused import Refused
from skills.actions.agent_files import Form, import_from
from skills.actions.transfer import import_path
from skills.rules.arrivals import REFUSED

FOLDERS = "skills"


class Command(BaseCommand):
    help = (
        "Import skills into a team, as drafts: a folder with SKILL.md files at any depth, or a zip archive of one. "
        "Run again to import changes. With --as, import edits of exported sections."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="folder or .zip; with --as the repository folder")
        parser.add_argument("--team", required=True, metavar="SLUG", help="the team")
        parser.add_argument("--user", metavar="NAME", help="account that imports; default: the first lead of the team")
        parser.add_argument("--publish", action="store_true", help="publish skills from folders at once")
        parser.add_argument("--as", dest="form", choices=[FOLDERS, *Form], default=FOLDERS, help="input format")

    def handle(self, *args: Any, **options: Any) -> None:
        given = {"path": options["path"], "team": options["team"], "now": timezone.now()}
        try:
            by = acting(team=options["team"], username=options["user"])
            if options["form"] == FOLDERS:
                done = import_path(**given, by=by, live=options["publish"])
            else:
                done = import_from(**given, by=by, form=Form(options["form"]))
        except Refused as refused:
            raise CommandError(refused.in_full) from None
        for one in done:
            if one.why:
                self.stdout.write(f"  {one.outcome} {one.path or one.name}: {one.why}")
        counts = Counter(one.outcome for one in done)
        told = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.items())
        self.stdout.write(f"{told or 'No section of this team in it'}.")
        if counts[REFUSED] and counts[REFUSED] == len(done):
            raise CommandError("No skill was imported.")
