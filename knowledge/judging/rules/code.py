"""Whether a text is code rather than words about it.

A rule for English cannot read a command: `find -mtime +7` and `find -mtime -7` have the same words, and `rm -r` and `rm
-R` differ only in case. Most of its merges of commands were wrong: it merged 2,969 of 10,593 shell commands, and
nDCG@10 over them fell by .08.
"""

import re

from knowledge.retrieval.rules.relevance import prose

# The share of plain words below which a text is code. Shell commands have .33, functions with their docstrings .66. 1 %
# of developers' sentences are below it, and 13 % of notes that contain blocks of code.
PLAIN = 0.70
# A short sentence about code has fewer ("Retry on 409"), but begins like a sentence.
SENTENCE = 0.5
_SENTENCE = re.compile(r"[A-Z](?:[a-z]+|[A-Z]*)\s")
# The least number of lines that have a shape.
LINES = 3
_BEGINS = re.compile(
    r"\s*(?:def|class|return|import|from|if|for|while|try|except|elif|else|with|raise|public|private|static|function"
    r"|const|let|var|SELECT|INSERT|UPDATE|DELETE|CREATE|sudo)\b|\s*(?:\$|>|#!|@|//|[{}])"
)
_ENDS = re.compile(r"[{};:(\[,\\|=]\s*\Z")
_HOLDS = re.compile(r"\(\)|\s[=|]\s|--\w|=>|==")
_CALL = re.compile(r"\w\(")


def is_code(text: str) -> bool:
    """Return whether the text, or at least half of its lines, has hardly a plain word, or whether it begins with a
    definition.
    """
    plain = prose(text)
    if plain < PLAIN:
        return not (plain >= SENTENCE and _SENTENCE.match(text.strip()))
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < LINES:
        return False
    return bool(_DEFINES.match(lines[0])) or sum(map(_looks_it, lines)) >= len(lines) / 2


_DEFINES = re.compile(r"\s*(?:async\s+def|def|class|function|public|private|static)\s+\w.*[(:{]")


def _looks_it(line: str) -> bool:
    if _BEGINS.match(line) or _ENDS.search(line) or _HOLDS.search(line):
        return True
    call = _CALL.search(line)
    return call is not None and ")" in line[call.end() :]
