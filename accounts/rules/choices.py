"""The choices of a database column, from an enum."""

from enum import StrEnum


def choices(words: type[StrEnum]) -> list[tuple[str, str]]:
    """Each word with itself for its label: people and agents read the same word."""
    return [(word.value, word.value) for word in words]
