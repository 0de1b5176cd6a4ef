"""Every line that Loam itself may say to a model, read from the source: what no call of a test needs to bring about."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
# Where the words are written that stand beside others' in a text for a model: a new module in one of these is read too.
PLACES = (
    "sessions_app/answers/rules", "sessions_app/answers/actions", "sessions_app/conversations/rules",
    "sessions_app/handoffs/rules", "sessions_app/rules/orientation.py", "sessions_app/mcp",
    "sessions_app/client/src/hooks", "sessions_app/client/src/delivery/courier.py",
    "knowledge/evidence/rules/briefing.py", "knowledge/evidence/rules/disagreement.py",
)  # fmt: skip
# Modules in them whose words are no lines of a text: why a prompt was answered (a field), what a handoff is made of
# (each line is told as somebody's words), descriptions of tools and routes, prompts, logs. Of commands
# the own words stand behind the fence, but for few, which `OwnLine` tells from others' (`TestLinesOfTheClient`).
NO_TEXT = {
    "gates", "gates_words", "recovery", "server", "routes", "schemas", "prompts", "tool", "gateway", "deadline",
    "entry",
    "plans", "sharing", "tools", "tool_lines",
}  # fmt: skip
# What stands in a place of a template, by the last name in it.
FILLED = {
    "ref": "PLAT-7", "gone": "PLAT-7", "named": "PLAT-7 (today): x",
    "a": "PLAT-7", "b": "PLAT-9", "session": "S-7", "insight": "PLAT-7", "who": "alice", "user": "alice",
    "repo": "acme/shop", "speaker": "user", "age": "newer", "status": "draft", "strength": "42.0",
    "relation": "supersedes", "state": "settled", "count": "3", "more": "3", "left": "3", "tries": "3", "number": "1",
    "pages": "3", "id": "3", "key": "shell", "value": "curl", "scope": "team", "confidence": "0.81", "used": "900",
    "word": "Pinned", "whose": "platform", "source": "PLAT-7 (2026-11-24, by bob, promoted)", "CUT": "[…]",
    "read_topic": 'query_insights(topic="3f2a")', "became": "Saved as a new insight",
    "until": "12:00", "path": "src/a.py", "lifecycle": "fresh", "_preference": "shell = curl (team, explicit)",
    "living": "S-7", "absent": "`x`",
}  # fmt: skip


# A place in a template as it is written.
PLACE = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True)
class OwnLine:
    """How a line of Loam's may begin: as it is written, and with its places filled."""

    template: str
    line: str


