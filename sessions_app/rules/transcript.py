"""What a transcript tells of a session that cannot tell it any more: files, next steps, blockers, decisions, errors."""

from collections.abc import Sequence
from dataclasses import dataclass

from sessions_app.rules.decisions import Decision, extract
from sessions_app.rules.turn import Turn


@dataclass(frozen=True)
class Digest:
    """Facts of a transcript, each once, in the order they came up; what was left out for its size is counted.

    `files` were changed (not merely read), `errors` were seen and not seen mended, `topics` are what was asked for.
    """

    topics: tuple[str, ...]
    files: tuple[str, ...]
    next_steps: tuple[str, ...]
    blockers: tuple[str, ...]
    decisions: tuple[Decision, ...]
    errors: tuple[str, ...]
    turns: int
    left_out: int


def digest(turns: Sequence[Turn]) -> Digest:
    """The digest of a transcript [Turn]. Texts are as they were said: the caller redacts before anything is kept."""
    return Digest((), (), (), (), tuple(extract(turns)), (), len(turns), 0)
