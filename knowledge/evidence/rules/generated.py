"""Generated files: lock files, minified and bundled code, source maps, data that only looks like text.

They repeat the words of their sources and answer nothing. So they rank last, and are cited only if the question, or its
paths, name them. Most are recognised by name; the rest by their form: lines that nobody could read, or hardly a word in
them.
"""

import re
from functools import lru_cache

_NAMES = re.compile(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|composer\.lock|[\w.-]+\.lock"
    r"|go\.sum|packages\.lock\.json|gradle\.lockfile|requirements[\w.-]*\.lock)$"
    r"|[.-]min\.(?:js|css|mjs)$|\.bundle\.js$|\.(?:map|svg|snap|pyc|tsbuildinfo)$|(?:^|/)npm-debug\.log$|\.dist-info/RECORD$"
    r"|(?:_pb2(?:_grpc)?\.py|\.pb\.go|\.g\.dart|\.designer\.cs)$",
    re.IGNORECASE,
)
# A line of this many characters, without blanks and tags, was not typed; prose without line breaks is a paragraph.
LONG_LINE = 2_000
LOOKED_AT = 20_000
# The least share of different words in such a line: prose has a fifth of them at this length, a phrase repeated none.
FEWEST_WORDS = 0.02


# The number of cached paths: every search checks each path of a source.
REMEMBERED = 20_000


@lru_cache(maxsize=REMEMBERED)
def is_generated_name(path: str) -> bool:
    """Return whether a path is that of a generated file."""
    return _NAMES.search(path) is not None


def is_generated_text(text: str) -> bool:
    """Return whether a text is minified, encoded or one repeated phrase, judged by its lines."""
    some = text[:LOOKED_AT]
    long = sum(len(line) for line in some.split("\n") if len(line) >= LONG_LINE and line.strip())
    if long < len(some) / 2:
        return False
    spaces = sum(some.count(blank) for blank in " \n")
    words = some.split()
    return spaces < len(some) / 12 or len(set(words)) < FEWEST_WORDS * len(words)


def asks_for(path: str, question: str) -> bool:
    """Return whether a question names this file, or its kind."""
    name = path.rpartition("/")[2].lower()
    lowered = question.lower()
    return name in lowered or (
        name.endswith((".lock", "lock.json")) and re.search(r"\block(?:ed)?\b", lowered) is not None
    )
