"""What becomes of a deposit, given its neighbours and what the server alone makes of each.

The server merges what is the same in every word, supersedes what is announced to be over, and leaves everything else to
somebody who understands it: of the neighbours that stand out as a pair with the deposit (`judging/closeness`) the
depositing agent is asked, at most three, and the likeliest of them becomes an open pair, served together until the
agent, a person or a model has said what it is. Nothing is written here: the decision names the rows, the action writes.

Across two repositories the server only asks. A machine displaces only what its own user wrote, or an unpinned draft;
anything else it may only propose.
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
# An embedder that nobody has calibrated: its notes stand out about as much, for closeness is relative.
UNCALIBRATED = Calibration(band=0.45, asked=0.28, paired=0.31, record="those of all-MiniLM-L6-v2")


def calibration(embedder: str, measured: str = "") -> Calibration:
    """By the embedder's stored name, whose revision (`…@gt-0.1.0`) does not matter.

    `measured` goes before what ships: `name=band:asked:paired`, as `manage.py calibrate` prints it. Raises ValueError
    when it is something else.
    """
    name = embedder.partition("@")[0]
    theirs, _, figures = measured.partition("=")
    if not measured or theirs != name:
        return CALIBRATIONS.get(name, UNCALIBRATED)
    band, asked, paired = map(float, figures.split(":"))
    return Calibration(band=band, asked=asked, paired=paired, record="LOAM_CALIBRATION")


@dataclass(frozen=True)
class Neighbour:
    """An active entry near the deposit. `similarity`: cosine, 0 if it has no vector. `closeness`: how much the two
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
    """A neighbour with what the server makes of it and the deposit."""

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
    """What to do: merge into one row, or insert and do the rest; rows are named by reference.

    `superseding`: what gives way; `proposing`: what would, but is not the machine's to displace; `pairing`: open pairs;
    `asking`: what the depositing agent is asked about, the likeliest first.
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


# The living model looks at the nearest three.
MOST_ASKED = 3


def decide(author_id: int | None, judged: Iterable[JudgedNeighbour], thresholds: Thresholds) -> DedupDecision:
    """What becomes of a deposit of `author_id`, from its judged neighbours in any order."""
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
    """Whether a machine may supersede it: its own user's entry, or an agent's draft that nobody has pinned."""
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
            # One question to people about a deposit is enough, for who settles it sees what else is near; but nothing
            # that the team has confirmed may be told of without its newer telling, nor the other way round.
            confirmed = neighbour.status is Status.PROMOTED or neighbour.pinned
            here = verdict.reason is not Reason.OTHER_REPO
            if here and neighbour.closeness >= thresholds.paired and (confirmed or not self.pairing):
                self.pairing.append(neighbour.ref)
