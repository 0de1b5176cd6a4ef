"""Upkeep of passages: embed those without a vector, and delete those older than their team keeps them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby

from django.db import transaction

from accounts.actions.jobs import Items, Work
from accounts.models import Team
from knowledge.adapters.embedder import EmbedderDown, Unembeddable, current, embed_each
from knowledge.rules.vectors import half
from sessions_app.conversations.actions.forget import delete_passages
from sessions_app.conversations.actions.share import place_waiting
from sessions_app.conversations.rules.context import MOST_BEFORE, in_context, recipe
from sessions_app.models import Passage

# Rows claimed at once, for about two seconds. With more rows, texts of like length are embedded together, with less
# padding; but a member who shares these rows waits that long.
BATCH = 64
# The size of one run, under a minute. The next minute's run continues.
MOST_EMBEDDED = 1_600


def embed_passages(*, most: int = MOST_EMBEDDED) -> Work:
    """Embed passages without a vector of the current model, the newest first. Stops at `most`; the next run continues,
    and concurrent runs share the work.
    """
    items, done, failed = Items("embed_passages"), 0, list[int]()
    while done < most and not items.is_over():
        try:
            embedded = _embed_batch(items, failed)
        except EmbedderDown as down:
            return items.work({"embedded": done}, down=str(down))
        if embedded is None:
            break
        done += embedded
    return items.work({"embedded": done})


@transaction.atomic
def _embed_batch(items: Items, failed: list[int]) -> int | None:
    """Embed the next rows that no other run has claimed and that have not failed; return how many, or None if there are
    none.

    The transaction is the claim. It ends with the run in any case, and nobody waits for these rows longer than one
    batch.
    """
    made_by = recipe(current().name)
    waiting = Passage.objects.all().waiting_for_vector(made_by).select_for_update(no_key=True, skip_locked=True)
    rows = list(waiting.exclude(pk__in=failed).only("pk")[:BATCH])
    if not rows:
        return None
    meant = meanings([row.pk for row in rows])
    # Embed equal texts once.
    texts = list(dict.fromkeys(meant.values()))
    made = dict(zip(texts, embed_each(texts), strict=True))
    vectors = {}
    for row in rows:
        with items.guard(f"passage {row.pk}"):
            failed.append(row.pk)  # until it has its vector
            vector = made[meant[row.pk]]
            if vector is None:
                raise Unembeddable(f"passage {row.pk}")
            vectors[row.pk] = half(vector)
            failed.pop()
    if vectors:
        Passage.objects.all().store_vectors(vectors, made_by)
    return len(vectors)


def meanings(ids: Sequence[int]) -> dict[int, str]:
    """Return the texts that passages are embedded as, by their keys."""
    wanted, found = set(ids), dict[int, str]()
    for _, leads in groupby(Passage.objects.all().leading_to(ids, MOST_BEFORE), key=lambda one: one.session_id):
        some = list(leads)
        found |= {one.pk: text for one, text in zip(some, in_context(some), strict=True) if one.pk in wanted}
    return found


def place_passages() -> Work:
    """Move what members share to their teams."""
    return Work({"moved": place_waiting()})


def drop_old_passages(*, now: datetime) -> Work:
    """Delete the passages that are older than their team keeps conversations."""
    gone = 0
    for days in Team.objects.values_list("conversation_days", flat=True).distinct().order_by():
        old = Passage.objects.filter(team__conversation_days=days, said_at__lt=now - timedelta(days=days))
        gone += delete_passages(old)
    return Work({"passages": gone})
