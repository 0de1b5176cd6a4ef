"""Relations: apply what somebody states about two notes; the writing half of `relate` and of a deposit.

The caller holds the team's row. The effect of an agent's statement is bounded. It merges nothing despite another number
or a denial, and displaces nothing that the team has confirmed. Of others' notes it displaces a few a day; beyond that
it only proposes, and a lead settles it. Everything is logged, and can be undone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from accounts.actions.refusals import log_attempt
from accounts.rules.guard.detection import masked, redact_personal
from accounts.rules.rights import Member
from knowledge.judging.actions.rejected import rejected_before
from knowledge.judging.actions.successions import may_supersede, put_back, replaced_by_others, standing_for, take_over
from knowledge.judging.actions.unlike import LINKING, caution, one_of_too_many
from knowledge.judging.adapters.calibration import current as calibration
from knowledge.judging.rules.careful import SERVER, cues_between, same_family, same_ground, value_cues
from knowledge.judging.rules.relations import (
    CAUTIONS,
    REFUSED_FOR,
    Cue,
    Reason,
    Relation,
    RelationOutcome,
    RelationState,
    Statement,
    Verdict,
)
from knowledge.models import Insight, Pair
from knowledge.models.lexicon import similarity
from knowledge.models.merging import merge_into, stand_again
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.rules.vocabulary import Kind

AGENT = "agent"
# The relations that put a note in question.
AGAINST = (Relation.SUPERSEDES, Relation.CONTRADICTS)
# The relations by which both notes hold.
BESIDE = (Relation.CONTRADICTS, Relation.COMPLEMENTS, Relation.UNRELATED)


@dataclass(frozen=True)
class Applied:
    """`insight`: the row that stands for the note now, another one than before if it was merged."""

    insight: Insight
    outcomes: tuple[RelationOutcome, ...]

    @property
    def superseded(self) -> tuple[str, ...]:
        return self._with(Relation.SUPERSEDES, RelationState.DONE)

    @property
    def proposed(self) -> tuple[str, ...]:
        return self._with(Relation.SUPERSEDES, RelationState.PROPOSED)

    def _with(self, relation: Relation, state: RelationState) -> tuple[str, ...]:
        return tuple(one.ref for one in self.outcomes if one.relation is relation and one.state is state)


def apply(
    row: Insight,
    statements: Sequence[Statement],
    others: Mapping[str, Insight],
    *,
    by: Member,
    at: datetime,
    judge: str = AGENT,
) -> Applied:
    """Put into effect the stated relations of `row` to `others`, by reference, locked and of the same team.

    A merge comes first: the other relations then apply to the row that `row` became part of; its earlier parts stay.
    """
    ordered = sorted(statements, key=lambda one: one.relation is not Relation.DUPLICATES)
    outcomes: dict[str, RelationOutcome] = {}
    stated = row
    for statement in ordered:
        named = others[statement.ref]
        other = standing_for(named, row, statement.relation, by=by) or named
        if other.pk == row.pk or (other is not named and other.ref in others):
            continue
        if row.pk != stated.pk and other.superseded_by_id == row.pk:
            outcome = RelationOutcome(other.ref, statement.relation, RelationState.REFUSED, Reason.NOT_CURRENT)
        else:
            outcome = _Said(row, other, statement, judge, by=by, at=at).apply()
        outcomes[statement.ref] = outcome if other is named else replace(outcome, instead_of=named.ref)
        _log_refused(row, other, outcome, by, at)
        if outcome.relation is Relation.DUPLICATES and outcome.state is RelationState.DONE:
            row = other
    return Applied(row, tuple(outcomes[one.ref] for one in statements if one.ref in outcomes))


def _log_refused(row: Insight, other: Insight, outcome: RelationOutcome, by: Member, at: datetime) -> None:
    """Log a refused statement against a confirmed note so that leads see it; several about `row` are logged once."""
    refused = outcome.state is RelationState.REFUSED
    unsaid = outcome.relation is Relation.UNRELATED and outcome.reason is Reason.NOT_ALIKE
    if not (refused or unsaid) or other.author_id == by.user_id or not is_confirmed(other):
        return
    what, why = outcome.relation.value, REFUSED_FOR[outcome.reason]
    line = f"{row.ref} {what} {other.ref}: {'refused' if refused else 'not stored'}, {why}"
    log_attempt(team_id=other.team_id, line=line, by=by, now=at, act=f"{what} {other.ref}")


def _may_follow(successor: Insight, gone: Insight) -> bool:
    """Return whether `successor` may replace `gone`: `successor` is current or gave way only to `gone`, and `gone` has
    not given way to a third note. Otherwise no note would be left to answer.
    """
    stands = successor.is_current or successor.superseded_by_id == gone.pk
    return stands and bool(successor.shown) and gone.superseded_by_id in (None, successor.pk)


@dataclass
class _Said:
    """One statement on its way: `row` is said to be `statement.relation` to `other`."""

    row: Insight
    other: Insight
    statement: Statement
    judge: str
    by: Member
    at: datetime

    def apply(self) -> RelationOutcome:
        pairs = list(Pair.objects.all().of_both(self.row.pk, self.other.pk))
        if self._in_effect(pairs):
            state = self._state_of(pairs)
            return self._outcome(state, self._why_proposed() if state is RelationState.PROPOSED else self._caution)
        if any(pair.settled_by_lead for pair in pairs):
            return self._outcome(RelationState.REFUSED, Reason.SETTLED)
        refused = self._refused(pairs)
        if refused:
            return refused
        self._undo(pairs)
        return {
            Relation.DUPLICATES: self._merge,
            Relation.SUPERSEDES: self._supersede,
            Relation.CONTRADICTS: self._contradict,
            Relation.COMPLEMENTS: self._link,
            Relation.UNRELATED: self._part,
        }[self.statement.relation]()

    # --- what was said before -----------------------------------------------------------------------------------
    def _in_effect(self, pairs: Sequence[Pair]) -> bool:
        """Return whether the relation is in effect: stated, and no other one stated since."""
        relation = self.statement.relation
        if relation is Relation.DUPLICATES:
            return self.row.superseded_by_id == self.other.pk
        if relation is Relation.SUPERSEDES:
            proposed = any(pair.proposed and pair.successor_id == self.row.pk for pair in pairs)
            return proposed or self.other.superseded_by_id == self.row.pk
        mine = self._mine(pairs)
        if self._waits:
            return any(pair.is_open and pair.relation == relation.value for pair in mine)
        if relation is Relation.CONTRADICTS:
            return any(pair.question == Pair.Question.CONTRADICTION and pair.is_open for pair in mine)
        settled = [pair for pair in mine if pair.settled_at]
        last = max(settled, key=lambda pair: (pair.settled_at, pair.pk), default=None)
        return last is not None and last.relation == relation.value and not any(pair.is_open for pair in mine)

    def _mine(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return the pairs about which this member's agents have stated something."""
        return [pair for pair in pairs if pair.relation and pair.stated_by_user_id == (self.by.user_id or None)]

    def _state_of(self, pairs: Sequence[Pair]) -> RelationState:
        if any(pair.proposed and pair.successor_id == self.row.pk for pair in pairs):
            return RelationState.PROPOSED
        asked = self._waits or self.statement.relation is Relation.CONTRADICTS
        return RelationState.OPEN if asked and any(pair.is_open for pair in pairs) else RelationState.DONE

    def _undo(self, pairs: Sequence[Pair]) -> None:
        """Undo what the same member's agents stated of the two before, and a replacement of the member's note by the
        other one that somebody else's agents made, since the other one is now said to be something else.
        """
        mine = self._mine(pairs)
        if self.row.superseded_by_id == self.other.pk and self.statement.relation in BESIDE:
            replaced = replaced_by_others(self.row, self.by)
            if replaced:
                put_back(self.row, replaced, by=self.by, at=self.at, why=self._note)
        if mine and self.other.superseded_by_id == self.row.pk:
            stand_again(self.other, by=self.by, at=self.at, why="said otherwise since")
        if mine and self.row.superseded_by_id == self.other.pk:
            stand_again(self.row, by=self.by, at=self.at, why="said otherwise since")
        for pair in mine:
            if pair.question == Pair.Question.CONTRADICTION and pair.is_open:
                pair.close(Relation(pair.relation), by=self.by, at=self.at, logged=False)
                pair.unmark(by=self.by, at=self.at)

    # --- what is not taken --------------------------------------------------------------------------------------
    def _refused(self, pairs: Sequence[Pair]) -> RelationOutcome | None:
        relation = self.statement.relation
        unlike = self._caution is Reason.NOT_ALIKE
        if relation in LINKING and unlike and (held := self._held_apart(pairs)):
            return held
        if one_of_too_many(self.row, self.other, relation, self._caution, by=self.by, at=self.at):
            return self._outcome(RelationState.REFUSED, Reason.TOO_MANY)
        if relation in LINKING:
            return None if unlike else self._differing_alone(pairs)
        if relation is Relation.CONTRADICTS:
            return None
        if relation is Relation.DUPLICATES and self._elsewhere:
            return self._outcome(RelationState.REFUSED, Reason.OTHER_REPO)
        successor, gone = (self.row, self.other) if relation is Relation.SUPERSEDES else (self.other, self.row)
        if not _may_follow(successor, gone):
            return self._outcome(RelationState.REFUSED, Reason.NOT_CURRENT)
        if relation is Relation.SUPERSEDES:
            older = self.row.learned_at < self.other.learned_at
            return self._outcome(RelationState.REFUSED, Reason.OLDER) if older else None
        if self.row.needs_reviewer:
            return self._outcome(RelationState.REFUSED, Reason.REVIEWED)
        if not same_family(Kind(self.row.kind), Kind(self.other.kind)):
            return self._outcome(RelationState.REFUSED, Reason.OTHER_KIND)
        strong = tuple(cue for cue in self._cues if cue.strong)
        far = self._vectors and self._similarity < calibration().band
        # Notes that are no neighbours are shown to nobody, even if they are stated to be duplicates.
        if strong and not far:
            self._keep_open()
        if strong:
            return self._outcome(RelationState.REFUSED, Reason.DIFFERS, strong)
        return self._outcome(RelationState.REFUSED, Reason.NOT_ALIKE) if far else None

    def _held_apart(self, pairs: Sequence[Pair]) -> RelationOutcome | None:
        """Return the outcome for two notes that have nothing in common, which are hardly one thing: the statement
        settles nothing that others hold of them, and "unrelated" needs no record.
        """
        mine = self._mine(pairs)
        theirs = [pair for pair in pairs if pair.question == Pair.Question.DUPLICATE and pair not in mine]
        if theirs:
            state = RelationState.OPEN if any(pair.is_open for pair in theirs) else RelationState.REFUSED
            return self._outcome(state, Reason.NOT_ALIKE)
        if self.statement.relation is Relation.UNRELATED and not mine:
            return self._outcome(RelationState.DONE, Reason.NOT_ALIKE)
        return None

    def _differing_alone(self, pairs: Sequence[Pair]) -> RelationOutcome | None:
        """Return the refusal if the two differ in one value alone, otherwise None. Such notes hardly hold beside each
        other: the agent is asked once more, and then believed, with a note of the difference.
        """
        cues = value_cues(self.other.text, self.row.text, self._cues)
        asked = any(pair.verdict.get("reason") == Reason.DIFFERS for pair in pairs)
        if not cues or self.judge != AGENT or self._elsewhere or (asked and self._note):
            return None
        self._keep_open().record_verdict(Verdict(None, SERVER, self._similarity, Reason.DIFFERS, self._cues))
        return self._outcome(RelationState.REFUSED, Reason.DIFFERS, cues)

    def _keep_open(self) -> Pair:
        """Keep the pair open: the statement does not hold, and the two are near, so both are served."""
        verdict = Verdict(None, self.judge, self._similarity, Reason.DIFFERS, self._cues)
        return Pair.between(
            self.row,
            self.other,
            question=Pair.Question.DUPLICATE,
            verdict=verdict.as_data(),
            similarity=round(verdict.similarity, 4),
            by=self.by,
            at=self.at,
        )

    # --- what is done -------------------------------------------------------------------------------------------
    def _merge(self) -> RelationOutcome:
        merge_into(self.other, self.row, by=self.by, at=self.at, why=self._note, verdict=self._verdict)
        pair = self._pair(Pair.Question.DUPLICATE)
        pair.close(Relation.DUPLICATES, by=self.by, at=self.at)
        self._settle_others(pair)
        return self._outcome(RelationState.DONE)

    def _supersede(self) -> RelationOutcome:
        allowed, reason = self._may()
        pair = self._pair(Pair.Question.SUPERSESSION, successor=self.row)
        if allowed:
            self.other.supersede(self.row, by=self.by, at=self.at, why=self._note, verdict=self._verdict.as_data())
            pair.close(Relation.SUPERSEDES, by=self.by, at=self.at, why=self._note)
            pair.tell_author(by=self.by, at=self.at)
            take_over(self.row, self.other, self._verdict, by=self.by, at=self.at)
        else:
            pair.propose(by=self.by, at=self.at)
        self._settle_others(pair)
        return self._outcome(RelationState.DONE if allowed else RelationState.PROPOSED, reason)

    def _may(self) -> tuple[bool, Reason]:
        allowed, reason = may_supersede(self.other, self.by, self.at)
        if self._caution in CAUTIONS:
            return False, self._caution
        if allowed and self._elsewhere and self.other.author_id != self.by.user_id:
            return False, Reason.OTHER_REPO
        if allowed and self._vectors and self._similarity < calibration().band:
            return False, Reason.NOT_ALIKE
        return allowed, reason

    def _why_proposed(self) -> Reason:
        """Return why the statement waits for a lead. A statement beyond a day's limit takes no effect the day after."""
        allowed, reason = self._may()
        return Reason.DAILY_LIMIT if allowed else reason

    def _contradict(self) -> RelationOutcome:
        pair = self._pair(Pair.Question.CONTRADICTION)
        # Two notes that have nothing in common put neither in doubt before a lead has looked.
        (pair.say_unlike if self._caution is Reason.NOT_ALIKE else pair.mark)(by=self.by, at=self.at)
        self._settle_others(pair)
        return self._outcome(RelationState.OPEN, self._caution)

    def _link(self) -> RelationOutcome:
        if not self._waits:
            return self._settled(Relation.COMPLEMENTS, self._caution)
        pair = self._pair(Pair.Question.DUPLICATE)
        pair.say_unlike(by=self.by, at=self.at)
        self._settle_others(pair)
        return self._outcome(RelationState.OPEN, Reason.NOT_ALIKE)

    def _part(self) -> RelationOutcome:
        return self._settled(Relation.UNRELATED)

    def _settled(self, relation: Relation, reason: Reason = Reason.STATED) -> RelationOutcome:
        pair = self._pair(Pair.Question.DUPLICATE)
        pair.close(relation, by=self.by, at=self.at, why=self._note)
        self._settle_others(pair)
        # This member cannot settle what somebody else has reported.
        left = Pair.objects.all().of_both(self.row.pk, self.other.pk).open().exists()
        return self._outcome(RelationState.OPEN if left else RelationState.DONE, reason)

    # --- the pair -----------------------------------------------------------------------------------------------
    def _pair(self, question: str, successor: Insight | None = None) -> Pair:
        """Return the open pair of the two under this question, with the statement."""
        return Pair.stated(
            self.row,
            self.other,
            question=question,
            verdict=self._verdict,
            reason=self._note,
            successor=successor,
            by=self.by,
            at=self.at,
        )

    def _settle_others(self, said: Pair) -> None:
        """Close the open questions that the statement answers; reports of others stay open."""
        for pair in Pair.objects.all().of_both(self.row.pk, self.other.pk).exclude(pk=said.pk):
            asked = pair.question == Pair.Question.DUPLICATE and self._caution is not Reason.NOT_ALIKE
            if pair.is_open and (asked or pair.raised_by_user_id == self.by.user_id):
                pair.close(self.statement.relation, by=self.by, at=self.at, logged=False)
                if pair.question == Pair.Question.CONTRADICTION:
                    pair.unmark(by=self.by, at=self.at)

    def _outcome(
        self, state: RelationState, reason: Reason = Reason.STATED, cues: Sequence[Cue] = ()
    ) -> RelationOutcome:
        alike = self._similarity if cues else 0.0
        return RelationOutcome(self.other.ref, self.statement.relation, state, reason, tuple(cues), alike)

    @property
    def _note(self) -> str:
        return redact_personal(masked(self.statement.note))[0]

    @property
    def _elsewhere(self) -> bool:
        return not same_ground(self.row.repo, self.other.repo)

    @property
    def _vectors(self) -> bool:
        return self.row.embedding is not None and self.other.embedding is not None

    @property
    def _similarity(self) -> float:
        return similarity(self.row, self.other)

    @property
    def _cues(self) -> tuple[Cue, ...]:
        return cues_between(self.other.text, self.row.text)

    @property
    def _verdict(self) -> Verdict:
        reason = self._caution
        if reason is Reason.STATED and self.judge != AGENT:
            reason = Reason.MODEL
        rejected = self._rejected.pk if self._rejected else 0
        return Verdict(self.statement.relation, self.judge, self._similarity, reason, self._cues, self._note, rejected)

    @cached_property
    def _rejected(self) -> Pair | None:
        """Return the pair by which a lead has rejected the same before; None if there is none."""
        return rejected_before(self.row, self.other) if self.statement.relation in AGAINST else None

    @cached_property
    def _caution(self) -> Reason:
        """The reason why readers and leads should look twice at the statement; `stated` if there is none. Often only
        the depositing agent knows that a note replaces another that reads nothing like it.
        """
        if self._rejected:
            return Reason.REJECTED_BEFORE
        stated = self.statement.relation
        unlike = self.judge == AGENT if stated in LINKING else stated in AGAINST
        return caution(self.row, self.other, stated, self.by) if unlike else Reason.STATED

    @property
    def _waits(self) -> bool:
        """Whether the two are linked only after somebody has looked at them."""
        return self.statement.relation is Relation.COMPLEMENTS and self._caution is Reason.NOT_ALIKE
