"""Shapes at the door for people who suggest an edit, and who decide on one."""

from datetime import datetime
from typing import Any

from django import forms

from accounts.forms import ActionForm
from accounts.rules.refused import Stale
from accounts.rules.rights import Member
from knowledge.forms.conflicts import TakeForm
from knowledge.forms.insights import EditForm, initial_values
from knowledge.models import EditProposal, Insight
from knowledge.review.proposals.actions import decide
from knowledge.review.proposals.actions.comments import LONGEST_COMMENT
from knowledge.review.proposals.actions.propose import LONGEST_NOTE, propose
from knowledge.review.rules.proposed_changes import PROPOSABLE


class ProposableForm(EditForm):
    """The fields that can be proposed, over an insight as it is now."""

    why = None  # type: ignore[assignment]

    @property
    def written(self) -> list[str]:
        return [name for name in self.fields if name not in ("revision", "note", "seen")]

    @classmethod
    def over(cls, insight: Insight, proposed: dict[str, Any], **more: str) -> "ProposableForm":
        """The form with these values typed in already."""
        now = initial_values(insight)
        names = PROPOSABLE
        data: dict[str, Any] = {f"initial-{name}": now[name] for name in names}
        data |= {name: now[name] for name in names}
        data |= {name: TakeForm.text_of(name, value) for name, value in proposed.items() if name in names}
        return cls(data | {"revision": insight.revision, **more})

    def on_top_of(self, insight: Insight) -> "EditForm":
        """As of an edit, with what else was typed."""
        form = super().on_top_of(insight)
        kept = {name: self.data.get(name, "") for name in ("note", "seen")}
        return type(self)({**dict(form.data.items()), **kept})


class ProposeForm(ProposableForm):
    """A suggestion for an insight."""

    note = forms.CharField(
        required=False,
        max_length=LONGEST_NOTE,
        label="Why",
        help_text="Shown to the reviewer, and in the history. @name mentions a member.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def save(self, *, ref: str, by: Member, now: datetime) -> Any:
        """The proposal; None when something typed is at fault, or when it is `stale`."""
        data = self.cleaned_data
        sent: dict[str, Any] = {"changes": self.changes, "note": data["note"], "revision": data["revision"]}
        try:
            done = self.attempt(propose, ref=ref, **sent, by=by, now=now)
        except Stale:
            self.stale = True
            return None
        return done[0] if done else None


class ApproveForm(ProposableForm):
    """The merged text of a proposal, edited by who approves it. `seen`: how the proposal was seen."""

    proposal_id = 0

    seen = forms.CharField(max_length=60, widget=forms.HiddenInput)

    @classmethod
    def of_proposal(cls, row: EditProposal, start: str = "") -> "ProposableForm":
        """The form with both changes merged; by `start` with the "current" text, or the "suggested" one."""
        which = "proposed" if start == "suggested" else "merged"
        texts = {} if start == "current" else {one.name: getattr(one, which) for one in decide.fields_of(row)}
        return cls.over(row.insight, texts, seen=decide.mark_of(row))

    def save(self, *, ref: str, by: Member, now: datetime) -> Any:
        """The approved proposal; None when something typed is at fault, or when it is `stale`."""
        if not self.changes:
            self.add_error(None, "Nothing differs from the insight. Reject the suggestion instead.")
            return None
        sent: dict[str, Any] = {"proposal_id": self.proposal_id, "by": by, "now": now}
        try:
            return self.attempt(decide.approve, **sent, changes=self.changes, seen=self.cleaned_data["seen"])
        except Stale:
            self.stale = True
            return None


class CommentForm(ActionForm):
    """A comment on a pair, and where it was written."""

    text = forms.CharField(required=False, max_length=LONGEST_COMMENT)
    back = forms.CharField(required=False, max_length=4_000)


class DecisionForm(forms.Form):
    """What is done with a proposal. `text`: a comment or a reason; `seen`: how it was seen."""

    text = forms.CharField(required=False, max_length=LONGEST_COMMENT)
    seen = forms.CharField(required=False, max_length=60)
    back = forms.CharField(required=False, max_length=4_000)
