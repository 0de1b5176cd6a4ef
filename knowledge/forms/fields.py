"""Form fields of an insight that several forms have."""

from typing import Any

from django import forms

from knowledge.rules.draft import MOST_QUESTIONS
from knowledge.rules.vocabulary import Kind

LONGEST_TEXT = 20_000


def choices(words: Any, empty: str) -> list[tuple[str, str]]:
    return [("", empty), *[(word.value, word.value.lower()) for word in words]]


def kind_field(**more: Any) -> forms.ChoiceField:
    return forms.ChoiceField(choices=[(kind.value, kind.value.capitalize()) for kind in Kind], **more)


def body_field(*, rows: int, **more: Any) -> forms.CharField:
    help_text = "Markdown. Say what to do, when, and why."
    return forms.CharField(label="Text", max_length=LONGEST_TEXT, help_text=help_text, widget=_textarea(rows), **more)


def reasoning_field(*, rows: int, widget: type[forms.Textarea] = forms.Textarea) -> forms.CharField:
    return forms.CharField(
        max_length=LONGEST_TEXT,
        required=False,
        help_text="Why it is true. Required for a decision.",
        error_messages={"required": "A DECISION requires reasoning."},
        widget=widget(attrs={"rows": rows}),
    )


def files_field(*, rows: int) -> forms.CharField:
    return forms.CharField(
        required=False, help_text="One path per line; files of the repository are suggested.", widget=_textarea(rows)
    )


def symbols_field(*, rows: int) -> forms.CharField:
    help_text = "Functions, classes, settings; one per line."
    return forms.CharField(required=False, help_text=help_text, widget=_textarea(rows))


def questions_field() -> forms.CharField:
    help_text = (
        f"Questions it answers, as somebody without the answer would ask; one per line, at most {MOST_QUESTIONS}."
    )
    return forms.CharField(required=False, help_text=help_text, widget=_textarea(3))


def _textarea(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows})
