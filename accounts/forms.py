"""Shapes at the door for people: what they type into the pages of `accounts`."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Self, TypeVar

from django import forms

from accounts.adapters.webhook_transport import fault_of
from accounts.models import MOST_CONVERSATION_DAYS, Webhook
from accounts.rules.invitations import DEFAULT_EXPIRY as INVITATION_EXPIRY
from accounts.rules.invitations import EXPIRIES as INVITATION_EXPIRIES
from accounts.rules.invitations import LEVELS, MOST_USES
from accounts.rules.preferences import LONGEST_KEY, LONGEST_STATEMENT, LONGEST_VALUE, Category, Reach
from accounts.rules.refused import Refused, Stale
from accounts.rules.rights import PERSONAL, Level, Member, Scope, TeamKind
from accounts.rules.settings import SETTINGS
from accounts.rules.webhooks import Event

Result = TypeVar("Result")

# A token that never ends is one that is never looked at again; three months is a project's length.
EXPIRIES = {"30": "in 30 days", "90": "in 90 days", "365": "in a year", "": "never"}
DEFAULT_EXPIRY = "90"

# The statuses of a refusal that may be about what was typed: a fault in it, or a name that is taken.
FAULTY = (400, 409)

SCOPE_WORDS = {
    Scope.READ: "read: query and look up",
    Scope.WRITE: "write: deposit and edit drafts",
    Scope.CURATE: "curate: promote, deprecate, pin",
}
BOX = {"class": "checkbox checkbox-primary checkbox-sm"}


class ActionForm(forms.Form):
    """A form whose fields an action may refuse.

    Elsewhere a refusal is an answer of its own and no door catches it. Here what was typed must come back with
    it, so a refusal that names faults becomes the form's own; any other (not found, stale) goes on its way.
    `called`: fields that the form calls otherwise than the action does.
    """

    called: ClassVar[dict[str, str]] = {}

    def attempt(self, action: Callable[..., Result], **arguments: Any) -> Result | None:
        """What the action gives, or None with its faults put beside the fields they are about."""
        try:
            return action(**arguments)
        except Refused as refused:
            if refused.status not in FAULTY or not refused.errors:
                raise
            for said, faults in refused.errors.items():
                name = self.called.get(said, said)
                words = faults if name in self.fields else [f"{name}: {fault}" for fault in faults]
                self.add_error(name if name in self.fields else None, words)
            return None


class WatchedForm(ActionForm):
    """A form over what another may change meanwhile. `stale`: another has, and nothing was done."""

    stale = False

    def attempt(self, action: Callable[..., Result], **arguments: Any) -> Result | None:
        """None also when it is stale."""
        try:
            return super().attempt(action, **arguments)
        except Stale:
            self.stale = True
            return None


class TokenForm(ActionForm):
    """A new token for oneself."""

    name = forms.CharField(
        max_length=80,
        help_text="Where it is used, for example “laptop, Claude Code” or “CI”.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="Scopes",
        choices=[(scope.value, words) for scope, words in SCOPE_WORDS.items()],
        initial=[Scope.READ.value, Scope.WRITE.value],
        widget=forms.CheckboxSelectMultiple(attrs=BOX),
    )
    team_slugs = forms.MultipleChoiceField(
        label="Teams",
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs=BOX),
        help_text="If none is selected: all your teams, including those you join later. A token for some teams changes "
        "neither your settings nor what you share of your conversations.",
    )
    expires = forms.ChoiceField(label="Expires", choices=list(EXPIRIES.items()), initial=DEFAULT_EXPIRY, required=False)

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["team_slugs"].choices = [(team.slug, team.name) for team in member.teams]  # type: ignore[attr-defined]

    def token(self, now: datetime) -> dict[str, Any]:
        """The arguments of `issue_token` that were typed."""
        data = self.cleaned_data
        ends = now + timedelta(days=int(data["expires"])) if data["expires"] else None
        return {
            "name": data["name"],
            "scopes": data["scopes"],
            "team_slugs": data["team_slugs"],
            "expires_at": ends,
        }


class MemberForm(WatchedForm):
    """A person of a team, and their level. `was`: the level they had when the form was made, none of a newcomer."""

    was = forms.TypedChoiceField(
        choices=[(level.value, level.name.lower()) for level in Level],
        coerce=lambda value: Level(int(value)),
        required=False,
        empty_value=None,
        widget=forms.HiddenInput,
    )
    username = forms.CharField(
        max_length=150, widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"})
    )
    level = forms.TypedChoiceField(
        choices=[(level.value, level.name.lower()) for level in Level],
        coerce=lambda value: Level(int(value)),
        initial=Level.CONTRIBUTOR.value,
    )


class InvitationForm(ActionForm):
    """A link into a team; it stands on one page with MemberForm, so its ids are its own."""

    level = forms.TypedChoiceField(
        choices=[(level.value, level.name.lower()) for level in LEVELS],
        coerce=lambda value: Level(int(value)),
        initial=Level.CONTRIBUTOR.value,
    )
    uses = forms.IntegerField(
        label="Number of uses",
        min_value=1,
        max_value=MOST_USES,
        initial=1,
        widget=forms.NumberInput(attrs={"autocomplete": "off"}),
    )
    days = forms.TypedChoiceField(
        label="Expires", choices=list(INVITATION_EXPIRIES.items()), coerce=int, initial=INVITATION_EXPIRY
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "invite_%s", **kwargs})


class RetentionForm(ActionForm):
    """For how many days a team keeps passages of conversations."""

    days = forms.IntegerField(
        label="Days",
        min_value=1,
        max_value=MOST_CONVERSATION_DAYS,
        widget=forms.NumberInput(attrs={"autocomplete": "off"}),
        help_text="Older passages are permanently deleted every night.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "retention_%s", **kwargs})


class SecondReviewerForm(ActionForm):
    """Whether a team requires a second reviewer: what the button that was pressed says."""

    required = forms.TypedChoiceField(choices=[("on", "on"), ("off", "off")], coerce=lambda value: value == "on")


class WebhookForm(forms.ModelForm):
    """The admin's: its events as boxes, its address looked at before the action refuses it."""

    events = forms.MultipleChoiceField(
        choices=[(event.value, event.value) for event in Event], widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = Webhook
        fields = ("team", "url", "events")

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        if fault := fault_of(url):
            raise forms.ValidationError(fault)
        return url


class PreferenceEditForm(WatchedForm):
    """What is preferred, over what was read at a certain moment."""

    read_at = forms.DateTimeField(required=False, widget=forms.HiddenInput)
    value = forms.CharField(max_length=LONGEST_VALUE)
    category = forms.ChoiceField(choices=[(one.value, one.value) for one in Category], initial=Category.GENERAL.value)
    statement = forms.CharField(
        required=False,
        max_length=LONGEST_STATEMENT,
        help_text="One sentence that explains the preference.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def on_top_of(self, shown: dict[str, Any], **more: Any) -> Self:
        """The same typing over a newer state, as `shown` has it."""
        return type(self)({**self.data.dict(), "read_at": shown["read_at"]}, **more)  # type: ignore[attr-defined]

    def conflicts(self, shown: dict[str, Any]) -> list[tuple[str, str, str]]:
        """Label, text as it is now and text as typed, of each field that differs."""
        typed = {name: self.data.get(name, "").replace("\r\n", "\n") for name in shown if name != "read_at"}
        return [(str(self[name].label), shown[name], typed[name]) for name in typed if typed[name] != shown[name]]


class PreferenceChangeForm(PreferenceEditForm):
    """The same of one that is there."""

    def save(self, action: Callable[..., Result], **arguments: Any) -> Result | None:
        """What the action gives, or None when something typed is at fault, or when it is stale."""
        changes = {name: value for name, value in self.cleaned_data.items() if name != "read_at"}
        return self.attempt(action, changes=changes, read_at=self.cleaned_data["read_at"], **arguments)


class AsReadForm(forms.Form):
    """An act on what was read at a certain moment; without one, on whatever it is."""

    read_at = forms.DateTimeField(required=False)

    def act(self, action: Callable[..., object], **arguments: Any) -> bool:
        """Whether it was done; not when somebody else has changed it since."""
        read_at = self.cleaned_data.get("read_at") if self.is_valid() else datetime.min.replace(tzinfo=UTC)
        try:
            action(read_at=read_at, **arguments)
        except Stale:
            return False
        return True


class PreferenceForm(PreferenceEditForm):
    """What is preferred, by oneself or by a team one leads."""

    key = forms.CharField(
        max_length=LONGEST_KEY,
        help_text="Short name, for example <code>test_runner</code>.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    team = forms.ChoiceField(label="Scope")
    field_order = ("read_at", "key", "value", "category", "statement", "team")

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        led = [team for team in member.teams if team.kind is not TeamKind.PERSONAL and member.may(team.id, Level.LEAD)]
        choices = [(PERSONAL, "me"), *[(team.slug, team.name) for team in led]]
        self.fields["team"].choices = choices  # type: ignore[attr-defined]

    def stated(self) -> dict[str, Any]:
        """The arguments of `state` that were typed."""
        scope = Reach.PERSONAL if self.cleaned_data["team"] == PERSONAL else Reach.TEAM
        return {**self.cleaned_data, "scope": scope.value, "carefully": True}


class SettingsForm(ActionForm):
    """What a person sets for themselves; the fields are those of `rules/settings`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for one in SETTINGS:
            default = one.words[one.default]
            self.fields[one.name] = forms.ChoiceField(
                label=one.label,
                choices=list(one.words.items()),
                help_text=f"{one.why} Default: {default.split(':')[0]}.",
                widget=forms.RadioSelect(attrs={"class": "radio radio-primary radio-sm"}),
            )


class GuardTermForm(WatchedForm):
    """What looks like a secret, and is none. `read_at`: when that was last said, of a term another has allowed."""

    read_at = forms.DateTimeField(required=False, widget=forms.HiddenInput)
    term = forms.CharField(
        max_length=400,
        help_text="Exactly as it occurs in the text.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    reason = forms.CharField(max_length=1_000, help_text="Why it is not a secret.")
