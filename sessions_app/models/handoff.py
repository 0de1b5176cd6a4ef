"""What a session leaves to the next one."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import models

from accounts.models import Team, User
from accounts.rules.closed import choices
from accounts.rules.rights import Member
from sessions_app.models.session import AgentSession
from sessions_app.querysets import HandoffQuerySet
from sessions_app.rules.vocabulary import HandoffState

# In the place of what was forgotten, or is looked at because there may be a secret in it.
HIDDEN = "(no longer shown)"


class Handoff(models.Model):
    """One a session, written anew by each checkpoint, by the end, or by a recovery.

    `summary`, `note`, `pending` and `blockers` are the agent's own words; `facts` were recorded; `interpretation` was
    concluded from them by rule. `as_of` is the moment it speaks of: by it the latest of a repo is chosen.
    """

    session = models.OneToOneField(AgentSession, on_delete=models.CASCADE, related_name="handoff")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="handoffs")
    repo = models.CharField(max_length=200)
    state = models.CharField(max_length=12, choices=choices(HandoffState))
    completeness = models.FloatField()
    as_of = models.DateTimeField()
    written_at = models.DateTimeField()
    summary = models.TextField(blank=True)
    note = models.TextField(blank=True)
    pending = models.JSONField(default=list, blank=True)
    blockers = models.JSONField(default=list, blank=True)
    topics = models.JSONField(default=list, blank=True)
    decisions = models.JSONField(default=list, blank=True)
    deposits = models.JSONField(default=list, blank=True)
    files = models.JSONField(default=list, blank=True)
    facts = models.JSONField(default=list, blank=True)
    interpretation = models.JSONField(default=list, blank=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    acknowledged_in = models.ForeignKey(
        AgentSession, null=True, blank=True, on_delete=models.SET_NULL, related_name="acknowledged"
    )

    objects = HandoffQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(completeness__gte=0, completeness__lte=1), name="handoff_completeness_0_1"
            )
        ]
        indexes = [models.Index(fields=["team", "repo", "-as_of", "-id"], name="handoff_latest")]

    def __str__(self) -> str:
        return f"handoff of S-{self.session_id}"

    @property
    def refs(self) -> set[str]:
        """Of the insights it tells of."""
        return {one["ref"] for one in (*self.deposits, *self.decisions) if one.get("ref")}

    def without(self, hidden: Collection[str]) -> "Handoff":
        """The same, unsaved, with nothing in it of these insights but that there was one."""
        self.deposits = [{**one, "title": HIDDEN} if one["ref"] in hidden else one for one in self.deposits]
        self.decisions = [
            {**one, "statement": HIDDEN, "reasoning": ""} if one.get("ref") in hidden else one for one in self.decisions
        ]
        return self

    @classmethod
    def write(
        cls,
        session: AgentSession,
        state: HandoffState,
        contents: dict[str, Any],
        *,
        by: Member,
        at: datetime,
        heard: bool = False,
    ) -> "Handoff":
        """Write the session's handoff, in the place of an earlier one. The caller holds the session's row.

        What was acknowledged was the earlier one, so a new one is offered again; unless it says the same (a retry), or
        is `heard`: put together anew from what there was at the acknowledgement.
        """
        earlier = cls.objects.filter(session=session).first()
        if earlier and earlier.state == state and earlier.says(contents):
            return earlier
        old = heard and earlier and earlier.acknowledged_at and session.last_seen_at <= earlier.acknowledged_at
        fresh = {} if old else {"acknowledged_at": None, "acknowledged_by": None, "acknowledged_in": None}
        place = {"team_id": session.team_id, "repo": session.repo, "state": state, "written_at": at}
        row, _ = cls.objects.update_or_create(session=session, defaults={**contents, **place, **fresh})
        figure = {"state": str(state), "completeness": row.completeness}
        line = f"{session.ref} left a {state} handoff"
        session.note(verb="handoff written", line=line, by=by, at=at, after=figure)
        return row

    def says(self, contents: dict[str, Any]) -> bool:
        """Whether it says this already, whatever moment it is of."""
        return all(getattr(self, name) == value for name, value in contents.items() if name != "as_of")

    def turn_provisional(self) -> None:
        self.state = HandoffState.PROVISIONAL
        self.save(update_fields=["state"])

    def acknowledge(self, *, session: AgentSession | None, by: Member, at: datetime) -> None:
        """It has been taken over, and is offered no more. The caller holds the row."""
        self.acknowledged_at, self.acknowledged_by_id, self.acknowledged_in = at, by.user_id, session
        self.save(update_fields=["acknowledged_at", "acknowledged_by", "acknowledged_in"])
        taker = f"by {session.ref}" if session else f"by {by.username}"
        line = f"{self.session.ref}: handoff acknowledged {taker}"
        self.session.note(verb="handoff acknowledged", line=line, by=by, at=at)
