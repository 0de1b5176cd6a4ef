"""Record: the second half of write-or-merge, which only writes. `weigh` has decided; the caller holds the team's row.

A new row with its anchors, or a corroboration of the one that says it; what gives way; what a person must look at;
keyword statistics, log lines and receipts: all in the caller's transaction.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np

from accounts.models import LogEntry, Team
from accounts.rules.rights import Member, TeamAccess
from knowledge.actions.weigh import Voice, Weighed
from knowledge.adapters.embedder import current
from knowledge.models import Anchor, Insight, Lexicon, Pair, Receipt, Topic
from knowledge.models.said import corroborated, corroboration_of
from knowledge.rules.dedup import Judged
from knowledge.rules.draft import Draft
from knowledge.rules.fingerprint import Fingerprint
from knowledge.rules.gate import Guarded
from knowledge.rules.neighbours import Standing
from knowledge.rules.score import Score
from knowledge.rules.vocabulary import AnchorKind, Kind, Source


class Overtaken(Exception):
    """Something came between weighing and writing that the judge has not seen."""


@dataclass(frozen=True)
class Deposited:
    """What became of a draft. `insight`: its row, or the one it was merged into.

    `superseded`: references of what gave way to it. `neighbours`: what was near, as {ref, similarity, stance, by}.
    `redactions`: personal data masked; `stripped`: invisible characters taken out, by field; `degraded`: what was down.
    """

    insight: Insight
    outcome: str
    stripped: dict[str, int]
    quality: Score
    redactions: tuple[dict[str, Any], ...] = ()
    superseded: tuple[str, ...] = ()
    neighbours: tuple[dict[str, Any], ...] = ()
    degraded: tuple[dict[str, str], ...] = ()
    replayed: bool = False


@dataclass(frozen=True)
class Ready:
    """A draft that passed the guard, with all that is computed before the transaction opens. `row` is unsaved and has
    no number yet.
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

    @property
    def draft(self) -> Draft:
        return self.guarded.draft

    @property
    def redactions(self) -> tuple[dict[str, Any], ...]:
        return tuple(asdict(finding) for finding in self.guarded.redacted)

    @property
    def voice(self) -> Voice:
        assert self.vector is not None
        return Voice(
            text=self.row.text,
            words=self.words,
            vector=self.vector,
            kind=Kind(self.row.kind),
            repo=self.row.repo,
            author_id=self.row.author_id,
            error=self.error.digest if self.error else "",
            files=self._named(AnchorKind.FILE),
            symbols=self._named(AnchorKind.SYMBOL),
        )

    @property
    def standing(self) -> Standing:
        voice = self.voice
        return Standing(voice.vector, voice.error, frozenset(voice.files), frozenset(voice.symbols))

    def _named(self, kind: AnchorKind) -> tuple[str, ...]:
        return tuple(anchor.value for anchor in self.anchors if anchor.kind == kind)


