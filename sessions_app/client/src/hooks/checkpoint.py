"""What a session that goes on says of itself, and what its own agent is told of it again."""

from __future__ import annotations

from sessions_app.client.src.checkout.place import place_of, uncommitted
from sessions_app.client.src.delivery.server import Problem, Server
from sessions_app.client.src.hooks.moment import Moment
from sessions_app.client.src.local import Json, filled, now
from sessions_app.client.src.masking import masked_short
from sessions_app.client.src.sessions import note, session_of, state
from sessions_app.client.src.transcripts.turns import Said, digest, read_transcript

LONGEST_ASKED, LONGEST_LAST = 2_000, 4_000
# So many characters of its end tell a message from others; what a client gives may be several texts joined.
TELLS_APART = 100


def checkpoint_body(moment: Moment) -> Json:
    """Return what the server is told at a checkpoint or the end: the turns so far, and what is in no commit."""
    known = state(moment.of)
    top = str(known.get("top") or moment.folder)
    path = str(moment.transcript or known.get("transcript") or "")
    turns = read_transcript(path, top) if path else []
    last = str(moment.given.get("last_assistant_message") or moment.given.get("prompt_response") or "").strip()
    if last and not any(turn.role == "assistant" and last[-TELLS_APART:] in turn.text for turn in turns):
        turns.append(Said("assistant", last))  # its client has not written it yet
    asked = next((turn.text for turn in turns if turn.role == "user"), "")
    done = last or next((turn.text for turn in reversed(turns) if turn.role == "assistant"), "")
    body = filled(
        asked=masked_short(asked, LONGEST_ASKED), last_message=masked_short(done, LONGEST_LAST),
        transcript=digest(turns), branch=place_of(top).branch, at=now(moment.at),
    )  # fmt: skip
    paths = uncommitted(top)
    if paths is not None:
        body["uncommitted"] = paths
    return body


def own_state(server: Server, moment: Moment) -> str:
    """Put a session on record as it stands, and return the text that tells it to its own agent: what was asked for, the
    last state, next steps, files, decisions. Empty if there is nothing to tell. Raises Away.
    """
    try:
        path = f"sessions/{session_of(server, moment.of)}/checkpoint/"
        answer = server.post(path, checkpoint_body(moment))
    except Problem:  # it has ended there, or is another account's
        return ""
    note(moment.of, checkpointed=moment.at)
    handoff = answer.get("handoff") if isinstance(answer, dict) else None
    return str(handoff.get("text") or "") if isinstance(handoff, dict) else ""
