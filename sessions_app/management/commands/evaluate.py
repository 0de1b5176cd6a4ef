"""`manage.py evaluate SUITE --data DIR`: the quality of answers, measured in a temporary database."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.rules.refused import Refused
from knowledge.adapters.embedder import EmbedderDown
from sessions_app.lab.metrics.qrels import LAYOUTS, OF_RECORD
from sessions_app.lab.suites.run import SUITES, SuiteRequest, evaluate
from sessions_app.management.progress import Bars


class Command(BaseCommand):
    help = "Measure quality on labelled data sets in a temporary database, through Loam's own write and query path."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("suite", choices=SUITES, help=" ".join(f"{name}: {_says(name)}" for name in SUITES))
        parser.add_argument("--data", default=Path(), type=Path, metavar="DIR", help="folder of the data sets (.)")
        parser.add_argument(
            "--sets",
            default="",
            metavar="NAMES",
            help=f"of {', '.join(LAYOUTS)}, comma-separated; default: {', '.join(OF_RECORD)}",
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
        parser.add_argument(
            "--cache",
            type=Path,
            metavar="FOLDER",
            default=settings.VAR / "cache",
            help="cache folder for vectors (var/cache)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        sets = [name.strip() for name in options["sets"].split(",") if name.strip()]
        with Bars() as bars:
            wanted = SuiteRequest(data=options["data"], now=timezone.now(), progress=bars.show, sets=sets)
            try:
                outcome = evaluate(suite=options["suite"], wanted=wanted, cache=options["cache"])
            except Refused as refused:
                raise CommandError(refused.message) from None
            except EmbedderDown as down:
                raise CommandError(f"The embedder is down: {down}") from None
        if options["json"]:
            options["json"].parent.mkdir(parents=True, exist_ok=True)
            options["json"].write_text(json.dumps(outcome.figures, indent=2) + "\n")
        self.stdout.write("\n\n".join(table.markdown for table in outcome.tables))
        if outcome.missed:
            raise CommandError(f"Missed: {'; '.join(outcome.missed)}.")


def _says(name: str) -> str:
    return (SUITES[name].__doc__ or "").strip()
