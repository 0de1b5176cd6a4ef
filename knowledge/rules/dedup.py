"""Write or merge: what becomes of a deposit, given its neighbours and what the judge said of each.

Theory of operation (the living model's write path, with Loam's guards). Neighbours come closest first. *Same* merges
and ends the walk; *contradiction* supersedes, or, where a machine may not, opens a contradiction; *unrelated* goes on;
*unsure* goes on, and queues the pair for a person if it is near, or in the band and a hard cue speaks. Once something
has spoken against a merge, none follows in this walk: what was near and opposed makes a farther likeness suspect, and
is queued too. Nothing is written here: the decision names the rows, and the action writes.

A machine never merges over a structural cue, whatever the judge says; never merges or supersedes across two named
repos; and never displaces what others have promoted or pinned. Constants: docs/decisions/0005-stance-judge.md
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from knowledge.rules.stance import Judgement, Stance
from knowledge.rules.stance_cues import Cue
from knowledge.rules.vocabulary import Status


@dataclass(frozen=True)
class Calibration:
    """Cosines of one embedder. `band`: from here on the judge is asked. `queue`: what it cannot tell is put before a
    person from here. `fail_safe`: without a judge, merge from here.

    `record`: on what they were measured.
    """

    band: float
    queue: float
    fail_safe: float
    record: str


# Below the band lie 9 % of MiniLM's duplicates (NL2Bash, GitBugs, MRPC, SICK; 10 % on their other halves). The living
# model's .83, for another embedder, loses half of them. At the fail-safe, merges without a cue were right in .925 of
# the cases; no cosine reaches .95, so a judge that is down costs some certainty.
# Queue: of 1,000 notes of one author on distinct things the judge was unsure of 311, most being longer than it can
# read; from .83 on 16 were left, each a pair that a person would want to see. Of the developers' contradictions in
# the band 6 of 77 are then neither superseded nor queued, but stand beside each other.
MINILM = Calibration(
    band=0.62, queue=0.83, fail_safe=0.93, record="sick+mrpc+nl2bash+gitbugs, recall of same .90 at the band"
)
CALIBRATIONS = {"all-MiniLM-L6-v2": MINILM}
# An embedder that nobody has calibrated: the seed's own figures.
UNCALIBRATED = Calibration(band=0.83, queue=0.83, fail_safe=0.93, record="the living model, another embedder")


def calibration(embedder: str, measured: str = "") -> Calibration:
    """By the embedder's stored name, whose revision (`…@gt-0.1.0`) does not matter.

    `measured` goes before what ships: `name=band:queue:fail-safe`, as `manage.py calibrate` prints it. Raises
    ValueError when it is something else.
    """
    name = embedder.partition("@")[0]
    theirs, _, cosines = measured.partition("=")
    if not measured or theirs != name:
        return CALIBRATIONS.get(name, UNCALIBRATED)
    band, queue, fail_safe = map(float, cosines.split(":"))
    return Calibration(band=band, queue=queue, fail_safe=fail_safe, record="LOAM_CALIBRATION")


@dataclass(frozen=True)
class Incoming:
    """What is deposited: its repo ("" if none) and who says it."""

    repo: str
    author_id: int | None


@dataclass(frozen=True)
class Neighbour:
    """An active entry near the deposit. `similarity`: cosine, 0 if it has no vector. `joined`: found by anchors or by
    words, not by vector.
    """

    ref: str
    similarity: float
    repo: str = ""
    status: Status = Status.DRAFT
    pinned: bool = False
    author_id: int | None = None
    joined: bool = False


@dataclass(frozen=True)
class Judged:
    """A neighbour with what the judge said of it and the deposit; None: the judge was unavailable.

    `cues`: what speaks against a merge, by `conflicts`, judge or no judge.
    """

    neighbour: Neighbour
    judgement: Judgement | None
    cues: tuple[Cue, ...]


class Outcome(StrEnum):
    INSERTED = "inserted"
    MERGED = "merged"
    SUPERSEDING = "superseding"
    QUEUED = "queued"


@dataclass(frozen=True)
class Decision:
    """What to do: merge into one row, or insert and do the rest. `reasons`: a line for each neighbour, in order.

    `superseding`, `opening` (contradictions) and `queueing` (pairs for a person) name rows by reference. `degraded`: a
    neighbour went without a judge. `revives`: the row merged into was deprecated.
    """

    merge_into: str = ""
    revives: bool = False
    superseding: tuple[str, ...] = ()
    opening: tuple[str, ...] = ()
    queueing: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    degraded: bool = False

    @property
    def outcome(self) -> Outcome:
        if self.merge_into:
            return Outcome.MERGED
        if self.superseding:
            return Outcome.SUPERSEDING
        return Outcome.QUEUED if self.opening or self.queueing else Outcome.INSERTED


def asks(incoming: Incoming, neighbour: Neighbour, calibrated: Calibration) -> bool:
    """Whether the judge is to be asked: in the band, or joined; never across two repos."""
    return _same_ground(incoming, neighbour) and (neighbour.joined or neighbour.similarity >= calibrated.band)


def decide(incoming: Incoming, judged: Iterable[Judged], calibrated: Calibration) -> Decision:
    """Walk the neighbours, closest first. `judged` may be lazy: after a merge no further one is asked for.

    A neighbour that `asks` is false of changes nothing, whatever stands with it.
    """
    walk = _Walk(calibrated)
    for one in judged:
        if not asks(incoming, one.neighbour, calibrated):
            walk.reasons.append(f"{one.neighbour.ref}: {_why_passed(incoming, one.neighbour)}")
        elif walk.takes(incoming, one):
            break
    return walk.decision


def _same_ground(incoming: Incoming, neighbour: Neighbour) -> bool:
    return not (incoming.repo and neighbour.repo and incoming.repo != neighbour.repo)


def _why_passed(incoming: Incoming, neighbour: Neighbour) -> str:
    if not _same_ground(incoming, neighbour):
        return f"of another repo ({neighbour.repo})"
    return f"too far ({neighbour.similarity:.2f})"


def may_supersede(incoming: Incoming, neighbour: Neighbour) -> bool:
    """A machine: one's own entry, or a draft that nobody has pinned."""
    own = incoming.author_id is not None and incoming.author_id == neighbour.author_id
    return own or (neighbour.status is Status.DRAFT and not neighbour.pinned)


