"""Patterns of wordings: written over several lines, read without regard to case."""

import re


def wording(pattern: str) -> re.Pattern[str]:
    """A blank is written as `\\s+`, for layout means nothing."""
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)
