"""Weigh: is what was said new? The first half of write-or-merge, which only reads; whoever asked it writes.

Neighbours are found in one statement for all that is asked, the judge is asked outside any transaction, and the rule
decides. What came in between is seen by its number: the writer, holding the team's row, asks `unseen`, and weighs again
if there is anything. So two deposits of the same thing at the same moment end as one row, and no judge, which may be an
LLM a second away, ever holds a lock.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from accounts.models import Team
from knowledge.adapters.calibration import current as calibration
from knowledge.adapters.judge import JudgeDown
from knowledge.adapters.judge import current as judge
from knowledge.models import Insight, Lexicon, Term
from knowledge.querysets_weighing import Near, Probe
from knowledge.rules import bm25, neighbours
from knowledge.rules.dedup import Calibration, Decision, Incoming, Judged, Neighbour, asks, decide
from knowledge.rules.stance import Judgement, Text
from knowledge.rules.stance_cues import conflicts
from knowledge.rules.vectors import half, sparse, unit
from knowledge.rules.vectors import lexemes as tsquery
from knowledge.rules.vocabulary import Kind, Status

# The living model looks at the nearest three.
MOST = 3


@dataclass(frozen=True)
class Voice:
    """What is to be weighed. `words`: its terms; `error`: the digest of its fingerprint. `itself`: its own row's id, if
    it is stored already.
    """

    text: str
    words: Sequence[str]
    vector: np.ndarray
    kind: Kind
    repo: str = ""
    author_id: int | None = None
    error: str = ""
    files: Sequence[str] = ()
    symbols: Sequence[str] = ()
    itself: int = 0


@dataclass(frozen=True)
class Weighed:
    """What to do with a voice. `seen`: every neighbour found, by id; `ids`: those of the judged ones, by reference;
    `revisions`: at which each was judged, by id.

    `down`: why a judge had no say, if one was asked and had none.
    """

    decision: Decision = field(default_factory=Decision)
    judged: tuple[Judged, ...] = ()
    ids: dict[str, int] = field(default_factory=dict)
    revisions: dict[int, int] = field(default_factory=dict)
    seen: frozenset[int] = frozenset()
    down: str = ""

    def still_holds(self, row: Insight) -> bool:
        """Whether a neighbour is what it was when it was judged: its words, who stands behind it, and in retrieval.

        A draft that a lead promotes in between is no longer a machine's to displace.
        """
        return bool(row.retrievable) and self.revisions[row.pk] == row.revision

    @property
    def why(self) -> str:
        """The judge's say on each neighbour, for the log."""
        return "; ".join(self.decision.reasons)


@dataclass(frozen=True)
class Standpoint:
    """How far the team had come when neighbours were looked for: rows with greater numbers were not seen."""

    team_id: int
    number: int


def standpoint(team_id: int) -> Standpoint:
    return Standpoint(team_id, Team.objects.values_list("last_number", flat=True).get(pk=team_id))


def weigh(*, voices: Sequence[Voice], at: Standpoint, ask_judge: bool = True) -> list[Weighed]:
    """What each voice is to what the team knows, in the order given. Nothing is written.

    Without `ask_judge` the judge counts as unavailable: for a writer that has been overtaken too often.
    """
    calibrated = calibration()
    found = _near(voices, at.team_id)
    asked: list[list[tuple[Near, bool]]] = [_closest(near, calibrated) for near in found]
    rows = Insight.objects.in_bulk({near.pk for some in asked for near, _ in some})
    results = []
    for voice, near, some in zip(voices, found, asked, strict=True):
        walk = _Walk(voice, calibrated, ask_judge)
        decision = decide(walk.incoming, walk.judged(some, rows), calibrated)
        seen = frozenset(one.pk for one in near)
        revisions = {pk: rows[pk].revision for pk in walk.ids.values()}
        results.append(Weighed(decision, tuple(walk.heard), walk.ids, revisions, seen, walk.down))
    return results


