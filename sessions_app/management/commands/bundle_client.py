"""`manage.py bundle_client PATH`: write the client to a file, as `/connect/loam.py` serves it."""

from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandParser

from sessions_app.adapters.client_file import client_file


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path", type=Path, nargs="?", default=Path("loam.py"), help="output file; default: ./loam.py"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        file = client_file()
        options["path"].write_bytes(file.content)
        self.stdout.write(f"{file.sha256}  {options['path']}")
