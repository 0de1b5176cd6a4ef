"""`manage.py vault export|import|sync DIR`: a team's knowledge as Markdown, and back."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from accounts.rules.refused import Refused
from accounts.rules.rights import SYSTEM
from sessions_app.actions.vault import export, import_vault


class Command(BaseCommand):
    help = "Write all that the teams know as a folder of Markdown, or rebuild it from one."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True, metavar="export|import")
        out = acts.add_parser("export", help="write the vault; only files that changed are touched")
        out.add_argument("--overwrite", action="store_true", help="also files that were edited since they were written")
        into = acts.add_parser("import", help="rebuild teams that are empty or not there; all of it or nothing")
        for act in (out, into):
            act.add_argument("directory", type=Path, metavar="DIR", help="of the shared teams")
            act.add_argument(
                "--personal", type=Path, metavar="DIR", help="of the personal teams; neither may lie in the other"
            )

    def handle(self, *args: Any, **options: Any) -> None:
        folders = {"shared": options["directory"], "personal": options["personal"]}
        with self._bar() as bar:
            try:
                if options["act"] == "export":
                    out = export(**folders, overwrite=options["overwrite"], progress=_shown(bar))
                    line = f"{out.pages:,} pages, {out.written:,} of them written, {out.removed:,} removed."
                else:
                    done = import_vault(**folders, by=SYSTEM, now=timezone.now(), progress=_shown(bar))
                    line = (
                        f"{done.teams:,} teams, {done.insights:,} insights, {done.skills:,} skills, "
                        f"{done.handoffs:,} handoffs imported; {done.unchanged:,} teams were there already."
                    )
            except Refused as refused:
                raise CommandError(refused.in_full) from None
        self.stdout.write(line)

    @contextmanager
    def _bar(self) -> Iterator[Any]:
        with tqdm(unit=" pages", disable=not sys.stderr.isatty(), leave=False) as bar:
            try:
                yield bar
            except KeyboardInterrupt:
                bar.close()
                self.stderr.write("Stopped. The same command goes on from there.")
                raise


def _shown(bar: Any) -> Any:
    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    return show
