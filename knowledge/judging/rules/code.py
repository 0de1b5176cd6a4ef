"""Whether a text is code rather than words about it.

A rule for English cannot read a command: `find -mtime +7` and `find -mtime -7` have the same words, and `rm -r` and
`rm -R` differ by a letter's case. What it merged was mostly something else: of 10,593 shell commands 2,969, and nDCG@10
over them fell by .08.
"""

import re

from knowledge.retrieval.rules.relevance import prose

# The share of plain words below which it is code: shell commands lie at .33, functions at .66 with their docstrings. Of
# developers' sentences 1 % lie below, of notes with blocks of code in them 13 %.
PLAIN = 0.70
# A short sentence about code has fewer: "Retry on 409". But it begins like one.
SENTENCE = 0.5
_SENTENCE = re.compile(r"[A-Z](?:[a-z]+|[A-Z]*)\s")
# Fewer lines than this have no shape.
LINES = 3
_BEGINS = re.compile(
    r"\s*(?:def|class|return|import|from|if|for|while|try|except|elif|else|with|raise|public|private|static|function"
    r"|const|let|var|SELECT|INSERT|UPDATE|DELETE|CREATE|sudo)\b|\s*(?:\$|>|#!|@|//|[{}])"
)
_ENDS = re.compile(r"[{};:(\[,\\|=]\s*\Z")
_HOLDS = re.compile(r"\(\)|\s[=|]\s|--\w|=>|==")
_CALL = re.compile(r"\w\(")


def is_code(text: str) -> bool:
    """Hardly a plain word in it, or in at least half of its lines, or beginning with a definition."""
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
