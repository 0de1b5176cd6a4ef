"""The form that saves a filter of a list or of the inbox."""

from typing import Any, ClassVar

from django import forms
from django.http import QueryDict

from accounts.forms import WatchedForm
from accounts.rules.rights import PERSONAL, Level, Member, TeamKind
from knowledge.forms.insights import SearchForm
from knowledge.forms.queues import QueueForm
from knowledge.models import SavedFilter
from knowledge.review.rules.saved_filters import LONGEST_NAME, Listing


class SavedFilterForm(WatchedForm):
    """A name for what a list is narrowed to, which is sent along as the query of its address. `read_at`: when the one
    of that name was last changed, as far as it was seen.
    """

    called: ClassVar[dict[str, str]] = {"listing": "page"}

    page = forms.ChoiceField(choices=[(one.value, one.value) for one in Listing], widget=forms.HiddenInput)
    query = forms.CharField(required=False, max_length=30_000, widget=forms.HiddenInput)
    read_at = forms.DateTimeField(required=False, widget=forms.HiddenInput)
    name = forms.CharField(max_length=LONGEST_NAME, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    team = forms.ChoiceField(label="Visible to")

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "filter_%s", **kwargs})
        self.member = member
        led = [team for team in member.teams if team.kind is not TeamKind.PERSONAL and member.may(team.id, Level.LEAD)]
        choices = [(PERSONAL, "only me"), *[(team.slug, team.name) for team in led]]
        self.fields["team"].choices = choices  # type: ignore[attr-defined]

    def filter(self) -> dict[str, Any]:
        """The arguments of `save_filter` that were sent; of the query, what the list's own form takes."""
        data, listing = self.cleaned_data, Listing(self.cleaned_data["page"])
        given = QueryDict(data["query"]).dict()
        form = {Listing.INSIGHTS: SearchForm, Listing.INBOX: QueueForm}.get(listing)
        errors = form(given, member=self.member).errors if form else {}  # of the others the page itself tells them
        fine = {name: value for name, value in given.items() if name not in errors}
        return {"listing": listing, "given": fine, **{name: data[name] for name in ("name", "team", "read_at")}}

    def on_top_of(self, row: SavedFilter) -> "SavedFilterForm":
        """The same over a filter as it is now."""
        data = {**self.data.dict(), "read_at": row.changed_at.isoformat()}  # type: ignore[attr-defined]
        return SavedFilterForm(data, member=self.member)
