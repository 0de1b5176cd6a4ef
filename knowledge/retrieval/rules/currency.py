"""What is current: of two insights on one subject, which one an answer leads with, and what is said of the other.

The newer one comes first, by when it was learned, whatever its status: a team's confirmed note may be the outdated one,
and who asks must see what came since. Two things speak for the older one. A person has stood behind it after the newer
one came; or the question names what only the older one speaks of, by a code or a name ("429", packages/legacy), or by
what tells two notes of one frame apart: then they are siblings, and it is the sibling that was asked for.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from math import log

from knowledge.judging.rules.reading import read
from knowledge.judging.rules.relations import CAUTIONS, Reason, Relation
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.frame import same_places, shared_frame


class Currency(StrEnum):
    """Whether what an insight says still holds, as far as anybody knows."""

    CURRENT = "current"
    OUTDATED = "outdated"
    DISPUTED = "disputed"


# What a lead has decided of two, where there are words for it: in which scope each holds, or why nothing is settled.
SCOPE = "scope"
REASON = "reason"


@dataclass(frozen=True)
class Link:
    """A pair as one side sees it. `proposed`: one is proposed to replace the other; `successor`: the id of the one that
    would replace, 0 for none. `relation`: the stated relation, None without one. `claimed_by`: the id of the user who
    stated it or whose deposit raised it, 0 if unknown. `decided`: a lead's finding with words: `scope` (both hold, each
    in its own), `reason` (why there is nothing to settle), or "". `reason`: the code of the verdict
    (`judging.rules.relations.Reason`).
    """

    pair_id: int
    other_id: int
    question: str
    open: bool
    relation: Relation | None = None
    successor_id: int = 0
    claimed_by: int = 0
    decided: str = ""
    reason: str = ""

    @property
    def rejected_before(self) -> bool:
        """Whether one says in nearly the same words what a lead has rejected against the other."""
        return self.open and self.reason == Reason.REJECTED_BEFORE

    @property
    def unlike(self) -> bool:
        """Whether somebody states something against one of two notes with nothing in common, and no lead has looked
        yet.
        """
        return self.open and self.reason == Reason.NOT_ALIKE

    @property
    def cautious(self) -> bool:
        """Whether readers should look twice at the statement about the two."""
        return self.reason in CAUTIONS

    @property
    def proposed(self) -> bool:
        return self.open and bool(self.successor_id)

    @property
    def says_again(self) -> bool:
        """Whether one repeats the very words that the other has superseded, and nobody has looked at it yet."""
        return self.proposed and self.reason == Reason.RETOLD

    @property
    def refused(self) -> bool:
        """Whether one had replaced the other, and a lead has taken that back."""
        return self._kept_apart and self.relation is None

    @property
    def rejected(self) -> bool:
        """Whether a lead has rejected that one replaces the other."""
        return self._kept_apart and self.relation is Relation.SUPERSEDES

    @property
    def _kept_apart(self) -> bool:
        """Whether one is not to replace the other, by a lead who did not find that both hold."""
        return self.question == "supersession" and not self.open and self.decided != SCOPE

    @property
    def dismissed(self) -> bool:
        """Whether a lead found nothing to settle between the two, so that nothing is shown."""
        nothing = self.question == "duplicate" and not self.open and self.relation is None
        return self.rejected or (nothing and self.decided != SCOPE)

    @property
    def unrelated(self) -> bool:
        return self.relation is Relation.UNRELATED

    @property
    def state(self) -> str:
        """As an answer names it."""
        return "proposed" if self.proposed else "open" if self.open else "settled"


def link(text: str, own_id: int) -> Link:
    """From "pair:a:b:question:state:relation:successor side:user:decided:reason", as `of_each_insight` has it."""
    pair, a, b, question, state, relation, side, user, decided, reason = text.split(":", 9)
    other = int(b) if int(a) == own_id else int(a)
    successor = {"a": int(a), "b": int(b)}.get(side, 0)
    said = Relation(relation) if relation else None
    return Link(int(pair), other, question, state == "open", said, successor, int(user), decided, reason)


@dataclass(frozen=True)
class Telling:
    """One side: `learned_at` and `came_at` (since when it is here) and `confirmed_at` (by a person, 0 if by none) in
    epoch seconds; `relevance` to the question; its `text` with its `terms`.
    """

    learned_at: float
    came_at: float
    confirmed_at: float
    relevance: float
    terms: frozenset[str]
    text: str = ""

    @cached_property
    def designations(self) -> frozenset[tuple[str, str]]:
        return designations(self.text)

    @cached_property
    def phrases(self) -> frozenset[tuple[str, str]]:
        """Each two words that stand together: "rollout restart"."""
        return frozenset(pairwise(bm25.terms(self.text)))

    @cached_property
    def marks(self) -> frozenset[str]:
        """The terms that are codes, figures, paths or names, or parts of one: "429", "legacy" of packages/legacy,
        "European".
        """
        told = read(self.text)
        named = frozenset().union(*(bm25.terms(name) for name in (*told.names, *told.paths)))
        return named | {term for term in self.terms if not term.isalpha() and not _is_word(term)}


# A word that tells two notes apart is rare in the team: as many of its insights may have it, or this share of them.
RARE_COUNT = 3
RARE_SHARE = 0.03
# How much more relevant the older one may be: with a name that only it has, before it is taken for a sibling; without
# a known pair, before the two are taken for different things. Measured on 177 changed facts and 68 siblings of three
# authors, and on the titles of 500 notes on distinct things, whose own note is first for .808 with this rule, for .818
# without any, and for .74 with a margin of .2 (docs/decisions/0014-relations.md).
MARGIN = 0.1
# How much more relevant where the two stand out beside each other (`later_notes.successor`).
STANDS_OUT_MARGIN = 0.2
# Stems that begin alike are one word here: "deploys", "deployment".
BEGINNING = 5
# Plain words written together: who speaks of "billing-exporter's schema" or of "boarding passes" has "billing-exporter"
# and "boarding-pass" as well, so that these are no name that sets the two apart. Mute agents, older note promoted,
# current first without and with this rule: 84 and 85 of 90, 58 and 59 of 70, 42 and 42 of 45; siblings unchanged.
# A digit makes another thing of a word ("utf-8"), and so do the words that are in every text ("read-only").
_TOGETHER = re.compile(r"[^\W\d_]{2,}(?:[-_./][^\W\d_]{2,})+")
_JOINT = re.compile(r"[-_./]")
# What no prose has: an underscore, or a digit among letters.
_CODE = re.compile(r"_|[^\W\d]\d|\d[^\W\d]")
# One of several by its number or letter: "exit code 3", "rev B", "phase 2". A unit after the number makes it a
# quantity, not a designation ("code 3 seconds after"); a letter counts nothing, and a verb is no unit ("node 3 has").
_DESIGNATION = re.compile(
    r"\b([^\W\d_]{2,})[ \u00a0]#?(?:(\d{1,4}[a-z]?)\b(?![.,]\d|%)(?=(?:[ \u00a0](\w+))?)|([A-Z])\b)"
)
_UNIT = re.compile(r"[mnµ]?s|[kmgt]?i?b")


def designations(text: str) -> frozenset[tuple[str, str]]:
    """(what, which) of the things that a text names by number or letter: ("code", "3"), ("rev", "b")."""
    found = set[tuple[str, str]]()
    for what, number, after, letter in _DESIGNATION.findall(text):
        counted = _UNIT.fullmatch(after) or (after.endswith("s") and after not in bm25.STOP_WORDS)
        if letter != "I" and not counted and bm25.terms(what):
            found.add((what.casefold(), (number or letter).casefold()))
    return frozenset(found)


@dataclass(frozen=True)
class Asked:
    """The `terms` of a question, in how many of the team's `documents` each occurs, and its `text`."""

    terms: Collection[str]
    documents: int
    df: Mapping[str, int]
    text: str = ""

    def designates(self, one: Telling, other: Telling) -> bool:
        """Whether it names by number or letter what `one` is about, where `other` is about another of that kind."""
        named = designations(self.text) & (one.designations - other.designations)
        return any(what == kind for what, _ in named for kind, _ in other.designations)

    def speaks_of(self, one: Telling, other: Telling) -> bool:
        """Whether the question asks for `one` of two known siblings. What the question designates decides, then rare
        words. With any word, the author of one sibling could lead by repeating the question.
        """
        if self.designates(one, other) != self.designates(other, one):
            return self.designates(one, other)
        return self.names(one, other) > 0

    def names(self, one: Telling, other: Telling) -> float:
        """How much more the question names of what only `one` has (above 0) than of what only `other` has (below 0)."""
        return self._weight(self._only(one, other)) - self._weight(self._only(other, one))

    def marks(self, one: Telling, other: Telling) -> bool:
        """Whether the question names, by a code or a name, something that `one` has and `other` lacks. A plain word
        says little: of a changed fact the question has a word of the outdated telling as often as one of the current
        telling.
        """
        return any(_has(word, one.marks) for word in self._only(one, other))

    def names_code_of(self, one: Telling, other: Telling) -> bool:
        """Whether it names by a code of few insights ("legacy_sku") what only `one` speaks of, and none of the other's.
        Of 205 changed facts of three authors no question does that with the outdated note.
        """
        mine, theirs = ([word for word in some if _CODE.search(word)] for some in self._apart(one, other))
        return any(self.df.get(word, 0) <= RARE_COUNT for word in mine) and not theirs

    def fills(self, one: Telling, other: Telling) -> bool:
        """Whether the two open alike, and it asks for what `one` speaks of there and `other` nowhere."""
        if not one.text:
            return False
        if any(
            self._of([mine], other) and not self._asks(theirs, one)
            for mine, theirs in same_places(one.text, other.text)
        ):
            return True
        frame = shared_frame(one.text, other.text)
        if frame is None:
            return False
        return self._weight(self._of(frame.mine, other)) > self._weight(self._of(frame.theirs, one))

    def _asks(self, word: str, one: Telling) -> bool:
        """Whether it has a word, or `one` has it."""
        terms = bm25.terms(word)
        return any(_has(term, one.terms) or _has(term, self.terms) for term in terms)

    def _of(self, words: Collection[str], other: Telling) -> list[str]:
        own = frozenset(bm25.terms(" ".join(words)))
        return [word for word in set(self.terms) if _has(word, own) and not _is_in(word, other.terms)]

    def _apart(self, one: Telling, other: Telling) -> tuple[list[str], list[str]]:
        return self._only(one, other), self._only(other, one)

    def _only(self, mine: Telling, theirs: Telling) -> list[str]:
        most = max(RARE_COUNT, RARE_SHARE * self.documents)
        rare = (word for word in set(self.terms) if self.df.get(word, 0) <= most)
        return [word for word in rare if _has(word, mine.terms) and not _is_in(word, theirs.terms)]

    def _weight(self, words: Collection[str]) -> float:
        return sum(log(1 + (self.documents - n + 0.5) / (n + 0.5)) for n in (self.df.get(word, 0) for word in words))


