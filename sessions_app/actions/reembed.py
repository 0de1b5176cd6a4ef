"""Re-embed: the vectors of everything by another model, while all goes on by the one there is; then a short switch.

It runs in a process of its own, which is set to the new model; the others are still set to the one before. The new
vectors are written beside those in use, batch by batch, and go on where they were stopped; what is deposited or edited
meanwhile is taken along. The switch renames columns. For the seconds around it no process uses vectors, so none ever
compares those of two models; afterwards processes that are still set to the model before do without, and say so, until
they are started with the new setting (docs/decisions/0037-another-model-beside.md).
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

import numpy as np
from django.conf import settings
from django.db import Error, transaction
from django.utils import timezone

from accounts.adapters import replica
from accounts.rules.refused import Refused
from knowledge.adapters.embedder import Embedder, current, embed_each
from knowledge.evidence.models import ClusterQuestion, KnowledgeCluster
from knowledge.models import Insight, Query, Signal, Topic
from knowledge.rules.vectors import half
from sessions_app.adapters import next_vectors
from sessions_app.adapters.next_vectors import VectorColumn
from sessions_app.conversations.actions.upkeep import meanings
from sessions_app.conversations.rules.context import recipe
from sessions_app.models import EmbeddingChange, Passage
from sessions_app.querysets.embedding_changes import LOCK
from skills.models import SkillVersion

# Texts that are embedded together, and rows that are written together: who changes one of them waits for it.
BATCH, WRITTEN = 256, 32
# Passes over what is still missing: each finds what was held by others, or came during the one before.
PASSES = 5
# Seconds for which the tables are tried to be locked: before anybody does without vectors, and while all do.
PATIENCE, PATIENCE_QUIET = 60.0, 20.0
# How long no process uses vectors at most, whatever becomes of this one, and what the switch must have left of it.
QUIET, LEFT = timedelta(seconds=60), timedelta(seconds=5)
# Seconds after which every process knows that it may use none: each looks every two (config/database/vectors.py).
NOTICED = 6.0
# Seconds between two notes of how far it is.
NOTED = 2.0

Progress = Callable[[str, int, int], None]


class CannotReembed(Refused):
    code = "cannot_reembed"
    detail = "The embedding model cannot be changed now."


@dataclass(frozen=True)
class Meant:
    """A kind of row that has a vector: the texts that are the meaning of some, and by what it is made with a model."""

    kind: Any
    meanings: Callable[[Sequence[Any]], list[str]]
    fields: tuple[str, ...]
    made_by: Callable[[str], str] = str

    @property
    def column(self) -> VectorColumn:
        return VectorColumn(self.kind)

    @property
    def name(self) -> str:
        return str(self.kind._meta.verbose_name_plural)


def _of_passages(rows: Sequence[Passage]) -> list[str]:
    found = meanings([row.pk for row in rows])
    return [found[row.pk] for row in rows]


MEANT = (
    Meant(Insight, lambda rows: [row.searched for row in rows], ("title", "body", "reasoning", "questions")),
    Meant(SkillVersion, lambda rows: [row.meaning for row in rows], ("description", "skill__name")),
    Meant(Signal, lambda rows: [row.question for row in rows], ("question",)),
    Meant(Passage, _of_passages, ("id",), recipe),
    Meant(Query, lambda rows: [row.text for row in rows], ("text",)),
    Meant(ClusterQuestion, lambda rows: [row.text for row in rows], ("text",)),
)
TOPICS, CLUSTERS = VectorColumn(Topic, "centroid"), VectorColumn(KnowledgeCluster)
COLUMNS = (*(one.column for one in MEANT), TOPICS, CLUSTERS)


@dataclass
class Reembedded:
    """How many vectors are of `model` now that were not, how many texts have none, whether it is in use, and for how
    many seconds nobody used vectors for that.
    """

    model: str
    changed: int = 0
    failed: int = 0
    switched: bool = True
    quiet: float = 0.0


@dataclass
class _Work:
    """A change under way: who makes the vectors, and who is told how far it is."""

    model: Embedder
    change: EmbeddingChange
    progress: Progress
    # Rows by table whose text cannot be embedded.
    failed: dict[str, set[Any]] = field(default_factory=dict)
    _noted: float = float("-inf")

    def show(self, what: str, done: int, total: int) -> None:
        self.progress(what, done, total)
        if time.monotonic() - self._noted >= NOTED or what != self.change.step:
            self._noted = time.monotonic()
            self.change.note(what, done, total)


def texts() -> dict[str, int]:
    """How many texts of each kind have a vector: they are to have another."""
    return {one.name: one.kind.objects.filter(embedding__isnull=False).count() for one in MEANT}


class _Spread:
    """An embedder in front of another, which shares the texts of a call among threads."""

    def __init__(self, inner: Embedder, threads: int) -> None:
        self.name, self.dimensions, self._inner, self._threads = inner.name, inner.dimensions, inner, threads

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """As Embedder.embed."""
        count = min(self._threads, len(texts))
        if count < 2:
            return self._inner.embed(texts)
        longest_first = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
        shares = [longest_first[first::count] for first in range(count)]
        with ThreadPoolExecutor(count) as pool:
            made = np.concatenate(list(pool.map(self._inner.embed, [[texts[at] for at in some] for some in shares])))
        return made[np.argsort(np.concatenate(shares))]


def reembed(
    *,
    progress: Progress,
    wait: Callable[[float], None] = time.sleep,
    switch: bool = True,
    threads: int = 1,
    megabytes: int = 0,
) -> Reembedded:
    """Give everything vectors by the model of this process and switch to them, or go on where that was stopped.

    Without `switch` all is prepared for it. `threads`: that make vectors. `megabytes`: of memory for building an index,
    as much as needed by itself.
    Raises CannotReembed and EmbedderDown; what was made is kept, and what was in use stays so.
    """
    model: Embedder = _Spread(current().inner, threads)
    with _alone():
        change = EmbeddingChange.objects.all().open().first()
        if change is None:
            if _in_use() in ("", model.name):
                return Reembedded(model.name, _put_right(model))
            change = EmbeddingChange.objects.create(model=model.name, begun_at=timezone.now(), seen_at=timezone.now())
        elif change.model != model.name:
            raise CannotReembed(
                f"A change to {change.model} is half-way ({change.progress}): finish it with its LOAM_EMBEDDER, or "
                "give it up with manage.py reembed --cancel."
            )
        work = _Work(model, change, progress)
        with _tables_free():
            next_vectors.add(COLUMNS, patience=PATIENCE)
        _prepare(work, megabytes)
        made = sum(there - missing for there, missing in (next_vectors.count(one.column) for one in MEANT))
        done = Reembedded(model.name, made, sum(map(len, work.failed.values())), switched=False)
        if switch:
            left, done.quiet = _switch(work, wait)
            done.switched = True
            wait(NOTICED)
            # What was held by others at the switch, or was being written by a process of the model before.
            _put_right(model, left)
        return done


def cancel() -> str:
    """Give up the change that is half-way; returns the model it was to. Raises CannotReembed."""
    with _alone():
        change = EmbeddingChange.objects.all().open().first()
        if change is None:
            raise CannotReembed("No change of the embedding model is half-way.")
        with _tables_free():
            next_vectors.remove(COLUMNS, patience=PATIENCE)
        change.delete()
        return str(change.model)


@contextmanager
def _alone() -> Iterator[None]:
    if settings.DATABASE_POOLER:
        raise CannotReembed(
            "This needs PostgreSQL itself, not its pooler: run it with DATABASE_URL at PostgreSQL's own address and "
            "DATABASE_POOLER unset."
        )
    with next_vectors.exclusively(LOCK) as mine:
        if not mine:
            raise CannotReembed("Another process is changing the embedding model.")
        yield


@contextmanager
def _tables_free() -> Iterator[None]:
    try:
        yield
    except next_vectors.TablesBusy as busy:
        raise CannotReembed(f"The tables could not be had for a moment: {busy}. Nothing in use has changed.") from busy


def _in_use() -> str:
    """The model of the stored vectors; empty where there are none."""
    if known := EmbeddingChange.objects.all().in_use():
        return known
    for one in MEANT:
        first = one.kind.objects.exclude(embedded_by="").order_by("pk").values_list("embedded_by", flat=True).first()
        if first:
            mine = current().name
            return mine if first == one.made_by(mine) else str(first)
    return ""


# --- beside the vectors in use --------------------------------------------------------------------------------
def _prepare(work: _Work, megabytes: int) -> None:
    """Make all the next vectors and their indexes."""
    for one in MEANT:
        if _fill(work, one, f"vectors of {one.name}"):
            work.show(f"vacuum of {one.name}", 0, 1)
            next_vectors.settle(one.column)
    # Now that few are missing: before, each batch would leave entries of what is no longer.
    for one in MEANT:
        next_vectors.index_missing(one.column)
    _average(work.model.name, as_next=True)
    for column in COLUMNS:
        next_vectors.build_indexes(column, work.show, megabytes=megabytes)
    _fill_rest(work)


def _fill(work: _Work, one: Meant, step: str) -> int:
    """Go once through the rows that have no next vector; how many there were."""
    total, missing = next_vectors.count(one.column)
    seen, last = 0, None
    while keys := next_vectors.missing(one.column, after=last, most=BATCH):
        _embed(work.model, one, keys, as_next=True, failed=work.failed.setdefault(one.column.table, set()))
        seen, last = seen + len(keys), keys[-1]
        work.show(step, total - missing + seen, max(total, total - missing + seen))
    return seen


def _fill_rest(work: _Work) -> None:
    """Go through what came or was held by others meanwhile, until nothing is missing that can be made."""
    for _ in range(PASSES):
        made = 0
        for one in MEANT:
            failed, last = work.failed.setdefault(one.column.table, set()), None
            while keys := next_vectors.missing(one.column, after=last, most=BATCH):
                made, last = made + _embed(work.model, one, keys, as_next=True, failed=failed), keys[-1]
        if not made:
            break
    _average(work.model.name, as_next=True)


def _average(model: str, *, as_next: bool) -> None:
    """The centres of topics, and of what was found out in files: means of vectors that are made."""
    next_vectors.average(TOPICS, COLUMNS[0], "topic_id", model, as_next=as_next, where="retrievable")
    next_vectors.average(CLUSTERS, VectorColumn(ClusterQuestion), "cluster_id", model, as_next=as_next)


def _embed(model: Embedder, one: Meant, keys: Sequence[Any], *, as_next: bool, failed: set[Any]) -> int:
    """Give rows the vectors of what they mean, unless that was changed meanwhile or is being changed: it is looked at
    again. Returns how many have theirs; `failed` gets those whose text cannot be embedded. Raises EmbedderDown.
    """
    meant = _meant(one, keys, as_next)
    said = list(dict.fromkeys(meant.values()))
    vectors = dict(zip(said, embed_each(said, model), strict=True)) if said else {}
    failed.difference_update(keys)
    failed |= {key for key, text in meant.items() if vectors[text] is None}
    able = [key for key in meant if key not in failed]
    done = 0
    for at in range(0, len(able), WRITTEN):
        some = able[at : at + WRITTEN]
        with transaction.atomic():
            # Nobody is waited for: who holds a row may be changing what it says.
            held = one.kind.objects.filter(pk__in=some).select_for_update(no_key=True, skip_locked=True, of=("self",))
            now = _meant(one, [row.pk for row in held.only("pk")], as_next)
            made = {key: vectors[text] for key, text in now.items() if text == meant[key]}
            same = {key: half(vector) for key, vector in made.items() if vector is not None}
            if same:
                next_vectors.store(one.column, same, one.made_by(model.name), as_next=as_next)
        done += len(same)
    return done


def _meant(one: Meant, keys: Sequence[Any], with_vector: bool) -> dict[Any, str]:
    """What rows mean by their keys, of those that are there and, if so asked, still have a vector in use."""
    rows = one.kind.objects.filter(pk__in=keys, **({"embedding__isnull": False} if with_vector else {}))
    related = [name.partition("__")[0] for name in one.fields if "__" in name]
    found = list((rows.select_related(*related) if related else rows).only(*one.fields).order_by("pk"))
    return dict(zip((row.pk for row in found), one.meanings(found), strict=True)) if found else {}


# --- the switch -----------------------------------------------------------------------------------------------
def _switch(work: _Work, wait: Callable[[float], None]) -> tuple[dict[str, list[Any]], float]:
    """Put the next vectors in the place of those in use. Returns the keys, by table, of rows that were left out, and
    for how many seconds nobody used vectors.
    """
    work.show("switch", 0, 1)
    with _tables_free():
        # Whether they can be had at all: nobody does without vectors for as long as a backup runs.
        next_vectors.locked(COLUMNS, lambda cursor: None, patience=PATIENCE)
        begun = time.monotonic()
        work.change.keep_quiet(QUIET)
        try:
            wait(NOTICED)
            _fill_rest(work)
            left = next_vectors.locked(COLUMNS, partial(_take_place, work.change), patience=PATIENCE_QUIET)
        except BaseException:
            with suppress(Error):
                EmbeddingChange.objects.all().open().keep_quiet(timedelta())
            raise
    work.progress("switch", 1, 1)
    return left, time.monotonic() - begun


def _take_place(change: EmbeddingChange, cursor: Any) -> dict[str, list[Any]]:
    # A standby that is read may be behind by as much: until then it has the vectors of before.
    behind = settings.DATABASE_REPLICA_STALENESS + NOTICED if replica.configured() else 0.0
    if not EmbeddingChange.objects.filter(pk=change.pk).switch(left=LEFT, quiet=timedelta(seconds=behind)):
        raise CannotReembed("It took too long until the tables were free. Nothing in use has changed; run it again.")
    return next_vectors.take_place(cursor, COLUMNS)


def _put_right(model: Embedder, left: dict[str, list[Any]] | None = None) -> int:
    """Give vectors to the rows that have one of another model, and to those that were `left` without at the switch;
    returns how many.
    """
    done = 0
    for one in MEANT:
        of_others = next_vectors.of_others(one.column, one.made_by(model.name))
        keys = [*of_others, *(left or {}).get(one.column.table, [])]
        for at in range(0, len(keys), BATCH):
            done += _embed(model, one, keys[at : at + BATCH], as_next=False, failed=set())
    _average(model.name, as_next=False)
    return done
