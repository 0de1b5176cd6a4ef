"""Withdraw: erase an undecided proposal with its passage, in the transaction that removes the passage.

It is erased for good, unlike an insight that a lead forgets: the words were never the team's.
"""

from collections.abc import Sequence
from datetime import datetime

from accounts.models import Team
from knowledge.models import Insight
from knowledge.querysets.insights import InsightQuerySet
from knowledge.review.actions.forget import take_out
from sessions_app.models import Quotation

WITHDRAWN = "Its conversation is no longer shared with the team."


def undecided() -> InsightQuerySet:
    """Return the proposals that nobody has edited, moved or decided on. After any of these acts a proposal stays."""
    rows: InsightQuerySet = Insight.objects.all().retrievable().proposed().filter(revision=1)
    return rows


def hold_teams(user_ids: Sequence[int]) -> None:
    """Lock the teams that have proposals from conversations of these people. Every change of an insight locks teams
    first, so this comes before any other lock. The caller withdraws in the same transaction.
    """
    rows = undecided().filter(quotations__session__user__in=user_ids).order_by()
    teams = Team.objects.filter(pk__in=rows.values("team_id"))
    list(teams.select_for_update(no_key=True).order_by("pk").values_list("pk"))


def withdraw_proposals_of(user_ids: Sequence[int], *, now: datetime) -> int:
    """Erase the proposals from conversations of these people whose passage their team can no longer read; return how
    many.

    Runs in the caller's transaction, after `hold_teams`.
    """
    rows = undecided().filter(quotations__session__user__in=user_ids).distinct().select_related("team")
    return sum(withdraw(row, now=now) for row in rows.order_by("pk"))


def withdraw(row: Insight, *, now: datetime) -> bool:
    """Erase a proposal unless its team reads the passage that it quotes; return whether it was erased."""
    if Quotation.objects.filter(insight=row, passage__team_id=row.team_id).exists():
        return False
    take_out(ref=row.ref, why=WITHDRAWN, now=now)
    return True
