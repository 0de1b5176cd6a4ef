"""What an answer is packed from: insights, contradictions, topics and skills, each as little as its text needs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sessions_app.answers.rules.beside import Other, lines


@dataclass(frozen=True)
class LaterNote:
    """A later insight that is perhaps about the same thing as a served one. `sentence`: the likeliest; `beginning`:
    its first few; `who`: whose words it is, inert.
    """

    ref: str
    status: str
    date: str
    who: str
    sentence: str
    beginning: str = ""


@dataclass(frozen=True)
class Item:
    """One insight to be packed. `question`: what was asked, which tells what of it is told where not all has room.
    `who`: whose words it is, inert. `notes`: what it has to do with others, a line each,
    others' words in it inert already; its title stands with them. `found`: it is a draft that was read from a
    transcript, and nobody has said it again. `side`: what it is beside another item that it forms an open pair with
    (`outdated`, `older`, `newer`), "" if there is none. `standing`: what has to be known of it where there is no room
    for its notes, inert; "" for most. `superseded`: the references of what it took the place of. `later`: what was
    learned since and is perhaps about the same thing, the likeliest first. `others`: what it forms pairs with, of which
    a line each joins its notes when it is known what else is told.
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
        """What it is called where it finds no room itself."""
        return f"{self.side}: {self.ref}" if self.side else self.ref

    def after(self, shown: Collection[str]) -> "Item":
        """The item as it is told to a reader of what was shown before: that it replaces some of that."""
        item = replace(self, later=tuple(one for one in self.later if one.ref not in shown))
        gone = [ref for ref in self.superseded if ref in shown]
        line = f"Replaces {', '.join(gone)}, shown before in this session."
        return replace(item, notes=(line, *self.notes)) if gone else item

    def among(self, told: Sequence[str]) -> "Item":
        """The item as it stands in a text that tells these references in this order: with a line about each of its
        others, and with the words of those that are not told themselves.
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
    """A topic and how much of it was found, of which kinds."""

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
