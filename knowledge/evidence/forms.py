"""Shapes at the door for people: asking the files, and keeping what was found."""

from collections.abc import Iterable
from typing import Any

from django import forms

from accounts.forms import ActionForm
from accounts.rules.rights import Member
from knowledge.evidence.models import Source
from knowledge.evidence.rules.ask import EvidenceQuestion
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.rules.vocabulary import Kind

LONGEST_QUERY = 4_000
MODE_WORDS = {
    ReuseMode.FAST: "fast: rank, cite, brief",
    ReuseMode.DEEP: "deep: searches further while unsure",
    ReuseMode.FILENAME_ONLY: "file names only",
}


class AskFilesForm(ActionForm):
    """A question to the files."""

    query = forms.CharField(
        max_length=LONGEST_QUERY, label="Question", widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    mode = forms.ChoiceField(
        choices=[(mode.value, words) for mode, words in MODE_WORDS.items()],
        initial=ReuseMode.FAST.value,
        required=False,
    )
    sources = forms.MultipleChoiceField(
        required=False,
        label="Sources",
        help_text="If none is selected: all sources you can search.",
        widget=forms.CheckboxSelectMultiple(attrs={"class": "checkbox checkbox-primary checkbox-sm"}),
    )

    recompute = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.found = list(Source.objects.visible_to(member).searchable().select_related("team"))
        self.fields["sources"].choices = [(one.slug, one.name) for one in self.found]  # type: ignore[attr-defined]

    def offers(self, slugs: Iterable[str]) -> bool:
        """Whether the person may search each of these sources."""
        return set(slugs) <= {one.slug for one in self.found}

    def ask(self) -> EvidenceQuestion:
        data = self.cleaned_data
        return EvidenceQuestion(
            text=data["query"],
            mode=ReuseMode(data["mode"] or ReuseMode.FAST),
            sources=tuple(data["sources"]),
            recompute=data["recompute"],
        )


class KeepForm(ActionForm):
    """How a cluster becomes an insight."""

    title = forms.CharField(max_length=200)
    kind = forms.ChoiceField(
        choices=[(kind.value, kind.value.lower()) for kind in Kind if kind is not Kind.DECISION],
        initial=Kind.CONTEXT.value,
    )
    tags = forms.CharField(required=False, max_length=2_000, help_text="Separated by commas.")

    def kept(self) -> dict[str, Any]:
        """The arguments of `deposit` that were typed."""
        tags = tuple(tag.strip()[:60] for tag in self.cleaned_data["tags"].split(",") if tag.strip())
        return {"title": self.cleaned_data["title"], "kind": Kind(self.cleaned_data["kind"]), "tags": tags}
