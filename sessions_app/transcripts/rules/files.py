"""Find the files that a turn changed, from tables of how agents and their tools report it.

Covers the transcripts of Claude Code, Codex (`apply_patch`), Aider, Cline and Cursor, and sentences of the assistant in
the past tense. What a user says, what is only read or named, and code that is shown change nothing.
"""

import re
from collections.abc import Iterator, Sequence

from knowledge.retrieval.rules.locality import repo_path
from sessions_app.transcripts.rules.turn import ASSISTANT, USER, Turn, prose

# A path in machine output; longer ones are not paths.
_PATH = r"(?P<path>[^\s\"'`<>|*?():,;]{1,200})"
_EDITS = (
    r"(?:Edit|MultiEdit|Write|NotebookEdit|Update|Create|create|edit|write|insert|str_replace(?:_editor|_based_edit_tool)?|"
    r"edit_file|write_file|create_file|write_to_file|replace_in_file|insert_edit_into_file|search_replace|apply_diff|"
    r"edit_notebook|delete_file|replace_string_in_file|multi_replace_string_in_file|replace|insert_content)"
)
BY_TOOL = (
    # "Edit src/a.py", "Write(src/a.py)": the first line of a tool's turn.
    re.compile(rf"\A\s*(?:[⏺●•]\s*)?{_EDITS}[ (:]+[\"'`]?{_PATH}"),
    # "Edited src/a.py": how `loam` records an edit by a tool.
    re.compile(rf"\A(?:Edited|Created|Updated|Wrote|Deleted|Changed) {_PATH}\s*\Z"),
    # A call as JSON: {"name": "Edit", "input": {"file_path": "src/a.py"}}
    re.compile(
        rf"\A\s*(?:{_EDITS}\b|\{{[^{{}}]{{0,200}}\"(?:name|tool|tool_name)\"\s*:\s*\"{_EDITS}\")[^\0]{{0,400}}?"
        rf"\"(?:file_path|filePath|target_file|notebook_path|path)\"\s*:\s*\"{_PATH}\""
    ),
    # Patches of Codex and others.
    re.compile(rf"^\*\*\* (?:Update|Add|Delete) File: {_PATH}", re.MULTILINE),
    re.compile(rf"^\*\*\* Move to: {_PATH}", re.MULTILINE),
    # Aider.
    re.compile(rf"^Applied edit to {_PATH}", re.MULTILINE),
    # Cline.
    re.compile(rf"^\[(?:write_to_file|replace_in_file|apply_diff|insert_content) for '{_PATH}'\]", re.MULTILINE),
)
BY_ASSISTANT = (
    re.compile(r"<(?:write_to_file|replace_in_file|apply_diff|insert_content)>\s*<path>\s*" + _PATH + r"\s*</path>"),
    re.compile(rf"^[^\S\n]*[⏺●]\s*{_EDITS}\({_PATH}\)", re.MULTILINE),
)
# "I've updated `src/a.py`": the name must look like a file name.
SAID = re.compile(
    r"(?:^|[.!]\s+|\b(?:I|we|I've|we've|I’ve|we’ve|have|and)\s+)(?:also\s+|now\s+|just\s+)?"
    r"(?:edited|created|updated|modified|changed|rewrote|wrote|deleted|renamed|patched)\s+(?:the\s+file\s+)?"
    r"`(?P<path>[\w@.~+/\\-]{1,200})`",
    re.IGNORECASE | re.MULTILINE,
)
_FILE = re.compile(
    r"(?:[A-Za-z]:[/\\]|/)?+(?:[\w@.~+\[\]-]++[/\\])*+(?:[\w@~+-]*\.[\w+-]+|[\w@~+-]*[\w+-])(?:\.\w{1,12})?$"
)
_FAILED = re.compile(
    r"^(?:<?(?:tool_use_)?error|failed|no such file|file not found|string to replace not found|permission denied)",
    re.IGNORECASE,
)


def changed(turn: Turn, repo: str = "") -> Iterator[str]:
    """Yield the paths that a turn changed, relative to the repository, in their order."""
    if turn.role == USER:
        return
    for path in _named(turn):
        # An argument of a tool is a path; in a sentence a name has to look like one.
        if _FILE.match(path) and ("." in path or "/" in path or turn.role != ASSISTANT):
            yield repo_path(path.rstrip("."), repo)


# A shell command that commits, and the output if nothing was committed.
_COMMIT = re.compile(r"\A[^\n]*\bgit(?: -\S+(?: (?!-\S)\S+)?)*? commit\b")
_NO_COMMIT = re.compile(
    r"nothing (?:added )?to commit|no changes added|aborting commit|hook (?:failed|exited)|^(?:fatal|error):",
    re.IGNORECASE | re.MULTILINE,
)


def commits(turn: Turn) -> bool:
    """Return whether a tool committed in this turn, as far as its output shows."""
    if turn.role in (USER, ASSISTANT):
        return False
    call, _, answer = turn.text.strip().partition("\n")
    return bool(_COMMIT.match(call)) and not _NO_COMMIT.search(answer)


def uncommitted(turns: Sequence[Turn], repo: str = "") -> list[str]:
    """Return the paths changed after the last commit, ordered by their last change."""
    paths: dict[str, None] = {}
    for turn in turns:
        if commits(turn):
            paths.clear()
        for path in changed(turn, repo):
            paths.pop(path, None)
            paths[path] = None
    return list(paths)


def _named(turn: Turn) -> Iterator[str]:
    if turn.role == ASSISTANT:
        yield from (match["path"] for table in BY_ASSISTANT for match in table.finditer(turn.text))
        yield from (match["path"] for match in SAID.finditer(_outside_blocks(turn.text)))
    elif not _refused(turn.text):
        yield from (match["path"] for table in BY_TOOL for match in table.finditer(turn.text))


def _refused(text: str) -> bool:
    """Return whether the tool reported that it changed nothing."""
    _, _, answer = text.strip().partition("\n")
    return bool(_FAILED.match(answer.strip()))


def _outside_blocks(text: str) -> str:
    """Return the prose of the text, including code within sentences, without code blocks."""
    shown = prose(text)
    return "".join(char if mark != " " else " " for char, mark in zip(text, shown, strict=True))
