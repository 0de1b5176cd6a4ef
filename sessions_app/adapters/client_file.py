"""The client as it lies in this installation, for whoever downloads it."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

PLACE = Path(__file__).resolve().parent.parent / "client" / "loam.py"


@dataclass(frozen=True)
class ClientFile:
    """The bytes that are served, and their SHA-256 in hexadecimal."""

    content: bytes
    sha256: str


@lru_cache(maxsize=1)
def client_file() -> ClientFile:
    """Read once: it changes with a deployment only."""
    content = PLACE.read_bytes()
    return ClientFile(content, hashlib.sha256(content).hexdigest())
