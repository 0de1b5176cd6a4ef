"""Suggest the field that was probably meant by an unknown name.

Language models send the names of other memories and trackers (`content`, `error_signature`, `rating`), and their own
spellings (`maxTokens`). A refusal that names the right field costs them one more call, and not several.
"""

import re
from collections.abc import Collection
from difflib import get_close_matches

# Field → what it is called elsewhere. A name with several fields means the first of them that the call has.
CALLED = {
    "body": "content contents text summary insight message description note lesson details markdown learning",
    "title": "name headline heading subject",
    "kind": "type category insight_type insight_kind",
    "reasoning": "reason why rationale justification explanation",
    "error": "error_signature error_message error_text error_pattern exception traceback stack_trace stacktrace trace",
    "files": "file_patterns file_context file_paths filenames file_names file paths path anchors anchor",
    "symbols": "symbol_names symbol_context symbol functions classes",
    "questions": "question answers asked_as example_questions sample_questions queries",
    "tags": "tag_context tag labels keywords topics",
    "trigger_tags": "tags tag_context",
    "trigger_files": "files globs file_patterns paths",
    "trigger_errors": "errors error error_patterns",
    "repo": "repo_id repository project repo_name project_id",
    "team": "team_id team_slug group workspace",
    "teams": "team team_slugs team_ids",
    "session": "session_id session_key session_ref",
    "verdict": "rating vote feedback helpful outcome score",
    "ref": "insight insight_id insight_ref id reference",
    "insight": "insight_id insight_ref id ref reference",
    "insights": "insight_ids refs ids items",
    "relations": "duplicates supersedes contradicts complements unrelated related relationships",
    "relation": "type kind relationship",
    "query": "question text q search search_query query_text prompt",
    "query_id": "query search_id",
    "reason": "comment why note explanation",
    "instructions": "content body text steps prompt",
    "description": "summary about when_to_use",
    "triggers": "trigger trigger_tags trigger_files trigger_errors",
    "statement": "text preference content rule body",
    "key": "name preference_key",
    "category": "type kind",
    "summary": "content text body description message",
    "handoff_note": "handoff note notes next_session",
    "pending": "next_steps todo todos remaining open_items",
    "blockers": "blocked blocked_by blocking",
    "prompt": "text message query user_prompt",
    "limit": "top_k max_results count n k size per_page page_size",
    "max_tokens": "token_budget budget tokens max_length",
    "provenance": "sources source_files evidence",
    "source": "source_date date created_at learned_at",
    "idempotency_key": "request_id dedup_key",
    "machine": "host hostname",
    "agent": "agent_name agent_type client",
    "paths": "files file_paths",
    "mode": "depth level",
}
_FIELDS: dict[str, list[str]] = {}
for _field, _names in CALLED.items():
    for _name in _names.split():
        _FIELDS.setdefault(_name, []).append(_field)

# A body with a thousand unknown fields is no slip.
MOST_SUGGESTED = 10
# difflib's ratio: `symobls` is .86 alike to `symbols`, `importance` .5 to `insight`.
ALIKE = 0.75
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def unknown_names(given: Collection[object], known: Collection[str], what: str = "field") -> dict[str, list[str]]:
    """Why each unknown name is refused, with the field that was probably meant; {} if all are known.

    `what`: what a name is called in the message.
    """
    unknown = sorted({str(name)[:60] for name in given if name not in known})
    free = [name for name in known if name not in given]
    faults = {}
    for number, name in enumerate(unknown):
        meant = suggestion(name, free) if number < MOST_SUGGESTED else None
        faults[name] = [f"Unknown {what}." + (f" Did you mean `{meant}`?" if meant else "")]
    return faults


def suggestion(name: str, known: Collection[str]) -> str | None:
    """The one of `known` that is probably meant by a name, or None."""
    plain = _HUMP.sub("_", name.strip()).lower().replace("-", "_").replace(" ", "_")
    if plain in known:
        return plain
    meant = next((field for field in _FIELDS.get(plain, ()) if field in known), None)
    return meant or next(iter(get_close_matches(plain, known, n=1, cutoff=ALIKE)), None)
