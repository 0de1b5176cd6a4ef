"""What a draft must pass before anything is embedded, logged or stored: the guard, field by field.

Invisible characters go first, for they would hide what comes next. A secret refuses the whole draft, and says which
pattern stands where, never the secret. Personal data is masked in what is read as text, and said so. A team's reviewed
terms (`allowed`) are neither.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from accounts.rules.guard.detection import Finding, find_secrets, redact_personal, strip_invisible
from accounts.rules.refused import Refused
from knowledge.rules.draft import Draft

# The text fields of a draft that are stored, and so guarded.
TEXTS = ("title", "body", "reasoning", "error", "repo", "source_url", "idempotency_key")
LISTS = ("tags", "files", "symbols")
# Those that are prose. A path or a key with something masked in it would be another path or key.
PROSE = ("title", "body", "reasoning", "error")


class SecretFound(Refused):
    code = "secret_found"
    detail = "The text contains a secret. Nothing was stored; remove the secret and deposit again."


@dataclass(frozen=True)
class Guarded:
    """A draft that may be stored. `whole`: before personal data was masked, which the digest of a receipt is made of.

    `stripped`: how many invisible characters were taken out, by field. `redacted`: what was masked, and where it was.
    """

    draft: Draft
    whole: Draft
    stripped: dict[str, int]
    redacted: tuple[Finding, ...]


def guarded(draft: Draft, allowed: Collection[str] = ()) -> Guarded:
    """Raises SecretFound, naming every field that holds one."""
    sent = {name: [getattr(draft, name)] for name in TEXTS} | {name: getattr(draft, name) for name in LISTS}
    sent["provenance"] = [item["path"] for item in draft.provenance]
    kept: dict[str, list[str]] = {}
    stripped: dict[str, int] = {}
    errors: dict[str, list[str]] = {}
    for name, texts in sent.items():
        cleaned = [strip_invisible(text) for text in texts]
        kept[name] = [clean.text for clean in cleaned]
        count = sum(clean.count for clean in cleaned)
        stripped |= {name: count} if count else {}
        found = [finding for text in kept[name] for finding in find_secrets(text, field=name, allowed=allowed)]
        if found:
            errors[name] = [str(item) for item in found]
    if errors:
        raise SecretFound(errors=errors)
    changes: dict[str, Any] = {name: kept[name][0] if name in TEXTS else kept[name] for name in (*TEXTS, *LISTS)}
    learned_from = zip(draft.provenance, kept["provenance"], strict=True)
    whole = replace(draft, **changes, provenance=[{**item, "path": path} for item, path in learned_from])
    masked, redacted = _masked(whole, allowed)
    return Guarded(masked, whole, stripped, redacted)


def _masked(draft: Draft, allowed: Collection[str]) -> tuple[Draft, tuple[Finding, ...]]:
    found: list[Finding] = []
    changes: dict[str, Any] = {}
    for name in PROSE:
        changes[name], places = redact_personal(getattr(draft, name), field=name, allowed=allowed)
        found += places
    return replace(draft, **changes), tuple(found)
