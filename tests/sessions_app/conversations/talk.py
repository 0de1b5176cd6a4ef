"""A conversation to keep, and the way it comes in."""

from collections.abc import Sequence
from dataclasses import replace

from accounts.rules.rights import Member
from sessions_app.actions.end import SessionWords, end
from sessions_app.actions.start import Opening, start
from sessions_app.models import AgentSession, Passage
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW

TALK = (
    Turn("user", "The importer drops rows when the file has a BOM. What do we do?", "2026-11-20T09:00:00Z"),
    Turn("assistant", "Strip the BOM in the reader. " * 12, "2026-11-20T09:01:00Z"),
    Turn("tool", "Edit importer/reader.py", "2026-11-20T09:02:00Z"),
    Turn("tool", "Bash: pytest -q\nE   ValueError: bad row 7\n1 failed", "2026-11-20T09:03:00Z"),
    Turn("user", "Keep the limit at 5,000 rows a batch.", "2026-11-20T09:04:00Z"),
    Turn("assistant", "Done: batches of 5,000 rows.", "2026-11-20T09:05:00Z"),
)


def begin(by: Member, repo: str = "shop", team: str = "platform", **over: str) -> Member:
    """The member in a session of theirs."""
    session = start(opening=Opening(repo=repo, team=team, **over), by=by, now=NOW).session
    return replace(by, session=session.key)


def talk(by: Member, turns: Sequence[Turn] = TALK, repo: str = "shop", team: str = "platform") -> AgentSession:
    """A session that ended with that transcript."""
    me = begin(by, repo, team)
    return end(name=me.session, words=SessionWords(transcript=turns), by=me, now=NOW).session


def on_day(day: int, turns: Sequence[Turn] = TALK) -> list[Turn]:
    """The same said on a day of that November: another conversation, not a copy of it."""
    return [replace(turn, at=f"2026-11-{day:02}T09:{n:02}:00Z") for n, turn in enumerate(turns)]


def passages(member: Member) -> list[Passage]:
    """All that the member may read, in order."""
    return list(Passage.objects.visible_to(member).in_order())


def speakers(member: Member) -> list[str]:
    return [row.speaker for row in passages(member)]
