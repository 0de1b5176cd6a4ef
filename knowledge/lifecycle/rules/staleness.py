"""Whether an insight still agrees with the files it was learned from.

An insight names files and the SHA-256 each had then; a client or a scan reports the present ones. If one differs, the
insight is stale until somebody confirms it, or the file is back as it was. The reported hash is stored beside the old
one, so that a confirmation can take it over; otherwise the next report would make the insight stale again.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from knowledge.retrieval.rules.locality import clean_path
from knowledge.rules.vocabulary import Trust

_SHA256 = re.compile(r"[0-9a-f]{64}")

Provenance = Sequence[Mapping[str, Any]]


class StaleFinding(StrEnum):
    """The meaning of a report for an insight."""

    STALE = "stale"
    VALIDATED = "validated"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class FileComparison:
    """`changed`: paths whose hash differs, sorted; `provenance`: as given, changed items with `seen`, the hash now."""

    finding: StaleFinding
    changed: list[str]
    provenance: list[dict[str, Any]]


def compared(provenance: Provenance, reported: Mapping[str, str]) -> FileComparison:
    """Return what a report says of the files that an insight names.

    `provenance`: [{path, sha256}] as stored; `reported`: path → SHA-256 now, empty for a deleted file. The insight is
    stale if any file differs, and validated if all were reported and are the same; otherwise unchanged, because nothing
    new is known. A file named without a hash cannot be compared: it makes nothing stale, and cannot be validated
    either.
    """
    now = {clean_path(path): digest.strip().lower() for path, digest in reported.items()}
    kept, changed, same = [], [], 0
    for item in provenance:
        path, then = clean_path(str(item.get("path", ""))), str(item.get("sha256", "")).strip().lower()
        plain = {name: value for name, value in item.items() if name != "seen"}
        if path not in now or not _SHA256.fullmatch(then):
            kept.append(dict(item))
        elif now[path] == then:
            same += 1
            kept.append(plain)
        else:
            changed.append(path)
            kept.append(plain | {"seen": now[path]})
    if any("seen" in item for item in kept):
        return FileComparison(StaleFinding.STALE if changed else StaleFinding.UNCHANGED, sorted(changed), kept)
    return FileComparison(StaleFinding.VALIDATED if kept and same == len(kept) else StaleFinding.UNCHANGED, [], kept)


def moved_to(provenance: Provenance, moved: Mapping[str, str]) -> list[str]:
    """Return where files that an insight names are now, of a report of moves (path → path now), in its order."""
    now = {clean_path(path): clean_path(path_now) for path, path_now in moved.items()}
    found = (now.get(clean_path(str(item.get("path", ""))), "") for item in provenance)
    return list(dict.fromkeys(path for path in found if path))


def confirmed(provenance: Provenance) -> list[dict[str, Any]]:
    """Return the provenance after a confirmation: the hashes last seen replace the old ones. A deleted file is no
    longer named.
    """
    return [
        {"path": item["path"], "sha256": item.get("seen", item.get("sha256", ""))}
        for item in provenance
        if item.get("seen") != ""
    ]


def trust_after(trust: Trust, finding: StaleFinding) -> Trust:
    """Return the trust state after a report. A contradiction is settled by people, not by a hash."""
    if trust is Trust.CONTRADICTED or finding is StaleFinding.UNCHANGED:
        return trust
    return Trust.STALE if finding is StaleFinding.STALE else Trust.VALIDATED
