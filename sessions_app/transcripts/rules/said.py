"""Summaries of older clients, which also contained the user's first prompt and the last message."""

import re
from dataclasses import dataclass

_ASKED = re.compile(r"\AAsked: (?P<asked>.*?)(?=\nLast said: |\Z)", re.DOTALL)
_LAST = re.compile(r"(?:\A|\n)Last said: (?P<said>.*)\Z", re.DOTALL)


@dataclass(frozen=True)
class SplitSummary:
    summary: str
    asked: str = ""
    last_message: str = ""


def split_summary(summary: str) -> SplitSummary:
    """Return the summary without "Asked: …" and "Last said: …", and these; any other text is a summary as it is."""
    asked, last = _ASKED.match(summary), _LAST.search(summary)
    if not asked and not (last and last.start() == 0):
        return SplitSummary(summary)
    return SplitSummary("", asked["asked"].strip() if asked else "", last["said"].strip() if last else "")
