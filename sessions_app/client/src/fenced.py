"""What others wrote, as this client prints it: a model may run any command and reads what any hook says."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import groupby

from accounts.rules.fence import DATA, NONCE_DIGITS, fence, inert


class OwnLine(str):
    """A line of the client's among others' words; what it names of theirs is inert."""


def fenced(lines: Iterable[str]) -> str:
    """Return lines with others' words in them, marked as data within a fence of its own; "" for none."""
    groups = groupby(lines, key=lambda line: isinstance(line, OwnLine))
    text = "\n".join("\n".join(some) if own else inert("\n".join(some)) for own, some in groups)
    return fence(f"{DATA}\n{text}", os.urandom(NONCE_DIGITS // 2).hex()) if text.strip() else ""
