"""`manage.py reembed`: everything's vectors by the model that LOAM_EMBEDDER names now."""

import sys
import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from knowledge.adapters.embedder import EmbedderDown
from sessions_app.actions.reembed import reembed

# Seconds after which web and worker know that the store is of another model: they look every two.
NOTICED = 5.0


class Command(BaseCommand):
    help = (
        "Embed everything again with the model of LOAM_EMBEDDER, then switch. Web and worker keep using the old model "
        "until then; restart them with the new setting right after."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        with tqdm(unit=" texts", disable=not sys.stderr.isatty(), leave=False) as bar:

            def progress(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            try:
                done = reembed(folder=settings.VAR / "reembed", progress=progress, wait=lambda: time.sleep(NOTICED))
            except EmbedderDown as down:
                raise CommandError(f"Nothing was changed: {down}") from down
        self.stdout.write(f"{done.changed:,} vectors are of {done.model} now.")
        if done.changed:
            self.stdout.write(
                "Restart web and worker with the same LOAM_EMBEDDER: until then they search by keyword only."
            )
