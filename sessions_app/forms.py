"""Shapes at the door for people: what the pages of the doorway are narrowed to."""

from typing import Any

from django import forms

from accounts.forms import ActionForm, TokenForm
from accounts.rules.rights import PERSONAL, Level, Member, TeamKind
from sessions_app.models import Passage
from sessions_app.rules.friction import DAYS, MOST_DAYS
from sessions_app.rules.gates import Gate
from sessions_app.rules.speakers import SharedTurns
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


class UnsharingForm(forms.Form):
    """Which repository's sessions are shared no more; empty is the row of all."""

    repo = forms.CharField(max_length=200, required=False)


class SharingForm(ActionForm):
    """With which team one shares the sessions of a repository, or of all."""

    repo = forms.ChoiceField(label="Repository", required=False)
    team = forms.ChoiceField(label="With")
    turns = forms.ChoiceField(
        label="What",
        choices=[
            (SharedTurns.AGENT.value, "what my agents said and did"),
            (SharedTurns.ALL.value, "the whole conversation, with what I typed"),
        ],
        initial=SharedTurns.AGENT.value,
        widget=forms.RadioSelect(attrs={"class": "radio radio-primary radio-sm"}),
    )

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        writable = [team for team in member.teams if member.may(team.id, Level.CONTRIBUTOR)]
        shared = [team for team in writable if team.kind is TeamKind.SHARED]
        others = [team for team in writable if team.kind is TeamKind.EVERYONE]
        self.names = {team.slug: team.name for team in (*shared, *others)}
        self.names |= {PERSONAL: "nobody: keep them to myself"}
        repos = list(Passage.objects.all().repos_of(member.user_id))
        typed = self.data.get("repo", "")
        known = [("", "All repositories"), *((repo, repo) for repo in sorted({*repos, typed} - {""}))]
        self.fields["repo"].choices = known  # type: ignore[attr-defined]
        self.fields["team"].choices = list(self.names.items())  # type: ignore[attr-defined]

    def asked(self) -> dict[str, Any]:
        """The arguments of `share`; empty if the form has faults."""
        if not self.is_valid():
            return {}
        return {**self.cleaned_data, "turns": SharedTurns(self.cleaned_data["turns"])}

    @property
    def what(self) -> str:
        repo = self.cleaned_data["repo"]
        return f"Your sessions of {repo}" if repo else "Your sessions of all repositories"

    @property
    def team_name(self) -> str:
        return self.names[self.cleaned_data["team"]]
