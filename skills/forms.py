"""Shapes at the door for people: writing a skill, and bringing skills in."""

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from django import forms
from django.core.validators import MaxLengthValidator

from accounts.forms import ActionForm
from accounts.rules.archive import LARGEST_ARCHIVE
from accounts.rules.refused import Stale
from accounts.rules.rights import Level, Member
from skills.models import Skill
from skills.rules.sheet import LONGEST_DESCRIPTION, LONGEST_INSTRUCTIONS, LONGEST_NAME, Sheet, Triggers
from skills.rules.vocabulary import SkillStatus

Result = TypeVar("Result")

# What a person types of the triggers of one kind: more is a paste gone wrong.
LONGEST_LIST = 20_000
# What of a skill another lead may change meanwhile: each carries the value it had when the form was made, by which
# one's own changes and theirs are told apart.
WATCHED = ("name", "description", "instructions", "tags", "globs", "error_words")


def led(member: Member) -> list[tuple[str, str]]:
    """The teams a member may write skills for, as choices."""
    return [(team.slug, team.name) for team in member.teams if member.may(team.id, Level.LEAD)]


class SkillListForm(forms.Form):
    """What the list is narrowed to; it stands in the address."""

    q = forms.CharField(required=False, max_length=500, label="Search")
    status = forms.ChoiceField(
        required=False, choices=[("", "any status"), *((status.value, status.value) for status in SkillStatus)]
    )
    team = forms.ChoiceField(required=False)
    author = forms.CharField(required=False, max_length=150)
    owner = forms.CharField(required=False, max_length=150)
    trigger = forms.CharField(required=False, max_length=200)
    used = forms.ChoiceField(
        required=False, label="Served", choices=[("", "served or not"), ("yes", "served"), ("never", "never served")]
    )

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = [("", "any team"), *[(team.slug, team.name) for team in member.teams]]
        self.fields["team"].choices = teams  # type: ignore[attr-defined]


class SkillForm(ActionForm):
    """What a skill says, with the revision it was read at (none for a new one)."""

    called: ClassVar[dict[str, str]] = {
        "triggers.tags": "tags",
        "triggers.files": "globs",
        "triggers.errors": "error_words",
    }

    revision = forms.IntegerField(required=False, widget=forms.HiddenInput)
    team = forms.ChoiceField()
    name = forms.CharField(
        max_length=LONGEST_NAME,
        help_text="Lower-case words with hyphens, as in <code>code-review</code>. Cannot be changed after publication.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    description = forms.CharField(
        max_length=LONGEST_DESCRIPTION,
        help_text="What the skill is for and when to use it. Questions are matched against this text.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    instructions = forms.CharField(
        strip=False,
        validators=[MaxLengthValidator(LONGEST_INSTRUCTIONS)],
        help_text="Markdown, step by step. Agents get the full text.",
        widget=forms.Textarea(attrs={"rows": 24, "class": "font-mono text-sm", "spellcheck": "false"}),
    )
    tags = forms.CharField(
        required=False, max_length=LONGEST_LIST, label="Trigger tags", help_text="Separated by commas."
    )
    globs = forms.CharField(
        required=False,
        max_length=LONGEST_LIST,
        label="Trigger files",
        help_text="One pattern per line, for example <code>**/migrations/*.py</code>.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    error_words = forms.CharField(
        required=False,
        max_length=LONGEST_LIST,
        label="Trigger errors",
        help_text="Part of the message, one per line.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    why = forms.CharField(required=False, max_length=1_000, label="Reason", help_text="Shown in the history.")

    def __init__(self, *args: Any, member: Member, skill: Skill | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.skill = skill
        if skill is None:
            self.fields["team"].choices = led(member)  # type: ignore[attr-defined]
        else:
            del self.fields["team"]
        if skill is not None:
            for name in WATCHED:
                self.fields[name].show_hidden_initial = True
        if skill is not None and skill.live_id:
            self.fields["name"].disabled = True
            self.fields["name"].initial = skill.name

    @classmethod
    def of(cls, skill: Skill, member: Member) -> "SkillForm":
        return cls(initial=initial_values(skill), member=member, skill=skill)

    def sheet(self) -> Sheet:
        """What was typed, whether or not it is valid yet: a preview and a trial need no whole form."""
        data = self.data
        old = self.skill.latest.sheet if self.skill else None
        return Sheet(
            name=old.name if old and self.fields["name"].disabled else str(data.get("name", "")).strip(),
            description=str(data.get("description", "")).strip(),
            instructions=unix(str(data.get("instructions", ""))),
            triggers=Triggers.made(
                tags=str(data.get("tags", "")).split(","),
                files=unix(str(data.get("globs", ""))).split("\n"),
                errors=unix(str(data.get("error_words", ""))).split("\n"),
            ),
            extra=old.extra if old else {},
            sources=old.sources if old else (),
        )

    def changes(self) -> dict[str, Any]:
        """As `author.edit` takes them."""
        sheet = self.sheet()
        return {name: getattr(sheet, name) for name in ("name", "description", "instructions", "triggers")}

    def on_top_of(self, skill: Skill, member: Member) -> "SkillForm":
        """The same typing over a newer state of the skill: own changes kept, the rest as it is now."""
        now, mine = initial_values(skill), self.changed_data
        data = {**self.data.dict(), "revision": str(skill.revision)}  # type: ignore[attr-defined]
        for name in WATCHED:
            data[self.add_initial_prefix(name)] = now[name]
            data[name] = data.get(name, "") if name in mine else now[name]
        return SkillForm(data, member=member, skill=skill)


def initial_values(skill: Skill) -> dict[str, Any]:
    """A skill's fields as the form shows them."""
    sheet = skill.latest.sheet
    return {
        "revision": skill.revision,
        "name": sheet.name,
        "description": sheet.description,
        "instructions": sheet.instructions,
        "tags": ", ".join(sheet.triggers.tags),
        "globs": "\n".join(sheet.triggers.files),
        "error_words": "\n".join(sheet.triggers.errors),
    }


class PublishForm(forms.Form):
    """Publishing, retiring or restoring a skill, with the revision that was read. `stale`: it is another by now."""

    stale = False

    revision = forms.IntegerField(required=False)
    why = forms.CharField(required=False, max_length=1_000)

    def send(self, act: Callable[..., Result], **arguments: Any) -> Result | None:
        """What the act gives; None when it is stale."""
        try:
            return act(**arguments, **self.cleaned_data)
        except Stale:
            self.stale = True
            return None


class SkillImportForm(ActionForm):
    """A zip archive of skills, for one team."""

    file = forms.FileField(
        label="Zip archive",
        help_text=f"Folders that each contain a SKILL.md; at most {LARGEST_ARCHIVE // 1_000_000} MB.",
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip", "class": "w-full text-sm"}),
    )
    team = forms.ChoiceField()
    live = forms.BooleanField(required=False, label="Publish at once")

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["team"].choices = led(member)  # type: ignore[attr-defined]

    def data_of_file(self) -> bytes:
        """Its bytes, one more than is taken if there are too many: the archive's own check says so."""
        found: bytes = self.cleaned_data["file"].read(LARGEST_ARCHIVE + 1)
        return found


def unix(text: str) -> str:
    """Browsers send line ends as CR LF; the text has LF alone."""
    return text.replace("\r\n", "\n")
