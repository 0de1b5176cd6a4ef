"""Decisions that an assistant took in a transcript: what was decided, why, and where it said so."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sessions_app.rules.turn import ASSISTANT, Turn, prose, recent


class Sureness(StrEnum):
    """High: marked as a decision, or with its reason. Medium: marked, and no reason was given."""

    HIGH = "high"
    MEDIUM = "medium"


@dataclass(frozen=True)
class Where:
    """The turn (from 0) in the transcript as it came, the line in it (from 1), and when it was said, if known."""

    turn: int
    line: int
    at: str = ""


@dataclass(frozen=True)
class Decision:
    """What was decided, in the assistant's words, without Markdown; `reasoning` is empty when none was in reach."""

    statement: str
    reasoning: str
    where: Where
    sureness: Sureness


_MARKER = re.compile(
    r"^[ \t>*_#-]*\b(?:final )?decision\b[*_]*[ \t]*:[ \t*_]*(?P<what>.+)$", re.IGNORECASE | re.MULTILINE
)
_REASON = re.compile(r"\b(?:because|since|so that|due to|in order to)\b", re.IGNORECASE)


def extract(turns: Sequence[Turn]) -> list[Decision]:
    """The decisions of a transcript in the order they were taken, each once. The text is as hostile as its author."""
    found: dict[str, Decision] = {}
    for at, turn in recent(turns):
        if turn.role != ASSISTANT:
            continue
        for match in _MARKER.finditer(prose(turn.text)):
            said = turn.text[match.start("what") : match.end("what")].strip()
            reason = _REASON.search(said)
            where = Where(at, turn.text.count("\n", 0, match.start()) + 1, turn.at)
            why = said[reason.start() :] if reason else ""
            found.setdefault(said.lower(), Decision(said, why, where, Sureness.HIGH if why else Sureness.MEDIUM))
    return list(found.values())
