"""Another embedding model while all goes on: how long it takes, and what those notice who deposit and ask meanwhile.

One client deposits and one asks without a pause, over HTTP, of a web process that stays with the model before. Texts
beyond those that the corpus embeds itself get vectors that are read, not computed: what is measured is the database.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from django.test.utils import override_settings

from knowledge.adapters.embedder import DIMENSIONS, NAME, OnnxEmbedder
from knowledge.models import Insight
from knowledge.rules.vectors import unit
from sessions_app.actions.reembed import reembed
from sessions_app.adapters.web import Caller, serving
from sessions_app.lab.benchmark.benchmark import make_asker
from sessions_app.lab.corpora.chunk_processes import write_in_processes
from sessions_app.lab.corpora.synthetic_corpus import REAL, RECIPE, SEED, Corpus, Progress, fill
from sessions_app.lab.corpora.synthetic_notes import question, specimen
from sessions_app.lab.resumable import resumable_database

DEPOSIT, QUERY = "/api/v1/insights/", "/api/v1/query/"
# Seconds that clients run before it begins.
BEFORE = 20.0


class TurnedEmbedder(OnnxEmbedder):
    """Another model of the same likenesses; of the texts that are `known` the vector is read."""

    name = f"turned-{NAME}"
    known: ClassVar[dict[bytes, np.ndarray]] = {}

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        keys = [_key(text) for text in texts]
        missing = [text for text, key in zip(texts, keys, strict=True) if key not in self.known]
        made = iter(super().embed(missing) if missing else ())
        vectors = [self.known[key] if key in self.known else next(made) for key in keys]
        return np.roll(np.array(vectors, np.float32).reshape(-1, DIMENSIONS), DIMENSIONS // 2, axis=1)


def _key(text: str) -> bytes:
    return sha256(text.encode()).digest()[:12]


@dataclass
class Client:
    """One caller that sends one request after the other: when each was answered, after how long, and how."""

    answers: list[tuple[float, float, int, bool]] = field(default_factory=list)

    def run(self, caller: Caller, path: str, bodies: Iterator[dict[str, Any]], over: Event) -> None:
        while not over.is_set():
            begun = perf_counter()
            status, text = caller.post(path, next(bodies))
            self.answers.append((begun, perf_counter() - begun, status, b'"component":"embedder"' in text))

    def figures(self, since: float, until: float, good: int) -> dict[str, Any]:
        """Of what was begun in that time: how many, milliseconds in the middle and at most, and what failed."""
        some = [one for one in self.answers if since <= one[0] < until]
        took = [one[1] * 1_000 for one in some] or [0.0]
        return {
            "count": len(some),
            "p50": round(float(np.median(took)), 1),
            "p95": round(float(np.percentile(took, 95)), 1),
            "longest": round(max(took), 1),
            "errors": sum(one[2] != good for one in some),
            "without_vectors": sum(one[3] for one in some),
        }


def time_reembedding(*, size: int, now: datetime, cache: Path, progress: Progress) -> dict[str, Any]:
    """Fill a database and change its model; the figures. Raises NoDatabase, NoServer, EmbedderDown."""
    with resumable_database(f"reembed_{size}", recipe=RECIPE, afresh=True) as steps:
        began = datetime.fromisoformat(steps.once("began", now.isoformat))
        corpus = fill(size=size, now=began, cache=cache, progress=progress, steps=steps, write=write_in_processes)
        secret = make_asker(now).secret
        return _timed(corpus, secret, progress)


def _timed(corpus: Corpus, secret: str, progress: Progress) -> dict[str, Any]:
    """Seconds of each step, and what clients noticed before it, during it, and from the switch on."""
    TurnedEmbedder.known = {} if corpus.size <= REAL else _stored()
    depositing, asking = Client(), Client()
    marks: list[tuple[str, float]] = []

    def step(what: str, done: int, total: int) -> None:
        progress(what, done, total)
        if not marks or marks[-1][0] != what:
            marks.append((what, perf_counter()))

    with serving() as server, _running(server.port, secret, corpus, depositing, asking) as over:
        over.wait(BEFORE)
        begun = perf_counter()
        with override_settings(LOAM_EMBEDDER=f"{__name__}.TurnedEmbedder"):
            done = reembed(progress=step)
        ended = perf_counter()
        over.wait(BEFORE)
    moments = [at for _, at in marks]
    seconds = [(what, round(until - at, 1)) for (what, at), until in zip(marks, [*moments[1:], ended], strict=True)]
    switch = next(at for what, at in marks if what == "switch")
    spans = {
        "before": (0.0, begun),
        "during": (begun, switch),
        "switch": (switch, ended),
        "after": (ended, perf_counter()),
    }
    return {
        "insights": corpus.size,
        "changed": done.changed,
        "foreign": Insight.objects.exclude(embedded_by__in=(TurnedEmbedder.name, "")).count(),
        "steps": seconds,
        "all": round(ended - begun, 1),
        "quiet": round(done.quiet, 2),
        "deposit": {name: depositing.figures(*span, 201) for name, span in spans.items()},
        "query": {name: asking.figures(*span, 200) for name, span in spans.items()},
    }


def _stored() -> dict[bytes, np.ndarray]:
    rows = Insight.objects.filter(embedding__isnull=False).only("title", "body", "reasoning", "questions", "embedding")
    return {_key(row.searched): unit(row.embedding).astype(np.float16) for row in rows.iterator(2_000) if row.embedding}


@contextmanager
def _running(port: int, secret: str, corpus: Corpus, depositing: Client, asking: Client) -> Iterator[Event]:
    """Both clients run within."""
    over, rng = Event(), Random(SEED + 11)
    work: list[tuple[Client, str, Callable[[], dict[str, Any]]]] = [
        (depositing, DEPOSIT, lambda: _deposit(rng)),
        (asking, QUERY, lambda: {"query": question(rng, rng.choice(corpus.samples))}),
    ]
    callers = [Caller(port, secret) for _ in work]
    threads = [
        Thread(target=client.run, args=(caller, path, iter(body, None), over), daemon=True)
        for (client, path, body), caller in zip(work, callers, strict=True)
    ]
    for thread in threads:
        thread.start()
    try:
        yield over
    finally:
        over.set()
        for thread, caller in zip(threads, callers, strict=True):
            thread.join(60)
            caller.close()


def _deposit(rng: Random) -> dict[str, Any]:
    note = specimen(rng, longest=60)
    told = {name: getattr(note, name) for name in ("kind", "title", "body", "tags", "files")}
    return {**told, "team": "rest"}
