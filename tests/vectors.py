"""Vectors that the model has computed before, for all processes and runs of the same model and the same code.

A text takes the model ten milliseconds, and each process met the same few thousand. The file is the copy of nothing:
without it, or with other code, the vectors are computed again. The model itself is tested without it.
"""

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import numpy as np

from knowledge.adapters import embedder

# What has a say in a vector beside the text: the export's name has the model's version. Read, not imported: the export
# loads torch, which takes two seconds and half a gigabyte.
CODE = ("embedder.py", "embedder_export.py")
# Seconds to wait for another process that is writing: it writes a few rows.
PATIENCE = 60


class KnownVectors:
    """Of the model in `models`, by text. Threads may share it."""

    def __init__(self, models: Path) -> None:
        folder = models.parent / "cache"
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._known: dict[str, np.ndarray] = {}
        name = f"test-vectors-{embedder.NAME}-{_digest()}.sqlite"
        self._file = sqlite3.connect(folder / name, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        self._file.execute("PRAGMA synchronous = OFF")
        self._file.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def of(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """Those that are known."""
        with self._lock:
            for text in {*texts} - self._known.keys():
                row = self._file.execute("SELECT vector FROM vectors WHERE text = ?", [_key(text)]).fetchone()
                if row:
                    self._known[text] = np.frombuffer(row[0], np.float32)
            return {text: self._known[text] for text in texts if text in self._known}

    def keep(self, computed: Mapping[str, np.ndarray]) -> None:
        with self._lock:
            self._known.update(computed)
            rows = [(_key(text), vector.astype(np.float32).tobytes()) for text, vector in computed.items()]
            self._file.execute("BEGIN IMMEDIATE")
            self._file.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            self._file.execute("COMMIT")


def _key(text: str) -> bytes:
    return sha256(text.encode(errors="surrogatepass")).digest()


def _digest() -> str:
    found = sha256(version("onnxruntime").encode())
    for name in CODE:
        found.update(Path(embedder.__file__).with_name(name).read_bytes())
    return found.hexdigest()[:16]
