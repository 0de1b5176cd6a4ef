"""Forms of the pages about agents, mostly their filters."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django import forms

from accounts.forms import ActionForm, TokenForm, WatchedForm
from accounts.rules.rights import PERSONAL, Level, Member, TeamKind
from knowledge.forms.fields import body_field, kind_field, reasoning_field
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind
from sessions_app.answers.rules.gates import Gate
from sessions_app.conversations.actions.quote import Selection
from sessions_app.models import Annotation, Passage
from sessions_app.rules.activity import ActorInterface, place_of
from sessions_app.rules.annotations import LONGEST_TEXT
from sessions_app.rules.friction import DAYS, MOST_DAYS
from sessions_app.rules.measured import EventGroup, Outcome
from sessions_app.rules.vocabulary import SessionState
from sessions_app.transcripts.rules.speakers import SharedTurns

AGENTS = {
    "claude-code": "Claude Code",
    "cursor": "Cursor",
    "codex": "Codex",
    "vscode": "VS Code",
    "gemini-cli": "Gemini CLI",
    "opencode": "OpenCode",
    "copilot": "Copilot CLI",
    "other": "other agent",
    "shell": "shell or script",
}


class ConnectForm(TokenForm):
    """A new token for an agent, and which one that is."""

    agent = forms.ChoiceField(
        label="Your agent",
        required=False,
        choices=list(AGENTS.items()),
        widget=forms.RadioSelect(attrs={"class": "radio radio-primary radio-sm"}),
    )


# Positions are small: a session keeps some hundreds of passages.
LONGEST_POSITION = 9
SPANS = [("7", "7 days"), ("30", "30 days"), ("90", "90 days")]


def suggesting(values: str) -> forms.TextInput:
    """A text field that suggests what stands in the list of that id on the page."""
    return forms.TextInput(attrs={"list": values, "autocomplete": "off", "placeholder": "any"})


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


class PeriodForm(TeamForm):
    """From the start of one day to the end of another, in UTC."""

    since = forms.DateField(required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label="To", widget=forms.DateInput(attrs={"type": "date"}))

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("since") and data.get("until") and data["until"] < data["since"]:
            self.add_error("until", "This is before the first day.")
        if data.get("until") == date.max:
            self.add_error("until", "There is no day after this one.")
        return data

    def period(self) -> dict[str, datetime | None]:
        """The first moment, and the first one after it."""
        since, until = self.cleaned_data["since"], self.cleaned_data["until"]
        return {
            "since": datetime.combine(since, time(), UTC) if since else None,
            "until": datetime.combine(until + timedelta(days=1), time(), UTC) if until else None,
        }


class ActivityForm(PeriodForm):
    """What the log is narrowed to. `before`, `after`: the place that a page precedes or follows."""

    q = forms.CharField(required=False, max_length=400, label="Text")
    who = forms.CharField(required=False, max_length=150, label="Who", widget=suggesting("people"))
    verb = forms.CharField(required=False, max_length=40, label="Action", widget=suggesting("verbs"))
    group = forms.ChoiceField(
        required=False,
        label="Action group",
        choices=[
            ("", "all actions"),
            (EventGroup.REVIEWS.value, "review decisions"),
            (EventGroup.FADED.value, "faded by time"),
        ],
    )
    ref = forms.CharField(required=False, max_length=80, label="Object")
    via = forms.ChoiceField(
        required=False,
        label="Through",
        choices=[
            ("", "pages or agents"),
            (ActorInterface.PAGES.value, "pages"),
            (ActorInterface.AGENTS.value, "agents and tokens"),
        ],
    )
    before = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)
    after = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)
    field_order = ("q", "who", "verb", "group", "ref", "team", "via", "since", "until")

    def clean_before(self) -> tuple[datetime, int] | None:
        return self._place("before")

    def clean_after(self) -> tuple[datetime, int] | None:
        return self._place("after")

    def _place(self, name: str) -> tuple[datetime, int] | None:
        try:
            return place_of(self.cleaned_data[name]) if self.cleaned_data[name] else None
        except ValueError:
            raise forms.ValidationError("This is not a position in the log.") from None

    def asked(self) -> dict[str, Any]:
        """The arguments of `activity_of`. The form is valid."""
        data = self.cleaned_data
        names = ("q", "who", "verb", "group", "ref", "team", "via")
        return {name: data[name].strip() for name in names} | self.period()


class SessionListForm(PeriodForm):
    repo = forms.CharField(required=False, max_length=200, label="Repository")
    branch = forms.CharField(required=False, max_length=200)
    user = forms.CharField(required=False, max_length=150, widget=suggesting("people"))
    agent = forms.CharField(required=False, max_length=80, widget=suggesting("agents"))
    state = forms.ChoiceField(
        required=False,
        choices=[
            ("", "any state"),
            (SessionState.LIVE.value, "running"),
            (SessionState.ENDED.value, "ended"),
            (SessionState.ABANDONED.value, "abandoned (no end received)"),
        ],
    )
    handoff = forms.ChoiceField(
        required=False, choices=[("", "any"), ("yes", "with handoff"), ("open", "open handoff"), ("none", "without")]
    )
    conversation = forms.ChoiceField(required=False, choices=[("", "any"), ("kept", "with conversation")])
    field_order = ("repo", "branch", "user", "agent", "team", "state", "handoff", "conversation", "since", "until")

    def asked(self) -> dict[str, Any]:
        """The arguments of `session_rows`. The form is valid."""
        texts = {name: value.strip() for name, value in self.cleaned_data.items() if name not in ("since", "until")}
        return texts | self.period()


class QuestionListForm(PeriodForm):
    outcome = forms.ChoiceField(
        required=False,
        choices=[
            ("", "any outcome"),
            (Outcome.ANSWERED.value, "answered"),
            (Outcome.UNANSWERED.value, "without an answer"),
            (Outcome.ABSTAINED.value, "abstained"),
        ],
    )
    field_order = ("outcome", "team", "since", "until")

    def asked(self) -> dict[str, Any]:
        """The arguments of `question_rows`. The form is valid."""
        return {name: self.cleaned_data[name] for name in ("outcome", "team")} | self.period()


class SignalListForm(PeriodForm):
    kind = forms.ChoiceField(
        required=False,
        label="What",
        choices=[("", "ratings and uses"), *((one.value, one.value) for one in SignalKind)],
    )
    ref = forms.CharField(required=False, max_length=24, label="Insight")
    field_order = ("kind", "ref", "team", "since", "until")

    def asked(self) -> dict[str, Any]:
        """The arguments of `signal_rows`. The form is valid."""
        return {name: self.cleaned_data[name].strip() for name in ("kind", "ref", "team")} | self.period()


class ContradictionListForm(TeamForm):
    open_on = forms.DateField(required=False, label="Open on", widget=forms.DateInput(attrs={"type": "date"}))
    field_order = ("open_on", "team")

    def clean_open_on(self) -> date | None:
        day: date | None = self.cleaned_data["open_on"]
        if day == date.max:
            raise forms.ValidationError("There is no day after this one.")
        return day

    def asked(self) -> dict[str, Any]:
        """The arguments of `contradiction_rows`. The form is valid."""
        return {name: self.cleaned_data[name] for name in ("open_on", "team")}


class AnnotationForm(WatchedForm):
    """A text on a day. `read_at`: when it was last changed, as far as it was seen."""

    read_at = forms.DateTimeField(required=False, widget=forms.HiddenInput)
    day = forms.DateField(label="Date", widget=forms.DateInput(attrs={"type": "date"}))
    text = forms.CharField(
        max_length=LONGEST_TEXT,
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "for example: Release 2.4"}),
    )

    @classmethod
    def of(cls, row: Annotation) -> "AnnotationForm":
        return cls(initial={"day": row.day, "text": row.text, "read_at": row.changed_at.isoformat()})

    def on_top_of(self, row: Annotation) -> "AnnotationForm":
        """The same over one as it is now."""
        return AnnotationForm({**self.data.dict(), "read_at": row.changed_at.isoformat()})  # type: ignore[attr-defined]


class NewAnnotationForm(AnnotationForm):
    """One that is added to a team one writes in."""

    read_at = None  # type: ignore[assignment]
    team = forms.ChoiceField()
    field_order = ("day", "text", "team")

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "annotation_%s", **kwargs})
        teams = sorted(member.teams, key=lambda team: team.kind is not TeamKind.SHARED)
        writable = [(team.slug, team.name) for team in teams if member.may(team.id, Level.CONTRIBUTOR)]
        self.fields["team"].choices = writable  # type: ignore[attr-defined]


class OpenWorkForm(TeamForm):
    repo = forms.CharField(required=False, max_length=200, label="Repository")
    field_order = ("repo", "team")


class DashboardForm(TeamForm):
    days = forms.ChoiceField(required=False, choices=SPANS, initial=str(DAYS), label="Period")

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
    """Which repository's sessions are shared no more; empty is the row of all. `as_all`: what was set for it is removed
    instead, and it is shared as all others are.
    """

    repo = forms.CharField(max_length=200, required=False)
    as_all = forms.BooleanField(required=False)


TURNS = [
    (SharedTurns.AGENT.value, "agent messages and actions"),
    (SharedTurns.ALL.value, "all, with my prompts"),
]


def sharing_teams(member: Member) -> dict[str, str]:
    """With whom the member can share conversations, by slug: nobody, the teams they write in, then everyone."""
    writable = [team for team in member.teams if member.may(team.id, Level.CONTRIBUTOR)]
    shared = [team for team in writable if team.kind is TeamKind.SHARED]
    others = [team for team in writable if team.kind is TeamKind.EVERYONE]
    return {PERSONAL: "nobody", **{team.slug: team.name for team in (*shared, *others)}}


class SharingForm(ActionForm):
    """With which team one shares the sessions of a repository, or of all."""

    repo = forms.ChoiceField(label="Repository", required=False)
    team = forms.ChoiceField(label="With")
    turns = forms.ChoiceField(
        label="What",
        choices=TURNS,
        initial=SharedTurns.AGENT.value,
        widget=forms.RadioSelect(attrs={"class": "radio radio-primary radio-sm"}),
    )

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.names = sharing_teams(member)
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


class ConversationForm(forms.Form):
    """What of a conversation is shown: words that a passage has, a page, or the page of a passage."""

    q = forms.CharField(required=False, max_length=400)
    page = forms.CharField(required=False, max_length=12)
    at = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1)

    def asked(self) -> dict[str, Any]:
        """What was asked for; of nonsense what there would be without it."""
        self.is_valid()
        data = self.cleaned_data
        return {"q": data.get("q", ""), "page": data.get("page") or None, "at": data.get("at")}


class _ReasonField(forms.Textarea):
    """A text that decisions alone need: the browser, where the kind may be changed, does not ask for it."""

    def use_required_attribute(self, initial: Any) -> bool:
        return False


class QuoteForm(ActionForm):
    """An insight made of passages of a conversation; until something is typed it is what they say."""

    team = forms.ChoiceField(label="Team")
    kind = kind_field(initial=Kind.DECISION)
    title = forms.CharField(max_length=200)
    body = body_field(rows=8)
    reasoning = reasoning_field(rows=4, widget=_ReasonField)

    def __init__(self, *args: Any, selection: Selection, **kwargs: Any) -> None:
        said = {"title": selection.title, "body": selection.body}
        super().__init__(*args, **{**kwargs, "initial": said})
        kind = self.data.get("kind") if self.is_bound else Kind.DECISION
        self.fields["reasoning"].required = kind == Kind.DECISION
        self.selection = selection
        self.fields["team"].choices = [(team.slug, team.name) for team in selection.teams]  # type: ignore[attr-defined]

    @property
    def suggested(self) -> bool:
        """Nothing was typed yet."""
        return not self.is_bound

    def draft(self) -> Draft:
        """What was typed; else what is suggested, whose reason is still to be told."""
        if self.suggested:
            team = next((team.slug for team in self.selection.teams), "")
            said = {"title": self.selection.title, "body": self.selection.body, "reasoning": ""}
            return self.selection.draft(kind=Kind.CONTEXT, team=team, **said)
        data = {name: text.replace("\r\n", "\n") for name, text in self.cleaned_data.items()}
        return self.selection.draft(**{**data, "kind": Kind(data["kind"])})


def chosen(sent: Iterable[str]) -> list[int]:
    """The positions of passages as boxes send them; what is none is passed over."""
    return [int(one) for one in sent if one.isascii() and one.isdigit() and len(one) <= LONGEST_POSITION]
