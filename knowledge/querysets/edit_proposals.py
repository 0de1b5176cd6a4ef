"""SQL of suggested edits."""

from collections.abc import Sequence
from typing import Any, Self

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Value, When

from accounts.querysets import TeamScoped
from accounts.rules.rights import Member
from accounts.statements import BindParam
from knowledge.querysets.contributors import Contributed
from knowledge.rules.vocabulary import Status


class EditProposalQuerySet(Contributed, TeamScoped):
    """One goes out of sight with its insight, and while that is in another team."""

    # Those that somebody else than who proposed them approves (`EditProposal.needs_reviewer`).
    _NEEDS_REVIEWER = Q(team__second_reviewer=True) & (
        Q(insight__status=Status.PROMOTED) | Q(act="merge", other__status=Status.PROMOTED)
    )

    def visible_to(self, member: Member) -> Self:
        found = super().visible_to(member).filter(insight__team_id=F("team_id"))
        return found.filter(insight__forgotten_at__isnull=True, insight__quarantined_at__isnull=True)

    def unsettled(self) -> Self:
        """Those still to be decided: open, or sent back to who proposed them."""
        return self.filter(state__in=("open", "changes requested"))

    def awaiting(self, member: Member, led: Sequence[int] | BindParam, snoozed: QuerySet[Any]) -> Self:
        """Those that wait for the member: open ones of the teams they lead and of their own drafts; and their own that
        were sent back. The oldest first. What is `snoozed` by a lead waits for no lead; whose draft it is sees it all
        the same.
        """
        alone = {"insight__status": Status.DRAFT, "insight__people": 1, "insight__pinned": False}
        own_draft = Q(insight__author_id=member.user_id, act="edit", **alone)
        as_lead = Q(team_id__any=led) & ~Exists(snoozed.filter(proposal=OuterRef("pk")))
        own_draft &= ~Q(team_id__any=led)
        waits = self.filter(as_lead | own_draft, state="open", insight__superseded_by__isnull=True)
        waits = waits.exclude(self._NEEDS_REVIEWER, proposed_by_id=member.user_id, proposed_by__isnull=False)
        mine = Q(state="changes requested", proposed_by_id=member.user_id)
        return self.filter(Q(pk__in=waits.order_by().values("pk")) | mine).order_by("proposed_at", "pk")

    def raised(self) -> Self:
        """Those sent back wait for who proposed them, one by one."""
        sent = Q(state="open")
        name = Case(When(sent, then=F("proposed_by__username")))
        return self.alias(raiser=Case(When(sent, then=F("proposed_by"))), raisers_name=name)

    def asleep(self, led: Sequence[int] | BindParam, snoozed: QuerySet[Any]) -> Self:
        """The open ones of teams one leads that one of these states of the inbox is of."""
        found = self.filter(Exists(snoozed.filter(proposal=OuterRef("pk"))), team_id__any=led, state="open")
        return found.filter(insight__superseded_by__isnull=True).order_by("inbox_state__snoozed_until", "pk")

    def assigned_to(self, user_id: int | None) -> Self:
        """As of insights."""
        return self.filter(inbox_state__assignee=user_id)

    def mentioned_in(self, mentions: QuerySet[Any]) -> Self:
        """Those with a comment that one of these mentions is in. The oldest first."""
        return self.filter(pk__in=mentions.values("comment__proposal")).order_by("proposed_at", "pk")

    def of_owner(self, user_id: int) -> Self:
        """Those on insights that a user owns, themselves or with their topic."""
        return self.filter(Q(insight__owner_id=user_id) | Q(insight__topic__owner_id=user_id))

    def whole(self) -> Self:
        """With all that a page shows."""
        related = ("insight__team", "insight__author", "other__team", "proposed_by", "settled_by")
        planned = ("inbox_state__assignee", "inbox_state__snoozed_by")
        return self.select_related(*related, *planned).prefetch_related("insight__anchors")

    def tabbed(self, tab: str, most: int) -> "QuerySet[Any, tuple[Any, ...]]":
        """As of insights: (tab,) for each, at most one more than `most`."""
        return self.order_by().annotate(tab=Value(tab)).values_list("tab")[: most + 1]
