"""Deposit: a lesson on its way to becoming the team's.

Guard first, before anything is embedded, logged or stored. Then fingerprint and vector, outside any transaction. Then
one short transaction that takes the references and writes rows, anchors, keyword statistics, log lines and receipts.

Write-or-merge (neighbours, the stance judge) belongs between vector and transaction.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction

from accounts.models import LogEntry, Team
from accounts.rules.guard import find_secrets, strip_invisible
from accounts.rules.refused import Refused
from accounts.rules.rights import Member, TeamAccess, team_for_write
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.models import Anchor, Insight, Lexicon, Receipt
from knowledge.rules import bm25, decay
from knowledge.rules.draft import Draft, clean_paths, clean_symbols, clean_tags
from knowledge.rules.fingerprint import Fingerprint, fingerprint
from knowledge.rules.vocabulary import AnchorKind, Kind, Source

# The text fields of a draft that are stored, and so guarded.
TEXTS = ("title", "body", "reasoning", "error", "repo", "source_url", "idempotency_key")
LISTS = ("tags", "files", "symbols")
INSERTED = "inserted"


class SecretFound(Refused):
    code = "secret_found"
    detail = "This holds a secret. Take it out and deposit again; nothing was stored."


class NothingSaid(Refused):
    code = "invalid"
    detail = "There is nothing to keep."


class KeyReused(Refused):
    code = "idempotency_mismatch"
    status = 409
    detail = "This idempotency key was used for another deposit."


class NeedsReason(Refused):
    code = "invalid"
    detail = "A decision needs its reason."


@dataclass(frozen=True)
class Deposited:
    """What became of a draft. `stripped`: invisible characters taken out, by field; `degraded`: what was down."""

    insight: Insight
    outcome: str
    stripped: dict[str, int] = field(default_factory=dict)
    degraded: tuple[dict[str, str], ...] = ()
    replayed: bool = False


@dataclass(frozen=True)
class Prepared:
    """A draft that passed the guard, with all that is computed before the transaction opens."""

    draft: Draft
    team: TeamAccess
    stripped: dict[str, int]
    digest: str
    words: list[str]
    error: Fingerprint | None
    vector: np.ndarray | None = None


def deposit(*, draft: Draft, by: Member, now: datetime) -> Deposited:
    """Add an insight to a team.

    Raises NoSuchTeam, TeamUnclear, NotAllowed, SecretFound, NothingSaid, NeedsReason, KeyReused; then nothing was
    stored.
    """
    done = deposit_many(drafts=[draft], by=by, now=now)[0]
    if isinstance(done, Refused):
        raise done
    return done


def deposit_many(
    *, drafts: Sequence[Draft], by: Member, now: datetime, strength: float = decay.INITIAL
) -> list[Deposited | Refused]:
    """Deposit several; one that is refused never spoils the others, and stands as its Refused in its place."""
    results: dict[int, Deposited | Refused] = {}
    prepared: dict[int, Prepared] = {}
    for place, draft in enumerate(drafts):
        try:
            ready = _prepare(draft, by)
            replay = _replay(ready, by)
            if replay:
                results[place] = replay
            else:
                prepared[place] = ready
        except Refused as refused:
            results[place] = refused
    degraded = _embed(prepared)
    for place, done in _write_each_team(prepared, by, now, strength).items():
        done = replace(done, degraded=degraded) if isinstance(done, Deposited) else done
        results[place] = done
    return [results[place] for place in range(len(drafts))]


def _prepare(draft: Draft, by: Member) -> Prepared:
    draft, stripped = _guarded(draft)
    if not draft.body.strip():
        raise NothingSaid(errors={"body": ["There is nothing to read in it."]})
    if draft.kind is Kind.DECISION and not draft.reasoning.strip():
        raise NeedsReason(errors={"reasoning": ["A DECISION says why it was taken."]})
    return Prepared(
        draft=draft,
        team=team_for_write(by, draft.team),
        stripped=stripped,
        digest=_digest(draft),
        words=bm25.terms(draft.text),
        error=fingerprint(draft.error) if draft.error else None,
    )


def _guarded(draft: Draft) -> tuple[Draft, dict[str, int]]:
    """The draft without invisible characters, and how many there were by field. Raises SecretFound."""
    sent = {name: [getattr(draft, name)] for name in TEXTS} | {name: getattr(draft, name) for name in LISTS}
    sent["provenance"] = [item["path"] for item in draft.provenance]
    kept: dict[str, list[str]] = {}
    stripped: dict[str, int] = {}
    errors: dict[str, list[str]] = {}
    for name, texts in sent.items():
        cleaned = [strip_invisible(text) for text in texts]
        kept[name] = [clean.text for clean in cleaned]
        count = sum(clean.count for clean in cleaned)
        stripped |= {name: count} if count else {}
        found = [finding for text in kept[name] for finding in find_secrets(text, field=name)]
        if found:
            errors[name] = [str(item) for item in found]
    if errors:
        raise SecretFound(errors=errors)
    changes: dict[str, Any] = {name: kept[name][0] if name in TEXTS else kept[name] for name in (*TEXTS, *LISTS)}
    learned_from = zip(draft.provenance, kept["provenance"], strict=True)
    return replace(draft, **changes, provenance=[{**item, "path": path} for item, path in learned_from]), stripped


def _digest(draft: Draft) -> str:
    return hashlib.sha256(json.dumps(asdict(draft), sort_keys=True, default=str).encode()).hexdigest()


def _replay(ready: Prepared, by: Member) -> Deposited | None:
    """What this idempotency key was answered with before; KeyReused if that was something else."""
    key = ready.draft.idempotency_key
    receipt = key and Receipt.objects.filter(user_id=by.user_id, key=key).select_related("insight__team").first()
    if not receipt:
        return None
    if receipt.digest != ready.digest:
        raise KeyReused(errors={"idempotency_key": ["Used before, for something else."]})
    return Deposited(receipt.insight, receipt.outcome, ready.stripped, replayed=True)


def _embed(prepared: dict[int, Prepared]) -> tuple[dict[str, str], ...]:
    """Give each its vector, all in one call; without an embedder they wait for the sweep, and the answer says so."""
    if not prepared:
        return ()
    try:
        vectors = current().embed([ready.draft.text for ready in prepared.values()])
    except EmbedderDown as down:
        return ({"component": "embedder", "reason": str(down)},)
    for place, vector in zip(list(prepared), vectors, strict=True):
        prepared[place] = replace(prepared[place], vector=vector)
    return ()


def _write_each_team(
    prepared: dict[int, Prepared], by: Member, now: datetime, strength: float
) -> dict[int, Deposited | Refused]:
    results: dict[int, Deposited | Refused] = {}
    for team in {ready.team.id: ready.team for ready in prepared.values()}.values():
        mine = {place: ready for place, ready in prepared.items() if ready.team.id == team.id}
        try:
            rows = _write(list(mine.values()), team, by, now, strength)
            results |= {
                place: Deposited(row, INSERTED, ready.stripped)
                for (place, ready), row in zip(mine.items(), rows, strict=True)
            }
        except IntegrityError:
            results |= {place: _after_a_race(ready, team, by, now, strength) for place, ready in mine.items()}
    return results


def _after_a_race(ready: Prepared, team: TeamAccess, by: Member, now: datetime, strength: float) -> Deposited | Refused:
    """The same key was used at the same moment, here or twice in one batch: the first one's answer holds for both."""
    try:
        return _replay(ready, by) or Deposited(_write([ready], team, by, now, strength)[0], INSERTED, ready.stripped)
    except IntegrityError:
        replay = _replay(ready, by)
        if replay is None:
            raise
        return replay
    except Refused as refused:
        return refused


