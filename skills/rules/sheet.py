"""The contents of a skill from any source: fields of a request, a SKILL.md, a section of AGENTS.md, a topic.

The limits of `name`, `description` and `compatibility` are those of the Agent Skills format (agentskills.io,
specification); the others keep a skill readable for an agent.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from knowledge.rules.draft import clean_tags
from skills.rules.vocabulary import TriggerKind

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1_024
LONGEST_COMPATIBILITY = 500
# The format recommends 5,000 tokens, and the longest of 173 public skills has 40,000 characters. The answer to a
# question contains the whole text, so longer content belongs in files beside it.
LONGEST_INSTRUCTIONS = 60_000
# The rest of the front matter, as JSON. The longest of those skills has 300 characters of it.
LONGEST_EXTRA = 8_000
MOST_TRIGGERS = 50
LONGEST_TRIGGER = {TriggerKind.TAG: 60, TriggerKind.FILE: 400, TriggerKind.ERROR: 400}
# Front matter that the format defines besides name and description.
SPELLED_OUT = ("license", "compatibility", "metadata", "allowed-tools")
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# The prefix of our keys in `metadata`, for what SKILL.md has no field for; they are never part of `extra`.
OURS = "loam-"
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_SPACES = re.compile(r"\s+")
# YAML and JSON can both contain it in an escape; PostgreSQL accepts it in no text.
NUL = "\0"


@dataclass(frozen=True)
class Triggers:
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    def of(self, kind: TriggerKind) -> tuple[str, ...]:
        return {TriggerKind.TAG: self.tags, TriggerKind.FILE: self.files, TriggerKind.ERROR: self.errors}[kind]

    def pairs(self) -> Iterator[tuple[TriggerKind, str]]:
        return ((kind, value) for kind in TriggerKind for value in self.of(kind))

    def as_dict(self) -> dict[str, list[str]]:
        return {"tags": list(self.tags), "files": list(self.files), "errors": list(self.errors)}

    @classmethod
    def made(cls, tags: Sequence[str] = (), files: Sequence[str] = (), errors: Sequence[str] = ()) -> "Triggers":
        """Return the triggers as they are stored: tags in lower case, paths with forward slashes, single spaces; each
        once, in order.
        """
        paths = (tidy_glob(glob).replace("\\", "/").removeprefix("./") for glob in files)
        lines = (_SPACES.sub(" ", error).strip() for error in errors)
        return cls(tuple(clean_tags(tags)), _once(paths), _once(lines))


@dataclass(frozen=True)
class Sheet:
    """`extra`: front matter besides name and description (license, metadata, allowed-tools, …) as plain JSON values.
    `sources`: references of the insights it was distilled from.
    """

    name: str
    description: str
    instructions: str
    triggers: Triggers = field(default_factory=Triggers)
    extra: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()

    @property
    def meaning(self) -> str:
        """The text that is embedded."""
        return meaning(self.name, self.description)

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield every text in it with the name of its field, for the guard."""
        yield from (("name", self.name), ("description", self.description), ("instructions", self.instructions))
        yield from ((f"triggers.{kind}s", value) for kind, value in self.triggers.pairs())
        for key, value in self.extra.items():
            name = key if key in SPELLED_OUT else "extra"  # a key may contain a secret
            yield from ((name, text) for text in (str(key), *_strings(value)))
        yield from (("sources", ref) for ref in self.sources)


def meaning(name: str, description: str) -> str:
    """Return name and description as one text to embed."""
    return f"{name.replace('-', ' ')}: {description}"


def tidy_description(text: str) -> str:
    """Return the description on one line, as a catalogue shows it."""
    return _SPACES.sub(" ", text).strip()


def tidy_glob(glob: str) -> str:
    """Return the glob on one line, as a file of rules needs it."""
    return " ".join(glob.splitlines()).strip()


def tidy_instructions(text: str) -> str:
    """Return the instructions without blank lines at the start and space at the end."""
    return _BLANK_LINES.sub("", text).rstrip()


def faults(sheet: Sheet) -> dict[str, list[str]]:
    """Return why a sheet is no valid skill, by field; {} if it is one."""
    found: dict[str, list[str]] = {}
    _check_name(sheet.name, found)
    for name, text, most in (
        ("description", sheet.description, LONGEST_DESCRIPTION),
        ("instructions", sheet.instructions, LONGEST_INSTRUCTIONS),
    ):
        if not text.strip():
            found[name] = ["This field cannot be empty."]
        elif len(text) > most:
            found[name] = [f"It has {len(text):,} characters; the limit is {most:,}."]
    for kind in TriggerKind:
        _check_triggers(kind, sheet.triggers.of(kind), found)
    _check_extra(sheet.extra, found)
    for name, text in sheet.texts():
        if NUL in text:
            found.setdefault(name, ["The text contains a NUL character."])
    return found


def _check_name(name: str, found: dict[str, list[str]]) -> None:
    if not name:
        found["name"] = ["This field cannot be empty."]
    elif len(name) > LONGEST_NAME:
        found["name"] = [f"It has {len(name):,} characters; the limit is {LONGEST_NAME}."]
    elif not NAME.fullmatch(name):
        found["name"] = ["Lower-case letters a to z and digits, with single hyphens between them, as in 'code-review'."]


def _check_triggers(kind: TriggerKind, values: Sequence[str], found: dict[str, list[str]]) -> None:
    field_name = f"triggers.{kind}s"
    most = LONGEST_TRIGGER[kind]
    if len(values) > MOST_TRIGGERS:
        found[field_name] = [f"There are {len(values):,}; the limit is {MOST_TRIGGERS}."]
    elif any(len(value) > most for value in values):
        found[field_name] = [f"An item is longer than {most} characters."]
    elif any(not value.strip("*?/. ") for value in values):
        found[field_name] = ["A pattern of wildcards only would always match."]


def _check_extra(extra: Mapping[str, Any], found: dict[str, list[str]]) -> None:
    compatibility = extra.get("compatibility", "")
    if isinstance(compatibility, str) and len(compatibility) > LONGEST_COMPATIBILITY:
        found["compatibility"] = [f"It has {len(compatibility):,} characters; the limit is {LONGEST_COMPATIBILITY}."]
    metadata = extra.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        found["metadata"] = ["This must be a mapping of names to texts."]
    elif metadata and any(str(key).startswith(OURS) for key in metadata):
        found["metadata"] = [f"Names that begin with '{OURS}' are reserved for Loam."]
    size = len(json.dumps(extra, ensure_ascii=False))
    if size > LONGEST_EXTRA:
        found["metadata"] = [f"The other fields have {size:,} characters; the limit is {LONGEST_EXTRA:,}."]


def _once(values: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _strings(value: Any) -> Iterator[str]:
    """Yield every text in plain JSON, including keys of mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
