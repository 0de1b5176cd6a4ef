"""List every string that a person reads, with its place: `python -m tests.strings [PATH…]`.

Templates give their text, the attributes that are read or spoken and the literals in their tags; Python gives every
literal that looks like words, apart from docstrings, SQL, regular expressions and log lines; scripts give their quoted
literals.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("accounts", "config", "evidence", "knowledge", "sessions_app", "skills", "static/js", "templates")

COMMENT = re.compile(r"\{#.*?#\}|\{% comment.*?endcomment %\}|<!--.*?-->", re.S)
UNSEEN = re.compile(r"<(script|style|svg)\b.*?</\1>", re.S)
SPOKEN = re.compile(
    r"""\b(?:alt|title|placeholder|label|value|content|aria-[a-z]+|data-[a-z-]+)=(?:"([^"]*)"|'([^']*)')"""
)
QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"' + r"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`")
TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.S)
WORDS = re.compile(r"[A-Za-z]{2,}[,.:;?!]? +[A-Za-z{]|^[A-Z][a-z]+[.:…]?$")
SQL = re.compile(
    r"^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|SET|LOCK|TRUNCATE|VACUUM|ANALYZE|COPY)\b[ A-Za-z(*{]"
)


class Shown(NamedTuple):
    """One visible string and where it stands."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        """Return `path:line: text` on one line."""
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.text}"


def flat(text: str) -> str:
    """Return the text with runs of white space as one space."""
    return re.sub(r"\s+", " ", text).strip()


def blank(pattern: re.Pattern[str], text: str) -> str:
    """Return the text without what the pattern matches, its lines still counted as before."""
    return pattern.sub(lambda found: "\n" * found[0].count("\n"), text)


def of_template(path: Path) -> Iterator[Shown]:
    """Yield a template's text nodes, attributes that are read, and the literals in its tags."""
    source = blank(UNSEEN, blank(COMMENT, path.read_text()))

    def at(offset: int) -> int:
        return source.count("\n", 0, offset) + 1

    for tag in TAG.finditer(source):
        for found in QUOTED.finditer(tag[0]):
            text = flat(found[1] or found[2] or "")
            if WORDS.search(text):
                yield Shown(path, at(tag.start() + found.start()), text)
    # A tag in the middle of a sentence is kept as a gap, so that the sentence reads as one.
    gaps = re.sub(
        r"\{\{.*?\}\}|\{% (?:else|endif|if|elif).*?%\}",
        lambda found: "{}" + "\n" * found[0].count("\n"),
        source,
        flags=re.S,
    )
    bare = blank(re.compile(r"\{%.*?%\}", re.S), gaps)
    for found in SPOKEN.finditer(bare):
        text = flat(found[1] or found[2] or "")
        if WORDS.search(text):
            yield Shown(path, bare.count("\n", 0, found.start()) + 1, text)
    for found in re.finditer(
        r"(?:^|>)([^<>]+)(?=<|$)", re.sub(r"</?(?:b|strong|em|i|code|kbd|a|span|time)\b[^>]*>", " ", bare)
    ):
        text = flat(found[1])
        if re.search(r"[A-Za-z]{2}", text.replace("{}", "")):
            yield Shown(path, 0, text)


def joined(node: ast.expr) -> str | None:
    """Return the text of a literal or an f-string, gaps as `{}`; None for anything else."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in values)
        case _:
            return None


def of_module(path: Path) -> Iterator[Shown]:
    """Yield a module's literals that look like words: no docstrings, SQL or log lines."""
    tree = ast.parse(path.read_text())
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and joined(node.value) is not None:
            left_out.update(map(id, ast.walk(node.value)))
        if isinstance(node, ast.Call) and "logger" in ast.unparse(node.func).lower():
            left_out.update(map(id, ast.walk(node)))
        if isinstance(node, ast.Call) and re.search(r"\bre\.\w+$", ast.unparse(node.func)):
            left_out.update(map(id, ast.walk(node)))
        if isinstance(node, ast.JoinedStr):
            left_out.update(id(child) for child in node.values)
    for node in ast.walk(tree):
        if id(node) in left_out or not isinstance(node, ast.expr):
            continue
        text = joined(node)
        if text and WORDS.search(flat(text)) and not SQL.match(text):
            yield Shown(path, node.lineno, flat(text))


def of_script(path: Path) -> Iterator[Shown]:
    """Yield a script's quoted literals that look like words."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.lstrip().startswith(("//", "*", "/*")):
            continue
        for found in QUOTED.finditer(line):
            text = flat(found[1] or found[2] or found[3] or "")
            if WORDS.search(text):
                yield Shown(path, number, text)


READERS = {".html": of_template, ".txt": of_template, ".py": of_module, ".js": of_script}


def shown(*under: str) -> Iterator[Shown]:
    """Yield every visible string of the product, file by file; only of these folders where some are named."""
    listed = subprocess.run(
        ["git", "ls-files", *(under or PRODUCT)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.split():
        reader = READERS.get(Path(name).suffix)
        if reader and "/migrations/" not in name and ".min." not in name:
            yield from reader(ROOT / name)


if __name__ == "__main__":
    for line in shown(*sys.argv[1:]):
        print(line)
