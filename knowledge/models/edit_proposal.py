"""Suggested edits of an insight, and suggested actions on it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q

from accounts.models import Team, User
from accounts.rules.rights import Member
from knowledge.models.comment import Discussed
from knowledge.models.insight import Insight
from knowledge.querysets.edit_proposals import EditProposalQuerySet
from knowledge.rules.vocabulary import field_name


class EditProposal(Discussed):
    """A suggested change of an insight. Nothing changes until it is approved.

    `act`: edit it, deprecate it, supersede it with `other`, or merge it into `other`. `changes`: for an edit, the
    proposed values by field; otherwise empty. `base`: the values of these fields at `revision`, on which the proposal
    is based. `before`, `applied`: the previous values of the fields that the approval changed, and the revision it
    made, to undo it. `version`: the number of revisions of the proposal itself. `team`: the insight's team when it was
    proposed; a moved insight shows no proposals of its former team.
    """

    class Act(models.TextChoices):
        EDIT = "edit"
        DEPRECATE = "deprecate"
        SUPERSEDE = "supersede"
        MERGE = "merge"

    class State(models.TextChoices):
        OPEN = "open"
        CHANGES_REQUESTED = "changes requested"
        APPROVED = "approved"
        REJECTED = "rejected"
        WITHDRAWN = "withdrawn"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    insight = models.ForeignKey(Insight, on_delete=models.CASCADE, related_name="edit_proposals")
    act = models.CharField(max_length=10, choices=Act, default=Act.EDIT, db_default=Act.EDIT)
    other = models.ForeignKey(Insight, null=True, on_delete=models.CASCADE, related_name="+")
    changes = models.JSONField(default=dict)
    base = models.JSONField(default=dict)
    revision = models.PositiveIntegerField()
    note = models.TextField(blank=True)
    state = models.CharField(max_length=20, choices=State, default=State.OPEN)
    version = models.PositiveIntegerField(default=1)
    proposed_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    proposed_by_name = models.CharField(max_length=200)
    proposed_at = models.DateTimeField()
    revised_at = models.DateTimeField()
    settled_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    settled_at = models.DateTimeField(null=True)
    before = models.JSONField(default=dict)
    applied = models.PositiveIntegerField(null=True)

    objects = EditProposalQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["insight", "proposed_by", "act"],
                condition=Q(state__in=("open", "changes requested")),
                name="edit_proposal_open_once_an_act",
            ),
            models.CheckConstraint(
                condition=Q(act__in=("edit", "deprecate")) | Q(other__isnull=False), name="edit_proposal_names_other"
            ),
        ]
        indexes = [models.Index(fields=["team", "state"], name="edit_proposal_of_team")]

    def __str__(self) -> str:
        """Return a name without the text, which is as untrusted as any text of an agent."""
        return f"suggested {self.noun} {self.pk} of {self.insight.ref}"

    @property
    def is_open(self) -> bool:
        """Whether it can still be approved, revised or withdrawn."""
        return self.state in (self.State.OPEN, self.State.CHANGES_REQUESTED)

    @property
    def fields(self) -> str:
        """The names of the fields it changes, or the suggested action."""
        if self.act != self.Act.EDIT:
            return self.act_words
        return ", ".join(field_name(name) for name in self.changes)

    @property
    def act_words(self) -> str:
        """The suggested action, as on a button."""
        return f"{_ACT_WORDS[self.act]} {self.other.ref}" if self.other else _ACT_WORDS[self.act]

    @property
    def noun(self) -> str:
        """Its name in a sentence."""
        return _NOUNS[self.act]

    @property
    def needs_reviewer(self) -> bool:
        """Whether somebody other than the proposer must approve it."""
        merged = self.other if self.act == self.Act.MERGE else None
        return self.insight.needs_reviewer or (merged is not None and merged.needs_reviewer)

    def suggest(self, *, by: Member, at: datetime) -> None:
        """Save the proposal, new or revised, and log it in the history of the insight."""
        new = self._state.adding
        self.state, self.revised_at = self.State.OPEN, at
        self.version = 1 if new else self.version + 1
        self.save()
        verb = "suggested" if new else "revised"
        what = f"{self.noun.capitalize()} of {self.insight.ref}"
        # A deprecation needs no details.
        about = f": {self.fields}" if self.act == self.Act.EDIT or self.other else ""
        line = f"{what} suggested{about}" if new else f"Suggested {self.noun} of {self.insight.ref} revised{about}"
        self.insight.note(verb=verb, line=line, by=by, at=at, why=self.note)

    def settle(self, state: str, *, by: Member, at: datetime, why: str = "") -> None:
        """Set the final state (approved, rejected, withdrawn or sent back), and log it."""
        self.state, self.settled_by_id, self.settled_at = state, by.user_id or None, at
        self.save(update_fields=["state", "settled_by", "settled_at", "before", "applied"])
        line = f"Suggested {self.noun} of {self.insight.ref} {_SETTLED[state]}"
        self.insight.note(verb=state, line=line, by=by, at=at, why=why)

    def take(self, before: Mapping[str, Any], applied: int) -> None:
        """Set what the approval changed, unsaved: for `settle`, and to undo it."""
        self.before, self.applied = dict(before), applied

    def reopen(self, *, by: Member, at: datetime) -> None:
        """Undo `settle`: the proposal is open again."""
        self.state, self.before, self.applied = self.State.OPEN, {}, None
        self.settled_by, self.settled_at = None, None
        self.save(update_fields=["state", "before", "applied", "settled_by", "settled_at"])
        line = f"Suggested {self.noun} of {self.insight.ref} reopened"
        self.insight.note(verb="reopened", line=line, by=by, at=at)

    def commented_as(self) -> dict[str, Any]:
        return {"proposal_id": self.pk}

    def note_comment(self, *, by: Member, at: datetime) -> None:
        line = f"Comment on the suggested {self.noun} of {self.insight.ref}"
        self.insight.note(verb="commented", line=line, by=by, at=at)


_ACT_WORDS: dict[str, str] = {
    EditProposal.Act.EDIT: "edit",
    EditProposal.Act.DEPRECATE: "deprecate",
    EditProposal.Act.SUPERSEDE: "supersede with",
    EditProposal.Act.MERGE: "merge into",
}
_NOUNS: dict[str, str] = {
    EditProposal.Act.EDIT: "edit",
    EditProposal.Act.DEPRECATE: "deprecation",
    EditProposal.Act.SUPERSEDE: "supersession",
    EditProposal.Act.MERGE: "merge",
}
_SETTLED: dict[str, str] = {
    EditProposal.State.APPROVED: "approved",
    EditProposal.State.REJECTED: "rejected",
    EditProposal.State.WITHDRAWN: "withdrawn",
    EditProposal.State.CHANGES_REQUESTED: "sent back for changes",
}
