"""Convert between SKILL.md and sheets without loss: what is written is read back to the same sheet, and what others
wrote is kept.

The format is that of agentskills.io: YAML front matter with `name` and `description`, then the instructions. What it
has no field for is stored in `metadata`, which the format leaves to its writers, under names that begin with `loam-`:
the triggers and sources as JSON, and where it came from, for information. Front matter of particular clients
(`version`, `argument-hint`, …) is kept. Claude Code's `paths` are globs, and become the triggers of a skill that has
none.
"""

import hashlib
import json
from typing import Any

from skills.rules.front_matter import joined, split
from skills.rules.refusals import NotASkill
from skills.rules.sheet import OURS, Sheet, Triggers, faults, tidy_description, tidy_instructions

FILE = "SKILL.md"
TRIGGERS, SOURCES, ORIGIN, VERSION, STATUS, DIGEST = (
    f"{OURS}{name}" for name in ("triggers", "sources", "skill", "version", "status", "digest")
)


def write(sheet: Sheet, *, origin: str = "", version: int = 0, status: str = "") -> str:
    """Return a SKILL.md. `origin`: team/name, for anybody who finds the file and asks where it is kept; `status`:
    whether it has been reviewed.
    """
    metadata = dict(sheet.extra.get("metadata") or {})
    if any(sheet.triggers.pairs()):
        metadata[TRIGGERS] = json.dumps(sheet.triggers.as_dict(), ensure_ascii=False)
    if sheet.sources:
        metadata[SOURCES] = " ".join(sheet.sources)
    if origin:
        metadata |= {ORIGIN: origin, DIGEST: digest(sheet)}
    if version:
        metadata[VERSION] = str(version)
    if status:
        metadata[STATUS] = status
    front = {"name": sheet.name, "description": sheet.description, **sheet.extra}
    if metadata or "metadata" in sheet.extra:
        front["metadata"] = metadata
    return joined(front, sheet.instructions)


def read(text: str) -> Sheet:
    """Return the sheet of a SKILL.md. Raises NotASkill with what breaks the format."""
    front, body = split(text.replace("\r\n", "\n").removeprefix("\ufeff"))
    metadata = front.get("metadata")
    ours = _take_own_fields(metadata) if isinstance(metadata, dict) else {}
    extra = {name: value for name, value in front.items() if name not in ("name", "description")}
    if ours and not metadata:
        extra.pop("metadata")
    sheet = Sheet(
        name=_text(front, "name"),
        description=tidy_description(_text(front, "description")),
        instructions=tidy_instructions(body),
        triggers=_triggers(ours.get(TRIGGERS), front),
        extra=extra,
        sources=tuple(str(ours.get(SOURCES, "")).split()),
    )
    wrong = faults(sheet)
    if wrong:
        raise NotASkill("; ".join(f"{name}: {fault}" for name, found in wrong.items() for fault in found))
    return sheet


def untouched(text: str) -> bool:
    """Return whether a file is as Loam wrote it; False for one that is no skill, or was written elsewhere."""
    try:
        metadata = split(text)[0].get("metadata")
        return isinstance(metadata, dict) and metadata.get(DIGEST) == digest(read(text))
    except NotASkill:
        return False


def says(text: str, sheet: Sheet) -> bool:
    """Return whether a file says what the sheet says."""
    try:
        return digest(read(text)) == digest(sheet)
    except NotASkill:
        return False


def digest(sheet: Sheet) -> str:
    """Return sixteen hexadecimal digits that change with everything of the sheet that a file can contain."""
    said = [sheet.name, sheet.description, sheet.instructions, sheet.triggers.as_dict(), dict(sheet.extra)]
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def _take_own_fields(metadata: dict[str, Any]) -> dict[str, Any]:
    """Remove our own keys from `metadata` and return them."""
    return {str(name): metadata.pop(name) for name in list(metadata) if str(name).startswith(OURS)}


def _text(front: dict[str, Any], name: str) -> str:
    value = front.get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise NotASkill(f"its front matter has no {name}")
    if isinstance(value, dict | list | bool):
        raise NotASkill(f"its {name} is not a text")
    return str(value).strip()


def _triggers(ours: Any, front: dict[str, Any]) -> Triggers:
    if ours is None:
        return Triggers.made(files=_words(front.get("paths")))
    try:
        named = json.loads(ours)
        return Triggers.made(**{kind: [str(v) for v in named.get(kind, [])] for kind in ("tags", "files", "errors")})
    except (ValueError, TypeError, AttributeError):
        raise NotASkill(f"its metadata {TRIGGERS} is not in Loam's format") from None


def _words(value: Any) -> list[str]:
    if isinstance(value, str):
        return [word.strip() for word in value.split(",")]
    return [str(word) for word in value] if isinstance(value, list) else []
