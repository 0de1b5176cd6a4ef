"""The guard that a draft passes before anything is embedded, logged or stored, field by field.

First, invisible characters are removed: they could hide a secret. Then a secret refuses the whole draft; the error
names the pattern and the place, never the secret. Then personal data is masked in prose, and reported. Terms on a
team's allowlist (`allowed`) are neither secrets nor personal data.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from accounts.rules.guard.detection import Finding, find_secrets, redact_personal, strip_invisible
from accounts.rules.refused import Refused
from knowledge.rules.draft import Draft

# The text fields of a draft that are stored, and so guarded.
TEXTS = ("title", "body", "reasoning", "error", "repo", "source_url", "idempotency_key")
LISTS = ("tags", "files", "symbols", "questions")
# Those that are prose. A path or a key with something masked in it would be another path or key.
PROSE = ("title", "body", "reasoning", "error")


class SecretFound(Refused):
    code = "secret_found"
    detail = "The text contains a secret. Nothing was stored; remove the secret and deposit again."


@dataclass(frozen=True)
class Guarded:
    """A draft that may be stored. `whole`: the draft before masking, from which the digest of a receipt is computed.

    `stripped`: the number of invisible characters removed, by field. `redacted`: what was masked, and where.
    """

    draft: Draft
    whole: Draft
    stripped: dict[str, int]
    redacted: tuple[Finding, ...]


def guard_draft(draft: Draft, allowed: Collection[str] = ()) -> Guarded:
    """Return the draft without invisible characters and personal data. Raises SecretFound, naming the fields."""
    sent = {name: [getattr(draft, name)] for name in TEXTS} | {name: getattr(draft, name) for name in LISTS}
    sent["provenance"] = [item["path"] for item in draft.provenance]
    texts_of: dict[str, list[str]] = {}
    stripped: dict[str, int] = {}
    errors: dict[str, list[str]] = {}
    for name, texts in sent.items():
        cleaned = [strip_invisible(text) for text in texts]
        texts_of[name] = [clean.text for clean in cleaned]
        count = sum(clean.count for clean in cleaned)
        stripped |= {name: count} if count else {}
        found = [finding for text in texts_of[name] for finding in find_secrets(text, field=name, allowed=allowed)]
        if found:
            errors[name] = [str(item) for item in found]
    if errors:
        raise SecretFound(errors=errors)
    changes: dict[str, Any] = {name: texts_of[name][0] for name in TEXTS} | {name: texts_of[name] for name in LISTS}
    learned_from = zip(draft.provenance, texts_of["provenance"], strict=True)
    whole = replace(draft, **changes, provenance=[{**item, "path": path} for item, path in learned_from])
    masked, redacted = _masked(whole, allowed)
    return Guarded(masked, whole, stripped, redacted)


def _masked(draft: Draft, allowed: Collection[str]) -> tuple[Draft, tuple[Finding, ...]]:
    found: list[Finding] = []
    changes: dict[str, Any] = {}
    for name in PROSE:
        changes[name], places = redact_personal(getattr(draft, name), field=name, allowed=allowed)
        found += places
    asked = [redact_personal(question, field="questions", allowed=allowed) for question in draft.questions]
    changes["questions"] = [question for question, _ in asked]
    found += [place for _, places in asked for place in places]
    return replace(draft, **changes), tuple(found)
