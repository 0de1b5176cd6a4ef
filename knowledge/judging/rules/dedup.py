"""The outcome of a deposit, given its neighbours and what the server alone concludes about each.

The server merges notes that are equal in every word, supersedes notes whose change is announced, and leaves the rest to
somebody who understands it. The depositing agent is asked about the neighbours that stand out as a pair with the
deposit (`judging/closeness`), at most three. The likeliest of them becomes an open pair, served together until the
agent, a person or a model has stated the relation. Nothing is written here: the decision names the rows, the action
writes.

Across two repositories the server only asks. A machine displaces only its own user's notes, or an unpinned draft; it
may only propose to displace any other.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from knowledge.judging.rules.closeness import CONSULTED, Thresholds
from knowledge.judging.rules.relations import Reason, Relation, Verdict
from knowledge.rules.vocabulary import Status


@dataclass(frozen=True)
class Calibration:
    """The thresholds of one embedder. `band`: the cosine from which on two texts are neighbours. `asked` and `paired`:
    see `Thresholds`. `record`: the data they were measured on.
    """

    band: float
    asked: float
    paired: float
    record: str

    @property
    def thresholds(self) -> Thresholds:
        return Thresholds(self.asked, self.paired)


# Of 1,868 notes on distinct things, deposited one after the other through the product, 87 are asked about and 56 become
# a pair; with .255 and .30, as until 27 Nov 2026, 105 and 66 (docs/decisions/0014-relations.md).
MINILM = Calibration(band=0.45, asked=0.28, paired=0.31, record="1,868 notes of one author, 4.7 % asked, 56 pairs")
CALIBRATIONS = {"all-MiniLM-L6-v2": MINILM}
# The default for an embedder that nobody has calibrated. Its notes stand out about as much, because closeness is
# relative.
UNCALIBRATED = Calibration(band=0.45, asked=0.28, paired=0.31, record="those of all-MiniLM-L6-v2")


def calibration(embedder: str, measured: str = "") -> Calibration:
    """Return the calibration of an embedder by its stored name, ignoring the revision (`…@gt-0.1.0`).

    `measured` takes precedence over the built-in ones: `name=band:asked:paired`, as `manage.py calibrate` prints it.
    Raises ValueError if it cannot be read.
    """
    name = embedder.partition("@")[0]
    theirs, _, figures = measured.partition("=")
    if not measured or theirs != name:
        return CALIBRATIONS.get(name, UNCALIBRATED)
    band, asked, paired = map(float, figures.split(":"))
    return Calibration(band=band, asked=asked, paired=paired, record="LOAM_CALIBRATION")


@dataclass(frozen=True)
class Neighbour:
    """A retrievable note near the deposit. `similarity`: cosine, 0 if it has no vector. `closeness`: how much the two
    stand out as a pair. `consulted`: the depositing session was served it before. `by_person`: a person wrote it.
    """

    ref: str
    similarity: float
    closeness: float = 0.0
    consulted: bool = False
    status: Status = Status.DRAFT
    pinned: bool = False
    author_id: int | None = None
    by_person: bool = False

    @property
    def ask_score(self) -> float:
        """How well the depositing agent can answer for this note: closeness, and more if the agent has read it."""
        return self.closeness + CONSULTED * self.consulted


@dataclass(frozen=True)
class JudgedNeighbour:
    """A neighbour with the server's verdict on it and the deposit."""

    neighbour: Neighbour
    verdict: Verdict


class DedupOutcome(StrEnum):
    INSERTED = "inserted"
    MERGED = "merged"
    SUPERSEDING = "superseding"
    PROPOSED = "proposed"
    QUEUED = "queued"


@dataclass(frozen=True)
class DedupDecision:
    """What to do: merge into one row, or insert and do the rest. Rows are named by reference.

    `superseding`: notes to supersede; `proposing`: notes that the machine may only propose to supersede; `pairing`:
    open pairs; `asking`: notes that the depositing agent is asked about, the likeliest first.
    """

    merge_into: str = ""
    superseding: tuple[str, ...] = ()
    proposing: tuple[str, ...] = ()
    pairing: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()

    @property
    def outcome(self) -> DedupOutcome:
        if self.merge_into:
            return DedupOutcome.MERGED
        if self.superseding:
            return DedupOutcome.SUPERSEDING
        if self.proposing:
            return DedupOutcome.PROPOSED
        return DedupOutcome.QUEUED if self.pairing else DedupOutcome.INSERTED


# The depositing agent is asked about this many at most.
MOST_ASKED = 3


def decide(author_id: int | None, judged: Iterable[JudgedNeighbour], thresholds: Thresholds) -> DedupDecision:
    """Return the decision for a deposit of `author_id`, from its judged neighbours in any order."""
    ordered = sorted(judged, key=lambda one: (-one.neighbour.similarity, one.neighbour.ref))
    for one in ordered:
        if one.verdict.relation is Relation.DUPLICATES:
            return DedupDecision(one.neighbour.ref)
    walk = _Walk()
    for one in sorted(ordered, key=lambda one: -one.neighbour.ask_score):
        walk.take(one, thresholds, author_id)
    return DedupDecision(
        superseding=tuple(walk.superseding),
        proposing=tuple(walk.proposing),
        pairing=tuple(walk.pairing),
        asking=tuple(walk.asking[:MOST_ASKED]),
    )


def may_displace(author_id: int | None, neighbour: Neighbour) -> bool:
    """Return whether a machine may supersede the note: its own user's, or an agent's draft that nobody has pinned."""
    own = author_id is not None and author_id == neighbour.author_id
    return own or (neighbour.status is Status.DRAFT and not neighbour.pinned and not neighbour.by_person)


@dataclass
class _Walk:
    superseding: list[str] = field(default_factory=list)
    proposing: list[str] = field(default_factory=list)
    pairing: list[str] = field(default_factory=list)
    asking: list[str] = field(default_factory=list)

    def take(self, one: JudgedNeighbour, thresholds: Thresholds, author_id: int | None) -> None:
        neighbour, verdict = one.neighbour, one.verdict
        if verdict.relation is Relation.SUPERSEDES:
            (self.superseding if may_displace(author_id, neighbour) else self.proposing).append(neighbour.ref)
        elif verdict.relation is None and neighbour.ask_score >= thresholds.asked:
            self.asking.append(neighbour.ref)
            # One question to people about a deposit is enough, because who settles it sees the other near notes. But a
            # confirmed note and its newer version must always be served together.
            confirmed = neighbour.status is Status.PROMOTED or neighbour.pinned
            here = verdict.reason is not Reason.OTHER_REPO
            if here and neighbour.closeness >= thresholds.paired and (confirmed or not self.pairing):
                self.pairing.append(neighbour.ref)
