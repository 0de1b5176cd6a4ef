"""A team's own marks on the time axis: a deploy, a release, the day its agents were connected."""

from datetime import date

LONGEST_TEXT = 80
# A deploy a day for years. A script that marks every commit is told so.
MOST = 2_000
# Of one contributor in a day: deploys of a busy team. Without it one token fills the axis, and nobody else marks a day.
MOST_A_DAY = 50
# The log begins with the product; a mark from before it, or of years ahead, is a typing error.
EARLIEST = date(2020, 1, 1)
DAYS_AHEAD = 366


def text_faults(text: str) -> list[str]:
    """What is wrong with the text of a mark."""
    if not text:
        return ["Enter a text, for example “Release 2.4”."]
    return [f"At most {LONGEST_TEXT} characters."] if len(text) > LONGEST_TEXT else []


def day_faults(day: date, today: date) -> list[str]:
    """What is wrong with the day of a mark."""
    if day < EARLIEST:
        return [f"Enter a date from {EARLIEST.isoformat()} on."]
    return ["Enter a date within the next year."] if (day - today).days > DAYS_AHEAD else []
