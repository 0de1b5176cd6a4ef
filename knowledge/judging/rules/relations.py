"""The five relations between two notes, and a verdict: who stated which, and why, as data."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Relation(StrEnum):
    """The relation of a note to another one."""

    DUPLICATES = "duplicates"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    COMPLEMENTS = "complements"
    UNRELATED = "unrelated"


class Reason(StrEnum):
    """The reason of a verdict, as a code. Rendered where it is shown (`templatetags/verdicts`)."""

    EQUAL_TEXT = "equal_text"
    SAME_WORDS = "same_words"
    CHANGE_ANNOUNCED = "change_announced"
    RETOLD = "retold"
    CLOSE = "close"
    FAR = "far"
    OTHER_REPO = "other_repo"
    TOO_LONG = "too_long"
    STATED = "stated"
    MODEL = "model"
    MODEL_UNSURE = "model_unsure"
    MODEL_FAILED = "model_failed"
    DIFFERS = "differs"
    OTHER_KIND = "other_kind"
    NOT_ALIKE = "not_alike"
    REJECTED_BEFORE = "rejected_before"
    OLDER = "older"
    PROTECTED = "protected"
    PENDING = "pending"
    REVIEWED = "reviewed"
    DAILY_LIMIT = "daily_limit"
    TOO_MANY = "too_many"
    OF_EVERYONE = "of_everyone"
    PUT_BACK = "put_back"
    SETTLED = "settled"
    NOT_CURRENT = "not_current"


# The log's words for why a statement about a confirmed note was refused.
REFUSED_FOR = {
    Reason.DIFFERS: "they differ in a value, or one denies the other",
    Reason.OTHER_KIND: "they are of different kinds",
    Reason.OTHER_REPO: "they belong to different repositories",
    Reason.NOT_ALIKE: "the texts are not similar",
    Reason.OLDER: "it was learned before",
    Reason.SETTLED: "a lead has settled the two",
    Reason.NOT_CURRENT: "one of the two is no longer current",
    Reason.TOO_MANY: "the daily limit of statements about others' notes was reached",
    Reason.REVIEWED: "a promoted insight of this team needs a second reviewer",
}


# Statements that readers and leads should look at twice: they are stored and only proposed, and their pair says why.
CAUTIONS = frozenset({Reason.NOT_ALIKE, Reason.REJECTED_BEFORE})


class CueKind(StrEnum):
    """The kind of a difference between two texts."""

    NEGATION = "negation"
    CHANGE = "change"
    NUMBER = "number"
    UNIT = "unit"
    VERSION = "version"
    PATH = "path"
    NAME = "name"
    WORD = "word"
    CODE = "code"
    LENGTH = "length"


@dataclass(frozen=True)
class Cue:
    """One difference, with the words of either text it rests on.

    `strong`: both texts give a value here, or one denies what the other asserts, so that a merge would lose one of the
    two. A detail that only one of them has is not strong.
    """

    kind: CueKind
    strong: bool
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "first": list(self.first), "second": list(self.second)}

    def __str__(self) -> str:
        return f"{self.kind}: {', '.join(self.first) or '–'} / {', '.join(self.second) or '–'}"


@dataclass(frozen=True)
class Statement:
    """The relation of a note to another one, named by its reference, as an agent or a person states it."""

    ref: str
    relation: Relation
    note: str = ""


class RelationState(StrEnum):
    """The outcome of a statement."""

    DONE = "done"
    PROPOSED = "proposed"
    OPEN = "open"
    REFUSED = "refused"


@dataclass(frozen=True)
class RelationOutcome:
    """The outcome of one statement, and its reason: `cues` are the differences it was refused for, `similarity` the
    cosine of the two then. `instead_of`: the reference that was named, if that note has given way to this one.
    """

    ref: str
    relation: Relation
    state: RelationState
    reason: Reason = Reason.STATED
    cues: tuple[Cue, ...] = ()
    similarity: float = 0.0
    instead_of: str = ""

    def as_data(self) -> dict[str, Any]:
        return {
            "ref": self.ref,
            "relation": self.relation.value,
            "state": self.state.value,
            "reason": self.reason.value,
            "cues": [cue.as_data() for cue in self.cues],
            "instead_of": self.instead_of,
        }


@dataclass(frozen=True)
class Verdict:
    """The relation of a note to another: `relation` is None if nobody has stated one and the server cannot tell.

    `judge`: `server`, `agent`, `person`, or a model's name (`llm:…`). `similarity`: cosine, 0 without vectors.
    `rejected`: the id of the pair by which a lead has rejected the same before, 0 if there is none. `taken_from`: the
    note that the statement was about, and that this one has replaced since.
    """

    relation: Relation | None
    judge: str
    similarity: float
    reason: Reason
    cues: tuple[Cue, ...] = ()
    note: str = ""
    rejected: int = 0
    taken_from: str = ""

    def as_data(self) -> dict[str, Any]:
        """Return the verdict as JSON data, for the pair and the log."""
        data: dict[str, Any] = {
            "relation": self.relation.value if self.relation else None,
            "judge": self.judge,
            "similarity": round(self.similarity, 4),
            "reason": self.reason.value,
            "cues": [cue.as_data() for cue in self.cues],
        }
        more = {"note": self.note, "rejected": self.rejected, "taken_from": self.taken_from}
        return data | {name: value for name, value in more.items() if value}