def unseen(*, voices: Sequence[Voice], weighed: Sequence[Weighed], at: Standpoint) -> bool:
    """Whether neighbours have come since; the caller holds the team's row, so that no more can."""
    if standpoint(at.team_id) == at:
        return False
    calibrated = calibration()
    found = _near(voices, at.team_id, since=at.number)
    return any(_closest([one for one in near if one.pk not in known.seen], calibrated)
               for near, known in zip(found, weighed, strict=True))  # fmt: skip


def _near(voices: Sequence[Voice], team_id: int, *, since: int = 0) -> list[list[Near]]:
    """Of each voice: its nearest by vector and anchors, and those that share most of its rare words."""
    documents, df = Term.objects.all().frequencies(
        [team_id], {word for voice in voices for word in voice.words}, Lexicon.objects.all()
    )
    rare = [neighbours.rare(set(voice.words), documents, df) for voice in voices]
    probes = [_probe(voice, words, documents, df) for voice, words in zip(voices, rare, strict=True)]
    found = Insight.objects.all().neighbours(probes, team_id, most=MOST, since=since)
    by_words = [near for near in found if near.leg == "words"]
    texts = {row.pk: row.words for row in Insight.objects.texts({near.pk for near in by_words})}
    kept: list[list[Near]] = [[] for _ in voices]
    for near in found:
        if near.leg != "words" or neighbours.has_most(rare[near.probe], texts[near.pk]):
            kept[near.probe].append(near)
    return kept


def _probe(voice: Voice, rare: frozenset[str], documents: int, df: dict[str, int]) -> Probe:
    words = neighbours.looked_up(rare, df) if len(rare) >= neighbours.FEWEST else []
    return Probe(
        vector=half(voice.vector),
        words=tsquery(words, " | "),
        weights=sparse(bm25.query_weights(words, documents, df)) if words else None,
        error=voice.error,
        files=voice.files,
        symbols=voice.symbols,
        decision=voice.kind is Kind.DECISION,
        itself=voice.itself,
    )


def _closest(near: Sequence[Near], calibrated: Calibration) -> list[tuple[Near, bool]]:
    """Those worth a judge, each once, closest first, with whether anything but the vector led to them."""
    joined = {one.pk for one in near if one.leg != "vector"}
    once = {one.pk: one for one in near if one.pk in joined or one.similarity >= calibrated.band}
    return [(one, one.pk in joined) for one in sorted(once.values(), key=lambda one: (-one.similarity, one.pk))]


class _Walk:
    """One voice on its way along its neighbours: the judge is asked as the rule asks for the next."""

    def __init__(self, voice: Voice, calibrated: Calibration, ask_judge: bool) -> None:
        self.voice, self.calibrated, self.ask_judge = voice, calibrated, ask_judge
        self.incoming = Incoming(voice.repo, voice.author_id)
        self.heard: list[Judged] = []
        self.ids: dict[str, int] = {}
        self.down = ""

    def judged(self, some: Sequence[tuple[Near, bool]], rows: dict[int, Insight]) -> Iterator[Judged]:
        for near, joined in some:
            row = rows[near.pk]
            neighbour = Neighbour(
                ref=row.ref,
                similarity=near.similarity,
                repo=row.repo,
                status=Status(row.status),
                pinned=row.pinned,
                author_id=row.author_id,
                joined=joined,
            )
            self.ids[row.ref] = row.pk
            if asks(self.incoming, neighbour, self.calibrated):
                self.heard.append(self._judge(neighbour, row))
                yield self.heard[-1]
            else:
                yield Judged(neighbour, None, ())

    def _judge(self, neighbour: Neighbour, row: Insight) -> Judged:
        mine = Text(self.voice.text, self.voice.vector)
        theirs = Text(row.text, unit(row.embedding) if row.embedding is not None else None)
        try:
            judgement: Judgement | None = judge().judge(theirs, mine) if self.ask_judge else None
        except JudgeDown as down:
            judgement, self.down = None, str(down)
        cues = conflicts(theirs.words, mine.words) if judgement is None else judgement.cues
        return Judged(neighbour, judgement, cues)
