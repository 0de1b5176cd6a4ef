"""`manage.py calibrate`: the cosines that write-or-merge needs to know of an embedder, from labelled pairs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.rules.refused import Refused
from knowledge.actions.calibrate import calibrate, retrain
from knowledge.adapters.calibration import current as calibration
from knowledge.adapters.embedder import EmbedderDown, current
from sessions_app.management.commands.evaluate import Bars


class Command(BaseCommand):
    """Prints; what it finds holds once it stands in LOAM_CALIBRATION, or in CALIBRATIONS of knowledge/rules/dedup."""

    help = "Measure the embedder on labelled pairs: from which cosine on a judge, a person, and nobody is asked."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="where pairs/ and corpus/ lie")
        parser.add_argument("--weights", type=Path, metavar="FILE", help="also train the local judge, into this file")

    def handle(self, *, data: Path, weights: Path | None, **options: Any) -> None:
        try:
            with Bars() as bars:
                made = calibrate(data=data, embedder=current(), progress=bars.show)
                if weights:
                    trained = retrain(data=data, embedder=current(), out=weights, progress=bars.show)
        except Refused as refused:
            raise CommandError(refused.message) from None
        except EmbedderDown as down:
            raise CommandError(f"Nothing can be embedded: {down}") from None
        now = calibration()
        self.stdout.write(f"measured  band {made.band}, queue {made.queue}, fail-safe {made.fail_safe}")
        self.stdout.write(f"in use    band {now.band}, queue {now.queue}, fail-safe {now.fail_safe}")
        self.stdout.write(f"on        {made.record}")
        name = current().name.partition("@")[0]
        self.stdout.write(f"LOAM_CALIBRATION={name}={made.band}:{made.queue}:{made.fail_safe}")
        if weights:
            self.stdout.write(f"{weights}: {trained['right']:.3f} right of {sum(trained['examples'].values()):,} pairs")
