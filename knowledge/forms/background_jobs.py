"""Shapes at the door for people who ask for long work."""

from typing import Any

from django import forms

from accounts.forms import ActionForm
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.jobs.actions.background import LARGEST_SENT, TAKEN
from knowledge.rules.vocabulary import Kind

ORDER = (TeamKind.SHARED, TeamKind.PERSONAL, TeamKind.EVERYONE)


class BringForm(ActionForm):
    """Notes to be brought into a team."""

    file = forms.FileField(
        label="File",
        help_text="A zip archive of Markdown, one Markdown file, JSON Lines, or the export of another memory (.json); "
        f"at most {LARGEST_SENT // 1_000_000} MB.",
        widget=forms.FileInput(attrs={"accept": ",".join(TAKEN), "class": "w-full text-sm"}),
    )
    team = forms.ChoiceField(label="Team")
    kind = forms.ChoiceField(
        choices=[(kind.value, kind.value.capitalize()) for kind in Kind if kind is not Kind.DECISION],
        initial=Kind.CONTEXT.value,
        label="Default kind",
    )

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = [team for team in member.teams if member.may(team.id, Level.CONTRIBUTOR)]
        # Where one most likely means: a team, before everybody and before oneself.
        teams.sort(key=lambda team: ORDER.index(team.kind))
        self.fields["team"].choices = [(team.slug, team.name) for team in teams]  # type: ignore[attr-defined]

    def asked(self) -> dict[str, Any]:
        """The arguments of `ask_import` that were sent; one byte more than is taken if there are too many."""
        sent = self.cleaned_data["file"]
        data, kind = sent.read(LARGEST_SENT + 1), Kind(self.cleaned_data["kind"])
        return {"name": sent.name, "data": data, "team": self.cleaned_data["team"], "kind": kind}
