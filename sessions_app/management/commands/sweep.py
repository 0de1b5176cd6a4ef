"""`manage.py sweep NAME`: run by hand, and at once, what beat runs by the clock."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.actions import sweeps as accounts
from accounts.models import JobRun, Team
from knowledge.evidence.actions import sweeps as evidence
from knowledge.jobs.actions import sweeps as knowledge
from sessions_app.actions import sweeps as sessions
from skills.actions import sweeps as skills

NAMES = sorted([*accounts.SWEEPS, *knowledge.SWEEPS, *evidence.SWEEPS, *sessions.SWEEPS, *skills.SWEEPS])


class Command(BaseCommand):
    help = "Run a sweep now. The run is recorded like a scheduled one; sweeps are idempotent."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
        parser.add_argument(
            "--force",
            action="append",
            default=[],
            metavar="TEAM",
            help="team in which fade may exceed its limit of deprecations; can be repeated",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name, force = options["name"], options["force"]
        if force and name != "fade":
            raise CommandError("--force is only for fade.")
        known = set(Team.objects.filter(slug__in=force).values_list("slug", flat=True))
        for slug in force:
            if slug not in known:
                raise CommandError(f"There is no team '{slug}'.")
        if name in evidence.SWEEPS:
            run = evidence.sweep(name, clock=timezone.now)
        elif name in sessions.SWEEPS:
            run = sessions.sweep(name, clock=timezone.now)
        elif name in skills.SWEEPS:
            run = skills.sweep(name, clock=timezone.now)
        elif name in accounts.SWEEPS:
            run = accounts.sweep(name, clock=timezone.now)
        else:
            run = knowledge.sweep(name, clock=timezone.now, force=force)
        counts = ", ".join(f"{count:,} {what}" for what, count in run.counts.items()) or "nothing to do"
        self.stdout.write(f"{name}: {counts}.")
        if run.outcome == JobRun.Outcome.STOPPED:
            raise CommandError(f"Stopped: {run.detail}")
        if run.detail:
            self.stderr.write(run.detail)
