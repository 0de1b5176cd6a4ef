"""Render the API's answers as text for an agent: short, with what others wrote in a fence, and with what to do next.

Each function takes an answer of the API and the arguments of the tool's call.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from accounts.rules.fence import inert, inert_line, whose
from accounts.rules.imitations.own_lines import SEARCH_LINE
from accounts.rules.spoken_names import spoken_name
from sessions_app.answers.rules import calls
from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.item_forms import TRUST_MARKS, begins_with
from sessions_app.conversations.rules.excerpts import whole
from sessions_app.mcp.tool_result import ToolText

MCP = Interface.MCP
Given = Mapping[str, Any]
LONGEST_LINE = 240


def answer(data: Any, given: Given) -> ToolText:
    """Return the text of the query itself: fenced, within its budget, with the call that rates it."""
    return ToolText(own=data["text"])


def rated(data: Any, given: Given) -> ToolText:
    said = [f"{one['ref']}: strength {one['strength']}, {one['status']}." for one in data["results"]]
    return ToolText(own="\n".join([*said, *(f"{one['ref']}: noted." for one in data["conversations"])]))


def insight(data: Any, given: Given) -> ToolText:
    """Return an insight in full, with its state and the files it was learned from."""
    head = f"[{data['ref']}] {data['kind']} · {data['status']} · {data['confidence']} confidence"
    learned = data["source"]["date"] or data["created_at"]
    who = whose(data["author"], data["source"]["type"])
    head += f" · {learned[:10]} · {who}{TRUST_MARKS.get(data['trust'], '')}"
    files = f"\nFiles: {inert_line(', '.join(data['files']), 400)}" if data["files"] else ""
    why = f"\n\nWhy: {inert(data['reasoning'])}" if data["reasoning"] else ""
    gone = data["superseded_by"]
    next_ = f"Superseded by {gone}: {calls.read_insight(gone, MCP)}." if gone else _beside(data["related"])
    title = inert_line(data["title"])
    titled = "" if begins_with(data["body"], title) else f"{title}\n"
    return ToolText(foreign=f"{head}\n{titled}{inert(data['body'])}{why}{files}", own=next_)


# The relation of another insight to the one that is read, if nobody has settled it, with the call that reads the other.
BESIDE = {
    ("superseded_by", "proposed"): "Proposed to be replaced by {}; not reviewed.",
    ("supersedes", "proposed"): "Proposed to replace {}; not reviewed.",
    ("superseded_by", "settled"): "It was replaced by {}, until a lead took that back.",
    ("supersedes", "settled"): "It was to replace {}; a lead decided otherwise.",
    ("contradicts", "open"): "Contradicted by {}; not settled.",
    ("complements", "settled"): "See also {}.",
}
NEWER = "Newer and close to this: {}; it may replace this or be about something else."
OLDER = "Older and close to this: {}; this may replace it or be about something else."
# The number of further insights that are named.
NAMED = 3


def _beside(related: Any) -> str:
    """Return the relations of an insight to others, one line each."""
    lines = []
    for one in related[:NAMED]:
        told = BESIDE.get((one["relation"], one["state"]), NEWER if one["newer"] else OLDER)
        lines.append(told.format(calls.read_insight(one["ref"], MCP)))
    return "\n".join(lines)


def contradiction(data: Any, given: Given) -> ToolText:
    return ToolText(own=f"{data['a']} and {data['b']} wait for a person to settle them (number {data['id']}).")


def proposed_edit(data: Any, given: Given) -> ToolText:
    return ToolText(
        own=f"Edit of {data['insight']} suggested (number {data['id']}). A lead decides; nothing changed yet."
    )


def topics(data: Any, given: Given) -> ToolText:
    rows = data["results"]
    listed = _each(rows, _topic)
    if not rows:
        return ToolText(own="No topics yet.")
    return ToolText(foreign=listed, own=f"One of them: {calls.read_topic('…', MCP)}, with its id.")


def _topic(one: Any) -> str:
    by = "named by a person" if one["named"] else "grouped by rule"
    return f"{inert_line(one['label'], 90)}: {one['count']} (id {one['id']}, {by})"


def preference(data: Any, given: Given) -> ToolText:
    return ToolText(own=f"Set: {_preference(data)}")


def preferences(data: Any, given: Given) -> ToolText:
    rows = data["results"]
    return ToolText(foreign=_each(rows, _preference)) if rows else ToolText(own="Nothing is preferred yet.")


def _preference(one: Any) -> str:
    return f"{inert_line(one['key'])} = {inert_line(one['value'])} ({one['scope']}, {one['source']})"


def skill(data: Any, given: Given) -> ToolText:
    """Return a skill in full. It is fenced as data, although the team has published it."""
    who = inert_line(data["published_by"] or data["author"] or "somebody who left", 40)
    published = f"{data['status']} · version {data['version']}, published by {who}"
    state = f"draft of {who}, not reviewed" if data["unpublished"] else published
    head = f"skill {data['name']} · {data['team']} · {state}: {inert_line(data['description'])}"
    return ToolText(foreign=f"{head}\n\n{inert(data['instructions'])}")


def skill_made(data: Any, given: Given) -> ToolText:
    if not data["created"]:
        own = f"{data['team']} has this skill already ({data['name']}, {data['status']}); it is unchanged."
        return ToolText(own=own)
    return ToolText(own=f"{data['name']} is a {data['status']}. A lead of {data['team']} publishes it.")


def started(data: Any, given: Given) -> ToolText:
    """Return the orientation as the API built it, and the session's id."""
    return ToolText(own=f"{data['orientation']['text']}\nSession {data['session']}: pass it as `session`.")


