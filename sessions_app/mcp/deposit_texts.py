"""The text that an agent receives for a deposit: its outcome, and how to state its relation to the notes near it."""

from typing import Any

from accounts.rules.fence import inert_line, whose
from sessions_app.mcp.result_texts import LONGEST_LINE, Given
from sessions_app.mcp.tool_result import ToolText

BECAME = {
    "inserted": "Saved as a new insight",
    "merged": "The team knew this already; it is stronger now",
    "superseding": "Saved, in place of what it replaces",
    "proposed": "Saved, and served before what it is proposed to replace until a lead has decided",
    "queued": "Saved; served beside what it is close to until somebody has said how they relate",
}


def deposited(data: Any, given: Given) -> ToolText:
    """Return the outcome of a deposit; then, if its agent is asked about neighbours, these and the call to
    answer with.
    """
    insight_ = data["insight"]
    became = BECAME.get(data["outcome"], data["outcome"])
    old = f" It supersedes {', '.join(data['supersedes'])}." if data.get("supersedes") else ""
    masked = " Personal data in it was masked." if data.get("redactions") else ""
    stated = "".join(f"\n{_stated(one)}" for one in data.get("related") or ())
    done = f"{became}: {insight_['ref']} “{inert_line(insight_['title'])}”.{old}{masked}{stated}"
    return _asked(data, done)


def related(data: Any, given: Given) -> ToolText:
    """Return the outcome of each relation that was stated."""
    told = "\n".join(_stated(one) for one in data["related"])
    merged = f"\nIt is part of {data['insight']['ref']} now." if data["outcome"] == "merged" else ""
    return _asked(data, f"{told}{merged}")


REASONS = {
    "differs": "the two differ in {cues}: is it `supersedes`, `contradicts` or `complements`?",
    "differs_alone": "the two differ in {cues} and in hardly anything else: is it `supersedes` or `contradicts`? If "
    "both hold, say it again with a `note` of what tells them apart",
    "other_kind": "they are of two kinds, like advice and its warning: `complements` links them",
    "not_alike": "the texts are not similar",
    "not_alike_linked": "the texts are not similar: readers see it once a lead or the other note's author confirms it",
    "far": "the texts are not near: readers of a confirmed note see it once yours is confirmed, or its author agrees",
    "rejected_before": "a lead has rejected nearly the same before, so a lead decides",
    "other_repo": "they are of two repositories: neither is merged, and a lead decides what replaces what",
    "older": "yours is dated before it",
    "settled": "a lead has settled it",
    "not_current": "one of the two is no longer current",
    "protected": "the team has confirmed it, so a lead decides",
    "pending": "a lead has yet to decide on that one, so a lead decides",
    "reviewed": "it is promoted and its team requires a second reviewer: suggest the change",
    "daily_limit": "your agents have replaced or proposed to replace many notes of others today, so a lead decides",
    "too_many": "your agents have reached today's limit of statements about others' notes: tell a lead, or try again "
    "tomorrow",
    "of_everyone": "it is somebody else's in the team of everyone, so a lead decides",
    "put_back": "its author has restored it before, so a lead decides",
}


def _stated(one: Any) -> str:
    cues = "; ".join(
        f"{cue['kind']} ({', '.join(cue['first']) or '–'} / {', '.join(cue['second']) or '–'})" for cue in one["cues"]
    )
    reason = one["reason"]
    if reason == "differs" and one["relation"] in ("complements", "unrelated"):
        reason = "differs_alone"
    if reason == "not_alike" and (one["relation"], one["state"]) == ("complements", "open"):
        reason = "not_alike_linked"
    why = REASONS.get(reason, "").format(cues=inert_line(cues, LONGEST_LINE))
    because = f" ({why})" if why else ""
    followed = f" {one['instead_of']} has given way to {one['ref']}." if one.get("instead_of") else ""
    return f"{one['relation']} {inert_line(one['ref'])}: {one['state']}{because}.{followed}"


# The meaning of each relation, shown when the agent is asked for one.
MEANS = (
    "duplicates (says the same), supersedes (yours is how it is now), contradicts (not both can be right), complements "
    "(both hold), unrelated"
)


def _asked(data: Any, done: str) -> ToolText:
    asked = data.get("ask")
    if not asked:
        return _named(data, done)
    near = asked["neighbours"]
    told = "\n".join(
        f"[{one['ref']}] {one['kind']} · {one['status']} · {one['age_days']:.0f} days old · "
        f"{_of_repository(one)}{whose(one['author'], one['source_type'])}: {inert_line(one['text'])}"
        for one in near
    )
    ref, refs = data["insight"]["ref"], ", ".join(f'{{"ref": "{one["ref"]}", "relation": "…"}}' for one in near)
    question = f'How does it relate? relate_insight(ref="{ref}", relations=[{refs}]), each one of {MEANS}.'
    return ToolText(before=done, foreign=told, own=question)


def _of_repository(one: Any) -> str:
    """Return which other repository it belongs to."""
    return f"{inert_line(one['repo'])} · " if one.get("repo") else ""


def _named(data: Any, done: str) -> ToolText:
    """Return the nearest notes, and what to do if the new one is about the same thing; only `done` if there are
    none.
    """
    near = data.get("near")
    if not near:
        return ToolText(own=done)
    told = "\n".join(f"[{one['ref']}] {one['age_days']:.0f} days old: {_beginning(one)}" for one in near)
    call = f'relate_insight(ref="{data["insight"]["ref"]}", relations=[{{"ref": "…", "relation": "supersedes"}}])'
    question = f"These are the nearest. If yours replaces one: {call}; or duplicates, contradicts. Else go on."
    return ToolText(before=done, foreign=told, own=question)


def _beginning(one: Any) -> str:
    """Return the title and the text after it; the text alone if it begins with the title."""
    title, text = inert_line(one["title"]), inert_line(one["text"])
    cut = title.endswith("…") and text.startswith(title.rstrip("…").rstrip())
    return text if cut else ": ".join(filter(None, (title, text)))
