"""The continuity matrix of the SAME seed: however a session ended, the next is told at least what the seed promises.

| scenario                      | same machine          | another machine    |
|-------------------------------|-----------------------|--------------------|
| graceful exit                 | full                  | full               |
| ungraceful after a checkpoint | good (checkpoint)     | good (checkpoint)  |
| ungraceful, short session     | basic (session index) | none               |

The same machine has the agent's own transcript of the session before, and sends it with the start. What another machine
gets of a short session is more than none, since its events were reported while it was alive.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.rules.rights import Member
from sessions_app.actions.capture import Report, capture
from sessions_app.actions.end import SessionWords, checkpoint, end
from sessions_app.actions.start import Opening, Started, start
from sessions_app.models import AgentSession, Handoff
from sessions_app.transcripts.rules.turn import Turn

REPO = "acme/web"
TALK = (
    Turn("user", "Please make the importer stream its input."),
    Turn("assistant", "Decision: we chose a streaming parser because memory is capped at 512 MB."),
    Turn("assistant", "Next steps:\n- cover empty files with a test"),
)
WORK = [
    Report("edit", path="src/importer.py"),
    Report("test", command="pytest", outcome="failed", error="AssertionError: 3 != 4"),
]
SAID = SessionWords(
    summary="The importer streams now.", handoff_note="Cover empty files next.", pending=["empty files"]
)


@dataclass(frozen=True)
class Row:
    """One cell of the matrix, and what the next session must be given: the state, the least completeness, words."""

    how: str
    same_machine: bool
    silent: timedelta
    state: str
    least: float
    words: tuple[str, ...]


# The next session begins two minutes after (the terminal was killed and opened again) or an hour after.
AT_ONCE, LATER = timedelta(minutes=2), timedelta(hours=1)
FULL = ("The importer streams now.", "Cover empty files next.", "empty files", "src/importer.py", "streaming parser")
GOOD = FULL[:4]
BASIC = ("src/importer.py", "`pytest` failed")
FROM_THE_TRANSCRIPT = (*BASIC, "streaming parser")
MATRIX = [
    Row("graceful", True, AT_ONCE, "clean", 1.0, FULL),
    Row("graceful", False, AT_ONCE, "clean", 1.0, FULL),
    Row("graceful", True, LATER, "clean", 1.0, FULL),
    Row("graceful", False, LATER, "clean", 1.0, FULL),
    Row("checkpoint", True, AT_ONCE, "recovered", 0.7, GOOD),
    Row("checkpoint", False, AT_ONCE, "provisional", 0.7, GOOD),
    Row("checkpoint", True, LATER, "recovered", 0.7, GOOD),
    Row("checkpoint", False, LATER, "recovered", 0.7, GOOD),
    Row("short", True, AT_ONCE, "recovered", 0.8, FROM_THE_TRANSCRIPT),
    Row("short", False, LATER, "recovered", 0.4, BASIC),
    Row("short", True, LATER, "recovered", 0.8, FROM_THE_TRANSCRIPT),
]


def live_through(row: Row, by: Member, now: datetime) -> AgentSession:
    opening = Opening(repo=REPO, team="platform", machine="laptop", prompt="Make the importer stream")
    session = start(opening=opening, by=by, now=now).session
    later = now + timedelta(minutes=5)
    capture(name=session.key, reports=WORK, by=by, now=later)
    if row.how == "checkpoint":
        checkpoint(name=session.key, words=SAID, by=by, now=later)
    if row.how == "graceful":
        end(name=session.key, words=SessionWords(**{**vars(SAID), "transcript": TALK}), by=by, now=later)
    return session


def begin_again(row: Row, before: AgentSession, by: Member, now: datetime) -> Started:
    moment = now + timedelta(minutes=5) + row.silent
    if not row.same_machine:
        return start(opening=Opening(repo=REPO, team="platform", machine="desktop"), by=by, now=moment)
    opening = Opening(repo=REPO, team="platform", machine="laptop", previous=before.key, transcript=TALK)
    return start(opening=opening, by=by, now=moment)


def told(handoff: Handoff) -> str:
    fields: list[Any] = [handoff.summary, handoff.note, handoff.pending, handoff.files, handoff.facts]
    return str([*fields, handoff.interpretation, handoff.decisions])


class TestTheContinuityMatrix:
    @pytest.mark.parametrize("row", MATRIX, ids=lambda row: f"{row.how}-{row.same_machine}-{row.silent}")
    def test_gives_the_next_session_what_the_seed_promises(self, row: Row, bob: Member, now: datetime) -> None:
        before = live_through(row, bob, now)
        started = begin_again(row, before, bob, now)
        pointer = next(p for p in started.orientation.pointers if p.kind == "handoff")
        handoff = Handoff.objects.get(session=before)
        assert pointer.ref == before.ref
        assert (handoff.state, started.recovered) == (row.state, row.state == "recovered")
        assert handoff.completeness >= row.least
        assert [word for word in row.words if word not in told(handoff)] == []
        assert started.orientation.tokens <= 200

    def test_has_one_cell_where_nothing_can_be_known_yet(self, bob: Member, now: datetime) -> None:
        """Killed, and begun again at once on another machine: the first may still be alive, and is named as such."""
        row = Row("short", False, AT_ONCE, "", 0, ())
        before = live_through(row, bob, now)
        started = begin_again(row, before, bob, now)
        assert [p.ref for p in started.orientation.pointers if p.kind == "session"] == [before.ref]
        assert not Handoff.objects.exists()
