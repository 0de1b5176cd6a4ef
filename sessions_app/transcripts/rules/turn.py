"""A turn of a transcript, and which of its characters its author says in prose.

A transcript is data somebody else's program wrote down. Roles are `user`, `assistant`, and for what a tool was asked
and answered anything else, `tool` by custom: its first line is the call ("Edit src/a.py", "Bash pytest -q"), the rest
what came back. Text of a user or a tool is never taken for the assistant's word. `prose` blanks out what is shown
rather than said (code, quotations, output), with blanks of the same length, so that a place found in it is the same
place in the text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

USER, ASSISTANT = "user", "assistant"

# A transcript is read from its end: what was decided and left open last is what the next session needs. 400 turns of
# 20,000 characters bound the work to about a second; a day's session of an agent has some 200 turns of prose.
MOST_TURNS = 400
LONGEST_TURN = 20_000


@dataclass(frozen=True)
class Turn:
    """One message. `role` as the agent's own file has it; `at` an ISO time or empty."""

    role: str
    text: str
    at: str = ""


def recent(turns: Sequence[Turn]) -> list[tuple[int, Turn]]:
    """The last turns with their places in the whole, each no longer than is read."""
    first = max(0, len(turns) - MOST_TURNS)
    return [
        (at, Turn(turn.role, turn.text[:LONGEST_TURN], turn.at)) for at, turn in enumerate(turns[first:], start=first)
    ]


_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_TAGGED = re.compile(
    r"<(tool[\w-]*|function[\w-]*|system[\w-]*|output|stdout|stderr|thinking|example|quote|blockquote)\b[^<>]*>"
    r".*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_BLOCKQUOTE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_QUOTED = re.compile(r"“[^”\n]{3,400}”|«[^»\n]{3,400}»|„[^“\n]{3,400}“|(?<![\w])\"[^\"\n]{3,400}\"(?!\w)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_OUTPUT = re.compile(r"^[ \t]*(?:\$ |>>> |⎿|│|\[\d\d:\d\d|\d{4}-\d\d-\d\d[ T]\d\d:\d\d).*$", re.MULTILINE)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n).){1,300}?(?<!`)\1(?!`)", re.DOTALL)


def prose(text: str) -> str:
    """The text with what is not its author's own prose blanked out, as long as before, line for line."""
    for shown in (_FENCED, _TAGGED, _COMMENT, _BLOCKQUOTE, _OUTPUT, _QUOTED):
        text = shown.sub(lambda match: _blank(match.group()), text)
    # Code within a sentence is part of it: a word that means nothing stands for it.
    return _CODE.sub(lambda match: _blank(match.group(), "x"), text)


def _blank(text: str, mark: str = " ") -> str:
    return "".join(char if char == "\n" else mark for char in text)
