"""Transcripts with what is to be found in them, as a text file a person can write.

    ##### name | what is special about it
    === user 2026-11-02T09:00:00Z
    What was said, on as many lines as it takes.
    === noise 60
    === expect
    decision: words & other words | words of its reason
    file: src/a.py
    next: words

A line of `expect` names the words that must stand together in one found thing; a transcript without it is a trap, in
which nothing is to be found. `noise` stands for so many turns in which nothing is decided, left open or changed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle, islice

from sessions_app.lab.metrics.tables import Table, decimal
from sessions_app.transcripts.rules.transcript import digest
from sessions_app.transcripts.rules.turn import Turn

TITLE = "##### "
_TURN = re.compile(r"^=== (\w++) ?(\S*)\n", re.MULTILINE)
NOISE = (
    Turn("assistant", "The log is long; I'll read it from the end."),
    Turn("tool", "Read logs/build.log\n2026-11-10 INFO job 17 started\n2026-11-10 INFO job 17 finished"),
    Turn("assistant", "Nothing unusual in there. The timings are what they were last week."),
    Turn("tool", "Bash ls -la build\ntotal 48\ndrwxr-xr-x 4 ci ci 4096 Nov 10 08:12 ."),
    Turn("user", "ok, go on"),
    Turn("assistant", "The folder holds the artefacts of the last three runs, and a lock file that belongs there."),
)


@dataclass(frozen=True)
class Expected:
    """One thing to be found: its kind, the words that must all be in it, and those that must be in its reason."""

    kind: str
    words: tuple[str, ...]
    reason: tuple[str, ...] = ()

    def is_in(self, text: str) -> bool:
        lowered = text.lower()
        return all(word in lowered for word in self.words)

    def reason_is_in(self, text: str) -> bool:
        lowered = text.lower()
        return all(word in lowered for word in self.reason)


@dataclass(frozen=True)
class Labelled:
    """A transcript with what is planted in it; nothing planted makes it a trap."""

    name: str
    turns: tuple[Turn, ...]
    expected: tuple[Expected, ...]

    def of(self, kind: str) -> list[Expected]:
        return [one for one in self.expected if one.kind == kind]


def read(text: str) -> list[Labelled]:
    """The labelled transcripts of a file."""
    parts = re.split(rf"^{TITLE}", text, flags=re.MULTILINE)
    return [_labelled(part) for part in parts if part.strip()]


def _labelled(part: str) -> Labelled:
    title, _, rest = part.partition("\n")
    _, *pieces = _TURN.split(rest)
    turns: list[Turn] = []
    expected: list[Expected] = []
    for role, more, text in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        if role == "noise":
            turns += islice(cycle(NOISE), int(more))
        elif role == "expect":
            expected += _expected(text.splitlines())
        else:
            turns.append(Turn(role, text.rstrip("\n"), more))
    return Labelled(title.partition("|")[0].strip(), tuple(turns), tuple(expected))


def _expected(lines: Sequence[str]) -> Iterator[Expected]:
    for line in lines:
        kind, _, rest = line.partition(":")
        what, _, why = rest.partition("|")
        if rest.strip():
            yield Expected(kind.strip(), _words(what), _words(why))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip().lower() for word in text.split("&") if word.strip())


# --- measured -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ExtractionCount:
    """Of one kind: how many of the planted were found, how many found were not planted, how many were missed.

    `reasons`: of the decisions found, those whose reason was found with them.
    """

    found: int = 0
    invented: int = 0
    missed: int = 0
    reasons: int = 0

    def __add__(self, other: "ExtractionCount") -> "ExtractionCount":
        return ExtractionCount(
            self.found + other.found,
            self.invented + other.invented,
            self.missed + other.missed,
            self.reasons + other.reasons,
        )

    @property
    def precision(self) -> float | None:
        return self.found / (self.found + self.invented) if self.found + self.invented else None

    @property
    def recall(self) -> float | None:
        return self.found / (self.found + self.missed) if self.found + self.missed else None

    @property
    def figures(self) -> dict[str, float | None]:
        return asdict(self) | {"precision": self.precision, "recall": self.recall}


KINDS = ("decision", "file", "next", "blocker", "error")


def measure(labelled: Sequence[Labelled]) -> dict[str, ExtractionCount]:
    """What the digest of each transcript finds of what is planted in it, by kind; each planted thing is found once."""
    counts = dict.fromkeys(KINDS, ExtractionCount())
    for one in labelled:
        found = digest(one.turns)
        said = {
            "decision": [(decision.statement, decision.reasoning) for decision in found.decisions],
            "file": [(path, "") for path in found.files],
            "next": [(step, "") for step in found.next_steps],
            "blocker": [(what, "") for what in found.blockers],
            "error": [(error, "") for error in found.errors],
        }
        for kind in KINDS:
            counts[kind] += _count(one.of(kind), said[kind])
    return counts


def _count(expected: Sequence[Expected], found: Sequence[tuple[str, str]]) -> ExtractionCount:
    left, right, reasons = list(expected), 0, 0
    for text, reason in found:
        planted = next((one for one in left if one.is_in(text)), None)
        if planted:
            left.remove(planted)
            right += 1
            reasons += planted.reason_is_in(reason)
    return ExtractionCount(right, len(found) - right, len(left), reasons)


def tables(counts: Mapping[str, Mapping[str, ExtractionCount]], sizes: Mapping[str, str]) -> list[Table]:
    """A table for each part of the set (`counts` and `sizes` by its name)."""
    note = "The author of the rules wrote the set; no constant was chosen on what is held out."
    return [Table(f"{part}: {sizes[part]}", COLUMNS, _rows(of_part), note) for part, of_part in counts.items()]


COLUMNS = ["", "planted", "found", "invented", "precision", "recall", "with its reason"]


def _rows(counts: Mapping[str, ExtractionCount]) -> list[list[str]]:
    return [
        [
            kind,
            *(str(number) for number in (count.found + count.missed, count.found, count.invented)),
            *("–" if share is None else decimal(share) for share in (count.precision, count.recall)),
            str(count.reasons) if kind == "decision" else "",
        ]
        for kind, count in counts.items()
    ]
