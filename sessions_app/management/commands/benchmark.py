"""`manage.py benchmark`: how fast Loam answers on this machine, by the size of its memory."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.rules.refused import Refused
from knowledge.adapters.embedder import EmbedderDown
from sessions_app.lab.benchmark.benchmark import BenchmarkRequest, benchmark
from sessions_app.lab.benchmark.compare import comparable, compared, grown
from sessions_app.lab.benchmark.expected import expected
from sessions_app.lab.benchmark.reembedding import time_reembedding
from sessions_app.lab.metrics.outlook import Outlook
from sessions_app.management.progress import Bars


class Command(BaseCommand):
    help = "Measure deposits and queries over HTTP, in temporary databases with synthetic insights."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--sizes", type=counts, default="1000,10000,100000", help="numbers of insights, comma-separated"
        )
        parser.add_argument("--queries", type=count, default="300", help="number of queries by one client (300)")
        parser.add_argument("--clients", type=count, default="16", help="number of concurrent clients (16)")
        parser.add_argument(
            "--passages", type=count, default=0, help="also measure with this many passages of conversations (none)"
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
        parser.add_argument(
            "--afresh", action="store_true", help="use nothing of a run that was cut off, which is otherwise continued"
        )
        parser.add_argument(
            "--compare",
            type=Path,
            metavar="FILE",
            help="compare with the figures that --json wrote; fail where a query takes more CPU",
        )
        parser.add_argument(
            "--most-growth", type=count, default="15", metavar="PERCENT", help="by more than this, with --compare (15)"
        )
        parser.add_argument(
            "--reembed", action="store_true", help="measure a change of the embedding model instead (manage.py reembed)"
        )
        parser.add_argument("--keep", action="store_true", help="keep the databases and print their names")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["reembed"]:
            self._reembed(options["sizes"], options["json"])
            return
        earlier = figures_of(options["compare"]) if options["compare"] else None
        with Bars(Outlook(expected(options["sizes"]))) as bars:
            wanted = BenchmarkRequest(
                **{name: options[name] for name in ("sizes", "queries", "clients", "passages", "keep", "afresh")},
                now=timezone.now(),
                cache=settings.VAR / "cache",
                progress=bars.show,
            )
            try:
                outcome = benchmark(wanted=wanted)
            except Refused as refused:
                raise CommandError(refused.message) from None
            except EmbedderDown as down:
                raise CommandError(f"The embedder is down: {down}") from None
        if options["json"]:
            options["json"].parent.mkdir(parents=True, exist_ok=True)
            options["json"].write_text(json.dumps(outcome.figures, indent=2) + "\n")
        self.stdout.write("\n\n".join(table.markdown for table in outcome.tables))
        for size in outcome.figures["sizes"]:
            if size["database"]:
                self.stdout.write(f"Kept: {size['database']}")
        if earlier is not None:
            self._compare(earlier, outcome.figures, options["most_growth"])

    def _reembed(self, sizes: list[int], file: Path | None) -> None:
        with Bars() as bars:
            try:
                found = [
                    time_reembedding(size=size, now=timezone.now(), cache=settings.VAR / "cache", progress=bars.show)
                    for size in sizes
                ]
            except (Refused, EmbedderDown) as why:
                raise CommandError(str(why)) from None
        text = json.dumps(found, indent=2) + "\n"
        self.stdout.write(text)
        if file:
            file.write_text(text)

    def _compare(self, before: dict[str, Any], after: dict[str, Any], percent: int) -> None:
        """Print the ratios. Raises CommandError where a query costs more, or nothing can be compared."""
        self.stdout.write("\n" + compared(before, after).markdown)
        if not comparable(before, after):
            raise CommandError("No size is measured in both runs with the CPU of a query.")
        if more := grown(before, after, most=percent / 100):
            raise CommandError(f"More than {percent} % slower: {'; '.join(more)}.")


def figures_of(file: Path) -> dict[str, Any]:
    """What --json wrote to a file. Raises CommandError."""
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise CommandError(f"Cannot read {file}: {error}") from None
    if not isinstance(found, dict) or not isinstance(found.get("sizes"), list):
        raise CommandError(f"{file} has no figures of a benchmark.")
    return found


def count(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"'{text}' is not a number of at least 1")
    return int(text)


def counts(text: str) -> list[int]:
    return [count(part.strip()) for part in text.split(",")]
