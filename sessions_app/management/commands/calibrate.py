"""`manage.py calibrate`: from which closeness on a deposit asks, with the embedder in use."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.rules.refused import Refused
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.judging.adapters.calibration import current as calibration
from sessions_app.lab.calibrate import calibrate
from sessions_app.management.progress import Bars


class Command(BaseCommand):
    """Prints; what it finds holds once it stands in LOAM_CALIBRATION, or in CALIBRATIONS of knowledge/rules/dedup."""

    help = "Measure the embedder's similarity thresholds on notes about different subjects."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder that contains corpus/")

    def handle(self, *, data: Path, **options: Any) -> None:
        try:
            with Bars() as bars:
                made = calibrate(data=data, embedder=current(), progress=bars.show)
        except Refused as refused:
            raise CommandError(refused.message) from None
        except EmbedderDown as down:
            raise CommandError(f"The embedder is down: {down}") from None
        now = calibration()
        self.stdout.write(f"measured  asked {made.asked}, paired {made.paired}")
        self.stdout.write(f"in use    asked {now.asked}, paired {now.paired}")
        self.stdout.write(f"on        {made.record}")
        name = current().name.partition("@")[0]
        self.stdout.write(f"LOAM_CALIBRATION={name}={made.band}:{made.asked}:{made.paired}")
