"""Shapes at the door for people who snooze and assign items of the inbox."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from accounts.forms import ActionForm
from accounts.rules.rights import Member
from knowledge.review.actions import inbox_state
from knowledge.review.rules.snooze import LONGEST, Until, until_words, wake_date

# The longest name of an item: a reference, or the number of a pair.
LONGEST_ITEM = 40


class ItemsForm(ActionForm):
    """What is done to items of the inbox: `ref`, as often as there are items. `back`: the page it is done from."""

    back = forms.CharField(required=False, max_length=4_000)

    @property
    def items(self) -> list[str]:
        return [clean_item(ref) for ref in self.data.getlist("ref")]  # type: ignore[attr-defined]


class SnoozeForm(ItemsForm):
    """Until when: `until`, with `on` the date where one is named."""

    until = forms.ChoiceField(choices=[(one.value, one.value) for one in Until])
    on = forms.DateField(required=False)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("until") == Until.DATE and "on" in data and self.wakes is None:
            self.add_error("on", f"Choose a date from tomorrow to {LONGEST.days} days from now.")
        return data

    @property
    def wakes(self) -> date | None:
        data = self.cleaned_data
        return wake_date(Until(data["until"]), data.get("on"), timezone.localdate())

    @property
    def moment(self) -> datetime | None:
        """The beginning of that day here."""
        day = self.wakes
        return timezone.make_aware(datetime.combine(day, time())) if day else None

    @property
    def words(self) -> str:
        return until_words(self.moment, until_used=self.moment is None)

    def snooze(self, *, by: Member, now: datetime) -> inbox_state.StatesChanged | None:
        """Snooze the items; None when something typed is at fault."""
        until = self.moment
        sent: dict[str, Any] = {"until": until, "until_used": until is None, "by": by, "now": now}
        return self.attempt(inbox_state.snooze, items=self.items, **sent)


class AssignForm(ItemsForm):
    """To whom: a user name, `me`, or empty for nobody."""

    assignee = forms.CharField(required=False, max_length=150)

    def assign(self, *, by: Member, now: datetime) -> inbox_state.StatesChanged | None:
        """Assign the items; None when something typed is at fault."""
        assignee = self.cleaned_data["assignee"]
        return self.attempt(inbox_state.assign, items=self.items, assignee=assignee, by=by, now=now)


def clean_item(ref: str) -> str:
    """The name of an item as it was sent, without what no name has."""
    return ref.replace("\0", "")[:LONGEST_ITEM]


def first_date(today: date) -> str:
    """The earliest date to choose, as a date field takes it."""
    return (today + timedelta(days=1)).isoformat()
