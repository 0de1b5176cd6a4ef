"""How long a lead waits for the effect of a suggested edit: the recorded questions, ranked with and without it."""

from collections.abc import Sequence
from datetime import datetime
from time import perf_counter
from typing import Any

from accounts.actions.members import member_of
from accounts.models import User
from knowledge.models import Insight
from knowledge.review.proposals.actions.propose import propose
from knowledge.review.proposals.actions.replay import replay
from sessions_app.lab.metrics.tables import Table

# What the edit adds, so that the changed text has another vector and other words.
ADDED = "It also holds for a webhook that is sent again."


def time_replay(*, lead: User, now: datetime) -> dict[str, Any]:
    """Seconds of one replay, as the worker runs it, over the questions that were asked before: at most the newest 200.
    `reports`: how often it said how far it was.
    """
    member = member_of(user=lead)
    row = Insight.objects.visible_to(member).retrievable().order_by("-pk")[0]
    changes = {"body": f"{row.body} {ADDED}"}
    proposal, _ = propose(ref=row.ref, changes=changes, note="For the benchmark.", by=member, now=now)
    reports: list[int] = []

    def report(done: int, total: int) -> bool:
        reports.append(done)
        return True

    begun = perf_counter()
    found = replay(proposal_id=proposal.pk, by=member, now=now, progress=report)
    seconds = perf_counter() - begun
    return {"questions": found.replayed, "recorded": found.recorded, "seconds": seconds, "reports": len(reports)}


def table(sizes: Sequence[dict[str, Any]]) -> Table:
    columns = ["insights", "questions replayed", "of recorded", "seconds", "reports of progress"]
    rows = [
        [
            f"{one['insights']:,}",
            str(one["replay"]["questions"]),
            f"{one['replay']['recorded']:,}",
            f"{one['replay']['seconds']:.1f}",
            str(one["replay"]["reports"]),
        ]
        for one in sizes
    ]
    return Table("Effect of a suggested edit", columns, rows)
