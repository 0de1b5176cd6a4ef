"""Whether a path answers to a glob, in time that a made-up glob cannot blow up: no regular expression is built of it.

As in .gitignore and Cursor's rules: `*` and `?` stay within a folder, `**` stands for any folders, `{a,b}` for either,
and a glob without a slash (`*.py`, `Dockerfile`) is held against the file's name wherever it lies. Letters count as
they are written.
"""

from collections.abc import Iterable, Sequence

# `**/*.{ts,tsx,js,jsx}` has four. Braces in braces are taken as they stand.
MOST_ALTERNATIVES = 32


def matches(glob: str, path: str) -> bool:
    """Both relative, with forward slashes."""
    return any(_one(alternative, path) for alternative in alternatives(glob))


def first_match(globs: Iterable[str], paths: Iterable[str]) -> str:
    """The first glob that one of the paths answers to; empty when none does."""
    known = list(paths)
    return next((glob for glob in globs if any(matches(glob, path) for path in known)), "")


def alternatives(glob: str) -> list[str]:
    """The globs that the braces of one stand for, at most MOST_ALTERNATIVES."""
    done: list[str] = []
    ahead = [glob]
    while ahead and len(done) + len(ahead) <= MOST_ALTERNATIVES:
        head = ahead.pop()
        start, end = head.find("{"), head.find("}")
        if start < 0 or end < start:
            done.append(head)
            continue
        ahead += [head[:start] + word + head[end + 1 :] for word in head[start + 1 : end].split(",")]
    return [*done, *ahead]


def _one(glob: str, path: str) -> bool:
    if glob.endswith("/"):
        glob += "**"
    if "/" not in glob:
        return _segment(glob, path.rsplit("/", 1)[-1]) if glob != "**" else True
    return _segments(glob.lstrip("/").split("/"), path.split("/"))


def _segments(globs: Sequence[str], parts: Sequence[str]) -> bool:
    """`reach[n]`: whether the globs so far can have taken the first n parts of the path."""
    reach = [True] + [False] * len(parts)
    for glob in globs:
        if glob == "**":
            for n in range(1, len(reach)):
                reach[n] = reach[n] or reach[n - 1]
        else:
            reach = [False] + [reach[n] and _segment(glob, part) for n, part in enumerate(parts)]
    return reach[-1]


def _segment(glob: str, text: str) -> bool:
    """`*` any run, `?` any one character: greedy, going back to the last star only, so at most len(glob)·len(text)."""
    g = t = 0
    star, mark = -1, 0
    while t < len(text):
        if g < len(glob) and glob[g] == "*":
            star, mark = g, t
            g += 1
        elif g < len(glob) and glob[g] in ("?", text[t]):
            g, t = g + 1, t + 1
        elif star >= 0:
            mark += 1
            g, t = star + 1, mark
        else:
            return False
    return all(rest == "*" for rest in glob[g:])


def contains(pattern: str, text: str) -> bool:
    """Whether a text has the words of a pattern in it, in their order: `*` stands for anything between them."""
    at = 0
    for piece in filter(None, (word.strip() for word in pattern.split("*"))):
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True
