"""`manage.py backup FILE`: everything into one file, which is restored, compared and audited before it counts."""

import argparse
import time
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config.backup import BackupFailed, altered, dump, faults_in, restored


class Command(BaseCommand):
    help = "Write everything into FILE, as of one moment; then restore it beside, audit that, and drop it again."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--unchecked", action="store_true", help="do not restore and audit it")

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
            raise CommandError("It is written, and does not hold the rows that there were: make it again.")
        if faults:
            raise CommandError("It is written, but what it holds has faults: so has the live one (manage.py doctor).")
        self.stdout.write(f"restored beside, compared and audited in {time.perf_counter() - began:.1f} s: no faults")
