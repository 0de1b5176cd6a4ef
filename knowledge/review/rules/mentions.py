"""Find mentions in a comment: `@name`, as on GitHub.

A name may contain letters, digits and `. _ + - @`, like account names. Punctuation that ends a sentence ends the name,
unless an account has that name. An address (`bob@example.org`) or a path (`node_modules/@types`) mentions nobody.
"""

import re
from collections.abc import Collection, Iterator

# The largest number of mentions in one comment. A comment to everybody is read by nobody.
MOST_MENTIONED = 20
LONGEST_NAME = 150
_MENTION = re.compile(rf"(?<![\w@/.+-])@([\w.+@-]{{1,{LONGEST_NAME}}})")
_ENDS = ".+@-"


def candidates(text: str) -> set[str]:
    """Return all names that the text may mention."""
    found = set()
    for match in _MENTION.finditer(text):
        said = match[1]
        found.add(said)
        while said and said[-1] in _ENDS:
            said = said[:-1]
            found.add(said)
    return found - {""}


def mentioned(text: str, members: Collection[str]) -> list[str]:
    """Return the names of the members that the text mentions, each once, in its order."""
    found = dict.fromkeys(name for name, _ in split_mentions(text, members) if name)
    return list(found)[:MOST_MENTIONED]


def split_mentions(text: str, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the parts of the text in order: (name, "@name") for a mention, ("", text) for what is between."""
    place = 0
    for match in _MENTION.finditer(text):
        name = _known(match[1], names)
        if not name:
            continue
        end = match.start() + 1 + len(name)
        yield "", text[place : match.start()]
        yield name, text[match.start() : end]
        place = end
    yield "", text[place:]


def _known(said: str, names: Collection[str]) -> str:
    """Return the account that is meant; "" if there is none."""
    while said and said not in names and said[-1] in _ENDS:
        said = said[:-1]
    return said if said in names else ""
