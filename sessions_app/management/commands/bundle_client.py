"""`manage.py bundle_client`: put the guard's rules as they are now into the client's one file."""

from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser

from sessions_app.actions.bundle import bundled
from sessions_app.adapters.client_file import PLACE


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="only say whether they differ")

    def handle(self, *args: Any, **options: Any) -> None:
        whole = bundled()
        if options["check"]:
            if whole != PLACE.read_text(encoding="utf-8"):
                raise CommandError("The client's guard is not the server's: run `manage.py bundle_client`.")
            return
        PLACE.write_text(whole, encoding="utf-8")
        self.stdout.write(f"{PLACE.name}: {len(whole.splitlines())} lines")
