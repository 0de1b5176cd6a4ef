"""Import of a table: each row becomes an insight of one shared team, or strengthens what says it already.

What would be refused, or is there already, is told before anything is written. Then the rows are deposited in batches,
each its own short transaction. Each goes under a key made of its words, so the same file sent twice stores nothing
twice, also when the first time was cut off in the middle.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from accounts.rules.guard.detection import strip_invisible
from accounts.rules.refused import Refused
from accounts.rules.rights import Level, Member, NoSuchTeam, TeamAccess, TeamKind
from knowledge.judging.actions.deposit import Deposited, KeyReused, deposit_many, rehearse
from knowledge.judging.rules.dedup import DedupOutcome
from knowledge.lifecycle.rules import decay
from knowledge.models import Insight, Lexicon
from knowledge.retrieval.actions.upkeep import DRIFT, rebuild_keyword_vectors
from knowledge.rules.draft import Draft

# Rows in one deposit: as many as make full runs of the embedder, and few enough that a stop loses little.
BATCH = 64


class Fate(StrEnum):
    """What becomes of a row."""

    READY = "ready"
    INSERTED = "inserted"
    MERGED = "merged"
    THERE = "already there"
    REFUSED = "refused"


@dataclass(frozen=True)
class RowEntry:
    """A row by its number, as a draft. `ref`: the insight it was exported from, if it names one."""

    number: int
    draft: Draft
    ref: str = ""


@dataclass(frozen=True)
class PlannedRow:
    """What becomes of a row: `ref` is the insight that says it now; `errors` say by field why it is refused."""

    number: int
    fate: Fate
    ref: str = ""
    why: str = ""
    errors: dict[str, list[str]] = field(default_factory=dict)


def plan(*, entries: Sequence[RowEntry], team: str, by: Member, now: datetime) -> list[PlannedRow]:
    """What `import_rows` would refuse or find there; nothing is embedded or written. Whether a row merges with what is
    there is decided as it is deposited.

    Raises NoSuchTeam and NotAllowed: it takes a lead of a shared team.
    """
    access = _shared(team, by)
    return [told for _, told in _planned(entries, access, by, now)]


def import_rows(*, entries: Sequence[RowEntry], team: str, by: Member, now: datetime) -> list[PlannedRow]:
    """Deposit the rows, and tell what became of each, in their order. Raises as `plan` does."""
    access = _shared(team, by)
    told: list[PlannedRow] = []
    waiting: list[RowEntry] = []
    for entry, planned in _planned(entries, access, by, now):
        if planned.fate is Fate.READY:
            waiting.append(entry)
        else:
            told.append(planned)
    for start in range(0, len(waiting), BATCH):
        some = waiting[start : start + BATCH]
        done = deposit_many(drafts=[entry.draft for entry in some], by=by, now=now, strength=decay.SEEDED)
        told += [_became(entry.number, one) for entry, one in zip(some, done, strict=True)]
    # As after any import: the first rows of a team were weighted by a guess at its average length.
    if waiting and Lexicon.objects.filter(team_id=access.id).drifted(DRIFT).exists():
        rebuild_keyword_vectors(team_id=access.id)
    return sorted(told, key=lambda one: one.number)


def _shared(team: str, by: Member) -> TeamAccess:
    access = by.named(team)
    if access.kind is TeamKind.PERSONAL:
        raise NoSuchTeam(errors={"team": ["Choose a shared team."]})
    by.require(access.id, Level.LEAD)
    return access


# --- before anything is written -----------------------------------------------------------------------------
def _planned(
    entries: Sequence[RowEntry], team: TeamAccess, by: Member, now: datetime
) -> list[tuple[RowEntry, PlannedRow]]:
    """Each row under its team and key, with what is known of it by now."""
    keyed = [replace(entry, draft=_keyed(entry.draft, team.slug)) for entry in entries]
    kept = _load_existing_words(keyed, team, by)
    first: dict[str, int] = {}
    planned = []
    rehearsed = rehearse(drafts=[entry.draft for entry in keyed], by=by, now=now)
    for entry, known in zip(keyed, rehearsed, strict=True):
        earlier = first.setdefault(entry.draft.idempotency_key, entry.number)
        if known is not None:
            told = _became(entry.number, known)
        elif entry.ref in kept and _words(entry.draft) == kept[entry.ref]:
            told = PlannedRow(entry.number, Fate.THERE, entry.ref, "Unchanged since the export.")
        elif earlier != entry.number:
            told = PlannedRow(entry.number, Fate.REFUSED, why=f"Same text as row {earlier}.")
        else:
            told = PlannedRow(entry.number, Fate.READY)
        planned.append((entry, told))
    return planned


def _keyed(draft: Draft, team: str) -> Draft:
    said = "\0".join((team, draft.kind, draft.title, draft.body, draft.reasoning))
    return replace(draft, team=team, idempotency_key=f"sheet:{hashlib.sha256(said.encode()).hexdigest()}")


def _load_existing_words(entries: Sequence[RowEntry], team: TeamAccess, by: Member) -> dict[str, tuple[str, ...]]:
    """The words of those insights of the team that the rows name, by reference."""
    refs = [entry.ref for entry in entries if entry.ref]
    rows = Insight.objects.visible_to(by).of_teams([team.id]).with_ref(refs) if refs else []
    return {row.ref: _plain(row.title, row.body, row.reasoning) for row in rows}


def _words(draft: Draft) -> tuple[str, ...]:
    return _plain(draft.headline, draft.body, draft.reasoning)


def _plain(*texts: str) -> tuple[str, ...]:
    return tuple(strip_invisible(text).text.strip() for text in texts)


# --- afterwards ---------------------------------------------------------------------------------------------
# A row that was stored before, with the same words and otherwise other details.
ELSEWISE = "The same text was imported before with other details; edit the insight instead."


def _became(number: int, done: Deposited | Refused) -> PlannedRow:
    if isinstance(done, KeyReused):
        return PlannedRow(number, Fate.THERE, why=ELSEWISE)
    if isinstance(done, Refused):
        return PlannedRow(number, Fate.REFUSED, why=done.message, errors=done.errors)
    if done.replayed:
        return PlannedRow(number, Fate.THERE, done.insight.ref, "It was imported before.")
    fate = Fate.MERGED if done.outcome == DedupOutcome.MERGED else Fate.INSERTED
    why = "It is embedded later: the embedder is down." if done.degraded else _also(done)
    return PlannedRow(number, fate, done.insight.ref, why)


def _also(done: Deposited) -> str:
    """What else a person should know of it."""
    if done.outcome == DedupOutcome.SUPERSEDING:
        return f"It supersedes {', '.join(done.superseded)}."
    if done.outcome == DedupOutcome.QUEUED:
        return "It is similar to or contradicts another insight; the pair awaits review."
    return "Personal data in it was masked." if done.redactions else ""
