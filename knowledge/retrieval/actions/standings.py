"""Look up the records of contributors, which decide whether an unreviewed note may come before a confirmed one."""

from collections.abc import Iterable
from datetime import datetime

from knowledge.models import ContributorStanding, Insight
from knowledge.retrieval.rules.standing import LATELY, MOST_UNREVIEWED, WINDOW, Record
from knowledge.rules.vocabulary import Status

# Count at most this many confirmed notes of a contributor; no rule depends on a larger number.
MOST_COUNTED = max(100, MOST_UNREVIEWED + 1)
Key = tuple[int, int]


def records(keys: Iterable[Key], now: datetime) -> dict[Key, Record]:
    """Return the record of each (team, user), in one statement; an account that is gone has none."""
    standings = ContributorStanding.objects.all()
    rows = standings.records(keys, since=now - WINDOW, lately=now - LATELY, most=MOST_COUNTED)
    return {
        (team, user): Record(name, rejected, accepted, confirmed, unreviewed, dict(zip(claims, nths, strict=True)))
        for team, user, name, rejected, accepted, confirmed, unreviewed, claims, nths, _ in rows
    }


def why_not_first(insight: Insight, against: Iterable[int], now: datetime) -> str:
    """Return why an unreviewed insight does not come before confirmed ones of others; "" if it may. `against`: the ids
    of the other sides of its open pairs.
    """
    if is_confirmed(insight) or insight.superseded_by_id or not insight.author_id:
        return ""
    known = records([(insight.team_id, insight.author_id)], now)
    found = [
        record.why_not_trusted or next(filter(None, map(record.why_not_before, against)), "")
        for record in known.values()
    ]
    return "".join(found)


def is_confirmed(insight: Insight) -> bool:
    """Return whether the team has confirmed the insight: it is promoted or pinned."""
    return insight.status == Status.PROMOTED or insight.pinned
