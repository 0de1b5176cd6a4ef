"""`manage.py import_notes PATH --team SLUG`: Markdown files, JSON Lines or another memory's export become insights."""

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from accounts.actions.members import member_of
from accounts.models import Membership, User
from accounts.rules.refused import Refused
from accounts.rules.rights import Level
from knowledge.imports.actions.transfer import ImportedNotes, import_notes
from knowledge.rules.vocabulary import Kind

# Of notes skipped for one reason so many are named, unless --verbosity 2 asks for all.
NAMED = 5


class Command(BaseCommand):
    help = (
        "Import notes into a team: Markdown files or JSON Lines. An interrupted import can be run again; it creates no "
        "duplicates."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="folder of Markdown, .jsonl file, or export of mem0 (.json)")
        parser.add_argument("--team", required=True, metavar="SLUG", help="team of the new insights")
        parser.add_argument("--user", metavar="NAME", help="account that imports; default: the first lead of the team")
        parser.add_argument(
            "--kind",
            type=str.upper,
            choices=[kind.value for kind in Kind],
            default=Kind.CONTEXT.value,
            metavar="KIND",
            help=f"default kind: {', '.join(Kind)}",
        )
        parser.add_argument("--dry-run", action="store_true", help="print what would be imported")

    def handle(self, *args: Any, **options: Any) -> None:
        user = self._user(options["user"], options["team"])
        with tqdm(unit=" notes", disable=not sys.stderr.isatty(), leave=False) as bar:
            try:
                done = import_notes(
                    path=options["path"],
                    team=options["team"],
                    by=member_of(user=user),
                    now=timezone.now(),
                    progress=lambda read, total: _show(bar, read, total),
                    kind=Kind(options["kind"]),
                    dry_run=options["dry_run"],
                )
            except Refused as refused:
                faults = [fault for faults in refused.errors.values() for fault in faults]
                raise CommandError(" ".join(faults) or refused.message) from None
            except KeyboardInterrupt:
                bar.close()
                self.stderr.write("Stopped. Imported notes are kept; run the command again to continue.")
                raise
        self._report(done, options)

    def _user(self, name: str | None, team: str) -> User:
        if name:
            user = User.objects.filter(username=name, is_active=True).first()
            if user is None:
                raise CommandError(f"There is no account '{name}'.")
            return user
        leads = Membership.objects.filter(team__slug=team, level=Level.LEAD, user__is_active=True)
        first = leads.select_related("user").order_by("pk").first()
        if first is None:
            raise CommandError(f"There is no team '{team}', or it has no lead: name an account with --user.")
        return first.user

    def _report(self, done: ImportedNotes, options: dict[str, Any]) -> None:
        reasons: dict[str, list[str]] = defaultdict(list)
        for name, why in done.skipped:
            reasons[why].append(name)
        for why, names in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
            shown = names if options["verbosity"] > 1 else names[:NAMED]
            more = f" and {len(names) - len(shown):,} more" if len(names) > len(shown) else ""
            self.stdout.write(f"  skipped, {why}: {', '.join(shown)}{more}")
        if done.waiting:
            self.stdout.write(f"  the embedder is down: {done.waiting:,} are embedded later by the sweep")
        created = "would be created" if options["dry_run"] else "created"
        self.stdout.write(f"{done.created:,} {created}, {done.unchanged:,} unchanged, {len(done.skipped):,} skipped.")


def _show(bar: Any, read: int, total: int) -> None:
    bar.total = total
    bar.update(read - bar.n)
