"""`manage.py vault export|import|sync DIR`: a team's knowledge as Markdown, and back."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from accounts.actions.members import acting
from accounts.rules.refused import Refused
from accounts.rules.rights import SYSTEM, Member
from sessions_app.vault.actions.arriving import arriving
from sessions_app.vault.actions.sync import sync
from sessions_app.vault.actions.vault import export, import_vault
from sessions_app.vault.adapters.other_cell import COMMIT

# A vault of thousands of pages is read in seconds; more often than this a watch would do nothing else.
LEAST_PAUSE = 1.0
NOTHING = "0 edits and 0 notes imported, 0 pages written, 0 conflicts"


class Command(BaseCommand):
    help = "Export the knowledge of teams as a folder of Markdown, import it, or keep both in sync."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True, metavar="export|import|sync")
        out = acts.add_parser("export", help="export the vault; only changed files are written")
        out.add_argument(
            "--overwrite", action="store_true", help="overwrite files that were edited since the last export"
        )
        into = acts.add_parser("import", help="import into teams that are empty or do not exist; all or nothing")
        both = acts.add_parser("sync", help="apply edits of the files, and export changes")
        both.add_argument("--user", metavar="NAME", help="account that edits; default: the first lead of each team")
        both.add_argument("--watch", type=float, metavar="SECONDS", help="repeat at this interval until Ctrl-C")
        for act in (out, into):
            act.add_argument("--team", default="", metavar="SLUG", help="this shared team alone, to move it to a cell")
        into.add_argument(
            "--same-people", action="store_true", help="with --team: accounts of the same names are the same people"
        )
        into.add_argument("--rehearse", action="store_true", help="say what would be imported or refused, and undo it")
        into.add_argument(
            "--passes",
            action="store_true",
            help="with --team, for `cell move`: wait for what changes, told on standard input, and keep nothing before",
        )
        for act in (out, both):
            act.add_argument("--conversations", action="store_true", help="include conversations, in a separate folder")
        for act in (out, into, both):
            act.add_argument("directory", type=Path, metavar="DIR", help="folder of the shared teams")
            act.add_argument(
                "--personal", type=Path, metavar="DIR", help="folder of the personal teams; must be outside DIR"
            )

    def handle(self, *args: Any, **options: Any) -> None:
        folders = {"shared": options["directory"], "personal": options["personal"]}
        try:
            with self._bar() as bar:
                line = ACTS[options["act"]](self, folders, options, bar)
            self.stdout.write(line)
            while options.get("watch"):
                time.sleep(max(options["watch"], LEAST_PAUSE))
                with self._bar() as bar:
                    line = self._sync(folders, options, bar)
                if not line.startswith(NOTHING):
                    self.stdout.write(line)
        except Refused as refused:
            raise CommandError(refused.in_full) from None

    def _export(self, folders: dict[str, Any], options: dict[str, Any], bar: Any) -> str:
        spoken = options["conversations"]
        done = export(
            **folders,
            overwrite=options["overwrite"],
            conversations=spoken,
            team=options["team"],
            progress=_progress_callback(bar),
        )
        return f"{done.pages:,} pages, {done.written:,} of them written, {done.removed:,} removed."

    def _import(self, folders: dict[str, Any], options: dict[str, Any], bar: Any) -> str:
        if options["passes"]:
            return self._import_in_passes(options, bar)
        done = import_vault(
            **folders,
            by=SYSTEM,
            now=timezone.now(),
            team=options["team"],
            same_people=options["same_people"],
            rehearse=options["rehearse"],
            progress=_progress_callback(bar),
        )
        said = (
            f"{done.teams:,} teams, {done.insights:,} insights, {done.skills:,} skills, {done.handoffs:,} handoffs "
            f"and {done.conversations:,} conversations imported; {done.unchanged:,} teams already existed."
        )
        said += f" {done.loose:,} links to other teams were dropped." if done.loose else ""
        return f"Rehearsed, nothing was kept: {said}" if options["rehearse"] else said

    def _import_in_passes(self, options: dict[str, Any], bar: Any) -> str:
        """Answer each line with one: pages that changed are taken over, COMMIT ends it."""
        if not options["team"] or options["personal"] or options["rehearse"]:
            raise CommandError("--passes is for the vault of one team (--team), without --personal and --rehearse.")
        with arriving(
            shared=options["directory"],
            team=options["team"],
            by=SYSTEM,
            now=timezone.now(),
            same_people=options["same_people"],
            progress=_progress_callback(bar),
        ) as team:
            self._answer(there=team.there)
            for line in sys.stdin:
                told = json.loads(line)
                if COMMIT in told:
                    team.stop = str(told[COMMIT])
                    break
                self._answer(insights=team.follow(told).insights)
            else:
                raise CommandError("The other cell has ended before it said that all is there: nothing was kept.")
        return json.dumps({"committed": True})

    def _answer(self, **said: Any) -> None:
        self.stdout.write(json.dumps(said))
        self.stdout.flush()

    def _sync(self, folders: dict[str, Any], options: dict[str, Any], bar: Any) -> str:
        def who(team: str) -> Member:
            return acting(team=team, username=options["user"])

        spoken = options["conversations"]
        done = sync(**folders, by=who, now=timezone.now(), conversations=spoken, progress=_progress_callback(bar))
        for name, why in done.conflicts:
            self.stdout.write(f"  conflict, kept as {name}: {why}")
        for name, why in done.skipped:
            self.stdout.write(f"  not applied, {name}: {why}")
        for name in done.missing:
            self.stdout.write(f"  {name} was deleted and is written again; to remove an insight, forget it in Loam")
        return (
            f"{len(done.edited):,} edits and {done.added:,} notes imported, {done.out.written:,} pages written, "
            f"{len(done.conflicts):,} conflicts."
        )

    @contextmanager
    def _bar(self) -> Iterator[Any]:
        with tqdm(unit=" pages", disable=not sys.stderr.isatty(), leave=False) as bar:
            try:
                yield bar
            except KeyboardInterrupt:
                bar.close()
                self.stderr.write("Stopped. Run the command again to continue.")
                raise


def _progress_callback(bar: Any) -> Any:
    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    return show


ACTS: dict[str, Callable[..., str]] = {
    "export": Command._export,
    "import": Command._import,
    "sync": Command._sync,
}
