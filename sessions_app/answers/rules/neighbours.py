"""The files related to those an agent works on: the files they import, and the files that import them."""

from collections.abc import Iterable, Sequence

# The largest number of importers of a file: one that everything imports says nothing about what is near.
MOST_RELATED = 200


def related(files: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Return the files to search beside the given ones: their imports first, then their importers. `rows`: (path, its
    imports) of the files themselves and of their importers.
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
