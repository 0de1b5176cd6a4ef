"""Record: the second half of write-or-merge, which only writes. `deduplicate` has decided; the caller holds the team's
row.

It writes a new row with its anchors, or a corroboration of the row that says the same; supersessions, and pairs for a
person to decide; keyword statistics, log lines and receipts: all in the caller's transaction.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from accounts.models import LogEntry
from accounts.rules.rights import SYSTEM, Member, TeamAccess
from knowledge.adapters.embedder import current
from knowledge.errors.rules.fingerprint import Fingerprint
from knowledge.judging.actions import relations
from knowledge.judging.actions.deduplicate import Deduplicated, MergeCandidate
from knowledge.judging.actions.rejected import open_pair, pair_rejected, with_rejection
from knowledge.judging.actions.successions import may_supersede
from knowledge.judging.rules import relations as said
from knowledge.judging.rules.careful import SERVER
from knowledge.judging.rules.dedup import MOST_ASKED, DedupOutcome, JudgedNeighbour
from knowledge.judging.rules.neighbours import NeighbourStanding
from knowledge.models import Anchor, Insight, Lexicon, Pair, Receipt, Topic
from knowledge.models.merging import corroborated, corroboration_of
from knowledge.models.quota import take_numbers
from knowledge.retrieval.rules.score import Score
from knowledge.rules.draft import Draft
from knowledge.rules.gate import Guarded
from knowledge.rules.vocabulary import AnchorKind, Kind, Source


class StaleSnapshot(Exception):
    """A change between deduplicating and writing that the rules have not seen."""


@dataclass(frozen=True)
class Deposited:
    """The outcome of a draft. `insight`: its row, or the one it was merged into.

    `superseded`: references that it superseded. `neighbours`: the near notes, as {ref, similarity, stance, by}.
    `asking`: references that its agent is asked about, likeliest first. `related`: the outcome of each stated relation.
    `question`: the question in words, once it is asked; `near`: the notes named if nothing is asked (`questions`), of
    the ids in `nearest`. `redactions`: masked personal data. `stripped`: removed invisible characters, by field.
    `degraded`: the parts that were down.
    """

    insight: Insight
    outcome: str
    stripped: dict[str, int]
    quality: Score
    redactions: tuple[dict[str, Any], ...] = ()
    superseded: tuple[str, ...] = ()
    neighbours: tuple[dict[str, Any], ...] = ()
    asking: tuple[dict[str, Any], ...] = ()
    related: tuple[dict[str, Any], ...] = ()
    degraded: tuple[dict[str, str], ...] = ()
    replayed: bool = False
    question: Any = None
    nearest: tuple[int, ...] = ()
    near: tuple[Any, ...] = ()


@dataclass(frozen=True)
class ReadyDraft:
    """A draft that passed the guard, with all that is computed before the transaction opens. `row` is unsaved and has
    no number yet. `consulted`, `lately`: references that the session was served before (`MergeCandidate`).
    """

    guarded: Guarded
    team: TeamAccess
    digest: str
    words: list[str]
    error: Fingerprint | None
    row: Insight
    anchors: list[Anchor]
    quality: Score
    vector: np.ndarray | None = None
    consulted: Sequence[str] = ()
    lately: Mapping[str, bool] = field(default_factory=dict)

    @property
    def draft(self) -> Draft:
        return self.guarded.draft

    @property
    def redactions(self) -> tuple[dict[str, Any], ...]:
        return tuple(asdict(finding) for finding in self.guarded.redacted)

    @property
    def candidate(self) -> MergeCandidate:
        assert self.vector is not None
        return MergeCandidate(
            text=self.row.text,
            words=self.words,
            vector=self.vector,
            kind=Kind(self.row.kind),
            repo=self.row.repo,
            author_id=self.row.author_id,
            date=self.row.learned_at,
            error=self.error.digest if self.error else "",
            files=self._named(AnchorKind.FILE),
            symbols=self._named(AnchorKind.SYMBOL),
            related=frozenset(one.ref for one in self.draft.relations),
            consulted=self.consulted,
            lately=self.lately,
        )

    @property
    def standing(self) -> NeighbourStanding:
        one = self.candidate
        return NeighbourStanding(one.vector, one.error, frozenset(one.files), frozenset(one.symbols))

    def _named(self, kind: AnchorKind) -> tuple[str, ...]:
        return tuple(anchor.value for anchor in self.anchors if anchor.kind == kind)


@dataclass(frozen=True)
class Writer:
    """Writes decisions for one team. The caller holds the team's row."""

    team: TeamAccess
    by: Member
    now: datetime
    merging: bool
    degraded: tuple[dict[str, str], ...]

    @property
    def deduplicates(self) -> bool:
        return self.merging and not self.degraded

    def write(self, some: dict[int, ReadyDraft], decided: dict[int, Deduplicated]) -> dict[int, Deposited]:
        """Write the drafts; return the outcomes by place. Raises StaleSnapshot if a neighbour that would be changed has
        changed since it was judged.
        """
        decided = {place: decided.get(place, Deduplicated()) for place in some}
        some = _apart(some, decided)
        held = self._hold(decided[place] for place in some)
        lexicon = Lexicon.of(self.team.id)
        merged = {place: one for place, one in some.items() if decided[place].decision.merge_into}
        new = {place: one for place, one in some.items() if place not in merged}
        self._insert(new, decided, lexicon)
        results: dict[int, Deposited] = {}
        for place, one in some.items():
            found = decided[place]
            proposed: tuple[str, ...] = ()
            if place in merged:
                row = held[found.ids[found.decision.merge_into]]
                self._merge(one, row, found, lexicon)
            else:
                row = one.row
                proposed = pair_up(row, found, held, by=self.by, at=self.now)
            results[place] = self._answer(one, row, found, self._related(one, row), proposed)
        Receipt.objects.bulk_create(
            [self._receipt(one, results[place]) for place, one in some.items() if one.draft.idempotency_key]
        )
        return results

    def _related(self, one: ReadyDraft, row: Insight) -> relations.Applied:
        """Apply the agent's stated relations. The caller has refused references that the agent cannot see."""
        if not one.draft.relations or not row.number:
            return relations.Applied(row, ())
        refs = [statement.ref for statement in one.draft.relations]
        rows = Insight.objects.visible_to(self.by).filter(ref__in=refs, team_id=self.team.id)
        others = {other.ref: other for other in rows.order_by("pk").select_for_update(no_key=True, of=("self",))}
        statements = [statement for statement in one.draft.relations if statement.ref in others]
        return relations.apply(row, statements, others, by=self.by, at=self.now)

    def _hold(self, decided: Iterable[Deduplicated]) -> dict[int, Insight]:
        """Lock the rows that will change, in the order of their ids, and return their present state."""
        judged = [(found, found.ids[ref]) for found in decided for ref in _touched(found)]
        ids = sorted({pk for _, pk in judged})
        held = (
            {row.pk: row for row in Insight.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)}
            if ids
            else {}
        )
        if len(held) < len(ids) or not all(found.still_holds(held[pk]) for found, pk in judged):
            raise StaleSnapshot
        return held

    def _insert(self, new: dict[int, ReadyDraft], decided: dict[int, Deduplicated], lexicon: Lexicon) -> None:
        if not new:
            return
        number = take_numbers(self.team.id, len(new))
        for step, one in enumerate(new.values()):
            one.row.take_number(self.team.prefix, number + step)
            one.row.index_words(one.words, lexicon.pivot)
            one.row.set_vector(one.vector, current().name)
            one.row.unweighed = self.merging and one.vector is None
            one.row.schedule_fade()
        Topic.place([one.row for one in new.values()], at=self.now)
        Insight.objects.bulk_create([one.row for one in new.values()])
        Anchor.objects.bulk_create([anchor.of(one.row) for one in new.values() for anchor in one.anchors])
        lexicon.count(added=[one.words for one in new.values()])
        LogEntry.objects.bulk_create([self._line(one, decided[place]) for place, one in new.items()])

    def _merge(self, one: ReadyDraft, row: Insight, found: Deduplicated, lexicon: Lexicon) -> None:
        verdict = found.of(row.ref).verdict
        words = corroboration_of(
            one.row, one.anchors, at=self.now, similarity=round(verdict.similarity, 4), judged_by=verdict.judge
        )
        signal = corroborated(by=self.by, at=self.now)
        row.merge_in(
            words,
            signal,
            one.anchors,
            lexicon=lexicon,
            by=self.by,
            at=self.now,
            why=_noticed(one),
            verdict=verdict.as_data(),
        )

    def _answer(
        self, one: ReadyDraft, row: Insight, found: Deduplicated, applied: relations.Applied, proposed: tuple[str, ...]
    ) -> Deposited:
        decision = found.decision
        gone = set(decision.superseding) - set(proposed)
        outcome = _outcome(decision.outcome, bool(proposed), row, applied)
        return Deposited(
            insight=applied.insight,
            outcome=outcome.value,
            stripped=one.guarded.stripped,
            quality=one.quality,
            redactions=one.redactions,
            superseded=(*sorted(gone), *applied.superseded),
            neighbours=tuple(_neighbour_data(judged) for judged in found.judged),
            asking=(*asked_again(applied), *(_asked(found.of(ref)) for ref in decision.asking))[:MOST_ASKED]
            if applied.insight is row
            else (),
            related=tuple(one.as_data() for one in applied.outcomes),
            degraded=self.degraded,
            nearest=found.nearest if applied.insight is row else (),
        )

    def _line(self, one: ReadyDraft, found: Deduplicated) -> LogEntry:
        row = one.row
        source = {Source.AGENT: "", Source.HUMAN: " by hand"}.get(Source(row.source_type), f" from {row.source_type}")
        return LogEntry.of(
            team_id=row.team_id,
            verb="deposited",
            subject=row.ref,
            line=f"{row.ref} deposited{source}: {row.title}",
            why=_noticed(one),
            after={"verdicts": found.verdicts} if found.verdicts else {},
            by=self.by,
            at=self.now,
        )

    def _receipt(self, one: ReadyDraft, done: Deposited) -> Receipt:
        return Receipt(
            user_id=self.by.user_id,
            key=one.draft.idempotency_key,
            digest=one.digest,
            insight=done.insight,
            outcome=done.outcome,
            answer={
                "superseded": done.superseded,
                "neighbours": done.neighbours,
                "asking": done.asking,
                "related": done.related,
                "nearest": done.nearest,
            },
            at=self.now,
        )


