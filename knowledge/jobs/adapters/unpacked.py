"""What somebody has sent, as a folder or a file on disk for as long as it is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from accounts.rules.archive import LONGEST_PATH, path_fault, unpack

# A note is some kilobytes: so many are more than anybody has written. An entry costs half a kilobyte of memory.
MOST_NOTES = 20_000
ZIP = ".zip"


@contextmanager
def unpacked(name: str, data: bytes) -> Iterator[Path]:
    """A zip archive as a folder, any other file as itself, under its own name; gone at the end.

    Raises HostileArchive, OSError.
    """
    with TemporaryDirectory(prefix="loam-notes-") as root:
        place = Path(root) / "notes"
        place.mkdir()
        if Path(name).suffix.lower() != ZIP:
            plain = not path_fault(name) and "/" not in name and len(name.encode()) <= LONGEST_PATH
            path = place / (name if plain else f"notes{Path(name).suffix.lower()}")
            path.write_bytes(data)
            yield path
            return
        for inner, content in unpack(data, entries=MOST_NOTES).items():
            path = place / inner
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        yield place
