"""When a snoozed item comes back."""

from datetime import date, datetime, timedelta
from enum import StrEnum

# The longest a date may be away: what nobody wants to see for a year is dismissed.
LONGEST = timedelta(days=366)


class Until(StrEnum):
    """What a snooze ends with; DATE: a date that is named."""

    TOMORROW = "tomorrow"
    WEEK = "week"
    MONTH = "month"
    USED = "used"
    DATE = "date"


_DAYS = {Until.TOMORROW: 1, Until.WEEK: 7, Until.MONTH: 30}


def wake_date(until: Until, on: date | None, today: date) -> date | None:
    """The day on which it comes back; None for USED, and for a DATE that is missing, past or too far off."""
    if until in _DAYS:
        return today + timedelta(days=_DAYS[until])
    fits = until is Until.DATE and on is not None and today < on <= today + LONGEST
    return on if fits else None


def until_words(moment: datetime | None, *, until_used: bool) -> str:
    """`until 7 Nov 2026`, or `until used again`."""
    if until_used or moment is None:
        return "until used again"
    return f"until {moment.day} {moment:%b %Y}"
