"""Forms of the inbox: its filters, and acts on what is selected."""

from datetime import datetime
from typing import Any

from django import forms
from django.http import QueryDict

from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.forms.fields import choices
from knowledge.models import EditProposal, Pair
from knowledge.review.actions import settle
from knowledge.review.proposals.actions.suggest import resolve_or_suggest
from knowledge.review.rules.triage import OPEN
from knowledge.rules.vocabulary import Kind

QUEUE_FILTERS = ("team", "kind", "tag", "repo", "assigned", "owner")


ASSIGNED = [("", "anybody"), ("me", "me"), ("nobody", "nobody")]


class QueueForm(forms.Form):
    """What a queue is narrowed to; it stands in the address, too."""

    team = forms.ChoiceField(required=False)
    kind = forms.ChoiceField(required=False, choices=choices(Kind, "any kind"))
    tag = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs={"placeholder": "any tag"}))
    repo = forms.CharField(
        required=False,
        max_length=200,
        label="Repository",
        widget=forms.TextInput(attrs={"placeholder": "any repository"}),
    )
    assigned = forms.ChoiceField(required=False, choices=ASSIGNED, label="Assigned to")
    owner = forms.ChoiceField(required=False, choices=[("", "any owner"), ("me", "me")], label="Owner")

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = [("", "any team"), *[(team.slug, team.name) for team in member.teams]]
        self.fields["team"].choices = teams  # type: ignore[attr-defined]

    @property
    def active(self) -> dict[str, str]:
        data = getattr(self, "cleaned_data", {})
        return {name: data[name] for name in QUEUE_FILTERS if data.get(name)}


class ActForm(forms.Form):
    """One act on one insight or many. `ref` may stand there often; `back`: the page it is done from.

    `seen`, as often as `ref`: how each was seen, as "PLAT-7 " and its mark. `planned`: what it does was looked at.
    """

    verb = forms.ChoiceField(choices=[(verb, verb) for verb in OPEN])
    why = forms.CharField(required=False, max_length=1_000)
    back = forms.CharField(required=False, max_length=4_000)
    planned = forms.BooleanField(required=False)

    @property
    def refs(self) -> list[str]:
        return [ref[:24] for ref in self.data.getlist("ref")]  # type: ignore[attr-defined]

    @property
    def marks(self) -> dict[str, str]:
        parts = [text[:80].partition(" ") for text in self.data.getlist("seen")]  # type: ignore[attr-defined]
        return {ref: mark for ref, _, mark in parts if mark}


class PairForm(forms.Form):
    """How a pair is settled: `how` is keep, merge, scope or dismiss, or reopen; `keep` names the one that stays.

    `seen`: how its sides were seen. `late`: why it was not settled, when somebody else was quicker.
    """

    late: Refused | None = None

    how = forms.ChoiceField(choices=[(word, word) for word in ("keep", "merge", "scope", "dismiss", "reopen")])
    keep = forms.CharField(required=False, max_length=24)
    scope = forms.CharField(required=False, max_length=1_000)
    why = forms.CharField(required=False, max_length=1_000)
    back = forms.CharField(required=False, max_length=4_000)
    seen = forms.CharField(required=False, max_length=120)

    def clean_keep(self) -> str:
        """Which of two sides stays is said once: the last of several names decides nothing."""
        named = self.data.getlist("keep") if isinstance(self.data, QueryDict) else []
        if len(set(named)) > 1:
            raise forms.ValidationError("Name one of the two.")
        return str(self.cleaned_data["keep"])

    def settle(self, *, pair_id: int, by: Member, now: datetime) -> Pair | EditProposal | None:
        """The pair as settled, or what is suggested instead; None when it is `late`."""
        data = self.cleaned_data
        how = data["how"]
        sent: dict[str, Any] = {"pair_id": pair_id, "by": by, "now": now}
        try:
            if how == "reopen":
                return settle.reopen(**sent)
            if how == "dismiss":
                return settle.dismiss(**sent, why=data["why"], marks=data["seen"])
            if how == "scope":
                return settle.resolve(**sent, scope=data["scope"], marks=data["seen"])
            return resolve_or_suggest(**sent, keep=data["keep"], merging=how == "merge", marks=data["seen"])
        except (settle.Settled, settle.NotSettled, settle.SidesChanged) as late:
            self.late = late
            return None


class PairsForm(forms.Form):
    """What is done to several pairs: `how` is keep, merge or dismiss. As often as a pair: `ref`, its number; `seen`,
    its number and how its sides were seen; `keep`, its number and the side that stays.
    """

    how = forms.ChoiceField(choices=[(word, word) for word in settle.IN_BULK])
    back = forms.CharField(required=False, max_length=4_000)

    @property
    def choices(self) -> list[settle.PairChoice]:
        given: list[str] = self.data.getlist("ref")  # type: ignore[attr-defined]
        numbers = [ref for ref in given if ref.isdecimal() and len(ref) < 18]
        marks, sides = self._by_number("seen"), self._by_number("keep")
        return [settle.PairChoice(int(ref), sides.get(ref, ""), marks.get(ref, "")) for ref in dict.fromkeys(numbers)]

    def _by_number(self, name: str) -> dict[str, str]:
        parts = [text[:140].partition(" ") for text in self.data.getlist(name)]  # type: ignore[attr-defined]
        return {number: said for number, _, said in parts}