def handed_over(data: Any, given: Given) -> ToolText:
    """Return that the handoff is written, and the decisions that were found."""
    found = "".join(f"\nDecision kept: {inert_line(one['statement'], LONGEST_LINE)}" for one in data["decisions"])
    if data["handoff"] is None:
        return ToolText(own=f"The session is {data['state']}; there was nothing to hand over.{found}")
    ended = data["state"] == "ended"
    done = (
        "Ended; the next session here is offered this handoff."
        if ended
        else "Checkpoint kept; a later one replaces it."
    )
    return ToolText(own=f"{done}{found}")


def handoff_taken(data: Any, given: Given) -> ToolText:
    """Return a handoff that the caller has taken over."""
    own = f"The handoff of {data['session']} is yours; it is offered to nobody else. Go on from it, then checkpoint."
    return _handed(data, own)


def session(data: Any, given: Given) -> ToolText:
    """Return one session with its full handoff, and how to take it over."""
    head = _session_head(data)
    if not data["handoff"]:
        said = calls.read_conversation(data["ref"], MCP)
        return ToolText(
            foreign=head, own=f"It left no handoff. What was said in it, as far as you may read it: {said}."
        )
    over = data["handoff"]["acknowledged_at"]
    who = data["handoff"]["acknowledged_by"] or "somebody who left"
    own = f"Taken over by {inert_line(who, 60)}." if over else f"To go on with it: {calls.take_over(data['ref'], MCP)}."
    return _handed(data["handoff"], own, head)


def conversation(data: Any, given: Given) -> ToolText:
    """Return what was said in a session, in order; for a long one its beginning, and how to read the rest."""
    turns = [(one["speaker"], one["said_at"], one["text"]) for one in data["passages"]]
    left = f"{data['left']} more passages are on the session's page." if data["left"] else ""
    return ToolText(foreign=whole(data["session"], data["user"], data["repo"], turns), own=left)


def _handed(handoff: Any, own: str, head: str = "") -> ToolText:
    """Return a handoff: the API's own text if it has one, which is fenced and names the call; otherwise its fields."""
    if text := handoff.get("text"):
        is_open = handoff["acknowledged_at"] is None
        return ToolText(own=text if is_open else f"{text}\n{own}")
    return ToolText(foreign="\n".join(filter(None, [head, handoff_lines(handoff)])), own=own)


# The parts of a handoff's text, in the order in which the next session needs them.
PARTS = (
    ("summary", "Summary"),
    ("handoff_note", "Note"),
    ("pending", "Next"),
    ("blockers", "Blocked by"),
    ("files", "Files"),
    ("facts", "Recorded"),
    ("interpretation", "Concluded by rule, may be wrong"),
)


def handoff_lines(data: Any) -> str:
    """Return the fields of a handoff in order."""
    lines = [f"Handoff, {data['state']}, as of {data['as_of'][:16]}, not reviewed"]
    for name, label in PARTS:
        value = data.get(name)
        if isinstance(value, list):
            lines += [f"{label}: {inert_line(str(one), 2 * LONGEST_LINE)}" for one in value]
        elif value:
            lines.append(f"{label}: {inert_line(value, 4 * LONGEST_LINE)}")
    lines += [f"Decided: {inert_line(one['statement'], LONGEST_LINE)}" for one in data.get("decisions", ())]
    return "\n".join(lines)


def claimed(data: Any, given: Given) -> ToolText:
    """Return which of the requested files others have claimed; the caller holds the rest."""
    others = data["held_by_others"]
    mine = ", ".join(inert_line(one["path"], 120) for one in data["claims"][:10])
    held = f"Claimed: {mine}." if mine else ""
    if not others:
        return ToolText(own=held)
    lines = _each(
        others[:10],
        lambda one: (
            f"{inert_line(one['path'], 120)}: {inert_line(one['user'], 40)}, {one['session']}, "
            f"until {one['until'][11:16]} UTC"
        ),
    )
    return ToolText(
        before=f"{held} Another live session works on this:".strip(),
        foreign=lines,
        own="Leave it to them, or ask your user before you edit it.",
    )


