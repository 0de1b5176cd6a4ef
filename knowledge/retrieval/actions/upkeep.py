"""Sweeps: what the writes left to be done, found by its column and done in small steps. Each may be run at any time."""

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
# A vector assumes the average length of its team; when that has moved by more than this share the keyword vectors
# are rebuilt. At .15 the document half of BM25 is off by at most some 4 %, less than one rank in a list of ten.
DRIFT = 0.15
# How long a question may be rated or asked about again (the context of a rating counts for 90 days).
KEEP_QUERIES = timedelta(days=120)
# How long the same deposit may be sent again without being stored twice. An import may be run again after years, and
# its receipts are how it knows its notes again.
KEEP_RECEIPTS = timedelta(days=90)


@dataclass(frozen=True)
class Swept:
    """How many rows a sweep changed, and which part was down."""

    changed: int
    degraded: str = ""
    items: Items | None = field(default=None, compare=False)

    @property
    def work(self) -> Work:
        counts = {"changed": self.changed}
        return self.items.work(counts, down=self.degraded) if self.items else Work(counts, down=self.degraded)


def embed_waiting(*, limit: int = 1_000) -> Swept:
    """Give vectors to the rows that have none, or one of another model. Stops at `limit`; the next run goes on."""
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
                failed.append(row.pk)  # until it has its vector
                if vector is None:
                    raise Unembeddable(row.ref)
                row.set_vector(vector, current().name)
                # An edit that came between reading and now has counted the revision up, and made its own vector.
                Insight.objects.filter(pk=row.pk, revision=row.revision).update(
                    embedding=row.embedding, embedded_by=row.embedded_by
                )
                failed.pop()
                done += 1
    return Swept(done, items=items)


def reweigh_drifted() -> Swept:
    """Make the keyword vectors again in teams whose insights have become longer or shorter on the whole."""
    items, done = Items("reweigh_drifted"), 0
    for row in items.each(Lexicon.objects.all().drifted(DRIFT)):
        with items.guard(f"team {row.team_id}"):
            done += rebuild_keyword_vectors(team_id=row.team_id)
    return Swept(done, items=items)


def rebuild_keyword_vectors(*, team_id: int) -> int:
    """Make all keyword vectors of one team for its present average length; returns how many."""
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
    """Count words and lengths again from the rows, team by team: what an interrupted or foreign write left wrong."""
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
    """Drop questions and receipts that nothing can refer to any more."""
    queries, _ = Query.objects.all().older_than(now - KEEP_QUERIES).delete()
    receipts, _ = Receipt.objects.filter(at__lt=now - KEEP_RECEIPTS).exclude(key__startswith=notes.KEYS).delete()
    return Swept(queries + receipts)
