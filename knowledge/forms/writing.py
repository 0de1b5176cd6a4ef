"""The form of an insight that a person writes."""

from typing import Any

from django import forms

from accounts.forms import ActionForm
from accounts.rules.rights import PERSONAL, Level, Member, TeamKind
from knowledge.forms.fields import body_field, files_field, kind_field, reasoning_field, symbols_field
from knowledge.forms.insights import LISTS, LONGEST, MOST, lists_of
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind, Source, Stability


class NewInsightForm(ActionForm):
    """What is written, and for which team."""

    team = forms.ChoiceField(help_text="Its members and their agents will be able to read it.")
    kind = kind_field()
    title = forms.CharField(max_length=200, required=False, help_text="Made from the first sentence if empty.")
    body = body_field(rows=10, label="Text")
    reasoning = reasoning_field(rows=3)
    tags = forms.CharField(required=False, help_text="Separated by commas.")
    repo = forms.CharField(required=False, max_length=200, label="Repository")
    files = files_field(rows=2)  # type: ignore[assignment]
    symbols = symbols_field(rows=2)
    stability = forms.ChoiceField(choices=[(s.value, s.value) for s in Stability], initial=Stability.STABLE.value)
    called = {"query": "body"}

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        writable = [team for team in member.teams if member.may(team.id, Level.CONTRIBUTOR)]
        # Shared teams first, one's own next, everyone's last: nothing is shown to more people than was chosen.
        order = (TeamKind.SHARED, TeamKind.PERSONAL, TeamKind.EVERYONE)
        writable.sort(key=lambda team: (order.index(team.kind), team.name))
        named = [(PERSONAL if team.kind is TeamKind.PERSONAL else team.slug, team.name) for team in writable]
        # Chosen, not given: what is written for the wrong team is read by the wrong people.
        self.fields["team"].choices = [("", "choose a team"), *named]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        for name in LISTS:
            entries = lists_of(name, self.cleaned_data.get(name, ""))
            longest = max((len(entry) for entry in entries), default=0)
            if len(entries) > MOST:
                self.add_error(name, f"At most {MOST}; {len(entries)} given.")
            if longest > LONGEST[name]:
                self.add_error(name, f"Each at most {LONGEST[name]} characters; one has {longest}.")
        return self.cleaned_data

    def draft(self) -> Draft:
        """What was written, as a deposit takes it."""
        data = self.cleaned_data
        return Draft(
            kind=Kind(data["kind"]),
            body=data["body"].replace("\r\n", "\n"),
            title=data["title"],
            reasoning=data["reasoning"].replace("\r\n", "\n"),
            repo=data["repo"],
            team=data["team"],
            stability=Stability(data["stability"]),
            source_type=Source.HUMAN,
            tags=lists_of("tags", data["tags"]),
            files=lists_of("files", data["files"]),
            symbols=lists_of("symbols", data["symbols"]),
        )
