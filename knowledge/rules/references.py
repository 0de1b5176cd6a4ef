"""References of insights (`PLAT-42`) in a text."""

import re
from collections.abc import Iterable, Iterator

# In a longer name (`X-PLAT-42`, `PLAT-42-a`) or a path there is no reference.
_REFERENCE = re.compile(r"(?<![\w/.-])[A-Z][A-Z0-9]{1,11}-[1-9]\d{0,8}(?![\w/]|-\w)")


def references(text: str) -> list[str]:
    """Return the references that the text may name, each once, in its order."""
    return list(dict.fromkeys(_REFERENCE.findall(text)))


def names_one(text: str, refs: Iterable[str]) -> bool:
    """Whether the text names one of these references."""
    return not set(refs).isdisjoint(_REFERENCE.findall(text))


def split_references(text: str, known: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the text in parts, in order: (reference, its text) of a known one, ("", text) of what is between."""
    place, wanted = 0, set(known)
    for match in _REFERENCE.finditer(text):
        if match[0] in wanted:
            yield "", text[place : match.start()]
            yield match[0], match[0]
            place = match.end()
    yield "", text[place:]