def pair_up(
    row: Insight, found: Deduplicated, held: Mapping[int, Insight], *, by: Member, at: datetime
) -> tuple[str, ...]:
    """Supersede the notes that a new row replaces, and pair the notes to be served beside it until somebody states a
    relation. Return the references that are only proposed to be superseded. `held`: the locked rows by id.
    """
    decision, proposed = found.decision, []
    if found.retold:
        _propose_again(row, held[found.ids[found.retold]], at)
    for ref in (*decision.superseding, *decision.proposing):
        state = _supersede_or_propose(held[found.ids[ref]], row, found.of(ref).verdict, by=by, at=at)
        proposed += [ref] if state is said.RelationState.PROPOSED else []
    for ref in (ref for ref in decision.pairing if ref != found.retold):
        other = held[found.ids[ref]]
        open_pair(row, other, with_rejection(found.of(ref).verdict, row, other), by=by, at=at)
    rest = [one for one in found.judged if one.neighbour.ref not in _touched(found)]
    pair_rejected(row, {found.ids[one.neighbour.ref]: one.verdict for one in rest}, by=by, at=at)
    return tuple(proposed)


def _propose_again(row: Insight, current: Insight, at: datetime) -> None:
    """Propose that the note that superseded these words before supersedes them again. It comes first until a lead, or
    the depositing agent, has said that the words hold.
    """
    verdict = said.Verdict(said.Relation.SUPERSEDES, SERVER, 0.0, said.Reason.RETOLD)
    Pair.succession(row, current, verdict, by=SYSTEM, at=at).propose(by=SYSTEM, at=at)


