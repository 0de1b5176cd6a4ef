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
    UNLOGGED = "untold"
    RETRIEVABLE = "retrievable"
    FOUND = "found_though_hidden"
    CIRCLE = "circle"
    INDEX = "invalid_index"
    VECTORS = "foreign_vectors"
    WAITING = "without_vector"
    CORROBORATIONS = "voices"
    UNNOTICED = "unnoticed"
    LOST = "lost_corroborations"
    STATISTICS = "statistics"
    TERMS = "terms"
    WORDS = "words"
    LEFT = "words_left"
    CONTRADICTED = "contradicted_by_nothing"


class Mend(StrEnum):
    """How a fault is mended without deciding anything: each is a write the product does anyway."""

    RECOUNT = "recount"
    KEYWORD_VECTORS = "rebuild_keyword_vectors"
    EMBED = "embed"
    RECOUNT_CORROBORATIONS = "count_voices"
    NOTICE = "notice"
    GIVE_OUT_AFTER = "give_out_after"
    UNMARK = "unmark"
    TAKE_OUT_WORDS = "take_out_words"


@dataclass(frozen=True)
class Explained:
    """What a fault means, how it is mended, and by what if that needs nobody."""

    what: str
    how: str
    mend: Mend | None = None


BY_BACKUP = "Compare with a backup or the vault; Loam cannot restore it."

EXPLAINED = {
    Check.NUMBERS: Explained("References were assigned that have neither an insight nor a tombstone.", BY_BACKUP),
    Check.BEYOND: Explained(
        "A team has an insight with a number above its counter: the next deposit would fail.",
        "Set the counter to the highest number.",
        Mend.GIVE_OUT_AFTER,
    ),
    Check.VANISHED: Explained("The log has deposits without a row.", BY_BACKUP),
    Check.EMPTY: Explained("An insight has no text but was not erased.", BY_BACKUP),
    Check.UNLOGGED: Explained(
        "An insight is superseded, archived, forgotten or quarantined without a log line.",
        "The row was changed outside Loam. Review it in the admin and repeat or undo the change there.",
    ),
    Check.RETRIEVABLE: Explained(
        "A superseded, archived, forgotten or quarantined insight is marked as retrievable.",
        "The column is generated: the database itself is damaged. Restore it from a backup.",
    ),
    Check.FOUND: Explained(
        "Vector search returns insights that are not retrievable.",
        "The index insight_near is damaged: REINDEX INDEX CONCURRENTLY insight_near.",
    ),
    Check.CIRCLE: Explained(
        "Insights supersede each other in a cycle: none of them is served.",
        "Reinstate the current one.",
    ),
    Check.INDEX: Explained(
        "An index is invalid and not used.",
        "REINDEX INDEX CONCURRENTLY with its name.",
    ),
    Check.VECTORS: Explained(
        "Vectors of another model are compared with those of the current one.",
        "Embed them again (sweep embed_waiting).",
        Mend.EMBED,
    ),
    Check.WAITING: Explained(
        "Insights have had no vector for an hour: only keyword search finds them.",
        "Embed them (sweep embed_waiting); if that fails, the embedder is down.",
        Mend.EMBED,
    ),
    Check.CORROBORATIONS: Explained(
        "An insight's corroboration count differs from its corroborations.",
        "Recount them.",
        Mend.RECOUNT_CORROBORATIONS,
    ),
    Check.UNNOTICED: Explained(
        "A helpful rating or corroboration of an insight is missing from the inbox.",
        "Set it from its signals.",
        Mend.NOTICE,
    ),
    Check.LOST: Explained("The log has corroborations that no longer exist.", BY_BACKUP),
    Check.STATISTICS: Explained(
        "The number or length of a team's insights differs from BM25's statistics.",
        "Recount (sweep recount).",
        Mend.RECOUNT,
    ),
    Check.TERMS: Explained(
        "Document frequencies of terms differ from BM25's statistics.",
        "Recount (sweep recount).",
        Mend.RECOUNT,
    ),
    Check.WORDS: Explained(
        "An insight's search terms differ from its text.",
        "Rebuild them for its team.",
        Mend.KEYWORD_VECTORS,
    ),
    Check.LEFT: Explained(
        "Search terms of forgotten or quarantined insights are still stored.",
        "Remove them.",
        Mend.TAKE_OUT_WORDS,
    ),
    Check.CONTRADICTED: Explained(
        "An insight is marked as contradicted without an open contradiction.",
        "Remove the mark.",
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