@dataclass(frozen=True)
class Writer:
    """Writes what was decided, for one team. The caller holds the team's row."""

    team: TeamAccess
    by: Member
    now: datetime
    merging: bool
    degraded: tuple[dict[str, str], ...]

    @property
    def weighs(self) -> bool:
        return self.merging and not self.degraded

    def write(self, some: dict[int, Ready], weighed: dict[int, Weighed]) -> dict[int, Deposited]:
        """Raises Overtaken if a neighbour it would touch has changed since it was judged."""
        weighed = {place: weighed.get(place, Weighed()) for place in some}
        some = _apart(some, weighed)
        held = self._hold(weighed[place] for place in some)
        lexicon = Lexicon.of(self.team.id)
        merged = {place: one for place, one in some.items() if weighed[place].decision.merge_into}
        new = {place: one for place, one in some.items() if place not in merged}
        self._insert(new, weighed, lexicon)
        results: dict[int, Deposited] = {}
        for place, one in some.items():
            said = weighed[place]
            if place in merged:
                row = held[said.ids[said.decision.merge_into]]
                self._merge(one, row, said, lexicon)
            else:
                row = one.row
                relate(row, said, held, by=self.by, at=self.now)
            results[place] = self._answer(one, row, said)
        Receipt.objects.bulk_create(
            [self._receipt(one, results[place]) for place, one in some.items() if one.draft.idempotency_key]
        )
        return results

    def _hold(self, weighed: Iterable[Weighed]) -> dict[int, Insight]:
        """The rows that will be changed, locked in the order of their ids, and what they are now."""
        judged = [(said, said.ids[ref]) for said in weighed for ref in _touched(said)]
        ids = sorted({pk for _, pk in judged})
        held = (
            {row.pk: row for row in Insight.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)}
            if ids
            else {}
        )
        if len(held) < len(ids) or not all(said.still_holds(held[pk]) for said, pk in judged):
            raise Overtaken
        return held

    def _insert(self, new: dict[int, Ready], weighed: dict[int, Weighed], lexicon: Lexicon) -> None:
        if not new:
            return
        number = Team.objects.get(pk=self.team.id).take_numbers(len(new))
        for step, one in enumerate(new.values()):
            one.row.take_number(self.team.prefix, number + step)
            one.row.index_words(one.words, lexicon.pivot)
            one.row.set_vector(one.vector, current().name)
            one.row.unweighed = self.merging and one.vector is None
            one.row.foresee()
        Topic.place([one.row for one in new.values()], at=self.now)
        Insight.objects.bulk_create([one.row for one in new.values()])
        Anchor.objects.bulk_create([anchor.of(one.row) for one in new.values() for anchor in one.anchors])
        lexicon.count(added=[one.words for one in new.values()])
        LogEntry.objects.bulk_create([self._line(one, weighed[place].why) for place, one in new.items()])

    def _merge(self, one: Ready, row: Insight, said: Weighed, lexicon: Lexicon) -> None:
        judged = next(j for j in said.judged if j.neighbour.ref == row.ref)
        judge = judged.judgement.by if judged.judgement else "no judge"
        similarity = round(judged.neighbour.similarity, 4)
        words = corroboration_of(one.row, one.anchors, at=self.now, similarity=similarity, judged_by=judge)
        why = "; ".join(filter(None, (said.why, _noticed(one))))
        row.absorb(
            words, corroborated(by=self.by, at=self.now), one.anchors, lexicon=lexicon, by=self.by, at=self.now, why=why
        )

    def _answer(self, one: Ready, row: Insight, said: Weighed) -> Deposited:
        degraded = self.degraded
        if said.decision.degraded:
            degraded = (*degraded, {"component": "judge", "reason": said.down or "others wrote at the same moment"})
        return Deposited(
            insight=row,
            outcome=said.decision.outcome.value,
            stripped=one.guarded.stripped,
            quality=one.quality,
            redactions=one.redactions,
            superseded=said.decision.superseding,
            neighbours=tuple(_shown(judged) for judged in said.judged),
            degraded=degraded,
        )

    def _line(self, one: Ready, why: str) -> LogEntry:
        row = one.row
        source = "" if row.source_type == Source.AGENT else f" from {row.source_type}"
        return LogEntry.of(
            team_id=row.team_id,
            verb="deposited",
            subject=row.ref,
            line=f"{row.ref} deposited{source}: {row.title}",
            why="; ".join(filter(None, (_noticed(one), why))),
            by=self.by,
            at=self.now,
        )

    def _receipt(self, one: Ready, done: Deposited) -> Receipt:
        return Receipt(
            user_id=self.by.user_id,
            key=one.draft.idempotency_key,
            digest=one.digest,
            insight=done.insight,
            outcome=done.outcome,
            answer={"superseded": done.superseded, "neighbours": done.neighbours},
            at=self.now,
        )


def relate(row: Insight, said: Weighed, held: Mapping[int, Insight], *, by: Member, at: datetime) -> None:
    """What gives way to a new row, and what a person must look at beside it. `held`: the locked rows by id."""
    reasons = dict(line.split(": ", 1) for line in said.decision.reasons)
    similar = {judged.neighbour.ref: judged.neighbour.similarity for judged in said.judged}
    for ref in said.decision.superseding:
        held[said.ids[ref]].supersede(row, by=by, at=at, why=reasons[ref])
    questions = dict.fromkeys(said.decision.opening, Pair.Question.CONTRADICTION)
    questions |= dict.fromkeys(said.decision.queueing, Pair.Question.DUPLICATE)
    for ref, question in questions.items():
        similarity = round(similar[ref], 4)
        other = held[said.ids[ref]]
        Pair.between(other, row, question=question, reason=reasons[ref], by=by, at=at, similarity=similarity)


def _touched(said: Weighed) -> tuple[str, ...]:
    """References of the rows a decision changes."""
    decision = said.decision
    into = (decision.merge_into,) if decision.merge_into else ()
    return (*into, *decision.superseding, *decision.opening, *decision.queueing)


def _apart(some: dict[int, Ready], weighed: dict[int, Weighed]) -> dict[int, Ready]:
    """Those whose decisions can stand beside each other: what one supersedes, no other of them touches."""
    kept: dict[int, Ready] = {}
    touched: set[str] = set()
    gone: set[str] = set()
    for place, one in some.items():
        mine, ending = set(_touched(weighed[place])), set(weighed[place].decision.superseding)
        if mine & gone or ending & touched:
            continue
        kept[place] = one
        touched |= mine
        gone |= ending
    return kept


def _noticed(one: Ready) -> str:
    """What the guard took out, for the log: what and where, never what it said."""
    stripped, redacted = one.guarded.stripped, one.guarded.redacted
    parts = [f"invisible characters stripped: {json.dumps(stripped)}"] if stripped else []
    parts += [f"redacted: {', '.join(map(str, redacted))}"] if redacted else []
    return "; ".join(parts)


def _shown(judged: Judged) -> dict[str, Any]:
    judgement = judged.judgement
    return {
        "ref": judged.neighbour.ref,
        "similarity": round(judged.neighbour.similarity, 4),
        "stance": judgement.stance.value if judgement else None,
        "by": judgement.by if judgement else None,
    }
