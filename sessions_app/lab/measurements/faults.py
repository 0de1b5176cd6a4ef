"""Measure the fingerprints of errors and the guard, on labelled lines and on published texts."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from accounts.rules.guard.detection import find_secrets, redact_personal
from accounts.rules.refused import Refused
from knowledge.errors.rules.fingerprint import fingerprint
from sessions_app.lab.metrics.ranked_lists import grouping_accuracy
from sessions_app.lab.metrics.tables import Table, decimal


class NoSuchFile(Refused):
    code = "invalid"


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """JSON Lines. Raises NoSuchFile when it cannot be read, or is something else."""
    try:
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)
    except (OSError, ValueError) as error:
        raise NoSuchFile(f"{path} is no file of JSON Lines: {error}") from error


def fingerprints(*, path: Path) -> tuple[dict[str, Any], Table]:
    """Grouping accuracy by system, of rows with system, content and group; beside it that of the text as it is."""
    systems: dict[str, list[tuple[str, str, str]]] = {}
    for row in rows(path):
        found = fingerprint(row["content"])
        systems.setdefault(row["system"], []).append((row["group"], found.digest if found else "", row["content"]))
    figures: dict[str, Any] = {}
    for name, some in systems.items():
        groups = [group for group, _, _ in some]
        figures[name] = {
            "lines": len(some),
            "groups": len(set(groups)),
            "accuracy": grouping_accuracy(groups, [digest for _, digest, _ in some]),
            "exact text": grouping_accuracy(groups, [text for _, _, text in some]),
        }
    means = {key: sum(one[key] for one in figures.values()) / len(figures) for key in ("accuracy", "exact text")}
    lines = [
        [name, f"{one['lines']:,}", str(one["groups"]), decimal(one["accuracy"]), decimal(one["exact text"])]
        for name, one in figures.items()
    ]
    lines.append(["mean", "", "", *(decimal(mean) for mean in means.values())])
    table = Table("Errors that belong together", ["", "lines", "groups", "accuracy", "exact text"], lines)
    return {"systems": figures, "mean": means}, table


# Of each kind so many places are shown, for somebody to look at.
SHOWN = 40


def guard(*, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    """Over all rows with a text in the files of a folder: how many documents would be refused, or something masked in.

    What was found is listed by pattern, document and place. The corpus is of published texts: what is found is a false
    alarm unless somebody who looks says otherwise.
    """
    documents: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    masked: Counter[str] = Counter()
    found: list[list[str]] = []
    for path in sorted(folder.glob("*.jsonl")):
        for number, row in enumerate(rows(path), start=1):
            text = "\n".join(str(row[name]) for name in ("title", "body", "text") if row.get(name))
            documents[path.name] += 1
            secrets, personal = find_secrets(text), redact_personal(text)[1]
            refused[path.name] += bool(secrets)
            masked[path.name] += bool(personal)
            found += [[path.name, str(row.get("id", number)), str(one)] for one in (*secrets, *personal)]
    if not documents:
        raise NoSuchFile(f"{folder} has no files of JSON Lines.")
    total = [documents.total(), refused.total(), masked.total()]
    figures = {"documents": total[0], "refused": total[1], "masked": total[2], "found": found}
    lines = [[name, f"{n:,}", str(refused[name]), str(masked[name])] for name, n in documents.items()]
    lines.append(["all", *(f"{n:,}" for n in total)])
    share = decimal((total[1] + total[2]) / total[0], 4)
    note = f"Refused or masked: {share} of all documents."
    return figures, [
        Table("The guard over published texts", ["", "documents", "refused", "masked"], lines, note),
        Table("What it found", ["file", "document", "what and where"], found[:SHOWN]),
    ]
