"""Deduplicate: the relation of a new note to what the team knows. This half of write-or-merge only reads.

One statement finds the neighbours of all candidates, and the rules decide. Rows stored in between are recognised by
their number: the writer, which holds the team's row, asks `unseen`, and the neighbours are looked up again if there are
any. So two deposits of the same thing at the same moment end as one row.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from accounts.models import Team
from knowledge.judging.adapters.calibration import current as calibration
from knowledge.judging.rules import careful, closeness, naming, neighbours
from knowledge.judging.rules.careful import NoteSide
from knowledge.judging.rules.dedup import Calibration, DedupDecision, JudgedNeighbour, Neighbour, decide
from knowledge.judging.rules.naming import ServedNote
from knowledge.judging.rules.relations import Reason
from knowledge.models import Insight, Lexicon, Pair, Term
from knowledge.querysets.neighbours import NearestRow, NeighbourQuery
from knowledge.retrieval.rules import bm25
from knowledge.rules.vectors import half, sparse
from knowledge.rules.vocabulary import Kind, Status

# The number of neighbours per leg: the depositing agent is asked about the nearest three.
MOST = 3
# The leg that looks beyond the repository.
TEAM = "team"
# The number of other notes near a candidate whose words are compared.
NEARBY = 6


@dataclass(frozen=True)
class MergeCandidate:
    """A note to be deduplicated. `words`: its terms. `error`: the digest of its fingerprint. `date`: when it was
    learned. `itself`: the id of its own row, if it is stored already. `related`: references whose relation its agent
    has stated. `consulted`: references that its session was served before. `lately`: references served just before, and
    whether each came first in an answer.
    """

    text: str
    words: Sequence[str]
    vector: np.ndarray
    kind: Kind
    repo: str = ""
    author_id: int | None = None
    date: datetime | None = None
    error: str = ""
    files: Sequence[str] = ()
    symbols: Sequence[str] = ()
    itself: int = 0
    related: frozenset[str] = frozenset()
    consulted: Sequence[str] = ()
    lately: Mapping[str, bool] = field(default_factory=dict)

    @property
    def side(self) -> NoteSide:
        return NoteSide(self.text, self.kind, self.repo, self.date)


@dataclass(frozen=True)
class Deduplicated:
    """The dedup decision for a candidate. `seen`: every neighbour found, by id. `ids`: of the judged ones, by
    reference. `revisions`: the revision at which each was judged, by id. `retold`: the reference of the note that
    superseded a note with the same words as the candidate, or "". `nearest`: ids of notes to name if nothing is asked,
    the likeliest first: the nearest by vector, and those the session was just served.
    """

    decision: DedupDecision = field(default_factory=DedupDecision)
    judged: tuple[JudgedNeighbour, ...] = ()
    ids: dict[str, int] = field(default_factory=dict)
    revisions: dict[int, int] = field(default_factory=dict)
    seen: frozenset[int] = frozenset()
    retold: str = ""
    nearest: tuple[int, ...] = ()

    def still_holds(self, row: Insight) -> bool:
        """Return whether a neighbour is unchanged since it was judged: its words, its supporters, and whether it can be
        retrieved.
        """
        return bool(row.retrievable) and self.revisions[row.pk] == row.revision

    def of(self, ref: str) -> JudgedNeighbour:
        return next(one for one in self.judged if one.neighbour.ref == ref)

    @property
    def verdicts(self) -> list[dict[str, object]]:
        """Return the verdicts for the log, of the neighbours that led to something."""
        decision = self.decision
        touched = {decision.merge_into, *decision.superseding, *decision.proposing, *decision.asking}
        return [
            {"ref": one.neighbour.ref, **one.verdict.as_data()} for one in self.judged if one.neighbour.ref in touched
        ]


@dataclass(frozen=True)
class Watermark:
    """The state of the team when neighbours were looked up: rows with greater numbers were not seen."""

    team_id: int
    number: int


def watermark(team_id: int) -> Watermark:
    return Watermark(team_id, Team.objects.values_list("last_number", flat=True).get(pk=team_id))


def deduplicate(*, candidates: Sequence[MergeCandidate], at: Watermark) -> list[Deduplicated]:
    """Return the dedup decision for each candidate, in input order. Nothing is written."""
    calibrated = calibration()
    found = _near(candidates, at.team_id)
    closest = [_closest(near, calibrated) for near in found]
    elsewhere = [_elsewhere(near, calibrated) for near in found]
    rows = Insight.objects.in_bulk({near.pk for some in (*closest, *elsewhere) for near in some})
    judged = [
        _judge_candidate(*each, rows, calibrated, at.team_id)
        for each in zip(candidates, found, closest, elsewhere, strict=True)
    ]
    named = [_with_served(*both, at.team_id) for both in zip(candidates, found, judged, strict=True)]
    return [_with_retold(candidate, one, at.team_id) for candidate, one in zip(candidates, named, strict=True)]


def _with_served(
    candidate: MergeCandidate, near: Sequence[NearestRow], found: Deduplicated, team_id: int
) -> Deduplicated:
    """Add the notes to name if nothing is asked: likely ones of the nearest, and of those the session was just
    served.
    """
    if found.decision.merge_into or found.decision.asking:
        return replace(found, nearest=())
    lately = {ref: first for ref, first in candidate.lately.items() if ref not in candidate.related}
    served: dict[int, ServedNote] = {}
    if lately:
        vector = half(candidate.vector)
        rows = Insight.objects.all().cosines_to(vector, lately, team_id, candidate.repo)
        served = {pk: ServedNote(pk, ref, cosine, lately[ref]) for pk, ref, cosine in rows if pk != candidate.itself}
    nearest = {one.pk: one.similarity for one in near if one.pk in found.nearest}
    return replace(found, nearest=tuple(naming.named(nearest, served)))


# Two texts of the same words have at least this cosine, whatever their marks and articles.
SAME = 0.9
# The number of superseded rows that are compared, and the longest chain of replacements that is followed.
MOST_SUPERSEDED, LONGEST_CHAIN = 3, 10


def _with_retold(candidate: MergeCandidate, found: Deduplicated, team_id: int) -> Deduplicated:
    """Add the current note that superseded a note with the same words, if there is one: an agent that has read an old
    file repeats what has been replaced, and nobody has said that it holds again.
    """
    if found.decision.merge_into:
        return found
    for old in Insight.objects.all().superseded_near(half(candidate.vector), team_id, most=MOST_SUPERSEDED):
        if 1 - old.distance < SAME:
            break
        current = _superseding(old) if careful.says_again(candidate.side, side_of(old)) else None
        if current is not None and current.ref not in candidate.related:
            ids, revisions = {current.ref: current.pk}, {current.pk: current.revision}
            return replace(found, retold=current.ref, ids=found.ids | ids, revisions=revisions | found.revisions)
    return found


def _superseding(row: Insight) -> Insight | None:
    """Return the current note in place of a superseded row; None if there is none, or if the row was only merged."""
    replaced = False
    for _ in range(LONGEST_CHAIN):
        if row.superseded_by is None:
            return row if replaced and row.retrievable else None
        replaced |= not row.superseded_by.corroborations.all().merged().filter(draft__ref=row.ref).exists()
        row = row.superseded_by
    return None


def unseen(*, candidates: Sequence[MergeCandidate], known: Sequence[Deduplicated], at: Watermark) -> bool:
    """Return whether neighbours were stored since. The caller holds the team's row, so that no more can come."""
    if watermark(at.team_id) == at:
        return False
    calibrated = calibration()
    found = _near(candidates, at.team_id, since=at.number)
    return any(_closest([one for one in near if one.pk not in before.seen], calibrated)
               for near, before in zip(found, known, strict=True))  # fmt: skip


