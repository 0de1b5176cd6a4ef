"""Forms for people: writing a skill, and importing skills."""

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

# The longest text of the triggers of one kind; a longer one is a mistaken paste.
LONGEST_LIST = 20_000
# Fields that another lead may change meanwhile. Each carries its value from when the form was made, so that one's own
# changes can be told from theirs.
WATCHED = ("name", "description", "instructions", "tags", "globs", "error_words")


def led(member: Member) -> list[tuple[str, str]]:
    """Return the teams a member may write skills for, as choices."""
    return [(team.slug, team.name) for team in member.teams if member.may(team.id, Level.LEAD)]


class SkillListForm(forms.Form):
    """The filters of the list; they are parameters of its address."""

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
    """The fields of a skill, with the revision they were read at (none for a new one)."""

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
        """Return what was typed, whether or not it is valid yet: a preview and a trial do not need a complete form."""
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
        """Return the changes in the form that `author.edit` takes."""
        sheet = self.sheet()
        return {name: getattr(sheet, name) for name in ("name", "description", "instructions", "triggers")}

    def on_top_of(self, skill: Skill, member: Member) -> "SkillForm":
        """Return the form for a newer state of the skill: own changes are kept, the rest is as it is now."""
        now, mine = initial_values(skill), self.changed_data
        data = {**self.data.dict(), "revision": str(skill.revision)}  # type: ignore[attr-defined]
        for name in WATCHED:
            data[self.add_initial_prefix(name)] = now[name]
            data[name] = data.get(name, "") if name in mine else now[name]
        return SkillForm(data, member=member, skill=skill)


def initial_values(skill: Skill) -> dict[str, Any]:
    """Return a skill's fields as the form shows them."""
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
    """Publishing, retiring or restoring a skill, with the revision that was read. `stale`: it has another one now."""

    stale = False

    revision = forms.IntegerField(required=False)
    why = forms.CharField(required=False, max_length=1_000)

    def send(self, act: Callable[..., Result], **arguments: Any) -> Result | None:
        """Return the result of the action; None if it is stale."""
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
        """Return the bytes of the file, at most one more than allowed; the archive's own check refuses that."""
        found: bytes = self.cleaned_data["file"].read(LARGEST_ARCHIVE + 1)
        return found


def unix(text: str) -> str:
    """Return the text with LF line ends; browsers send CR LF."""
    return text.replace("\r\n", "\n")