def leads(
    newer: Telling,
    older: Telling,
    asked: Asked,
    *,
    stated: bool = False,
    paired: bool = True,
    beside: Collection[str] = frozenset(),
    stands_out: bool = False,
) -> bool:
    """Whether the newer of two comes first. `stated`: somebody has said that it replaces or contradicts the older one,
    so that they are no siblings; not `paired`: they only read alike, and nothing says that they are about one thing,
    but that they stand out beside each other (`stands_out`).
    `beside`: the terms of others that join two which are no pair themselves: what the question names that only the
    older one has of them all tells one of a family, too, be it a plain word.
    """
    if older.confirmed_at > newer.came_at:
        return False
    if not stated and (asked.designates(older, newer) or asked.names_code_of(older, newer)):
        return False
    ahead = older.relevance - newer.relevance
    if not stated and ahead > 0 and asked.fills(older, newer):
        return False
    close = ahead <= (STANDS_OUT_MARGIN if stands_out else MARGIN)
    sibling = asked.names(older, newer) > 0 and asked.marks(older, newer)
    if not paired:
        return close and not sibling
    if beside and not sibling:
        sibling = asked.names(older, replace(newer, terms=newer.terms.union(beside))) > 0
    return stated or close or not sibling


def _is_word(term: str) -> bool:
    """Whether it is a plain word though it has a hyphen: "check-in", "e-mail"."""
    parts = term.split("-")
    small = any(len(part) == 1 or part in bm25.STOP_WORDS for part in parts)
    return len(parts) > 1 and small and all(part.isalpha() for part in parts)