def _near(candidates: Sequence[MergeCandidate], team_id: int, *, since: int = 0) -> list[list[NearestRow]]:
    """Return, for each candidate, its nearest notes by vector, by anchors and among those its session consulted, and
    the notes that share most of its rare words.
    """
    documents, df = _frequencies(team_id, {word for one in candidates for word in one.words})
    rare = [neighbours.rare(set(one.words), documents, df) for one in candidates]
    probes = [_probe(one, words, documents, df) for one, words in zip(candidates, rare, strict=True)]
    found = Insight.objects.all().neighbours(probes, team_id, most=MOST, nearest=MOST + closeness.OTHERS, since=since)
    kept: list[list[NearestRow]] = [[] for _ in candidates]
    for near in found:
        kept[near.probe].append(near)
    return kept


def _frequencies(team_id: int, words: Collection[str]) -> tuple[int, dict[str, int]]:
    return Term.objects.all().frequencies([team_id], set(words), Lexicon.objects.all())


def _probe(one: MergeCandidate, rare: frozenset[str], documents: int, df: dict[str, int]) -> NeighbourQuery:
    words = neighbours.looked_up(rare, df) if len(rare) >= neighbours.FEWEST else []
    lookup = neighbours.lookup(words, df)
    return NeighbourQuery(
        vector=half(one.vector),
        repo=one.repo,
        words=lookup,
        weights=sparse(bm25.query_weights(words, documents, df)) if lookup else None,
        error=one.error,
        files=one.files,
        symbols=one.symbols,
        consulted=one.consulted,
        decision=one.kind is Kind.DECISION,
        itself=one.itself,
    )


