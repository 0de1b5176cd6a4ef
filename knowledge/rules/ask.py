"""A question on its way in, and what can be read off it without looking anything up."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.rules.draft import clean_paths, clean_tags
from knowledge.rules.locality import Context
from knowledge.rules.recency import Recency, recency

# A reference as people write it in a sentence: "see PLAT-42".
_REFERENCE = re.compile(r"\b[A-Z][A-Z0-9]{1,11}-\d{1,9}\b")

# Nobody asks for more in one breath.
MOST_REFERENCES = 10


def references(text: str) -> list[str]:
    """The references a text names, each once, at most a handful."""
    return list(dict.fromkeys(_REFERENCE.findall(text)))[:MOST_REFERENCES]


DEFAULT_LIMIT = 3
MOST = 50
DEEPEST = 2


@dataclass(frozen=True)
class Ask:
    """A question with its context. `teams` are slugs, none meaning all; `trim` off gives the ranked list as it is.

    `depth`: 0 topics only, 1 the best insight of each, 2 all; `topic`: the id of the one to look into, or none.
    """

    text: str
    files: Sequence[str] = ()
    symbols: Sequence[str] = ()
    tags: Sequence[str] = ()
    error: str = ""
    repo: str = ""
    kinds: Sequence[str] = ()
    teams: Sequence[str] = ()
    limit: int = DEFAULT_LIMIT
    min_score: float | None = None
    trim: bool = True
    depth: int = DEEPEST
    topic: str = ""
    # Files that stand next to `files` by a code index: what they import, and what imports them.
    related: Sequence[str] = ()

    @property
    def context(self) -> Context:
        return Context(
            files=frozenset(clean_paths(self.files)),
            symbols=frozenset(self.symbols),
            tags=frozenset(clean_tags(self.tags)),
            repo=self.repo.strip(),
            related=frozenset(self.related),
        )

    @property
    def latest(self) -> Recency | None:
        return recency(self.text)

    @property
    def references(self) -> list[str]:
        """References named in the text."""
        return references(self.text)
