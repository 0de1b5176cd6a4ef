"""Decide which of two insights on one subject comes first in an answer, and whether an insight is current.

The newer one (by when it was learned) comes first, whatever its status: a confirmed note may be outdated, and a reader
must see what came since. The older one comes first in two cases. A person has confirmed it after the newer one was
stored. Or the question asks for the older one: it names a code or a name that only the older one has ("429",
packages/legacy), or the words by which two notes with a common frame differ (`frame`). Then the two are siblings, that
is, notes about two similar things, and not versions of one fact.
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
    """Whether an insight still holds, as far as is known."""

    CURRENT = "current"
    OUTDATED = "outdated"
    DISPUTED = "disputed"


# What a lead has decided about a pair and put into words: the scope in which each of the two holds, or the reason why
# nothing is to be settled.
SCOPE = "scope"
REASON = "reason"


@dataclass(frozen=True)
class Link:
    """A pair as seen from one of its sides.

    `relation`: the stated relation; None without one. `successor_id`: the id of the side that replaces the other one,
    or is proposed to; 0 for none. `claimed_by`: the id of the user who stated the relation or whose deposit raised the
    pair; 0 if unknown. `decided`: SCOPE or REASON if a lead has decided with words, else "". `reason`: the code of the
    verdict (`judging.rules.relations.Reason`).
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
        """Whether one side says in nearly the same words what a lead has rejected against the other side."""
        return self.open and self.reason == Reason.REJECTED_BEFORE

    @property
    def unlike(self) -> bool:
        """Whether somebody has stated a relation of two notes with nothing in common, before a lead has
        looked at it.
        """
        return self.open and self.reason == Reason.NOT_ALIKE

    @property
    def cautious(self) -> bool:
        """Whether readers should check the statement about the two."""
        return self.reason in CAUTIONS

    @property
    def proposed(self) -> bool:
        return self.open and bool(self.successor_id)

    @property
    def says_again(self) -> bool:
        """Whether one side repeats the exact words that the other has superseded, and the pair is still open."""
        return self.proposed and self.reason == Reason.RETOLD

    @property
    def refused(self) -> bool:
        """Whether one side had replaced the other and a lead has undone it."""
        return self._kept_apart and self.relation is None

    @property
    def rejected(self) -> bool:
        """Whether a lead has rejected that one replaces the other."""
        return self._kept_apart and self.relation is Relation.SUPERSEDES

    @property
    def _kept_apart(self) -> bool:
        """Whether a lead has decided that one side does not replace the other, without finding that both hold."""
        return self.question == "supersession" and not self.open and self.decided != SCOPE

    @property
    def dismissed(self) -> bool:
        """Whether a lead found nothing to settle between the two, so that answers show nothing."""
        nothing = self.question == "duplicate" and not self.open and self.relation is None
        return self.rejected or (nothing and self.decided != SCOPE)

    @property
    def unrelated(self) -> bool:
        return self.relation is Relation.UNRELATED

    @property
    def state(self) -> str:
        """The state of the pair, as answers name it."""
        return "proposed" if self.proposed else "open" if self.open else "settled"


def link(text: str, own_id: int) -> Link:
    """Return the link that `of_each_insight` encodes as "pair:a:b:question:state:relation:successor
    side:user:decided:reason", as seen from the insight `own_id`.
    """
    pair, a, b, question, state, relation, side, user, decided, reason = text.split(":", 9)
    other = int(b) if int(a) == own_id else int(a)
    successor = {"a": int(a), "b": int(b)}.get(side, 0)
    said = Relation(relation) if relation else None
    return Link(int(pair), other, question, state == "open", said, successor, int(user), decided, reason)