@dataclass
class _Walk:
    """The decision as it grows."""

    calibrated: Calibration
    merged: Neighbour | None = None
    superseding: list[str] = field(default_factory=list)
    opening: list[str] = field(default_factory=list)
    queueing: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    degraded: bool = False

    @property
    def decision(self) -> Decision:
        return Decision(
            merge_into=self.merged.ref if self.merged else "",
            revives=self.merged is not None and self.merged.status is Status.DEPRECATED,
            superseding=tuple(self.superseding),
            opening=tuple(self.opening),
            queueing=tuple(self.queueing),
            reasons=tuple(self.reasons),
            degraded=self.degraded,
        )

    @property
    def opposed(self) -> bool:
        """Whether something has spoken against a merge so far."""
        return bool(self.superseding or self.opening or self.queueing)

    def takes(self, incoming: Incoming, one: Judged) -> bool:
        """Let one neighbour speak; True if that ends the walk."""
        if one.judgement is None:
            return self._without_judge(one)
        stance, by = one.judgement.stance, one.judgement.by
        if stance is Stance.SAME:
            return self._same(one, f"same, by {by}")
        if stance is Stance.CONTRADICTION:
            self._contradicted(incoming, one, by)
        elif stance is Stance.UNSURE:
            self._unsure(one, f"unsure, by {by}: {one.judgement.reason or 'no reason given'}")
        else:
            self._note(one, f"unrelated, by {by}")
        return False

    def _unsure(self, one: Judged, said: str) -> None:
        # Below the band are decisions on one topic, and some word of two long texts always seems to deny another.
        opposed = one.neighbour.similarity >= self.calibrated.band and any(cue.hard for cue in one.cues)
        if opposed or one.neighbour.similarity >= self.calibrated.queue:
            self._ask(one, said)
        else:
            self._note(one, said)

    def _same(self, one: Judged, said: str) -> bool:
        if one.cues:
            self._ask(one, said)
        elif self.opposed:
            self._queue(one, f"{said}, but after a conflict nothing is merged")
        else:
            self.merged = one.neighbour
            self._note(one, said)
        return self.merged is not None

    def _contradicted(self, incoming: Incoming, one: Judged, by: str) -> None:
        if may_supersede(incoming, one.neighbour):
            self.superseding.append(one.neighbour.ref)
            self._note(one, f"contradicted, by {by}: superseded")
        else:
            self.opening.append(one.neighbour.ref)
            held = "pinned" if one.neighbour.pinned else one.neighbour.status.value
            self._note(one, f"contradicted, by {by}, but it is somebody else's and {held}: a contradiction is opened")

    def _without_judge(self, one: Judged) -> bool:
        """Only what nothing but near identity explains is merged. A cue there is a conflict; farther, nobody knows."""
        self.degraded = True
        if one.neighbour.similarity < self.calibrated.fail_safe:
            self._note(one, f"no judge, {one.neighbour.similarity:.2f}")
            return False
        return self._same(one, f"no judge, {one.neighbour.similarity:.2f}")

    def _ask(self, one: Judged, said: str) -> None:
        """One question about a deposit is enough: who settles it sees what else is near. What opposes is another."""
        if self.queueing and not any(cue.hard for cue in one.cues):
            self._note(one, f"{said}, as of a nearer one")
        else:
            self._queue(one, said)

    def _queue(self, one: Judged, said: str) -> None:
        self.queueing.append(one.neighbour.ref)
        self._note(one, f"{said}: queued")

    def _note(self, one: Judged, said: str) -> None:
        cues = f" [{'; '.join(map(str, one.cues))}]" if one.cues else ""
        self.reasons.append(f"{one.neighbour.ref}: {said}{cues}")