def _supersede_or_propose(
    old: Insight, successor: Insight, verdict: said.Verdict, *, by: Member, at: datetime
) -> said.RelationState:
    """Supersede `old` by `successor` if a machine of this member may do that; otherwise propose it to a lead."""
    verdict = with_rejection(verdict, successor, old)
    allowed = verdict.reason not in said.CAUTIONS and may_supersede(old, by, at)[0]
    pair = Pair.succession(old, successor, verdict, by=by, at=at)
    if not allowed:
        pair.propose(by=by, at=at)
        return said.RelationState.PROPOSED
    old.supersede(successor, by=by, at=at, verdict=verdict.as_data())
    pair.close(said.Relation.SUPERSEDES, by=by, at=at)
    pair.tell_author(by=by, at=at)
    return said.RelationState.DONE


def _outcome(decided: DedupOutcome, proposed: bool, row: Insight, applied: relations.Applied) -> DedupOutcome:
    """Return the outcome in one word; stated relations precede the server's conclusions."""
    if applied.insight is not row:
        return DedupOutcome.MERGED
    if applied.superseded:
        return DedupOutcome.SUPERSEDING
    if applied.proposed or proposed:
        return DedupOutcome.PROPOSED
    opened = any(one.state is said.RelationState.OPEN for one in applied.outcomes)
    return DedupOutcome.QUEUED if opened and decided is DedupOutcome.INSERTED else decided


