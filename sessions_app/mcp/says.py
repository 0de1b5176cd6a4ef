"""What an answer of the API says in short: the text beside the structured content, for agents that read only that."""

import re
from collections.abc import Callable, Iterable
from typing import Any

LONGEST = 4_000


def cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def answer(data: Any) -> str:
    text = data["text"] or "Nothing relevant is known. Work on, and deposit what you learn."
    return f"{text}\n(query_id {data['query_id']}: name it when you rate)"


def deposited(data: Any) -> str:
    """What became of a deposit, and in one paragraph what its agent is asked, with the call that answers it."""
    insight_ = data["insight"]
    became = {
        "inserted": "Saved as a new insight",
        "merged": "The team knew this already; it is stronger now",
        "superseding": "Saved, in place of what it replaces",
        "proposed": "Saved, and served before what it is proposed to replace until a lead has decided",
        "queued": "Saved; served beside what it is close to until somebody has said how they relate",
    }.get(data["outcome"], data["outcome"])
    old = f" It supersedes {', '.join(data['supersedes'])}." if data.get("supersedes") else ""
    masked = " Personal data in it was masked." if data.get("redactions") else ""
    stated = "".join(f"\n{_stated(one)}" for one in data.get("related") or ())
    return f"{became}: {insight_['ref']} “{insight_['title']}”.{old}{masked}{stated}{_question(data)}"


def related(data: Any) -> str:
    """What became of each relation that was stated."""
    told = "\n".join(_stated(one) for one in data["related"])
    merged = f"\nIt is part of {data['insight']['ref']} now." if data["outcome"] == "merged" else ""
    return f"{told}{merged}{_question(data)}"


REASONS = {
    "differs": "the two differ in {cues}: is it `supersedes`, `contradicts` or `complements`?",
    "other_kind": "they are of two kinds, like advice and its warning: `complements` links them",
    "not_alike": "they hardly read alike",
    "other_repo": "they are of two repositories",
    "older": "yours is dated before it",
    "settled": "a lead has settled it",
    "not_current": "one of the two has given way already",
    "protected": "the team has confirmed it, so a lead decides",
    "daily_limit": "your agents have replaced many notes of others today, so a lead decides",
}


def _stated(one: Any) -> str:
    cues = "; ".join(
        f"{cue['kind']} ({' '.join(cue['first']) or '–'} / {' '.join(cue['second']) or '–'})" for cue in one["cues"]
    )
    why = REASONS.get(one["reason"], "").format(cues=cues)
    because = f" ({why})" if why else ""
    return f"{one['relation']} {one['ref']}: {one['state']}{because}."


def _question(data: Any) -> str:
    asked = data.get("ask")
    if not asked:
        return ""
    near = " ".join(
        f"{one['ref']} ({one['kind']}, {one['status']}, {one['age_days']:.0f} days old): “{one['text']}”"
        for one in asked["neighbours"]
    )
    refs = " ".join(f'{{"ref": "{one["ref"]}", "relation": "…"}}' for one in asked["neighbours"][:1])
    words = ", ".join(asked["relations"])
    return (
        f'\nHow does it relate to {near}\nAnswer with relate_insight(ref="{data["insight"]["ref"]}", '
        f"relations=[{refs}]): {words}."
    )


def rated(data: Any) -> str:
    return _each(data["results"], lambda one: f"{one['ref']}: strength {one['strength']}, {one['status']}")


def insight(data: Any) -> str:
    head = f"[{data['ref']}] {data['kind']} · {data['status']} · {data['trust']} · {data['age_days']:.0f} days old"
    why = f"\n\nWhy: {data['reasoning']}" if data["reasoning"] else ""
    gone = f"\n\nSuperseded by {data['superseded_by']}." if data["superseded_by"] else ""
    return cut(f"{head}\n{data['title']}\n\n{data['body']}{why}{gone}")


def contradiction(data: Any) -> str:
    return f"{data['a']} and {data['b']} wait for a person to settle them (number {data['id']})."


def topics(data: Any) -> str:
    return _each(data["results"], lambda one: f"{one['label']}: {one['count']} (id {one['id']})", "No topics yet.")


def preference(data: Any) -> str:
    return f"{data['key']} = {data['value']} ({data['scope']}, {data['source']})"


def preferences(data: Any) -> str:
    return _each(data["results"], preference, "Nothing is preferred yet.")


def skill(data: Any) -> str:
    return f"{data['name']} · {data['status']}: {data['description']}\n\n{data['instructions']}"


def skill_made(data: Any) -> str:
    if not data["created"]:
        return f"{data['team']} has a skill of this name already ({data['name']}, {data['status']}); it is unchanged."
    return f"{data['name']} is a {data['status']}. A lead of {data['team']} publishes it."


# An orientation says how by the calls of REST, and an agent that has only these tools has no such call.
ACK = re.compile(r" → read: GET sessions/S-\d+/, take over: POST sessions/\{yours\}/ack/ with handoff \"S-\d+\"")
TAKE_OVER = (
    "The handoff above is in get_session_history; it is offered to others too until you take it over, which your first "
    "checkpoint_session or end_session does."
)


def started(data: Any) -> str:
    told = data["orientation"]
    kinds = {pointer["kind"] for pointer in told["pointers"]}
    text = ACK.sub("", told["text"])
    take_over = f"\n{TAKE_OVER}" if "handoff" in kinds else ""
    return f"{text}\n{take_over}\nSession {data['session']}: pass it as `session`."


def handed_over(data: Any) -> str:
    found = [f"Decision: {one['statement']}" for one in data["decisions"]]
    return "\n".join([f"The handoff of {data['session']} is written ({data['state']}).", *found])


def history(data: Any) -> str:
    return cut(_each(data["results"], _session, "No session yet."))


def _session(one: Any) -> str:
    handoff = one["handoff"] or {}
    said = [handoff[name] for name in ("summary", "handoff_note") if handoff.get(name)]
    open_ = [f"- {step}" for step in handoff.get("pending", ())]
    return "\n".join(
        [f"{one['ref']} {one['started_at'][:16]} {one['agent']} {one['user']}: {one['state']}", *said, *open_]
    )


def friction(data: Any) -> str:
    errors = _each(data["errors"], lambda one: f"{one['count']}×: {one['error'][:300]}", "Nothing keeps going wrong.")
    modules = [f"{one['module']}: {one['count']}" for one in data["modules"]]
    return cut("\n".join([errors, *modules]))


def evidence(data: Any) -> str:
    cited = [f"{one['file']}:{one['start_line']}-{one['end_line']}" for one in data.get("evidences", ())]
    files = [one["path"] for one in data.get("files_ranked", ())]
    return cut("\n".join([data.get("content") or "Nothing was found.", *(cited or files)]))


def _each(rows: Iterable[Any], line: Callable[[Any], str], none: str = "") -> str:
    return "\n".join(map(line, rows)) or none