def _closest(near: Sequence[NearestRow], calibrated: Calibration) -> list[NearestRow]:
    """Return the notes that may be about the same thing, each once, closest first: the first few by vector, and those
    that another leg found.
    """
    by_vector = sorted((one for one in near if one.leg == "vector"), key=lambda one: -one.similarity)[:MOST]
    joined = [one for one in near if one.leg not in ("vector", TEAM)]
    once: dict[int, NearestRow] = {}
    for one in (*joined, *by_vector):
        if one.similarity >= (closeness.UNRELATED if one.leg == "consulted" else calibrated.band):
            once.setdefault(one.pk, one)
    return sorted(once.values(), key=lambda one: (-one.similarity, one.pk))


def _nearest(near: Sequence[NearestRow]) -> list[NearestRow]:
    """Return the nearest notes by vector, if they are nearer than two unrelated notes."""
    by_vector = sorted((one for one in near if one.leg == "vector"), key=lambda one: -one.similarity)[:MOST]
    return [one for one in by_vector if one.similarity >= closeness.UNRELATED]


def _elsewhere(near: Sequence[NearestRow], calibrated: Calibration) -> list[NearestRow]:
    """Return the notes of other repositories among the nearest of the whole team."""
    home = {one.pk for one in near if one.leg != TEAM}
    return [one for one in near if one.pk not in home and one.similarity >= calibrated.band]


def _judge_candidate(
    candidate: MergeCandidate,
    near: Sequence[NearestRow],
    closest: Sequence[NearestRow],
    elsewhere: Sequence[NearestRow],
    rows: dict[int, Insight],
    calibrated: Calibration,
    team_id: int,
) -> Deduplicated:
    """Return the decision for one candidate with its neighbours judged. The server does not judge relations that its
    agent has stated.
    """
    told = [one for one in closest if one.pk in rows and rows[one.pk].ref not in candidate.related]
    away = [one for one in elsewhere if one.pk in rows and rows[one.pk].ref not in candidate.related]
    away = [one for one in away if not careful.is_local(candidate.side, side_of(rows[one.pk]))]
    home = [one for one in near if one.leg != TEAM]
    nearest = _nearest(home)
    apart = _apart(candidate, home, [*told, *nearest], team_id, calibrated)
    farther = _apart(candidate, [*home, *away], away, team_id, calibrated)
    # The server decides nothing across two repositories, so a note of another one is a neighbour only if it is asked
    # about.
    close = _closeness(told, apart, calibrated)
    close |= {pk: measure - closeness.ELSEWHERE for pk, measure in _closeness(away, farther, calibrated).items()}
    asked = [one for one in away if close[one.pk] >= calibrated.asked]
    # Equal words are no change.
    told += [one for one in asked if not careful.equal(rows[one.pk].text, candidate.text)]
    judged = []
    for one in told:
        row = rows[one.pk]
        verdict = careful.judge(candidate.side, side_of(row), one.similarity)
        here, measure = verdict.reason is not Reason.OTHER_REPO, close[one.pk]
        if here and careful.value_cues(row.text, candidate.text, verdict.cues, careful.MOSTLY_BUT_A_VALUE):
            measure = max(measure, calibrated.paired)
        consulted = here and row.ref in candidate.consulted
        judged.append(JudgedNeighbour(neighbour_of(row, one.similarity, measure, consulted=consulted), verdict))
    return Deduplicated(
        decide(candidate.author_id, judged, calibrated.thresholds),
        tuple(judged),
        {rows[one.pk].ref: one.pk for one in told},
        {one.pk: rows[one.pk].revision for one in told},
        frozenset(one.pk for one in home),
        nearest=tuple(one.pk for one in nearest if apart[one.pk].likelihood >= naming.LIKELY),
    )


