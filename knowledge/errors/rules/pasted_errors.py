"""Separate a stack trace or error output from the question it was pasted into.

The text is read line by line. A line is error output if its layout says so (a stack frame, a compiler diagnostic, an
exception with its message, a log line of level error), or if it stands next to such a line and does not read like a
sentence. A fenced block with one such line is error output as a whole. The other lines are the question.

A sentence that mentions an error stays part of the question. The exception: an error with its message in backticks,
or after a colon at the end of a one-line question.
"""

import re
from dataclasses import dataclass

from knowledge.errors.rules.fingerprint import after_log_prefix
from knowledge.errors.rules.fingerprint_traces import ERROR_NAME, NAMED_ERROR
from knowledge.retrieval.rules.relevance import prose

# The layouts that `fingerprint_traces` reads, one line at a time: what a line begins with, leading blanks apart.
LAYOUTS = (
    (
        "python",
        r'(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):|File "[^"\n]{1,400}", line \d'
        r"|The above exception was the direct cause of|During handling of the above exception",
    ),
    ("pytest", r"E {3,}\S|\S{1,300}\.py:\d{1,9}: \w+$|(?:FAILED|ERROR) \S{1,300}::\S"),
    (
        "at frames",
        r"at (?:async |new )*[^()\n]{1,300} ?\((?:[^()\n]{1,400}:\d{1,9}(?::\d{1,9})?|native|<anonymous>|Native Method"
        r"|Unknown Source)\)|at (?:async )?\S{1,400}:\d{1,9}:\d{1,9}$"
        r"|at [\w.`<>$+\[\],]{1,300}\([^()\n]{0,300}\)(?: in \S.{0,400}:line \d{1,9})?$",
    ),
    (
        "javascript",
        r"node:internal/\S{1,200}:\d{1,9}$|\[cause\]: |Uncaught (?:\(in promise\) )?\w{0,80}(?:Error|Exception)\b"
        r"|[\w$.<>/*]{0,200}@\w{2,10}://\S{1,400}:\d{1,9}:\d{1,9}$",
    ),
    (
        "java and .net",
        r"Caused by: |---> |\.\.\. \d{1,4} (?:more|common frames)|Exception in thread \"|Unhandled exception[.:]",
    ),
    (
        "go",
        r"panic: |fatal error: |goroutine \d{1,9} \[|\S{1,300}\.(?:go|s):\d{1,9} \+0x"
        r"|\./\S{1,300}\.go:\d{1,9}:\d{1,9}: ",
    ),
    (
        "rust",
        r"thread '[^'\n]{0,200}'.{0,40} panicked|error\[E\d{4}\]|--> \S{1,400}:\d{1,9}:\d{1,9}"
        r"|note: run with `RUST_BACKTRACE",
    ),
    ("ruby and php", r"(?:from )?\S{1,400}:\d{1,9}:in [`']|PHP (?:Fatal|Parse|Warning)"),
    (
        "numbered frames",
        r"==\d{1,9}==\s?ERROR|Program received signal |Segmentation fault(?: \(core dumped\))?$|Aborted \(core dumped\)"
        r"|#\d{1,4}:? {1,4}(?:0x[0-9a-f]{1,16} in |\S{1,400}\(\d{1,9}\): |.{1,200} at \S{1,400}:\d{1,9}$|\{main\})",
    ),
    (
        "compilers",
        r"\S{1,400}(?::\d{1,9}(?::\d{1,9})?|\(\d{1,9}(?:,\d{1,9})?\)):? (?:- )?(?:fatal )?error\b|\S{1,300}: error:"
        r"|\S{0,300}: undefined reference to ",
    ),
    (
        "tools",
        r"make(?:\[\d{1,4}\])?: \*\*\* |npm ERR! |npm error "
        r"|(?:fatal|FATAL|[Ee]rror|ERROR|FAIL|CRITICAL|panic)(?: [A-Z]+\d{2,6})?: {1,4}\S"
        r"|(?:[Pp]rocess )?exit(?:ed)?(?: with)? (?:code|status)[: ]{1,2}\d",
    ),
    (
        "shells",
        r"\S{1,300}: (?:line \d{1,9}: )?\S.{0,200}: (?:command not found|No such file or directory|Permission denied"
        r"|Is a directory|Not a directory|No space left on device|not found)$",
    ),
)
# Some trees of exceptions are drawn with bars.
_LAYOUT = re.compile(r"(?:[|+]\s{1,8}){0,3}(?:" + "|".join(pattern for _, pattern in LAYOUTS) + ")")
_ERROR_LEVEL = re.compile(r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|[Ee]rror|[Ff]atal|[Cc]ritical)\b")
_CONTAINER = re.compile(r"[\w.-]{1,40} {1,8}\| ")
_QUOTED = re.compile(rf"`({ERROR_NAME}(?: \[\w{{1,60}}\])?: [^`\n]{{1,600}})`")
_LAST = re.compile(rf":\s{{1,4}}(?:\"({ERROR_NAME}: [^\"\n]{{1,600}})\"|({ERROR_NAME}: .{{1,600}}))$")
# What may stand right before error output and belong to it: indented code, a place, the head of a list.
_LEADS = re.compile(r"\s{1,40}\S|>\s|#\s\S{1,200}/\S{1,200}$|\S{0,300}[/.]\S{0,300}:(?:\s|$)|\S{1,300}:\d{1,9}$")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
# With this share of plain words a line next to error output is the person's own.
SENTENCE_SHARE = 0.7


