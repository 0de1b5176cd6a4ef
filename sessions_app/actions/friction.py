"""Friction: what keeps going wrong, and where, from what sessions reported and what the team knows."""

from collections import defaultdict
from datetime import datetime, timedelta

from accounts.rules.rights import Member
from knowledge.errors.rules.fingerprint import RECIPE
from knowledge.models import Insight
from sessions_app.models import SessionEvent
from sessions_app.rules.friction import DAYS, FrictionReport, Met, report

# Errors that are looked at; the report names fewer. A team that meets more kinds in a month needs no list.
MOST_MET = 500


def friction(*, by: Member, now: datetime, repo: str = "", days: int = DAYS) -> FrictionReport:
    """The recurring errors of the last days that are unresolved, of one repo or of all the member sees. Two statements.

    Fingerprints of another recipe are not compared with today's, and left out.
    """
    events = SessionEvent.objects.all().visible_to(by).errors(repo, now - timedelta(days=days))
    met = [
        Met(
            fingerprint=row["fingerprint"],
            template=row["template"],
            count=row["count"],
            sessions=row["sessions"],
            people=row["people"],
            first_at=row["first_at"],
            last_at=row["last_at"],
            overcome=row["mended"],
            last_open=row["last_open"],
            paths=tuple(row["paths"]),
            repos=tuple(row["repos"]),
        )
        for row in events.by_fingerprint(RECIPE)[:MOST_MET]
    ]
    return report(met, _insights_by_fingerprint(met, by))


def _insights_by_fingerprint(met: list[Met], by: Member) -> dict[str, list[str]]:
    """Fingerprint → references of the insights on it that can be retrieved."""
    known: dict[str, list[str]] = defaultdict(list)
    if not met:
        return known
    digests = [one.fingerprint for one in met]
    rows = Insight.objects.visible_to(by).retrievable().with_error(digests)
    for digest, ref in rows.values_list("anchors__value", "ref").order_by("pk"):
        known[digest].append(ref)
    return known
