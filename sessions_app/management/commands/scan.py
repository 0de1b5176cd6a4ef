"""`manage.py scan`: hold the guard, as it is today, against everything that is stored."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from accounts.actions.jobs import run_job
from knowledge.models import Quarantined
from sessions_app.actions.scan import scan_all


class Command(BaseCommand):
    help = "Scan all stored texts for secrets: quarantine insights, mask other texts."

    def handle(self, *args: Any, **options: Any) -> None:
        run = run_job(
            name="knowledge.scan", work=lambda: scan_all(now=timezone.now(), progress=self._say), clock=timezone.now
        )
        counts = run.counts
        self.stdout.write(
            f"{counts['scanned']:,} rows scanned, {counts['quarantined']:,} insights put into quarantine, "
            f"{counts['masked']:,} other texts masked."
        )
        waiting = Quarantined.objects.all().quarantined().count()
        if waiting:
            self.stdout.write(f"{waiting:,} quarantined insights await review by a lead.")

    def _say(self, what: str, done: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"{what}: {done:,}", ending="\r")
