"""Retry dedup: write-or-merge for notes stored while the embedder was down. A sweep, one transaction per row.

A note that repeats another one becomes its corroboration, as if it had been deposited a moment later. Its own row is
kept, superseded, and `unmerge` restores it.
"""

from datetime import datetime

from django.db import transaction

from accounts.actions.jobs import PROMPT_WITHIN, Items, Work
from accounts.models import Team
from accounts.rules.rights import SYSTEM
from knowledge.judging.actions.deduplicate import Deduplicated, MergeCandidate, deduplicate, unseen, watermark
from knowledge.judging.actions.record import pair_up
from knowledge.models import Insight
from knowledge.models.merging import corroborated, merge_into
from knowledge.retrieval.rules import bm25
from knowledge.rules.vectors import unit
from knowledge.rules.vocabulary import AnchorKind, Kind

# The largest number of rows in a run; the next run continues.
MOST = 500


def retry_dedup(*, now: datetime) -> Work:
    """Deduplicate notes that were stored without it and have a vector by now: teams in turns, each team's
    oldest first.
    """
    counts = {"merged": 0, "superseding": 0, "proposed": 0, "queued": 0, "inserted": 0}
    items = Items("retry_dedup", within=PROMPT_WITHIN)
    keys = Insight.objects.to_weigh().by_turns(MOST)
    rows = Insight.objects.filter(pk__in=keys).prefetch_related("anchors").in_bulk()
    for row in items.each(rows[key] for key in keys if key in rows):
        with items.guard(row.ref):
            outcome = _retry(row, now)
            if outcome:
                counts[outcome] += 1
    return items.work(counts)


def _retry(row: Insight, now: datetime) -> str:
    """Return the outcome for one row; empty if another run, or an edit, came first."""
    at = watermark(row.team_id)
    candidate = _candidate(row)
    decided = deduplicate(candidates=[candidate], at=at)[0]
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=row.team_id)
        held = _lock_neighbours(row, decided)
        if row.pk not in held or unseen(candidates=[candidate], known=[decided], at=at):
            return ""
        _apply(held, held[row.pk], decided, now)
        return decided.decision.outcome.value


def _candidate(row: Insight) -> MergeCandidate:
    assert row.embedding is not None, "to_weigh brings only rows with a vector"
    anchored = {kind: [anchor.value for anchor in row.anchors.all() if anchor.kind == kind] for kind in AnchorKind}
    return MergeCandidate(
        text=row.text,
        words=bm25.terms(row.searched),
        vector=unit(row.embedding),
        kind=Kind(row.kind),
        repo=row.repo,
        author_id=row.author_id,
        date=row.learned_at,
        error=next(iter(anchored[AnchorKind.ERROR]), ""),
        files=anchored[AnchorKind.FILE],
        symbols=anchored[AnchorKind.SYMBOL],
        itself=row.pk,
    )


def _lock_neighbours(row: Insight, decided: Deduplicated) -> dict[int, Insight]:
    """Return the row and its neighbours, locked; empty if one of them has changed or left retrieval since."""
    ids = {row.pk, *decided.ids.values()}
    held = {one.pk: one for one in Insight.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)}
    same = row.pk in held and held[row.pk].retrievable and held[row.pk].revision == row.revision
    neighbours = [one for pk, one in held.items() if pk != row.pk]
    return held if same and len(held) == len(ids) and all(map(decided.still_holds, neighbours)) else {}


def _apply(held: dict[int, Insight], row: Insight, decided: Deduplicated, now: datetime) -> None:
    decision = decided.decision
    row.unweighed = False
    row.save(update_fields=["unweighed"])
    if decision.merge_into:
        kept = held[decided.ids[decision.merge_into]]
        signal = corroborated(by=SYSTEM, at=now, voice=row)
        merge_into(kept, row, by=SYSTEM, at=now, why="", verdict=decided.of(kept.ref).verdict, signal=signal)
    pair_up(row, decided, held, by=SYSTEM, at=now)