@transaction.atomic
def _write(ready: list[Prepared], team: TeamAccess, by: Member, now: datetime, strength: float) -> list[Insight]:
    """All rows of one team. Taking the references locks the team's row, so its writes come one after the other."""
    number = Team.objects.get(pk=team.id).take_numbers(len(ready))
    lexicon = Lexicon.of(team.id)
    rows = [_row(item, team, number + step, by, now, strength) for step, item in enumerate(ready)]
    pairs = list(zip(rows, ready, strict=True))
    anchors = [_anchors(item) for item in ready]
    for (row, item), found in zip(pairs, anchors, strict=True):
        row.index_words(item.words, lexicon.pivot)
        row.set_vector(item.vector, current().name)
        row.assess(len(found))
        row.foresee()
    Insight.objects.bulk_create(rows)
    Anchor.objects.bulk_create([one.of(row) for row, found in zip(rows, anchors, strict=True) for one in found])
    lexicon.count(added=[item.words for item in ready])
    LogEntry.objects.bulk_create([_line(row, item, by, now) for row, item in pairs])
    Receipt.objects.bulk_create([_receipt(row, item, by, now) for row, item in pairs if item.draft.idempotency_key])
    return rows


def _row(ready: Prepared, team: TeamAccess, number: int, by: Member, now: datetime, strength: float) -> Insight:
    draft = ready.draft
    return Insight(
        team_id=team.id,
        number=number,
        ref=f"{team.prefix}-{number}",
        kind=draft.kind,
        title=draft.headline,
        body=draft.body.strip(),
        reasoning=draft.reasoning.strip(),
        repo=draft.repo.strip(),
        stability=draft.stability,
        provenance=list(draft.provenance),
        source_type=draft.source_type,
        source_date=draft.source_date or now,
        source_url=draft.source_url,
        author_id=by.user_id,
        token_id=by.token_id,
        session_key=by.session_key,
        strength=strength,
        strength_at=now,
        created_at=now,
        updated_at=now,
    )


def _anchors(ready: Prepared) -> list[Anchor]:
    draft = ready.draft
    found = [Anchor(kind=AnchorKind.TAG, value=tag) for tag in clean_tags(draft.tags)]
    found += [Anchor(kind=AnchorKind.FILE, value=path) for path in clean_paths(draft.files)]
    found += [Anchor(kind=AnchorKind.SYMBOL, value=name) for name in clean_symbols(draft.symbols)]
    if ready.error:
        found.append(
            Anchor(kind=AnchorKind.ERROR, value=ready.error.digest, recipe=ready.error.recipe, detail=draft.error)
        )
    return found


def _line(row: Insight, ready: Prepared, by: Member, now: datetime) -> LogEntry:
    source = "" if row.source_type == Source.AGENT else f" from {row.source_type}"
    stripped = ready.stripped
    why = f"invisible characters stripped: {json.dumps(stripped)}" if stripped else ""
    line = f"{row.ref} deposited{source}: {row.title}"
    return LogEntry.of(team_id=row.team_id, verb="deposited", subject=row.ref, line=line, why=why, by=by, at=now)


def _receipt(row: Insight, ready: Prepared, by: Member, now: datetime) -> Receipt:
    return Receipt(
        user_id=by.user_id,
        key=ready.draft.idempotency_key,
        digest=ready.digest,
        insight=row,
        outcome=INSERTED,
        at=now,
    )
