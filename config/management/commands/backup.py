"""`manage.py backup FILE`: everything into one file, which is restored, compared and audited before it counts."""

import argparse
import time
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config.database.backup import BackupFailed, altered, dump, faults_in, restored


class Command(BaseCommand):
    help = "Back up the database to FILE, then verify the backup: restore it to a temporary database and audit that."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--unchecked", action="store_true", help="skip the verification")

    def handle(self, *, file: Path, unchecked: bool, **options: object) -> None:
        began = time.perf_counter()
        try:
            size = dump(file)
            self.stdout.write(f"{file}: {size / 1e6:,.1f} MB in {time.perf_counter() - began:.1f} s")
            if unchecked:
                return
            began = time.perf_counter()
            with restored(file) as name:
                changed, faults = altered(name, file), faults_in(name, now=timezone.now())
        except (BackupFailed, OSError) as error:
            raise CommandError(str(error)) from error
        for line in [*changed, *(f"{fault.check.value}: {fault}" for fault in faults)]:
            self.stderr.write(line)
        if changed:
            raise CommandError("The backup was written, but its rows differ from the database: make it again.")
        if faults:
            raise CommandError(
                "The backup was written, but its data has errors; so has the live database (manage.py doctor)."
            )
        self.stdout.write(
            f"restored to a temporary database, compared and audited in {time.perf_counter() - began:.1f} s: no errors"
        )
