"""Re-embed: the vectors of everything, by another model, while all goes on by the one there is; then a switch at once.

It runs in a process of its own, which is set to the new model; the others are still set to the one before. First every
text gets its new vector, in a file: that takes as long as it takes, stops nobody, and goes on where it was stopped.
Then one transaction puts them all in place, while deposits and edits wait; anyone who asks sees all of the old ones
until it is committed, and all of the new ones after. From then on the other processes do without vectors, and say so,
until they are started with the new setting.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from accounts.models import Team
from knowledge.adapters.embedder import CachedEmbedder, current
from knowledge.models import Insight, Signal
from sessions_app.conversations.actions.upkeep import meanings
from sessions_app.conversations.rules.context import recipe
from sessions_app.models import Passage
from skills.models import SkillVersion

BATCH = 256


@dataclass(frozen=True)
class Meant:
    """A kind of row that has a vector: the texts that are the meaning of some, and by what it is made with a model."""

    kind: Any
    meanings: Callable[[Sequence[Any]], list[str]]
    made_by: Callable[[str], str] = str


def _of_passages(rows: Sequence[Passage]) -> list[str]:
    found = meanings([row.pk for row in rows])
    return [found[row.pk] for row in rows]


# Topics, and what evidence search has found, rebuild theirs.
MEANT = (
    Meant(Insight, lambda rows: [row.searched for row in rows]),
    Meant(SkillVersion, lambda rows: [row.meaning for row in rows]),
    Meant(Signal, lambda rows: [row.question for row in rows]),
    Meant(Passage, _of_passages, recipe),
)
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Reembedded:
    """How many vectors are of `model` now that were not."""

    model: str
    changed: int


def _no_wait() -> None:
    pass


def reembed(*, folder: Path, progress: Progress, wait: Callable[[], None] = _no_wait) -> Reembedded:
    """`folder` keeps the new vectors until they are in place; `wait`: until others have noticed the switch.

    Raises EmbedderDown.
    """
    model = CachedEmbedder(current().inner, folder)
    total, done = sum(_of_others(one.kind, one.made_by(model.name)).count() for one in MEANT), 0
    for one in MEANT:
        for rows in _batches(one.kind, one.made_by(model.name)):
            model.embed(one.meanings(rows))
            done += len(rows)
            progress(done, total)
    changed = _switch(model)
    # What waited for the switch had its vector before; a deposit that is still being judged is left to the sweep.
    wait()
    return Reembedded(model.name, changed + _switch(model))


def _switch(model: CachedEmbedder) -> int:
    with transaction.atomic():
        # Who deposits or edits holds the team: it waits here, and what came meanwhile is among the rows.
        list(Team.objects.order_by("pk").select_for_update(no_key=True))
        return sum(_store_vectors(one, model) for one in MEANT)


def _store_vectors(meant: Meant, model: CachedEmbedder) -> int:
    changed, made_by = 0, meant.made_by(model.name)
    for rows in _batches(meant.kind, made_by):
        vectors = model.embed(meant.meanings(rows))
        for row, vector in zip(rows, vectors, strict=True):
            row.set_vector(vector, made_by)
        meant.kind.objects.bulk_update(rows, ["embedding", "embedded_by"])
        changed += len(rows)
    return changed


def _of_others(kind: Any, made_by: str) -> Any:
    return kind.objects.filter(embedding__isnull=False).exclude(embedded_by=made_by)


def _batches(kind: Any, made_by: str) -> Iterator[list[Any]]:
    last = 0
    while rows := list(_of_others(kind, made_by).filter(pk__gt=last).order_by("pk")[:BATCH]):
        yield rows
        last = rows[-1].pk
