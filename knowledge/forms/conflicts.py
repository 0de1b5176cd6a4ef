"""Shapes at the door for people who settle an edit in the vault."""

from datetime import datetime
from typing import Any

from django import forms

from accounts.rules.refused import Stale
from accounts.rules.rights import Member
from knowledge.forms.insights import EditForm, initial_values
from knowledge.models import Conflict, EditProposal, Insight
from knowledge.review.actions import vault_conflicts
from knowledge.review.proposals.actions.suggest import take_or_suggest


class TakeForm(EditForm):
    """An edit in the vault, to be taken as it is or edited first: the file's words over what stands in Loam."""

    conflict_id = 0

    @classmethod
    def over(cls, insight: Insight, theirs: dict[str, Any]) -> "TakeForm":
        now = initial_values(insight)
        data: dict[str, Any] = {f"initial-{name}": value for name, value in now.items()}
        data |= now | {name: cls.text_of(name, value) for name, value in theirs.items() if name in now}
        return cls(data | {"revision": insight.revision, "why": ""})

    @staticmethod
    def text_of(name: str, value: Any) -> str:
        """A field of a file as a form shows it."""
        if isinstance(value, list):
            return (", " if name == "tags" else "\n").join(map(str, value))
        return str(value)

    def save(self, *, ref: str, by: Member, now: datetime) -> Any:
        """The conflict as settled: kept if what was typed is what stands there. None if at fault, or `stale`."""
        data, changes = self.cleaned_data, self.changes
        sent: dict[str, Any] = {"conflict_id": self.conflict_id, "by": by, "now": now, "why": data.get("why", "")}
        if not changes:
            return vault_conflicts.keep(**sent)
        try:
            return self.attempt(take_or_suggest, **sent, revision=data["revision"], changes=changes)
        except Stale:
            self.stale = True
            return None


class ConflictForm(forms.Form):
    """How an edit in the vault is settled: `revision` is the insight's, as it was looked at."""

    how = forms.ChoiceField(choices=[("keep", "keep"), ("take", "take")])
    revision = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    why = forms.CharField(required=False, max_length=1_000)

    def settle(self, *, conflict_id: int, by: Member, now: datetime) -> Conflict | EditProposal:
        """The conflict as resolved, or what is suggested instead."""
        data = self.cleaned_data
        sent: dict[str, Any] = {"conflict_id": conflict_id, "by": by, "now": now, "why": data["why"]}
        if data["how"] == "keep":
            return vault_conflicts.keep(**sent)
        return take_or_suggest(**sent, revision=data["revision"] or 0)