@dataclass(frozen=True)
class Telling:
    """One of two notes that are compared.

    `learned_at`, `came_at` (when it was stored) and `confirmed_at` (by a person; 0 if by none) are in epoch seconds.
    `relevance`: to the question. `terms`: of its `text`.
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
        """All pairs of adjacent terms: ("rollout", "restart")."""
        return frozenset(pairwise(bm25.terms(self.text)))

    @cached_property
    def marks(self) -> frozenset[str]:
        """The terms that are codes, figures, paths or names, or parts of one: "429", "legacy" (of packages/legacy),
        "European".
        """
        told = read(self.text)
        named = frozenset().union(*(bm25.terms(name) for name in (*told.names, *told.paths)))
        return named | {term for term in self.terms if not term.isalpha() and not _is_word(term)}


# A word that tells two notes apart is rare in the team: at most RARE_COUNT of its insights have it, or the share
# RARE_SHARE of them.
RARE_COUNT = 3
RARE_SHARE = 0.03
# In units of relevance (`Ranking.relevance`). A newer note comes first if the older one is at most this much more
# relevant. If the older one is more relevant than that, then a name in the question that only it has makes it a
# sibling; and two notes that are no known pair are taken for different things. Measured on 177 changed facts and 68
# siblings of three authors, and on the titles of 500 notes on distinct things: a note ranks first for its own title for
# 80.8 % with this rule, for 81.8 % without, and for 74 % with 0.2 (docs/decisions/0014-relations.md).
MARGIN = 0.1
# The same for two notes that are each other's nearest (`later_notes.successor`).
STANDS_OUT_MARGIN = 0.2
# In letters. Stems that share this many first letters count as one word: "deploys", "deployment".
BEGINNING = 5
# A compound of plain words is no name that sets two notes apart, if the other note has all its parts:
# "billing-exporter" and "billing-exporter's schema", "boarding-pass" and "boarding passes". Current note first with and
# without this rule, with agents that state no relation and the older note promoted: 85 and 84 of 90, 59 and 58 of 70,
# 42 and 42 of 45; siblings do not change. Excluded are compounds with a digit, which names another thing ("utf-8"), and
# those with a stop word ("read-only").
_TOGETHER = re.compile(r"[^\W\d_]{2,}(?:[-_./][^\W\d_]{2,})+")
_JOINT = re.compile(r"[-_./]")
# Does not occur in prose: an underscore, or a digit next to a letter.
_CODE = re.compile(r"_|[^\W\d]\d|\d[^\W\d]")
# One of several things, by number or letter: "exit code 3", "rev B", "phase 2". If a unit follows the number, it is a
# quantity and no designation ("code 3 seconds after"). A stop word that ends in s is no unit ("node 3 has"), and a
# letter is never a quantity.
_DESIGNATION = re.compile(
    r"\b([^\W\d_]{2,})[ \u00a0]#?(?:(\d{1,4}[a-z]?)\b(?![.,]\d|%)(?=(?:[ \u00a0](\w+))?)|([A-Z])\b)"
)
_UNIT = re.compile(r"[mnµ]?s|[kmgt]?i?b")


def designations(text: str) -> frozenset[tuple[str, str]]:
    """Return (what, which) for each thing that a text names by number or letter: ("code", "3"), ("rev", "b")."""
    found = set[tuple[str, str]]()
    for what, number, after, letter in _DESIGNATION.findall(text):
        counted = _UNIT.fullmatch(after) or (after.endswith("s") and after not in bm25.STOP_WORDS)
        if letter != "I" and not counted and bm25.terms(what):
            found.add((what.casefold(), (number or letter).casefold()))
    return frozenset(found)


@dataclass(frozen=True)
class Asked:
    """The `terms` of a question, the number of the team's `documents` that contain each one (`df`), and its `text`."""

    terms: Collection[str]
    documents: int
    df: Mapping[str, int]
    text: str = ""

    def designates(self, one: Telling, other: Telling) -> bool:
        """Return whether the question names by number or letter what `one` is about, and `other` is about another of
        that kind.
        """
        named = designations(self.text) & (one.designations - other.designations)
        return any(what == kind for what, _ in named for kind, _ in other.designations)

    def speaks_of(self, one: Telling, other: Telling) -> bool:
        """Return whether the question asks for `one` of two known siblings.

        A designation in the question decides, then rare words. Common words do not count: with them, the author of one
        sibling could come first by repeating the words of the question.
        """
        if self.designates(one, other) != self.designates(other, one):
            return self.designates(one, other)
        return self.names(one, other) > 0

    def names(self, one: Telling, other: Telling) -> float:
        """Return how much more the question names of what only `one` has (above 0) than of what only `other` has (below
        0).
        """
        return self._weight(self._only(one, other)) - self._weight(self._only(other, one))

    def marks(self, one: Telling, other: Telling) -> bool:
        """Return whether the question names, by a code or a name, something that `one` has and `other` lacks.

        A plain word says little: a question about a changed fact has a word of the outdated note as often as one of the
        current note.
        """
        return any(_has(word, one.marks) for word in self._only(one, other))

    def names_code_of(self, one: Telling, other: Telling) -> bool:
        """Return whether the question has a rare code ("legacy_sku") that only `one` has, and no code that only `other`
        has.

        No question about 205 changed facts of three authors does so with the outdated note.
        """
        mine, theirs = ([word for word in some if _CODE.search(word)] for some in self._apart(one, other))
        return any(self.df.get(word, 0) <= RARE_COUNT for word in mine) and not theirs

    def fills(self, one: Telling, other: Telling) -> bool:
        """Return whether the two openings are alike, and the question has the words of `one` by which they differ."""
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
        """Return whether the question or `one` has any of the word's terms."""
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
    """Return whether the newer of two notes comes before the older one.

    `stated`: somebody has said that the newer one replaces or contradicts the older one, so they are no siblings.
    `paired`: the two are known to be about one thing; if not, they only read alike. `stands_out`: they are each other's
    nearest, which allows a larger difference in relevance. `beside`: the terms of other notes that link two notes
    without a pair of their own. If the question then has rare words that only the older one has, compared with all of
    these, it is a sibling, even if the word is no code or name.
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
    """Return whether a term with a hyphen is a plain word: "check-in", "e-mail"."""
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
    """Return whether all parts of a compound are among the terms, adjacent or not."""
    if not _TOGETHER.fullmatch(word):
        return False
    _, *parts = bm25.terms(word)
    return len(parts) == len(_JOINT.split(word)) and all(part in terms for part in parts)


def currency(links: Collection[Link], own_id: int, *, rejected: bool = False) -> Currency:
    """Return whether an insight is current, from its pairs. `rejected`: a lead kept the note that it was proposed to
    replace.

    While a lead has not decided on a proposed replacement, both sides are disputed. A note that repeats superseded
    words is outdated until somebody says that they hold again.
    """
    if rejected or any(one.refused and one.successor_id == own_id for one in links):
        return Currency.OUTDATED
    opened = [one for one in links if one.open]
    if any(one.says_again and one.successor_id != own_id for one in opened):
        return Currency.OUTDATED
    return Currency.DISPUTED if any(not one.says_again for one in opened) else Currency.CURRENT
