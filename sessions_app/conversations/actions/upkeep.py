"""Upkeep of passages: vectors for those that have none, and what is older than its team keeps it is deleted."""

from datetime import datetime, timedelta

from accounts.actions.jobs import Work
from accounts.models import Team
from knowledge.adapters.embedder import EmbedderDown, current
from sessions_app.conversations.actions.share import place_waiting
from sessions_app.models import Passage

BATCH = 64
# One run's worth, under a minute; the next minute goes on.
MOST_EMBEDDED = 1_920


def embed_passages(*, most: int = MOST_EMBEDDED) -> Work:
    """Give vectors to passages that have none, or one of another model. Stops at `most`; the next run goes on."""
    done = 0
    model = current().name
    while done < most:
        rows = list(Passage.objects.all().waiting_for_vector(model).only("pk", "text")[:BATCH])
        if not rows:
            break
        try:
            vectors = current().embed([row.text for row in rows])
        except EmbedderDown as down:
            return Work({"embedded": done}, down=str(down))
        for row, vector in zip(rows, vectors, strict=True):
            row.set_vector(vector, model)
        Passage.objects.bulk_update(rows, ["embedding", "embedded_by"])
        done += len(rows)
    return Work({"embedded": done})


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
