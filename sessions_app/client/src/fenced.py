"""What others wrote, as this client prints it: a model may run any command and reads what any hook says."""

from __future__ import annotations

import os
from collections.abc import Iterable

from accounts.rules.fence import DATA, NONCE_DIGITS, fence, inert


def fenced(lines: Iterable[str]) -> str:
    """Return lines with others' words in them, marked as data within a fence of its own; "" for none."""
    text = "\n".join(lines)
    return fence(f"{DATA}\n{inert(text)}", os.urandom(NONCE_DIGITS // 2).hex()) if text.strip() else ""