def history(data: Any, given: Given) -> ToolText:
    rows = data["results"]
    if not rows:
        return ToolText(own="No session yet.")
    read = calls.read_session(next((one["ref"] for one in rows if one["handoff"]), rows[0]["ref"]), MCP)
    told = "\n".join(["What sessions left, not reviewed:", *map(_session, rows)])
    return ToolText(foreign=told, own=f"One in full: {read}.")


def _session_head(one: Any) -> str:
    about = [one["ref"], one["started_at"][:16], inert_line(one["user"], 40), spoken_name(one["agent"], 30)]
    return " ".join(filter(None, [*about, spoken_name(one["branch"], 40)])) + f": {one['state']}"


def _session(one: Any) -> str:
    handoff = one["handoff"] or {}
    said = next((handoff[name] for name in ("handoff_note", "summary") if handoff.get(name)), "")
    steps = [f"- {inert_line(step, 120)}" for step in handoff.get("pending", ())[:3]]
    return "\n".join(filter(None, [_session_head(one), inert_line(said, LONGEST_LINE), *steps]))


def friction(data: Any, given: Given) -> ToolText:
    if not data["errors"]:
        return ToolText(own="Nothing keeps going wrong.")
    errors = _each(
        data["errors"],
        lambda one: f"{one['count']}× (recorded, of {one['people']} people): {inert_line(one['error'], 300)}",
    )
    modules = [f"{inert_line(one['module'], 120)}: {one['count']}" for one in data["modules"]]
    own = "If you find the cause of one: deposit_insight, with the error as `error`."
    return ToolText(foreign="\n".join([errors, *modules]), own=own)


# From this confidence on the text says that the evidence answers; below, that it may.
SURE = 0.75
# The number of unsearched files that an answer names.
MOST_UNSEARCHED = 3


def evidence(data: Any, given: Given) -> ToolText:
    """Return the briefing with its places; the nearest passages if nothing answers; otherwise the files that were
    found.
    """
    notes = ", ".join(calls.read_insight(one["ref"], MCP) for one in data.get("insights", ())[:2])
    beside = f"The team has notes on it: {notes}." if notes else ""
    files = _each(data.get("files_ranked", ()), lambda one: inert_line(one["path"], 200))
    content = data.get("content") or ""
    left_out = _unsearched(data.get("skipped", ()))
    if data.get("evidences"):
        sure = data["confidence"] >= SURE
        said = "From these files, not reviewed; read them for more." if sure else "It may answer; read the files first."
        own = " ".join(filter(None, [f"Confidence {data['confidence']:.2f}.", said, beside, _spent(data.get("calls"))]))
        return ToolText(foreign=_joined(inert(content, SEARCH_LINE), left_out), own=own)
    if content:  # what was searched, and which passages are nearest
        nothing = "No file of the searched sources answers this"
        own = f"{nothing}; what is nearest is no answer." if data.get("nearest") else f"{nothing}."
        return ToolText(
            foreign=_joined(inert(content, SEARCH_LINE), left_out),
            own=" ".join(filter(None, [own, beside, _spent(data.get("calls"))])),
        )
    if not files:
        own = "\n".join(filter(None, ["No file of the searched sources speaks of this.", beside]))
        return ToolText(foreign=left_out, own=own)
    return ToolText(foreign=_joined(f"Files:\n{files}", left_out), own=beside)


def _joined(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))


def _unsearched(skipped: Sequence[Any]) -> str:
    """Return which files were not searched, the first few by name."""
    if not skipped:
        return ""
    named = [f"{inert_line(one['path'], 120)} ({inert_line(one['reason'], 100)})" for one in skipped[:MOST_UNSEARCHED]]
    more = f" and {len(skipped) - MOST_UNSEARCHED} more" if len(skipped) > MOST_UNSEARCHED else ""
    return f"Not searched: {', '.join(named)}{more}."


def saved_answer(data: Any, given: Given) -> ToolText:
    """Return one saved answer with its places."""
    own = f"Confidence {data['confidence']:.2f}, {data['lifecycle']}. From files, not reviewed."
    return ToolText(foreign=f"{inert_line(data['name'])}\n\n{inert(data['content'], SEARCH_LINE)}", own=own)


def saved_answers(data: Any, given: Given) -> ToolText:
    """Return the saved answers, one line each."""
    rows = _each(
        data["results"],
        lambda one: f"[{one['id']}] {one['lifecycle']}, {one['confidence']:.2f}: {inert_line(one['name'], 160)}",
    )
    if not rows:
        return ToolText(own="No search has saved an answer yet.")
    return ToolText(foreign=rows, own="From files, not reviewed.")


def _spent(calls_: Any) -> str:
    """Return the cost of a search's language model."""
    if not calls_:
        return ""
    used = sum(one["prompt_tokens"] + one["completion_tokens"] for one in calls_)
    return f"{sum(one['tries'] for one in calls_)} model calls, {used:,} tokens."


def _each(rows: Iterable[Any], line: Callable[[Any], str]) -> str:
    return "\n".join(map(line, rows))
