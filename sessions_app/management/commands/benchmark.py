"""`manage.py benchmark`: how fast Loam answers on this machine, by the size of its memory."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.rules.refused import Refused
from knowledge.adapters.embedder import EmbedderDown
from sessions_app.actions.benchmark import Wanted, benchmark
from sessions_app.management.commands.evaluate import Bars


class Command(BaseCommand):
    help = "Measure deposits and questions over HTTP, in throw-away databases filled with made-up insights."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sizes", type=counts, default="1000,10000,100000", help="how many insights, with commas")
        parser.add_argument("--queries", type=count, default="300", help="questions by one caller (300)")
        parser.add_argument("--clients", type=count, default="16", help="callers at once (16)")
        parser.add_argument(
            "--passages", type=count, default=0, help="passages of conversations, compared with none of them (none)"
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there")
        parser.add_argument("--keep", action="store_true", help="leave the databases behind, and say their names")

    def handle(self, *args: Any, **options: Any) -> None:
        with Bars() as bars:
            wanted = Wanted(
                **{name: options[name] for name in ("sizes", "queries", "clients", "passages", "keep")},
                now=timezone.now(),
                cache=settings.VAR / "cache",
                progress=bars.show,
            )
            try:
                outcome = benchmark(wanted=wanted)
            except Refused as refused:
                raise CommandError(refused.message) from None
            except EmbedderDown as down:
                raise CommandError(f"Nothing can be embedded: {down}") from None
        if options["json"]:
            options["json"].parent.mkdir(parents=True, exist_ok=True)
            options["json"].write_text(json.dumps(outcome.figures, indent=2) + "\n")
        self.stdout.write("\n\n".join(table.markdown for table in outcome.tables))
        for size in outcome.figures["sizes"]:
            if size["database"]:
                self.stdout.write(f"Kept: {size['database']}")


def count(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"'{text}' is not a number from 1 on")
    return int(text)


def counts(text: str) -> list[int]:
    return [count(part.strip()) for part in text.split(",")]
