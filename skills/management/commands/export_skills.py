"""`manage.py export_skills DIR --team SLUG`: export a team's skills as folders, or as sections of agents' files."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from accounts.actions.members import acting
from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from skills.actions.agent_files import Form, export_to
from skills.actions.transfer import export_folder
from skills.rules.arrivals import ExportedSkills

FOLDERS = "skills"


class Command(BaseCommand):
    help = (
        "Export a team's published skills: each as a folder with its SKILL.md, or all as sections of AGENTS.md, "
        "CLAUDE.md or Cursor's rules. Run again to update them; files edited there are kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dir", type=Path, help="target folder (.claude/skills, …) or repository")
        parser.add_argument("--team", required=True, metavar="SLUG", help="the team")
        parser.add_argument("--user", metavar="NAME", help="account that exports; default: the first lead of the team")
        parser.add_argument("--as", dest="form", choices=[FOLDERS, *Form], default=FOLDERS, help="output format")
        parser.add_argument("--drafts", action="store_true", help="include unpublished skills (folders only)")
        parser.add_argument("--force", action="store_true", help="overwrite files edited there")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = self._export(acting(team=options["team"], username=options["user"]), options)
        except Refused as refused:
            raise CommandError(refused.in_full) from None
        for name in done.kept:
            self.stdout.write(f"  kept {name}: edited since the export; import it first, or use --force")
        self.stdout.write(f"{len(done.written):,} written, {len(done.kept):,} kept.")

    def _export(self, by: Member, options: dict[str, Any]) -> ExportedSkills:
        path, team, force = options["dir"], options["team"], options["force"]
        if options["form"] != FOLDERS:
            return export_to(path=path, form=Form(options["form"]), team=team, by=by, force=force)
        with tqdm(unit=" skills", disable=not sys.stderr.isatty(), leave=False) as bar:
            return export_folder(
                path=path,
                team=team,
                by=by,
                drafts=options["drafts"],
                force=force,
                progress=lambda number, total: _show(bar, number, total),
            )


def _show(bar: Any, number: int, total: int) -> None:
    bar.total = total
    bar.update(number - bar.n)
