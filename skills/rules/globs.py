"""Match paths against globs in bounded time: no regular expression is built from a glob.

As in .gitignore and Cursor's rules: `*` and `?` match within a folder, `**` any folders, `{a,b}` either, and a glob
without a slash (`*.py`, `Dockerfile`) is compared with the file's name in any folder. Case matters.
"""

from collections.abc import Iterable, Sequence

# `**/*.{ts,tsx,js,jsx}` has four. Nested braces are taken literally.
MOST_ALTERNATIVES = 32


def matches(glob: str, path: str) -> bool:
    """Return whether the path matches; both are relative, with forward slashes."""
    return any(_one(alternative, path) for alternative in alternatives(glob))


def first_match(globs: Iterable[str], paths: Iterable[str]) -> str:
    """Return the first glob that one of the paths matches; "" if none does."""
    known = list(paths)
    return next((glob for glob in globs if any(matches(glob, path) for path in known)), "")


def alternatives(glob: str) -> list[str]:
    """Return the globs that one with braces stands for, at most MOST_ALTERNATIVES."""
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
    """Return whether the segments match. `reach[n]`: whether the globs so far can match the first n parts of
    the path.
    """
    reach = [True] + [False] * len(parts)
    for glob in globs:
        if glob == "**":
            for n in range(1, len(reach)):
                reach[n] = reach[n] or reach[n - 1]
        else:
            reach = [False] + [reach[n] and _segment(glob, part) for n, part in enumerate(parts)]
    return reach[-1]


def _segment(glob: str, text: str) -> bool:
    """Return whether one segment matches. `*` is any run, `?` any one character; greedy, and it goes back only to the
    last star, so it takes at most len(glob)·len(text) steps.
    """
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
    """Return whether a text contains the words of a pattern in order; `*` stands for anything between them."""
    at = 0
    for piece in filter(None, (word.strip() for word in pattern.split("*"))):
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True
