"""When a snoozed item comes back."""

from datetime import date, datetime, timedelta
from enum import StrEnum

# The latest date of a snooze. What nobody wants to see for a year should be dismissed.
LONGEST = timedelta(days=366)


class Until(StrEnum):
    """What ends a snooze; DATE: on a given date."""

    TOMORROW = "tomorrow"
    WEEK = "week"
    MONTH = "month"
    USED = "used"
    DATE = "date"


_DAYS = {Until.TOMORROW: 1, Until.WEEK: 7, Until.MONTH: 30}


def wake_date(until: Until, on: date | None, today: date) -> date | None:
    """Return the day on which the item comes back; None for USED, and for a DATE that is missing, past or too
    far off.
    """
    if until in _DAYS:
        return today + timedelta(days=_DAYS[until])
    fits = until is Until.DATE and on is not None and today < on <= today + LONGEST
    return on if fits else None


def until_words(moment: datetime | None, *, until_used: bool) -> str:
    """Return `until 7 Nov 2026`, or `until used again`."""
    if until_used or moment is None:
        return "until used again"
    return f"until {moment.day} {moment:%b %Y}"
