"""`manage.py restore FILE`: replace the database by a backup, after checking it."""

import argparse
import time

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config.database.backup import BackupFailed, altered, faults_in, restored, take_its_place
from config.database.backup_stores import at_hand, place


class Command(BaseCommand):
    """Nothing changes until the very end; then the previous database is kept under another name."""

    help = (
        "Restore FILE to a new database, compare and audit it, and replace the live database. Stop web, worker and "
        "beat first."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", help="a path, or s3://BUCKET/FOLDER/NAME.dump")
        parser.add_argument("--check", action="store_true", help="restore, compare and audit only; change nothing")
        parser.add_argument("--despite-faults", action="store_true", help="restore even if the audit finds errors")

    def handle(self, *, file: str, check: bool, despite_faults: bool, **options: object) -> None:
        began = time.perf_counter()
        try:
            with at_hand(place(file)) as found, restored(found) as name:
                self.stdout.write(f"restored to a new database in {time.perf_counter() - began:.1f} s")
                began = time.perf_counter()
                faults = altered(name, found)
                faults += [f"{fault.check.value}: {fault}" for fault in faults_in(name, now=timezone.now())]
                for fault in faults:
                    self.stderr.write(fault)
                self.stdout.write(f"compared and audited in {time.perf_counter() - began:.1f} s: {len(faults)} errors")
                if check and faults:
                    raise CommandError("The backup has errors. Nothing was changed.")
                if check:
                    return
                if faults and not despite_faults:
                    raise CommandError("Nothing was changed. Use --despite-faults to restore anyway.")
                before = take_its_place(name, now=timezone.now())
        except (BackupFailed, OSError) as error:
            raise CommandError(f"Nothing was changed: {error}") from error
        self.stdout.write(f"Restored. The previous database is kept as {before}: drop it when you no longer need it.")
