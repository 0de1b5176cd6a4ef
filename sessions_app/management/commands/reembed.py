"""`manage.py reembed`: everything's vectors by the model that LOAM_EMBEDDER names now."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from knowledge.adapters.embedder import EmbedderDown
from sessions_app.actions.reembed import CannotReembed, cancel, reembed, texts
from sessions_app.lab.metrics.outlook import ExpectedStep, Outlook
from sessions_app.management.progress import Bars

# Seconds for each text: its vector, and its place in the graph.
TO_EMBED, TO_INDEX = 0.02, 0.0012


class Command(BaseCommand):
    help = (
        "Embed everything again with the model of LOAM_EMBEDDER, then switch. Web and worker keep using the old model "
        "until then; restart them with the new setting right after. If interrupted, run it again: it resumes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--no-switch", action="store_true", help="prepare everything, and switch when run again without this"
        )
        parser.add_argument("--cancel", action="store_true", help="give up a change that has not switched yet")
        parser.add_argument("--threads", type=int, default=1, help="threads that make vectors (1)")
        parser.add_argument(
            "--index-memory", type=int, default=0, metavar="MB", help="memory for building an index (as much as needed)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["cancel"]:
                self.stdout.write(f"The change to {cancel()} is given up; nothing in use has changed.")
                return
            with Bars(Outlook(expected(texts()))) as bars:
                done = reembed(
                    progress=bars.show,
                    switch=not options["no_switch"],
                    threads=options["threads"],
                    megabytes=options["index_memory"],
                )
        except CannotReembed as refused:
            raise CommandError(refused.message) from None
        except EmbedderDown as down:
            raise CommandError(f"Nothing in use has changed; run it again to resume. {down}") from down
        if done.failed:
            self.stdout.write(f"{done.failed:,} texts cannot be embedded with {done.model}: they have no vector.")
        if not done.switched:
            self.stdout.write(f"{done.changed:,} vectors of {done.model} are made. Run it again to switch.")
            return
        self.stdout.write(f"{done.changed:,} vectors are of {done.model} now.")
        if done.changed:
            self.stdout.write(
                "Restart web and worker with the same LOAM_EMBEDDER: until then they search by keyword only."
            )


def expected(counts: dict[str, int]) -> list[ExpectedStep]:
    """The steps that take long, in their order."""
    return [
        *(ExpectedStep(f"vectors of {name}", count * TO_EMBED) for name, count in counts.items()),
        ExpectedStep("index insight_near", counts["insights"] * TO_INDEX),
        ExpectedStep("index passage_nearest", counts["passages"] * TO_INDEX),
    ]
