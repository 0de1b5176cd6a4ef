"""Files that tools wrote for tools: lock files, minified and bundled code, source maps, data that only looks like text.

They repeat the words of what they were made from and answer nobody, so they rank behind everything and are cited only
when the question, or its paths, name them. A name tells most of them; the rest are told by their form: lines nobody
could read, or hardly a word in them.
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
# A line of so many characters, blank ones and tags aside, was not typed; prose without line breaks is a paragraph.
LONG_LINE = 2_000
LOOKED_AT = 20_000
# The least share of different words in such a line: prose has a fifth of them at this length, a phrase repeated none.
FEWEST_WORDS = 0.02


# Paths that are remembered, as each of a source is asked for in every search.
REMEMBERED = 20_000


@lru_cache(maxsize=REMEMBERED)
def is_generated_name(path: str) -> bool:
    """Whether a path is that of a generated file."""
    return _NAMES.search(path) is not None


def is_generated_text(text: str) -> bool:
    """Whether a text is minified, encoded or one phrase over and over, by the lines it has."""
    some = text[:LOOKED_AT]
    long = sum(len(line) for line in some.split("\n") if len(line) >= LONG_LINE and line.strip())
    if long < len(some) / 2:
        return False
    spaces = sum(some.count(blank) for blank in " \n")
    words = some.split()
    return spaces < len(some) / 12 or len(set(words)) < FEWEST_WORDS * len(words)


def asks_for(path: str, question: str) -> bool:
    """Whether a question names this file, or what kind of file it is."""
    name = path.rpartition("/")[2].lower()
    lowered = question.lower()
    return name in lowered or (
        name.endswith((".lock", "lock.json")) and re.search(r"\block(?:ed)?\b", lowered) is not None
    )
