"""The nightly sweep: faded insights move one status down, unless too many would at once."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from accounts.actions.jobs import Items, Work
from accounts.models import Team
from accounts.rules.rights import SYSTEM
from knowledge.lifecycle.rules.lifecycle import over_budget
from knowledge.models import Insight
from knowledge.rules.vocabulary import Status


def fade(*, now: datetime, force: Collection[str] = ()) -> Work:
    """Deprecate and archive the insights that have crossed their threshold, team by team.

    A team is left unchanged and reported if more than a fifth of its promoted insights, and more than three, would
    fall, unless its slug is in `force`. A second run changes nothing more.
    """
    fallen: Counter[str] = Counter()
    asked, items = [], Items("fade")
    for team_id in Insight.objects.all().due(now).values_list("team_id", flat=True).distinct().order_by():
        team = Team.objects.get(pk=team_id)
        due = Insight.objects.of_teams([team_id]).due(now)
        falling = due.filter(status=Status.PROMOTED).count()
        promoted = Insight.objects.of_teams([team_id]).filter(status=Status.PROMOTED, retrievable=True).count()
        if over_budget(falling, promoted) and team.slug not in force:
            asked.append(f"{team.slug}: {falling} of {promoted} promoted would be deprecated")
            continue
        for pk, ref in items.each(list(due.values_list("pk", "ref"))):
            with items.guard(ref):
                fallen[_fade_one(pk, now)] += 1
    fallen.pop("", None)
    why = "; ".join(asked)
    done = items.work(dict(fallen))
    return replace(done, stopped=f"{why}. Review them, then run: manage.py sweep fade --force TEAM") if why else done


@transaction.atomic
def _fade_one(pk: int, now: datetime) -> str:
    """Return the status it fell to, or "". One transaction per row: a sweep that is killed keeps what it has done."""
    row = Insight.objects.select_for_update(no_key=True, of=("self",)).filter(pk=pk).due(now).first()
    return str(row.status) if row is not None and row.fade(by=SYSTEM, at=now) else ""