def _has(word: str, terms: Collection[str]) -> bool:
    if word in terms:
        return True
    if len(word) < BEGINNING or not word.isalpha():
        return False
    return any(term[:BEGINNING] == word[:BEGINNING] for term in terms if len(term) >= BEGINNING)


def _is_in(word: str, terms: Collection[str]) -> bool:
    return _has(word, terms) or _has_parts(word, terms)


def _has_parts(word: str, terms: Collection[str]) -> bool:
    """Whether all the words of a compound are there, if not together."""
    if not _TOGETHER.fullmatch(word):
        return False
    _, *parts = bm25.terms(word)
    return len(parts) == len(_JOINT.split(word)) and all(part in terms for part in parts)


def currency(links: Collection[Link], own_id: int, *, rejected: bool = False) -> Currency:
    """Whether an insight is current, by its relations. `rejected`: a lead has kept the note it was proposed to replace.

    While a lead has not decided on a proposed replacement, both sides are disputed. A note that repeats superseded
    words is outdated until somebody says that they hold again.
    """
    if rejected or any(one.refused and one.successor_id == own_id for one in links):
        return Currency.OUTDATED
    opened = [one for one in links if one.open]
    if any(one.says_again and one.successor_id != own_id for one in opened):
        return Currency.OUTDATED
    return Currency.DISPUTED if any(not one.says_again for one in opened) else Currency.CURRENT
