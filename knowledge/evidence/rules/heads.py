"""The head of a file: what it says it is, before it says anything else.

A title and the sentence below it, the line NAME of a manual page, the docstring of a module, the first comment of a
script. It names the matter in words of its kind ("identify processes using files or sockets"), where a passage far
below has only parts of it; so it tells files apart that have the same common words, and gives a passage its context.
Licences, badges, front matter but for titles, and the marks of comments and markup are no part of it.
"""

import re

# Characters of a head, and of a file that are looked at for it.
HEAD = 300
LOOKED_AT = 6_000
_LICENCE = re.compile(r"copyright|licen[cs]e|\bSPDX\b|all rights reserved|\(c\) ?\d{4}", re.IGNORECASE)
# Lines that say nothing to a reader: interpreters and encodings, directives, labels, badges, rules, front matter.
_SILENT = re.compile(
    r"#!|#.*-\*-|# (?:pylint|flake8|ruff|type|mypy):|\.\. [\w-]*::|\.\. _|\.\. \||:[\w-]+:|\[?!\["
    r"|import\s|from\s+[\w.]+\s+import\b|package\s+[\w.]+;?$|#include\b|[\W_]+$"
)
_MARKS = re.compile(r"""^(?:[#*;>/!\s"'%=-]|<!--|\.\.\s|dnl\b|REM\b)+|(?:\*/|-->|\"\"\"|''')\s*$""")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_TITLE = re.compile(r"^(?:title|description|summary|subject):\s*(.+)$", re.IGNORECASE | re.MULTILINE)


def head(text: str) -> str:
    """The first lines of a file that tell what it is about, as one; "" of a file that has none."""
    some = text[:LOOKED_AT].lstrip("\ufeff")
    titles: list[str] = []
    if front := _FRONT.match(some):
        titles, some = [one.strip("'\" ") for one in _TITLE.findall(front.group(1))], some[front.end() :]
    found, size = titles, sum(map(len, titles))
    for paragraph in re.split(r"\n\s*\n", some):
        if _LICENCE.search(paragraph):
            continue
        for line in paragraph.split("\n"):
            if size >= HEAD:
                break
            told = "" if _SILENT.match(line.strip()) else _MARKS.sub("", line).strip()
            if told:
                found.append(told)
                size += len(told) + 1
    return " ".join(" ".join(found).split())[:HEAD]
