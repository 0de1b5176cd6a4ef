"""The parts that an answer is packed from: insights, contradictions, topics and skills, each with only what its text
needs.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sessions_app.answers.rules.beside import Other, lines


@dataclass(frozen=True)
class LaterNote:
    """A later insight that is perhaps about the same thing as a served one. `sentence`: the likeliest one; `beginning`:
    the first few; `who`: the author, inert.
    """

    ref: str
    status: str
    date: str
    who: str
    sentence: str
    beginning: str = ""


@dataclass(frozen=True)
class Item:
    """One insight to be packed.

    `question`: what was asked, which decides the sentences that are quoted if not all fit. `who`: the author, inert.
    `notes`: its relations to other insights, a line each, with their words already inert; they follow its title.
    `found`: a draft read from a transcript that nobody has repeated. `side`: its side of an open pair with another item
    (`outdated`, `older`, `newer`), or "". `standing`: what a reader must know of it if its notes do not fit, inert; ""
    for most. `superseded`: the references of what it replaced. `later`: later insights that are perhaps about the same
    thing, the likeliest first. `others`: the insights it forms pairs with; each adds a line to the notes once it is
    known which items are quoted.
    """

    ref: str
    kind: str
    status: str
    title: str
    body: str
    reasoning: str
    date: str
    confidence: str
    who: str
    notes: tuple[str, ...] = ()
    trust: str = ""
    found: bool = False
    side: str = ""
    standing: str = ""
    superseded: tuple[str, ...] = ()
    later: tuple[LaterNote, ...] = ()
    question: str = ""
    others: tuple[Other, ...] = ()

    @property
    def name(self) -> str:
        """The name of the item if it does not fit itself."""
        return f"{self.side}: {self.ref}" if self.side else self.ref

    def after(self, shown: Collection[str]) -> "Item":
        """Return the item for a reader who was `shown` these references before, with a line that says which of them it
        replaces.
        """
        item = replace(self, later=tuple(one for one in self.later if one.ref not in shown))
        gone = [ref for ref in self.superseded if ref in shown]
        line = f"Replaces {', '.join(gone)}, shown before in this session."
        return replace(item, notes=(line, *self.notes)) if gone else item

    def among(self, told: Sequence[str]) -> "Item":
        """Return the item for a text that quotes the references of `told` in this order: with a line about each of its
        others, and with the words of those that are not quoted.
        """
        above = told[: told.index(self.ref)]
        others = [
            replace(one, sentence="" if one.ref in told else one.sentence, shown_above=one.ref in above)
            for one in self.others
        ]
        return replace(self, notes=(*self.notes, *lines(others)), others=())


@dataclass(frozen=True)
class ContradictionLine:
    """Two insights that seem to contradict each other; `newer`: the one learned later, or ""."""

    a: str
    b: str
    reason: str
    newer: str = ""


@dataclass(frozen=True)
class Heading:
    """A topic, and the number of its insights that were found, by kind."""

    id: str
    label: str
    kinds: Mapping[str, int]
    count: int


@dataclass(frozen=True)
class SkillLine:
    """One skill to be packed, as it was published on `date` by `who`."""

    name: str
    version: int
    date: str
    instructions: str
    who: str