# What begins no line: it stands within one, behind its beginning, or in a field of an answer.
PIECES = {
    # calls, which a line names
    'POST query/', 'POST insights/', 'POST ratings/', 'POST sessions/{session}/checkpoint/', 'GET sessions/',
    'POST sessions/{session}/end/', 'GET insights/{ref}/', 'GET skills/{name}/', 'POST query/ with topic "{topic}"',
    'GET sessions/{ref}/', 'GET sessions/{ref}/conversation/', 'POST insights/{ref}/reinstate/',
    'POST sessions/{yours}/ack/ with handoff "{ref}"',
    '{DEPOSIT[via]}(kind="DECISION", session="{session}")', '{"ref": "{one[\'ref\']}", "relation": "…"}',
    # behind the beginning of a line about another insight, of a warning, of a pointer
    "{one.ref} ({_inert(one.title, SHORT_TITLE)}) by {one.by} of {_inert(one.who, 40)}",
    "{what} ({by}): {words}", "That one was {_since(other, 'this')}", "Not reviewed", "That one",
    "{one.newer} is the newer one.", "Find out which holds.", "{self.side}: {self.ref}", "Also edited",
    "{CUT} (the rest: {calls.read_skill(skill.name, via)})", "{whose}, this branch", "Stale, check before use",
    "{inert_line(one.who)}{f' with {spoken_name(one.agent)}' if one.agent else ''}", "Blocked by",
    "{_inert(living.who, 40)}{f' ({what})' if what else ''}{topic}{claims}", "{nothing}; what is nearest is no answer.",
    "{data['status']} · version {data['version']}, published by {who}", "{changed[one]}: {one[0]}",
    # why a prompt was answered: a field
    "The team has no relevant insight.", "{verdict.reason} Surfaced: {', '.join(shown)}.",
    "What was found has nothing that can be quoted.", "Already surfaced: {', '.join(known)}.",
    "Corrects what the session was shown: {gone}. {done.decision.reason}",
    # made inert by the client itself, as all that it prints within a fence
    "- {one['path']}: {one['user']} ({one['session']}), until {str(one['until'])[:16]}Z",
    # logs and names
    "{now()} {name}: {type(error).__name__}: {error}", "{now()} Stop: {type(error).__name__}: {error}",
    "{now()} {path.stem}: {type(error).__name__}: {error}", "{ASKED_CLIENT}:{given.get('session_id')}",
    "{self.agent}:{own}", "CLAUDE_CODE_ENTRYPOINT", "Floor | None", "Amendment | None",
}  # fmt: skip
# A word and what the same author wrote, beside their other words: to write such a line says nothing that they could not
# have said in the field itself. A module with its count, and an item of a list, say nothing by themselves.
THEIR_WORDS = {
    "Why: {inert(item.reasoning.strip())}", "Why: {inert(data['reasoning'])}",
    "Decided: {inert_line(one['statement'], LONGEST_LINE)}", "{label}: {inert_line(str(one), 2 * LONGEST_LINE)}",
    "{label}: {inert_line(value, 4 * LONGEST_LINE)}", "{label}: {_inert(items[0], lengths.step)}",
    "- {decided.rstrip('.') if because else decided}{because}{f' [{ref}]' if ref else ''}",
    "{inert_line(one['module'], 120)}: {one['count']}",
}  # fmt: skip


def own_lines() -> Iterator[OwnLine]:
    """Each beginning of a line that is written in these places."""
    for path in (path for place in PLACES for path in _modules(ROOT / place)):
        for template, line in _written(ast.parse(path.read_text())):
            for wrote, told in zip(template.split("\n"), line.split("\n"), strict=True):
                if _begins_a_line(wrote):
                    yield OwnLine(wrote, told)


def _modules(place: Path) -> list[Path]:
    found = sorted(place.glob("*.py")) if place.is_dir() else [place]
    return [path for path in found if path.stem not in NO_TEXT]


def _begins_a_line(template: str) -> bool:
    """Whether it may: with a capital or the sign of a list, or with a place that words follow. A piece in the middle of
    a line begins with a space, a sign or a small letter.
    """
    said = PLACE.sub(" ", template)
    has_words = len(re.findall(r"[A-Za-z]{2,}", said)) > 1 or re.search(r"[:=] ", said)
    return bool(re.match(r"(?:- )?\*{0,2}[\[(]?(?:[A-Z]|\{)", template) and has_words) or bool(
        re.match(r"[A-Z][a-z]+ \{", template)
    )


def _written(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The texts of a module: as written, and with their places filled. Not its docstrings, patterns and names."""
    passed = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            passed |= {id(part) for part in node.values}
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("re.", "os.")):
            passed |= {id(part) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in passed:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, re.sub(r"\{(\w*)\}", lambda place: FILLED.get(place[1], "PLAT-7"), node.value)
        elif isinstance(node, ast.JoinedStr):
            yield "".join(map(_as_written, node.values)), "".join(map(_filled, node.values))


def _as_written(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"  # type: ignore[attr-defined]


def _filled(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.IfExp):
        return str(getattr(part.value.body, "value", "some words"))
    if "one['source']" in ast.unparse(part):
        return "explicit"
    names = re.findall(r"[A-Za-z_]+", ast.unparse(part.value))  # type: ignore[attr-defined]
    return next((FILLED[name] for name in reversed(names) if name in FILLED), "some words")
