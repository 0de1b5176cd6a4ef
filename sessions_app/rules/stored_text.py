"""Mask and cut texts that are stored even with a secret in them: events, transcripts, handoffs, prompts.

They are an agent's record of what happened, so nothing in them is refused: invisible characters are stripped, secrets
and personal data masked, and what is longer than is kept is cut and says so.
"""

from collections.abc import Sequence

from accounts.rules.guard.detection import masked, redact_personal

CUT = " […]"


def keep(text: str, longest: int) -> str:
    """The text as it may be stored, of at most `longest` characters."""
    if not text:
        return ""
    # Masked before it is cut: a secret cut in half is none that a pattern knows.
    kept = redact_personal(masked(text))[0].strip()
    return kept if len(kept) <= longest else kept[: longest - len(CUT)].rstrip() + CUT


def keep_line(text: str, longest: int) -> str:
    """The same as one line, as for a title or a path."""
    return keep(" ".join(text.split()), longest)


def keep_each(texts: Sequence[str], longest: int) -> list[str]:
    """Each once, in their order, without the empty ones."""
    return list(dict.fromkeys(kept for text in texts if (kept := keep(text, longest))))
