"""Which team a passage belongs to."""

from collections.abc import Mapping
from dataclasses import dataclass

from sessions_app.transcripts.rules.speakers import SharedTurns, Speaker


@dataclass(frozen=True)
class Belonging:
    """What a member shares of one repo: `team` is None if nothing; `home` is their personal team."""

    home: int
    team: int | None = None
    turns: SharedTurns = SharedTurns.AGENT

    def team_of(self, speaker: Speaker) -> int:
        """The team of a passage: the shared one, if the turns of that speaker are shared; else the member's own."""
        if self.team is None or (speaker is Speaker.USER and self.turns is not SharedTurns.ALL):
            return self.home
        return self.team


def belonging(repo: str, home: int, shared: Mapping[str, tuple[int, SharedTurns]]) -> Belonging:
    """What holds for a repo: its own row, else the row of all repos (`""`), else nothing is shared."""
    found = shared.get(repo) or shared.get("")
    return Belonging(home, *found) if found else Belonging(home)
