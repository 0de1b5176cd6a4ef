"""Masking of what leaves this machine, by the rules of the server."""

from __future__ import annotations

from accounts.rules.guard.detection import redact_personal, redact_secrets, strip_invisible


def mask(text: str) -> str:
    """The text without invisible characters, secrets and personal data. Every text goes through here before it goes."""
    text = redact_secrets(strip_invisible(text.replace("\0", "")).text)[0]
    return redact_personal(text)[0]


def short(text: str, most: int) -> str:
    """At most so many characters, cut at the end, and said so."""
    return text if len(text) <= most else text[: most - 2].rstrip() + " …"


def masked_short(text: str, most: int) -> str:
    """Masked before it is cut: half a key would not be known for one. Four times as much is looked at, no more."""
    if len(text) > 4 * most:
        text = text[: 4 * most].rpartition(" ")[0]
    return short(mask(text), most)
