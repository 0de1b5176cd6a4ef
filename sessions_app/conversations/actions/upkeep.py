"""Upkeep of passages: vectors for those that have none, and what is older than its team keeps it is deleted."""

from datetime import datetime, timedelta

from django.db import transaction

from accounts.actions.jobs import Work
from accounts.models import Team
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.rules.vectors import half
from sessions_app.conversations.actions.share import place_waiting
from sessions_app.models import Passage

# Rows claimed at once, for about two seconds: of more texts those of like length are embedded together, with less
# padding, and who shares these rows waits no longer than that.
BATCH = 64
# One run's worth, under a minute; the next minute goes on.
MOST_EMBEDDED = 1_600


def embed_passages(*, most: int = MOST_EMBEDDED) -> Work:
    """Give vectors to passages that have none, or one of another model, the newest first. Stops at `most`; the next run
    goes on, and several at once share the work.
    """
    done = 0
    while done < most:
        try:
            embedded = _embed_batch()
        except EmbedderDown as down:
            return Work({"embedded": done}, down=str(down))
        if not embedded:
            break
        done += embedded
    return Work({"embedded": done})


@transaction.atomic
def _embed_batch() -> int:
    """Embed the next rows that no other run has claimed; how many. The transaction is the claim: it ends with the run,
    whatever becomes of it, and nobody waits for these rows for longer than a batch takes.
    """
    model = current().name
    waiting = Passage.objects.all().waiting_for_vector(model).select_for_update(no_key=True, skip_locked=True)
    rows = list(waiting.only("pk", "text")[:BATCH])
    if not rows:
        return 0
    # What was said twice is embedded once.
    texts = list(dict.fromkeys(row.text for row in rows))
    made = {text: half(vector) for text, vector in zip(texts, current().embed(texts), strict=True)}
    Passage.objects.all().store_vectors({row.pk: made[row.text] for row in rows}, model)
    return len(rows)


def place_passages() -> Work:
    """Move what members share to their teams."""
    return Work({"moved": place_waiting()})


def drop_old_passages(*, now: datetime) -> Work:
    """Delete the passages that are older than their team keeps conversations."""
    gone = 0
    for days in Team.objects.values_list("conversation_days", flat=True).distinct().order_by():
        old = Passage.objects.filter(team__conversation_days=days, said_at__lt=now - timedelta(days=days))
        gone += old.delete()[0]
    return Work({"passages": gone})
