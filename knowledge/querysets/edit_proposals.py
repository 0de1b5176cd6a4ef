"""Queries for suggested edits."""

from collections.abc import Sequence
from typing import Any, Self

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Value, When

from accounts.querysets import TeamScoped
from accounts.rules.rights import Member
from accounts.statements import BindParam
from knowledge.querysets.contributors import Contributed
from knowledge.rules.vocabulary import Status


class EditProposalQuerySet(Contributed, TeamScoped):
    """Suggested edits. One is hidden with its insight, and while that is in another team."""

    # Proposals that somebody other than the proposer must approve (`EditProposal.needs_reviewer`).
    _NEEDS_REVIEWER = Q(team__second_reviewer=True) & (
        Q(insight__status=Status.PROMOTED) | Q(act="merge", other__status=Status.PROMOTED)
    )

    def visible_to(self, member: Member) -> Self:
        found = super().visible_to(member).filter(insight__team_id=F("team_id"))
        return found.filter(insight__forgotten_at__isnull=True, insight__quarantined_at__isnull=True)

    def unsettled(self) -> Self:
        """Return the undecided proposals: open, or sent back to the proposer."""
        return self.filter(state__in=("open", "changes requested"))

    def awaiting(self, member: Member, led: Sequence[int] | BindParam, snoozed: QuerySet[Any]) -> Self:
        """Return the proposals that wait for the member, the oldest first: open ones of teams the member leads, open
        ones about the member's own drafts, and the member's own that were sent back.

        One that a lead has `snoozed` waits for no lead, but still for the author of the draft.
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
        """Annotate the contributor. Proposals that were sent back have none, because they wait for their proposer one
        by one.
        """
        sent = Q(state="open")
        name = Case(When(sent, then=F("proposed_by__username")))
        return self.alias(raiser=Case(When(sent, then=F("proposed_by"))), raisers_name=name)

    def asleep(self, led: Sequence[int] | BindParam, snoozed: QuerySet[Any]) -> Self:
        """Return the open proposals of the teams the member leads that one of these inbox states snoozes."""
        found = self.filter(Exists(snoozed.filter(proposal=OuterRef("pk"))), team_id__any=led, state="open")
        return found.filter(insight__superseded_by__isnull=True).order_by("inbox_state__snoozed_until", "pk")

    def assigned_to(self, user_id: int | None) -> Self:
        """Return the proposals assigned to a user; None: to nobody."""
        return self.filter(inbox_state__assignee=user_id)

    def mentioned_in(self, mentions: QuerySet[Any]) -> Self:
        """Return the proposals with a comment that one of these mentions is in, the oldest first."""
        return self.filter(pk__in=mentions.values("comment__proposal")).order_by("proposed_at", "pk")

    def of_owner(self, user_id: int) -> Self:
        """Return the proposals about insights that a user owns, directly or through their topic."""
        return self.filter(Q(insight__owner_id=user_id) | Q(insight__topic__owner_id=user_id))

    def whole(self) -> Self:
        """Return the proposals with all that a page shows."""
        related = ("insight__team", "insight__author", "other__team", "proposed_by", "settled_by")
        planned = ("inbox_state__assignee", "inbox_state__snoozed_by")
        return self.select_related(*related, *planned).prefetch_related("insight__anchors")

    def tabbed(self, tab: str, most: int) -> "QuerySet[Any, tuple[Any, ...]]":
        """Return (tab,) for each proposal, at most `most` + 1, as `ModeratedQuerySet.tabbed` does."""
        return self.order_by().annotate(tab=Value(tab)).values_list("tab")[: most + 1]
