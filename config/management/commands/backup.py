"""`manage.py backup [FILE]`: dump everything into one file, which is restored, compared and audited before it counts.

The file may be an object in S3; then the stored object is read back and restored.
"""

import argparse
import time

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config.database.backup import BackupFailed, altered, dump, faults_in, restored
from config.database.backup_record import record_backup, record_failure
from config.database.backup_stores import at_hand, place, written


class Command(BaseCommand):
    help = "Back up the database to FILE, then verify the backup: restore it to a temporary database and audit that."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "file", nargs="?", help="a path, or s3://BUCKET/FOLDER/NAME.dump; by itself named for today in LOAM_BACKUP"
        )
        parser.add_argument("--unchecked", action="store_true", help="skip the verification; such a one does not count")

    def handle(self, *, file: str | None, unchecked: bool, **options: object) -> None:
        began = timezone.now()
        if not file and not settings.LOAM_BACKUP:
            raise CommandError("Name a FILE, or set LOAM_BACKUP to a folder or s3://BUCKET/FOLDER.")
        to = file or f"{settings.LOAM_BACKUP}/loam-{began:%Y-%m-%d-%H%M}.dump"
        try:
            size = self._back_up(to, verify=not unchecked)
        except CommandError as error:
            record_failure(str(error), began=began, now=timezone.now())
            raise
        if not unchecked:
            record_backup(to, began=began, now=timezone.now(), size=size)

    def _back_up(self, file: str, *, verify: bool) -> int:
        """Return its size in bytes. Raises CommandError."""
        began = time.perf_counter()
        try:
            to = place(file)
            with written(to) as local:
                size = dump(local)
            self.stdout.write(f"{file}: {size / 1e6:,.1f} MB in {time.perf_counter() - began:.1f} s")
            if not verify:
                return size
            began = time.perf_counter()
            with at_hand(to) as found, restored(found) as name:
                changed, faults = altered(name, found), faults_in(name, now=timezone.now())
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
        return size
