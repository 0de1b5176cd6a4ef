"""Shapes at the door for people: what the pages of the doorway are narrowed to."""

from typing import Any

from django import forms

from accounts.forms import TokenForm
from accounts.rules.rights import Member
from sessions_app.rules.friction import DAYS, MOST_DAYS
from sessions_app.rules.gates import Gate
from sessions_app.rules.vocabulary import SessionState

AGENTS = {
    "claude-code": "Claude Code",
    "cursor": "Cursor",
    "codex": "Codex",
    "vscode": "VS Code",
    "gemini-cli": "Gemini CLI",
    "opencode": "OpenCode",
    "copilot": "Copilot CLI",
    "other": "another",
    "shell": "a shell or a script",
}


class ConnectForm(TokenForm):
    """A new token for an agent, and which one that is."""

    agent = forms.ChoiceField(
        label="Your agent",
        required=False,
        choices=list(AGENTS.items()),
        widget=forms.RadioSelect(attrs={"class": "radio radio-primary radio-sm"}),
    )


SPANS = [("7", "7 days"), ("30", "30 days"), ("90", "90 days")]


class TeamForm(forms.Form):
    """One of one's teams, or all."""

    team = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = [("", "all my teams"), *[(team.slug, team.name) for team in member.teams]]
        self.fields["team"].choices = teams  # type: ignore[attr-defined]

    def asked(self) -> dict[str, Any]:
        """What was asked for; of nonsense what there would be without it."""
        self.is_valid()
        return {name: self.cleaned_data.get(name) or "" for name in self.fields}


class SessionListForm(TeamForm):
    repo = forms.CharField(required=False, max_length=200, label="Repository")
    state = forms.ChoiceField(
        required=False, choices=[("", "any state"), *((state.value, state.value) for state in SessionState)]
    )
    field_order = ("repo", "team", "state")


class OpenWorkForm(TeamForm):
    repo = forms.CharField(required=False, max_length=200, label="Repository")
    field_order = ("repo", "team")


class DashboardForm(TeamForm):
    days = forms.ChoiceField(required=False, choices=SPANS, initial=str(DAYS), label="Span")

    @property
    def span(self) -> int:
        """Days, 7 to 90."""
        return int(self.asked()["days"] or DAYS)


class FrictionForm(forms.Form):
    repo = forms.CharField(required=False, max_length=200, label="Repository")
    days = forms.IntegerField(required=False, min_value=1, max_value=MOST_DAYS, label="Days")


class SurfacedForm(forms.Form):
    gate = forms.ChoiceField(
        required=False,
        label="Outcome",
        choices=[("", "all"), *((gate.value, gate.value.replace("_", " ")) for gate in Gate)],
    )
