"""Sweeps: finish in small steps what writes left undone. A column marks the rows. Each sweep may run at any time."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction

from accounts.actions.jobs import PROMPT_WITHIN, Items, Work
from accounts.models import Team
from knowledge.adapters.embedder import EmbedderDown, Unembeddable, current, embed_each
from knowledge.imports.rules import notes
from knowledge.models import Insight, Lexicon, Query, Receipt, Term
from knowledge.models.insight import WORD_FIELDS

BATCH = 64
# A keyword vector assumes the average length of its team's insights. If this has changed by more than the share DRIFT,
# the vectors are rebuilt. At 0.15 the document half of BM25 is off by at most about 4 %, less than one rank in a list
# of ten.
DRIFT = 0.15
# How long a question can be rated or asked about again. (The question of a rating counts for 90 days.)
KEEP_QUERIES = timedelta(days=120)
# How long a repeated deposit is recognised and not stored twice. Receipts of imports are kept, because an import may be
# repeated after years and recognises its notes by them.
KEEP_RECEIPTS = timedelta(days=90)


@dataclass(frozen=True)
class Swept:
    """The number of rows that a sweep changed, and the component that was down, if any."""

    changed: int
    degraded: str = ""
    items: Items | None = field(default=None, compare=False)

    @property
    def work(self) -> Work:
        counts = {"changed": self.changed}
        return self.items.work(counts, down=self.degraded) if self.items else Work(counts, down=self.degraded)


def embed_waiting(*, limit: int = 1_000) -> Swept:
    """Embed the rows that have no vector, or one of another model. Stops at `limit`; the next run continues."""
    items, done, failed = Items("embed_waiting", within=PROMPT_WITHIN), 0, list[int]()
    while done < limit and not items.is_over():
        waiting = Insight.objects.waiting_for_vector(current().name)
        rows = list(waiting.filter(pk__in=waiting.exclude(pk__in=failed).by_turns(BATCH)))
        if not rows:
            break
        try:
            vectors = embed_each([row.searched for row in rows])
        except EmbedderDown as down:
            return Swept(done, str(down), items)
        for row, vector in zip(rows, vectors, strict=True):
            with items.guard(row.ref):
                failed.append(row.pk)  # removed once it has its vector
                if vector is None:
                    raise Unembeddable(row.ref)
                row.set_vector(vector, current().name)
                # An edit in the meantime has increased the revision and stored a vector of its own.
                Insight.objects.filter(pk=row.pk, revision=row.revision).update(
                    embedding=row.embedding, embedded_by=row.embedded_by
                )
                failed.pop()
                done += 1
    return Swept(done, items=items)


def reweigh_drifted() -> Swept:
    """Rebuild the keyword vectors of teams whose average insight length has changed by more than DRIFT."""
    items, done = Items("reweigh_drifted"), 0
    for row in items.each(Lexicon.objects.all().drifted(DRIFT)):
        with items.guard(f"team {row.team_id}"):
            done += rebuild_keyword_vectors(team_id=row.team_id)
    return Swept(done, items=items)


def rebuild_keyword_vectors(*, team_id: int) -> int:
    """Rebuild all keyword vectors of one team for its current average length; return how many."""
    pivot = Lexicon.of(team_id).average
    done, last = 0, 0
    while True:
        with transaction.atomic():
            later = Insight.objects.all().shown().filter(team_id=team_id, pk__gt=last).order_by("pk")
            rows = list(later.select_for_update(no_key=True)[:500])
            for row in rows:
                row.index_words(row.words, pivot)
            Insight.objects.bulk_update(rows, WORD_FIELDS)
        if not rows:
            break
        done, last = done + len(rows), rows[-1].pk
    Lexicon.objects.filter(team_id=team_id).update(pivot=pivot)
    return done


def recount() -> Swept:
    """Count the words and lengths of each team again from its rows, to correct what an interrupted or foreign write
    left wrong.
    """
    teams = list(Lexicon.objects.values_list("team_id", flat=True))
    items, done = Items("recount"), 0
    for team_id in items.each(teams):
        with items.guard(f"team {team_id}"), transaction.atomic():
            Team.objects.select_for_update(no_key=True).get(pk=team_id)
            Term.objects.all().recount(team_id)
            Lexicon.objects.filter(team_id=team_id).update(**Insight.objects.filter(team_id=team_id).extent())
            done += 1
    return Swept(done, items=items)


def forget_old(*, now: datetime) -> Swept:
    """Delete questions and receipts that nothing can refer to any more."""
    queries, _ = Query.objects.all().older_than(now - KEEP_QUERIES).delete()
    receipts, _ = Receipt.objects.filter(at__lt=now - KEEP_RECEIPTS).exclude(key__startswith=notes.KEYS).delete()
    return Swept(queries + receipts)