def side_of(row: Insight) -> NoteSide:
    return NoteSide(row.text, Kind(row.kind), row.repo, row.learned_at)


def neighbour_of(row: Insight, similarity: float, close: float = 0.0, *, consulted: bool = False) -> Neighbour:
    return Neighbour(
        ref=row.ref,
        similarity=similarity,
        closeness=close,
        consulted=consulted,
        status=Status(row.status),
        pinned=row.pinned,
        author_id=row.author_id,
        by_person=row.by_person,
    )


def _closeness(told: Sequence[NearestRow], apart: Mapping[int, "Apart"], calibrated: Calibration) -> dict[int, float]:
    """Return, by row, how much it stands out beside the candidate."""
    close = {}
    for one in told:
        found = apart[one.pk]
        close[one.pk] = found.closeness + closeness.SAME_ERROR * (one.leg == "error")
        if closeness.stands_alone(found.lead, found.own_words):
            close[one.pk] = max(close[one.pk], calibrated.asked)
        if one.similarity >= closeness.SURELY:
            close[one.pk] = max(close[one.pk], calibrated.paired)
    return close


@dataclass(frozen=True)
class Apart:
    """The measures by which a neighbour stands out among the others near a candidate (`closeness`). `around`: the
    cosines of its own nearest others.
    """

    cosine: float
    lead: float
    own_words: float
    shared: float
    around: Sequence[float] = ()

    @property
    def closeness(self) -> float:
        return closeness.closeness(self.lead, self.own_words, self.shared, closeness.surroundings(self.around))

    @property
    def likelihood(self) -> float:
        around = closeness.surroundings(self.around)
        return naming.likelihood(self.cosine, self.own_words, self.shared, around)


def _apart(
    candidate: MergeCandidate,
    near: Sequence[NearestRow],
    told: Sequence[NearestRow],
    team_id: int,
    calibrated: Calibration,
) -> dict[int, Apart]:
    """Return, by row, the measures by which it stands out from its surroundings. Two notes that are known as a pair do
    not count as surroundings of each other. A pair's nearer note still counts for the farther one: siblings are often
    an open pair too, and the candidate is not about the farther one.
    """
    if not told:
        return {}
    cosines = {one.pk: one.similarity for one in near}
    by_vector = sorted((one for one in near if one.leg == "vector"), key=lambda one: -one.similarity)
    words = {pk: list[str]() for pk in cosines}
    words |= {row.pk: bm25.terms(row.searched) for row in Insight.objects.texts(cosines)}
    documents, df = _frequencies(team_id, {word for one in told for word in words[one.pk]} | set(candidate.words))
    paired = Pair.objects.open_between(cosines)
    found = {}
    for one in told:
        nearer = {pk for pk, cosine in cosines.items() if cosine > one.similarity}
        others = [pk for pk in cosines if pk != one.pk and (pk in nearer or frozenset((pk, one.pk)) not in paired)]
        beside = [pk for pk in (other.pk for other in by_vector) if pk in others][:NEARBY]
        found[one.pk] = Apart(
            one.similarity,
            closeness.lead(one.similarity, (cosines[pk] for pk in others)),
            closeness.own_words(candidate.words, words[one.pk], (words[pk] for pk in beside), documents, df),
            closeness.shared(candidate.words, words[one.pk], documents, df),
        )
    # Hardly any note has fewer surroundings than two unrelated ones, so a note below this threshold cannot reach any.
    least = calibrated.asked - max(closeness.SAME_ERROR, closeness.CONSULTED)
    worth = [pk for pk, one in found.items() if one.closeness >= least or one.likelihood >= naming.LIKELY]
    around = Insight.objects.all().surroundings(worth, team_id, most=closeness.OTHERS, without=candidate.itself)
    return {pk: replace(one, around=around.get(pk, ())) for pk, one in found.items()}
