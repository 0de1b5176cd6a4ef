"""Deposit: write a lesson to a team, or merge it with a note that says the same.

The guard comes first, before anything is embedded, logged or stored. Then come fingerprint, vector and neighbours
(`deduplicate`), all outside any transaction. Then one short transaction holds the team's row, checks whether anything
came in between, and writes rows, anchors, corroborations, supersessions, pairs, keyword statistics, log lines and
receipts.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TypeVar

from django.db import IntegrityError, transaction

from accounts.actions.jobs import is_database_away
from accounts.models import GuardTerm, Team
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Member, team_for_write
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.errors.rules.fingerprint import fingerprint
from knowledge.judging.actions.deduplicate import (
    Deduplicated,
    MergeCandidate,
    Watermark,
    deduplicate,
    unseen,
    watermark,
)
from knowledge.judging.actions.record import Deposited, ReadyDraft, StaleSnapshot, Writer
from knowledge.judging.rules.dedup import DedupOutcome
from knowledge.judging.rules.neighbours import conflict_free_batches
from knowledge.lifecycle.actions import use
from knowledge.lifecycle.rules import decay
from knowledge.models import Insight, Receipt
from knowledge.models.merging import anchors_of, insight_of
from knowledge.rules.draft import Draft
from knowledge.rules.gate import SecretFound, guard_draft
from knowledge.rules.vocabulary import Kind, Source

__all__ = [
    "DepositPreview",
    "Deposited",
    "KeyReused",
    "NeedsReason",
    "NoSuchNeighbour",
    "NotStored",
    "NothingSaid",
    "SecretFound",
    "deposit",
    "deposit_many",
    "preview",
    "rehearse",
]


logger = logging.getLogger("loam.deposit")
Made = TypeVar("Made")


class NotStored(Refused):
    """Loam failed to store the draft; the cause says why."""

    code = "failed"
    status = 500
    detail = "Internal server error; it was logged."


class NothingSaid(Refused):
    code = "invalid"
    detail = "The text is empty."


class KeyReused(Refused):
    code = "idempotency_mismatch"
    status = 409
    detail = "This idempotency key was used for another deposit."


class NoSuchNeighbour(Refused):
    code = "invalid"
    detail = "A related insight was not found."


class NeedsReason(Refused):
    code = "invalid"
    detail = "A decision requires reasoning."


def deposit(*, draft: Draft, by: Member, now: datetime) -> Deposited:
    """Add an insight to a team, or strengthen the one that says it already.

    Raises NoSuchTeam, TeamUnclear, NotAllowed, SecretFound, NothingSaid, NeedsReason, KeyReused, QuotaReached; then
    nothing was stored.
    """
    done = deposit_many(drafts=[draft], by=by, now=now)[0]
    if isinstance(done, Refused):
        raise done.__cause__ if isinstance(done, NotStored) and done.__cause__ else done
    return done


def deposit_many(
    *, drafts: Sequence[Draft], by: Member, now: datetime, strength: float = decay.INITIAL, merging: bool = True
) -> list[Deposited | Refused]:
    """Deposit several drafts. A draft that is refused, or that Loam fails on, does not affect the others; its place has
    its Refused.

    Without `merging` each becomes a row of its own: for a corpus that is to be measured as it is.
    """
    terms: dict[int, frozenset[str]] = {}
    results: dict[int, Deposited | Refused] = {}
    ready: dict[int, ReadyDraft] = {}
    consulted = use.consultations(by=by, now=now)
    # A batch names no notes (`questions`).
    lately = consulted.lately if len(drafts) == 1 else {}
    for place, draft in enumerate(drafts):
        try:
            one = replace(_prepare(draft, by, now, strength, terms), consulted=consulted.refs, lately=lately)
            replay = _replay(one, by)
            if replay:
                results[place] = replay
                continue
            use.named(text=one.row.text, by=by, now=now)
            ready[place] = one
        except Exception as error:
            results[place] = _failure(error)
    degraded, ready = _embed(ready, results)
    for team in {one.team.id: one.team for one in ready.values()}.values():
        mine = {place: one for place, one in ready.items() if one.team.id == team.id}
        results |= _settle_all(mine, Writer(team, by, now, merging, degraded))
    return [results[place] for place in range(len(drafts))]


def _failure(error: Exception) -> Refused:
    """Return the Refused that stands for a failed draft. Raises errors that mean that the database is away."""
    if isinstance(error, Refused):
        return error
    if is_database_away(error):
        raise error
    logger.error("a deposit failed", exc_info=error)
    failure = NotStored()
    failure.__cause__ = error
    return failure


def _together(
    given: dict[int, ReadyDraft],
    act: Callable[[dict[int, ReadyDraft]], dict[int, Made]],
    failed: dict[int, Deposited | Refused],
) -> dict[int, Made]:
    """Return what `act` makes of the drafts, by place. If it fails and leaves nothing behind, the halves are tried
    separately, down to the draft that it fails on.
    """
    try:
        return act(given) if given else {}
    except EmbedderDown:
        raise
    except Exception as error:
        places = list(given)
        if len(places) == 1 or is_database_away(error):
            failed[places[0]] = _failure(error)
            return {}
        middle = len(places) // 2
        halves = ({place: given[place] for place in some} for some in (places[:middle], places[middle:]))
        return {place: made for half in halves for place, made in _together(half, act, failed).items()}


def rehearse(*, drafts: Sequence[Draft], by: Member, now: datetime) -> list[Deposited | Refused | None]:
    """Return the known outcomes of drafts before they are deposited: refused, or stored under their key before; None if
    neither.

    Embeds and writes nothing.
    """
    known: list[Deposited | Refused | None] = []
    terms: dict[int, frozenset[str]] = {}
    for draft in drafts:
        try:
            known.append(_replay(_prepare(draft, by, now, decay.INITIAL, terms), by))
        except Exception as error:
            known.append(_failure(error))
    return known


@dataclass(frozen=True)
class DepositPreview:
    """The outcome a deposit would have: the rows near it with their similarity, nearest first, and the decision among
    them. `degraded`: a part was down, so nothing was looked for.
    """

    near: Sequence[tuple[Insight, float]]
    outcome: DedupOutcome
    merge_into: str = ""
    superseding: Sequence[str] = ()
    degraded: Sequence[dict[str, str]] = ()


def preview(*, draft: Draft, by: Member, now: datetime, itself: int = 0) -> DepositPreview:
    """Return what depositing that draft now would find, without writing anything. Raises as `deposit`.

    `itself`: the id of the insight that is edited, which is not near itself.
    """
    ready = {0: replace(_prepare(draft, by, now, decay.INITIAL, {}), consulted=use.consulted(by=by, now=now))}
    degraded, ready = _embed(ready, {})
    if degraded:
        return DepositPreview((), DedupOutcome.INSERTED, degraded=degraded)
    found = deduplicate(candidates=[replace(ready[0].candidate, itself=itself)], at=watermark(ready[0].team.id))[0]
    alike = {one.neighbour.ref: one.neighbour.similarity for one in found.judged}
    rows = Insight.objects.visible_to(by).filter(ref__in=alike).whole()
    near = sorted(((row, alike[row.ref]) for row in rows), key=lambda one: (-one[1], one[0].ref))
    decision = found.decision
    return DepositPreview(near, decision.outcome, decision.merge_into, (*decision.superseding, *decision.proposing))


def _prepare(draft: Draft, by: Member, now: datetime, strength: float, terms: dict[int, frozenset[str]]) -> ReadyDraft:
    """Return the draft with all that is computed before the transaction. `terms` caches each team's reviewed terms
    between drafts.
    """
    team = team_for_write(by, draft.team)
    if team.id not in terms:
        terms[team.id] = GuardTerm.objects.all().allowed(team.id)
    passed = guard_draft(_as_said(draft, by), terms[team.id])
    draft = passed.draft
    if not draft.body.strip():
        raise NothingSaid(errors={"body": ["The text is empty."]})
    if draft.kind is Kind.DECISION and not draft.reasoning.strip():
        raise NeedsReason(errors={"reasoning": ["A DECISION requires reasoning."]})
    _check_relations(draft, team.id, by)
    error = fingerprint(draft.error) if draft.error else None
    row = insight_of(draft, team.id, by=by, now=now, strength=strength)
    anchors = anchors_of(draft, error)
    return ReadyDraft(
        guarded=passed,
        team=team,
        digest=_digest(passed.whole),
        words=row.words,
        error=error,
        row=row,
        anchors=anchors,
        quality=row.assess(len(anchors)),
    )


def _as_said(draft: Draft, by: Member) -> Draft:
    """Return the draft with its true author kind: a deposit with a token is an agent's, whatever it claims. Readers are
    told whether a person wrote a note, and colleagues' agents cannot supersede a person's note.
    """
    claimed = draft.source_type in (Source.HUMAN, Source.SAID) and by.token_id is not None
    return replace(draft, source_type=Source.AGENT) if claimed else draft


def _check_relations(draft: Draft, team_id: int, by: Member) -> None:
    """Raises NoSuchNeighbour for a reference that the member cannot see, or of another team."""
    refs = {statement.ref for statement in draft.relations}
    found = (
        set(Insight.objects.visible_to(by).filter(ref__in=refs, team_id=team_id).values_list("ref", flat=True))
        if refs
        else refs
    )
    missing = {at: one.ref for at, one in enumerate(draft.relations) if one.ref not in found}
    if missing:
        raise NoSuchNeighbour(
            errors={
                f"relations.{at}.ref": [f"There is no insight {ref[:24]} in this team."] for at, ref in missing.items()
            }
        )


def _digest(draft: Draft) -> str:
    """Return the digest of a deposit. Without questions it equals that of the version before questions, so that a call
    can be repeated after an upgrade.
    """
    sent = asdict(draft)
    if not draft.questions:
        del sent["questions"]
    return hashlib.sha256(json.dumps(sent, sort_keys=True, default=str).encode()).hexdigest()


def _replay(one: ReadyDraft, by: Member) -> Deposited | None:
    """Return the earlier answer to this idempotency key; raises KeyReused if it was for something else."""
    key = one.draft.idempotency_key
    receipt = key and Receipt.objects.filter(user_id=by.user_id, key=key).select_related("insight__team").first()
    if not receipt:
        return None
    if not Insight.objects.visible_to(by).filter(pk=receipt.insight_id).exists():
        raise NotFound("The insight stored under this key no longer exists.")
    if receipt.digest != one.digest:
        raise KeyReused(errors={"idempotency_key": ["Already used for another deposit."]})
    # Receipts of before 27 Nov 2026 have `served` as well.
    said = {name: tuple(value) for name, value in receipt.answer.items() if name != "served"}
    redactions = one.redactions
    return Deposited(
        receipt.insight, receipt.outcome, one.guarded.stripped, one.quality, redactions, replayed=True, **said
    )


def _embed(
    ready: dict[int, ReadyDraft], failed: dict[int, Deposited | Refused]
) -> tuple[tuple[dict[str, str], ...], dict[int, ReadyDraft]]:
    """Return the candidates with their vectors, made in one call. Without an embedder they wait for the sweep, and the
    answer says so.
    """

    def embedded(some: dict[int, ReadyDraft]) -> dict[int, ReadyDraft]:
        vectors = current().embed([one.row.searched for one in some.values()])
        return {place: replace(some[place], vector=vector) for place, vector in zip(some, vectors, strict=True)}

    try:
        return (), _together(ready, embedded, failed)
    except EmbedderDown as down:
        return ({"component": "embedder", "reason": str(down)},), ready


# --- rounds -------------------------------------------------------------------------------------------------
# The number of times a deposit is judged if others come in between; the last time it holds the team's row first.
ATTEMPTS = 4
# From this cosine on two items of a batch are judged one after the other, each against stored notes.
ONE_AFTER_THE_OTHER = 0.62


def _settle_all(ready: dict[int, ReadyDraft], writer: Writer) -> dict[int, Deposited | Refused]:
    """Settle all drafts of one team, in rounds in which no two are neighbours of each other."""
    places = list(ready)
    rounds = [places]
    if writer.deduplicates:
        turns = conflict_free_batches([one.standing for one in ready.values()], ONE_AFTER_THE_OTHER)
        rounds = [[places[turn] for turn in some] for some in turns]
    results: dict[int, Deposited | Refused] = {}
    while rounds:
        some = rounds.pop(0)
        done = _together({place: ready[place] for place in some}, lambda one: _settle(one, writer), results)
        results |= done
        left = [place for place in some if place not in results]
        rounds = [left, *rounds] if left else rounds
    return results


def _settle(some: dict[int, ReadyDraft], writer: Writer) -> dict[int, Deposited | Refused]:
    """Judge and write these in one transaction. Candidates that depend on a change that another one makes are
    left out.
    """
    for attempt in range(ATTEMPTS):
        last = attempt == ATTEMPTS - 1
        at = watermark(writer.team.id)
        candidates = {place: one.candidate for place, one in some.items()} if writer.deduplicates else {}
        # The last attempt judges under the lock, so that no other deposit can come in between.
        decided = {} if last else _decided(candidates, at)
        try:
            with transaction.atomic():
                Team.objects.select_for_update(no_key=True).get(pk=writer.team.id)
                if last:
                    at = watermark(writer.team.id)
                    decided = _decided(candidates, at)
                elif candidates and unseen(candidates=list(candidates.values()), known=list(decided.values()), at=at):
                    raise StaleSnapshot
                return dict(writer.write(some, decided))
        except StaleSnapshot:
            continue
        except IntegrityError:
            return {place: _after_a_race(place, one, writer) for place, one in some.items()}
    raise RuntimeError("the last attempt holds the team's row and cannot be overtaken")


def _decided(candidates: dict[int, MergeCandidate], at: Watermark) -> dict[int, Deduplicated]:
    return dict(zip(candidates, deduplicate(candidates=list(candidates.values()), at=at), strict=True))


def _after_a_race(place: int, one: ReadyDraft, writer: Writer) -> Deposited | Refused:
    """Return the answer for a key that was used twice at the same moment, here or in one batch: the first one's holds
    for both.
    """
    try:
        replay = _replay(one, writer.by)
        if replay:
            return replay
        with transaction.atomic():
            Team.objects.select_for_update(no_key=True).get(pk=writer.team.id)
            candidates = {place: one.candidate} if writer.deduplicates else {}
            return writer.write({place: one}, _decided(candidates, watermark(writer.team.id)))[place]
    except IntegrityError as error:
        return _replay(one, writer.by) or _failure(error)
    except Exception as error:
        return _failure(error)
