"""The head of a file: what it says it is about.

A title and the sentence below it, the line NAME of a manual page, the docstring of a module, the first comment of a
script. It names the subject in general words ("identify processes using files or sockets"), of which a passage far
below has only parts. So it distinguishes files with the same common words, and gives a passage its context. Licences,
badges, front matter other than titles, and the marks of comments and markup are no part of it.
"""

import re

# The characters of a head, and of a file that are searched for it.
HEAD = 300
LOOKED_AT = 6_000
_LICENCE = re.compile(r"copyright|licen[cs]e|\bSPDX\b|all rights reserved|\(c\) ?\d{4}", re.IGNORECASE)
# Lines without content for a reader: interpreters and encodings, directives, labels, badges, rules, front matter.
_SILENT = re.compile(
    r"#!|#.*-\*-|# (?:pylint|flake8|ruff|type|mypy):|\.\. [\w-]*::|\.\. _|\.\. \||:[\w-]+:|\[?!\["
    r"|import\s|from\s+[\w.]+\s+import\b|package\s+[\w.]+;?$|#include\b|[\W_]+$"
)
_MARKS = re.compile(r"""^(?:[#*;>/!\s"'%=-]|<!--|\.\.\s|dnl\b|REM\b)+|(?:\*/|-->|\"\"\"|''')\s*$""")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_TITLE = re.compile(r"^(?:title|description|summary|subject):\s*(.+)$", re.IGNORECASE | re.MULTILINE)


def head(text: str) -> str:
    """Return the first lines of a file that tell what it is about, as one; "" for a file without any."""
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
