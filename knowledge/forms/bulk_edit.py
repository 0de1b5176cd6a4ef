"""The form that changes many insights at once."""

from typing import Any

from django import forms

from knowledge.forms.insights import LONGEST, MOST, choices, lists_of
from knowledge.review.actions.bulk_edit import BulkChange
from knowledge.rules.draft import clean_tags
from knowledge.rules.vocabulary import Kind


class BulkEditForm(forms.Form):
    """What is left empty stays as it is."""

    add_tags = forms.CharField(required=False, max_length=2_000, help_text="Separated by commas.")
    remove_tags = forms.CharField(required=False, max_length=2_000, help_text="Separated by commas.")
    kind = forms.ChoiceField(required=False, choices=choices(Kind, "unchanged"))
    repo = forms.CharField(required=False, max_length=200, label="Repository", help_text="Empty: unchanged.")
    clear_repo = forms.BooleanField(required=False, label="Remove the repository")
    owner = forms.CharField(required=False, max_length=150, help_text="A member of the team. Empty: unchanged.")
    clear_owner = forms.BooleanField(required=False, label="Remove the owner")
    why = forms.CharField(required=False, max_length=1_000, label="Reason", help_text="Shown in the history.")

    def clean(self) -> dict[str, Any]:
        for name in ("add_tags", "remove_tags"):
            tags = lists_of("tags", self.cleaned_data.get(name, ""))
            if len(tags) > MOST["tags"] or any(len(tag) > LONGEST["tags"] for tag in tags):
                self.add_error(name, f"At most {MOST['tags']} tags of {LONGEST['tags']} characters each.")
        if not self.errors and self.change().is_nothing:
            self.add_error(None, "Enter at least one change.")
        return self.cleaned_data

    def change(self) -> BulkChange:
        """What was typed, as `bulk_edit` takes it."""
        data = self.cleaned_data
        return BulkChange(
            add_tags=clean_tags(lists_of("tags", data["add_tags"])),
            remove_tags=clean_tags(lists_of("tags", data["remove_tags"])),
            kind=data["kind"],
            repo="" if data["clear_repo"] else data["repo"].strip() or None,
            owner="" if data["clear_owner"] else data["owner"].strip() or None,
        )
