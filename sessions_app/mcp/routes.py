"""Routes of tools: which calls a tool makes if an argument means another call than its main one."""

import re
from collections.abc import Sequence

from sessions_app.mcp import result_texts
from sessions_app.mcp.tool import Call, Earlier, Given

READ_SESSION = Call("GET sessions/{session_id}/", result_texts.session, places={"ref": "session_id"})
READ_CONVERSATION = Call(
    "GET sessions/{session_id}/conversation/",
    result_texts.conversation,
    places={"ref": "session_id"},
    fixed={"limit": 200},
)
READ_SKILL = Call("GET skills/{name}/", result_texts.skill, places={"ref": "name"}, fixed={"published": "true"})
READ_CLUSTER = Call("GET evidence/clusters/{cluster}/", result_texts.saved_answer, places={"ref": "cluster"})
ACK = Call(
    "POST sessions/{session_id}/ack/", result_texts.handoff_taken, places={"session": "session_id", "take": "handoff"}
)
CLAIM = Call(
    "POST sessions/{session_id}/claims/", result_texts.claimed, places={"session": "session_id", "claims": "files"}
)
# Clients wrap a result (Codex adds its duration, Gemini CLI JSON). With this limit the model reads at most 800 tokens.
QUERY = Call("POST query/", result_texts.answer, fixed={"max_tokens": 780})
READ = Call("GET insights/{ref}/", result_texts.insight)
START = Call("POST sessions/", result_texts.started)
CHECKPOINT = Call("POST sessions/{session_id}/checkpoint/", result_texts.handed_over, places={"session": "session_id"})
END = Call("POST sessions/{session_id}/end/", result_texts.handed_over, places={"session": "session_id"})
HISTORY = Call("GET sessions/", result_texts.history)

_SESSION_REF = re.compile(r"S-\d+|loam-s-.+")
_CLUSTER_REF = re.compile(r"C[0-9a-f]{12}")
_CONVERSATION_REF = re.compile(r"(S-\d+)/conversation")
SKILL_PREFIX = "skill:"
WORDS = ("summary", "handoff_note", "pending", "blockers")

Route = Sequence[tuple[Call, Given]]


def read_route(given: Given) -> Route:
    """Return the call for a reference: of an insight, a session with its handoff, a conversation, a skill, or a saved
    answer from files.
    """
    ref = str(given.get("ref") or "").strip()
    if said := _CONVERSATION_REF.fullmatch(ref):
        return [(READ_CONVERSATION, {"ref": said[1]})]
    if _SESSION_REF.fullmatch(ref):
        return [(READ_SESSION, {"ref": ref})]
    if _CLUSTER_REF.fullmatch(ref):
        return [(READ_CLUSTER, {"ref": ref})]
    if ref.startswith(SKILL_PREFIX):
        return [(READ_SKILL, {"ref": ref.removeprefix(SKILL_PREFIX).strip()})]
    return [(READ, {"ref": ref or None})]


def start_route(given: Given) -> Route:
    """Return the start, followed by the claims and the take-over in the new session."""
    begun = {name: value for name, value in given.items() if name not in ("claims", "take")}
    return [(START, begun), *_asides({**given, "session": Earlier("session")})]


def checkpoint_route(given: Given) -> Route:
    """Return the claims and the take-over, followed by the checkpoint; no checkpoint if nothing else is given."""
    asides = _asides(given)
    ends = str(given.get("end", "")).lower() in ("true", "1", "yes")
    if asides and not ends and not any(given.get(name) for name in WORDS):
        return asides
    words = {name: given.get(name) for name in ("session", *WORDS)}
    return [*asides, (END if ends else CHECKPOINT, words)]


def _asides(given: Given) -> list[tuple[Call, Given]]:
    session = given.get("session")
    made: list[tuple[Call, Given]] = []
    if given.get("take"):
        made.append((ACK, {"session": session, "take": given["take"]}))
    if given.get("claims"):
        made.append((CLAIM, {"session": session, "claims": given["claims"]}))
    return made


def history_route(given: Given) -> Route:
    if given.get("take"):
        return [(ACK, {"session": given.get("session"), "take": given["take"]})]
    if given.get("ref"):
        return [(READ_SESSION, {"ref": given["ref"]})]
    return [(HISTORY, {name: value for name, value in given.items() if name not in ("session", "ref", "page")})]