@dataclass(frozen=True)
class SplitQuestion:
    """`question`: what was asked, unchanged if no error was pasted; `error`: the error output, or ""."""

    question: str
    error: str = ""


def split_question(text: str) -> SplitQuestion:
    """The question and the error output in a text. No line is in both."""
    lines = text.split("\n")
    if len(lines) == 1:
        return SplitQuestion("", text.strip()) if _is_output(text) else _part_sentence(text)
    marks = _marks(lines)
    if not any(marks):
        return _part_sentence(text)
    both = list(zip(lines, marks, strict=True))
    error = "\n".join(line for line, mark in both if mark and not _FENCE.match(line))
    return SplitQuestion(_tidy("\n".join(line for line, mark in both if not mark)), error.strip("\n"))


def _part_sentence(text: str) -> SplitQuestion:
    found = _QUOTED.search(text) or _LAST.search(text)
    if found is None:
        return SplitQuestion(text)
    error = next(group for group in found.groups() if group)
    return SplitQuestion(_tidy(f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}"), error.strip())


def _tidy(question: str) -> str:
    """Without the blank lines that a cut leaves and the colon that announced what was cut."""
    return "\n".join(line for line in question.split("\n") if line.strip()).strip().rstrip(":").rstrip()


def _marks(lines: list[str]) -> list[bool]:
    """For each line whether it is error output."""
    marks = [_is_output(line) for line in lines]
    for start, end in _fences(lines):
        if any(marks[start:end]):
            marks[start : end + 1] = [True] * (end + 1 - start)
    inside = announces = False
    for at, line in enumerate(lines):
        if line.strip():
            follows = inside and (announces or not _is_sentence(line))
            announces = marks[at] and line.rstrip().endswith(":")
            inside = marks[at] = marks[at] or follows
    for at in range(len(lines) - 2, -1, -1):
        marks[at] = marks[at] or (marks[at + 1] and bool(_LEADS.match(lines[at])))
    return marks


def _fences(lines: list[str]) -> list[tuple[int, int]]:
    """First and last line of each fenced block; a block that is not closed ends with the text."""
    at = [number for number, line in enumerate(lines) if _FENCE.match(line)]
    if len(at) % 2:
        at.append(len(lines) - 1)
    return list(zip(at[::2], at[1::2], strict=True))


def _is_output(line: str) -> bool:
    """Whether a program wrote this line about an error, by its layout."""
    found = _CONTAINER.match(line)
    prefix, rest = after_log_prefix(line[found.end() :] if found else line)
    rest = rest.strip()
    if not rest or rest.endswith("?"):
        return False
    return bool(_ERROR_LEVEL.search(prefix) or _LAYOUT.match(rest) or NAMED_ERROR.match(rest))


def _is_sentence(line: str) -> bool:
    """Whether a line next to error output reads like the person's own words."""
    if line[0].isspace() or line.startswith(("|", "+", "^", "~", ">")) or _CONTAINER.match(line):
        return False
    text = line.rstrip()
    return text.endswith("?") or (prose(text) >= SENTENCE_SHARE and not text.endswith(":"))
