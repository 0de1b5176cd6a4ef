"""What must be true of everything the store holds, in words: what it means when it is not, and how it is mended.

The auditor (`actions/audit`) finds faults and mends nothing by itself: sweeps and writes keep these things true, and a
fault says that one of them has not. A fault that can be mended without deciding anything has a `mend`; the others need
somebody who looks. Each is found by facts other than those that the writes are steered by, as far as there are any.
"""

from dataclasses import dataclass, field
from enum import StrEnum


class Check(StrEnum):
    """One thing that must be true."""

    NUMBERS = "missing_numbers"
    BEYOND = "numbers_beyond"
    VANISHED = "vanished"
    EMPTY = "empty"
    UNTOLD = "untold"
    RETRIEVABLE = "retrievable"
    FOUND = "found_though_hidden"
    CIRCLE = "circle"
    INDEX = "invalid_index"
    VECTORS = "foreign_vectors"
    WAITING = "without_vector"
    VOICES = "voices"
    LOST = "lost_corroborations"
    STATISTICS = "statistics"
    TERMS = "terms"
    WORDS = "words"
    LEFT = "words_left"
    CONTRADICTED = "contradicted_by_nothing"


class Mend(StrEnum):
    """How a fault is mended without deciding anything: each is a write the product does anyway."""

    RECOUNT = "recount"
    REWEIGH = "reweigh"
    EMBED = "embed"
    COUNT_VOICES = "count_voices"
    GIVE_OUT_AFTER = "give_out_after"
    UNMARK = "unmark"
    TAKE_OUT_WORDS = "take_out_words"


@dataclass(frozen=True)
class Explained:
    """What a fault means, how it is mended, and by what if that needs nobody."""

    what: str
    how: str
    mend: Mend | None = None


BY_BACKUP = "Compare with a backup, or with the vault if there is one; nothing here can make it again."

EXPLAINED = {
    Check.NUMBERS: Explained("References were given out, and there is neither an insight nor a tombstone.", BY_BACKUP),
    Check.BEYOND: Explained(
        "A team has an insight of a number it has not given out yet: the next deposit would fail.",
        "Let it go on after the highest.",
        Mend.GIVE_OUT_AFTER,
    ),
    Check.VANISHED: Explained("The log tells of deposits of which there is no row.", BY_BACKUP),
    Check.EMPTY: Explained("An insight has no text, and was not erased.", BY_BACKUP),
    Check.UNTOLD: Explained(
        "An insight is superseded, archived, forgotten or in quarantine, and its log does not say so.",
        "Somebody wrote past the product. Look at the row in the admin, and do it again or undo it there.",
    ),
    Check.RETRIEVABLE: Explained(
        "Something superseded, archived, forgotten or in quarantine is marked as retrievable.",
        "The column is generated: the database itself is damaged. Restore it from a backup.",
    ),
    Check.FOUND: Explained(
        "A search by meaning brings up what is out of retrieval.",
        "The index insight_near is damaged: REINDEX INDEX CONCURRENTLY insight_near.",
    ),
    Check.CIRCLE: Explained(
        "Insights supersede each other in a circle: none of them is left to answer.",
        "Reinstate the one that holds.",
    ),
    Check.INDEX: Explained(
        "An index was never finished, and is passed by.",
        "REINDEX INDEX CONCURRENTLY with its name.",
    ),
    Check.VECTORS: Explained(
        "Vectors of another model are compared with those of this one.",
        "Give them vectors of this one (the sweep embed_waiting).",
        Mend.EMBED,
    ),
    Check.WAITING: Explained(
        "Insights have been without a vector for an hour: they are found by keywords alone.",
        "Give them vectors (the sweep embed_waiting); if that does not help, the embedder is down.",
        Mend.EMBED,
    ),
    Check.VOICES: Explained(
        "An insight counts other voices than it has corroborations.",
        "Count them anew.",
        Mend.COUNT_VOICES,
    ),
    Check.LOST: Explained("The log tells of corroborations that are not there any more.", BY_BACKUP),
    Check.STATISTICS: Explained(
        "The number or the length of a team's insights is not what BM25 reckons with.",
        "Count anew (the sweep recount).",
        Mend.RECOUNT,
    ),
    Check.TERMS: Explained(
        "Terms occur in other numbers of insights than BM25 reckons with.",
        "Count anew (the sweep recount).",
        Mend.RECOUNT,
    ),
    Check.WORDS: Explained(
        "The words an insight is searched by are not those of its text.",
        "Make them anew for its team.",
        Mend.REWEIGH,
    ),
    Check.LEFT: Explained(
        "Words of something forgotten or in quarantine are still kept to search by.",
        "Take them out.",
        Mend.TAKE_OUT_WORDS,
    ),
    Check.CONTRADICTED: Explained(
        "An insight is marked as contradicted, and nothing open speaks against it.",
        "Take the mark off.",
        Mend.UNMARK,
    ),
}

# So many places are named; the count says how many there are.
SHOWN = 10


@dataclass(frozen=True)
class Fault:
    """One thing that is not as it must be. `where`: references, teams or indexes, at most SHOWN of them."""

    check: Check
    count: int
    where: tuple[str, ...] = field(default=())

    @property
    def explained(self) -> Explained:
        return EXPLAINED[self.check]

    def __str__(self) -> str:
        more = "" if self.count <= len(self.where) else f" and {self.count - len(self.where):,} more"
        places = f" ({', '.join(self.where)}{more})" if self.where else f" ({self.count:,})"
        return f"{self.explained.what}{places} {self.explained.how}"
