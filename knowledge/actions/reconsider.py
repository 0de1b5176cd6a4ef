"""Reconsider: write-or-merge for what was stored while the embedder was down. A sweep, one row a transaction.

What it finds to say the same becomes a corroboration of the other, as if it had been deposited a moment later; the row
itself is kept, superseded, and `unmerge` brings it back.
"""

from datetime import datetime

from django.db import transaction

from accounts.actions.jobs import Work
from accounts.models import Team
from accounts.rules.rights import SYSTEM
from knowledge.actions.record import relate
from knowledge.actions.weigh import Voice, Weighed, standpoint, unseen, weigh
from knowledge.models import Insight, Lexicon
from knowledge.models.said import corroborated, corroboration_of
from knowledge.rules.vectors import unit
from knowledge.rules.vocabulary import AnchorKind, Kind

# Rows of one run; the next run goes on.
MOST = 500


def reconsider(*, now: datetime) -> Work:
    """Weigh what is unweighed and has a vector by now, oldest first. A judge that is down leaves the rest waiting."""
    counts = {"merged": 0, "superseding": 0, "queued": 0, "inserted": 0}
    for row in list(Insight.objects.to_weigh().prefetch_related("anchors")[:MOST]):
        at = standpoint(row.team_id)
        voice = _voice(row)
        weighed = weigh(voices=[voice], at=at)[0]
        if weighed.down:
            return Work(counts, down=weighed.down)
        with transaction.atomic():
            Team.objects.select_for_update(no_key=True).get(pk=row.team_id)
            held = _held(row, weighed)
            if row.pk in held and not unseen(voices=[voice], weighed=[weighed], at=at):
                _apply(held, held[row.pk], weighed, now)
                counts[weighed.decision.outcome.value] += 1
    return Work(counts)


def _voice(row: Insight) -> Voice:
    assert row.embedding is not None, "to_weigh brings only rows with a vector"
    anchored = {kind: [anchor.value for anchor in row.anchors.all() if anchor.kind == kind] for kind in AnchorKind}
    return Voice(
        text=row.text,
        words=row.words,
        vector=unit(row.embedding),
        kind=Kind(row.kind),
        repo=row.repo,
        author_id=row.author_id,
        error=next(iter(anchored[AnchorKind.ERROR]), ""),
        files=anchored[AnchorKind.FILE],
        symbols=anchored[AnchorKind.SYMBOL],
        itself=row.pk,
    )


def _held(row: Insight, weighed: Weighed) -> dict[int, Insight]:
    """The row and its neighbours, locked; empty if one of them has changed or left retrieval since."""
    ids = {row.pk, *weighed.ids.values()}
    held = {one.pk: one for one in Insight.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)}
    same = row.pk in held and held[row.pk].retrievable and held[row.pk].revision == row.revision
    neighbours = [one for pk, one in held.items() if pk != row.pk]
    return held if same and len(held) == len(ids) and all(map(weighed.still_holds, neighbours)) else {}


def _apply(held: dict[int, Insight], row: Insight, weighed: Weighed, now: datetime) -> None:
    decision = weighed.decision
    row.unweighed = False
    row.save(update_fields=["unweighed"])
    if decision.merge_into:
        kept = held[weighed.ids[decision.merge_into]]
        anchors = [anchor.copy() for anchor in row.anchors.all()]
        judged = next(one for one in weighed.judged if one.neighbour.ref == kept.ref)
        said = corroboration_of(
            row,
            anchors,
            at=row.created_at,
            similarity=round(judged.neighbour.similarity, 4),
            judged_by=judged.judgement.by if judged.judgement else "",
        )
        signal = corroborated(by=SYSTEM, at=now, voice=row)
        kept.absorb(said, signal, anchors, lexicon=Lexicon.of(row.team_id), by=SYSTEM, at=now, why=weighed.why)
        row.supersede(kept, by=SYSTEM, at=now, why=f"merged into {kept.ref}")
    relate(row, weighed, held, by=SYSTEM, at=now)
