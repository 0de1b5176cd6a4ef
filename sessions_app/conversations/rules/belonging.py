"""Which team a passage belongs to."""

from collections.abc import Mapping
from dataclasses import dataclass

from sessions_app.transcripts.rules.speakers import SharedTurns, Speaker


@dataclass(frozen=True)
class Belonging:
    """What a member shares of one repository: `team` is None for nothing; `home` is their personal team."""

    home: int
    team: int | None = None
    turns: SharedTurns = SharedTurns.AGENT

    def team_of(self, speaker: Speaker) -> int:
        """Return the team of a passage: the shared one if the turns of that speaker are shared, otherwise the member's
        own.
        """
        if self.team is None or (speaker is Speaker.USER and self.turns is not SharedTurns.ALL):
            return self.home
        return self.team


def belonging(repo: str, home: int, shared: Mapping[str, tuple[int, SharedTurns]]) -> Belonging:
    """Return what holds for a repository: its own row, else that of all repositories (`""`), else nothing is shared."""
    found = shared.get(repo) or shared.get("")
    return Belonging(home, *found) if found else Belonging(home)
