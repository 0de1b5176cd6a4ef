"""Which files stand next to those an agent works on: what they import, and what imports them."""

from collections.abc import Iterable, Sequence

# A file that everything imports says nothing about what is near: of its importers so many are taken.
MOST_RELATED = 200


def related(files: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """The files to search beside the given ones: their imports first, then their importers. `rows`: (path, its imports)
    of the files themselves and of their importers.
    """
    own = set(files)
    imported: list[str] = []
    importers: list[str] = []
    for path, imports in rows:
        if path in own:
            imported += imports
        if own.intersection(imports):
            importers.append(path)
    found = dict.fromkeys(path for path in [*imported, *sorted(importers)] if path not in own)
    return list(found)[:MOST_RELATED]
