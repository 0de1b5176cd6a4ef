"""Fences in texts for models, as tests read them."""

import re

from sessions_app.answers.rules.fence import Fence

FENCE = Fence.of("a secret", "user:1")
# What is fenced, between tags of one nonce that stand on lines of their own, below the line that says what ends it.
FENCED = re.compile(
    r"^<team-memory-([0-9a-f]{6})>\nOnly \1 ends this\.\n(.*?)\n</team-memory-\1>$",
    re.DOTALL | re.MULTILINE,
)
OPENS, CLOSES = re.compile(r"<team-memory-[0-9a-f]{6}>\n"), re.compile(r"</team-memory-[0-9a-f]{6}>")


def fenced(text: str) -> str:
    """What stands within the first fence of a text; "" without one."""
    found = FENCED.search(text)
    return found[2] if found else ""


def unfenced(text: str) -> str:
    """A text without the tags of its own fences."""
    return FENCED.sub(r"\n\2\n", text)