def _touched(found: Deduplicated) -> tuple[str, ...]:
    """Return the references of the rows that a decision changes."""
    decision = found.decision
    into = (decision.merge_into,) if decision.merge_into else ()
    retold = (found.retold,) if found.retold else ()
    return (*into, *decision.superseding, *decision.proposing, *decision.pairing, *retold)


def _apart(some: dict[int, ReadyDraft], decided: dict[int, Deduplicated]) -> dict[int, ReadyDraft]:
    """Return the decisions that can be applied together: no other one touches a note that one of them supersedes."""
    kept: dict[int, ReadyDraft] = {}
    touched: set[str] = set()
    gone: set[str] = set()
    for place, one in some.items():
        mine, ending = set(_touched(decided[place])), set(decided[place].decision.superseding)
        if mine & gone or ending & touched:
            continue
        kept[place] = one
        touched |= mine
        gone |= ending
    return kept


def _noticed(one: ReadyDraft) -> str:
    """Return what the guard removed, for the log: kind and place, never the text."""
    stripped, redacted = one.guarded.stripped, one.guarded.redacted
    parts = [f"invisible characters stripped: {json.dumps(stripped)}"] if stripped else []
    parts += [f"redacted: {', '.join(map(str, redacted))}"] if redacted else []
    return "; ".join(parts)


def _neighbour_data(judged: JudgedNeighbour) -> dict[str, Any]:
    verdict = judged.verdict
    return {
        "ref": judged.neighbour.ref,
        "similarity": round(judged.neighbour.similarity, 4),
        "stance": verdict.relation.value if verdict.relation else None,
        "by": verdict.judge,
    }


def asked_again(applied: relations.Applied) -> tuple[dict[str, Any], ...]:
    """Return the notes stated as duplicates that differ: their agent is told the difference and asked once more."""
    refused = [one for one in applied.outcomes if one.reason is said.Reason.DIFFERS]
    return tuple(
        {"ref": one.ref, "similarity": round(one.similarity, 4), "cues": [cue.as_data() for cue in one.cues]}
        for one in refused
    )


def _asked(judged: JudgedNeighbour) -> dict[str, Any]:
    """Return the stored form of a question to the agent; its words are looked up when it is asked."""
    cues = [cue.as_data() for cue in judged.verdict.cues]
    return {"ref": judged.neighbour.ref, "similarity": round(judged.neighbour.similarity, 4), "cues": cues}
