"""What a person sets for themselves, each with the value it has when they have said nothing, and why that one."""

from dataclasses import dataclass
from enum import StrEnum


class Theme(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Density(StrEnum):
    """How much air is between rows."""

    COMFORTABLE = "comfortable"
    COMPACT = "compact"


class Machinery(StrEnum):
    """How much the memory explains of itself, to the person's agents and on their pages."""

    SILENT = "silent"
    BRIEF = "brief"
    FULL = "full"
    TEACHING = "teaching"


@dataclass(frozen=True)
class Setting:
    """One of them: its name and words for a person, its default, and why it is that."""

    name: str
    label: str
    default: str
    why: str
    words: dict[str, str]


SETTINGS = (
    Setting(
        "theme",
        "Theme",
        Theme.SYSTEM,
        "Colours of the pages.",
        {
            Theme.SYSTEM: "system",
            Theme.LIGHT: "light",
            Theme.DARK: "dark",
        },
    ),
    Setting(
        "density",
        "Density",
        Density.COMFORTABLE,
        "Comfortable rows are easier to tap; compact rows show more of a long list.",
        {Density.COMFORTABLE: "comfortable", Density.COMPACT: "compact"},
    ),
    Setting(
        "keys",
        "Keyboard shortcuts",
        "on",
        "Single-letter keys on all pages. Turn them off if you use speech input.",
        {"on": "on", "off": "off"},
    ),
    Setting(
        "machinery",
        "Explanation level",
        Machinery.FULL,
        "How much Loam explains to you and your agents.",
        {
            Machinery.SILENT: "silent: no explanations",
            Machinery.BRIEF: "brief: one line for what is new",
            Machinery.FULL: "full: in full the first time, then one line, then nothing",
            Machinery.TEACHING: "teaching: in full the first five times",
        },
    ),
    Setting(
        "share_prompts",
        "Share prompts in handoffs",
        "off",
        "A handoff shows your team what your agent said and did. This setting adds what you typed.",
        {"off": "off: only you see what you typed", "on": "on: your teams see what you asked for"},
    ),
    Setting(
        "ask_to_deposit",
        "Ask agents to deposit before they stop",
        "on",
        "Asks an agent that deposited nothing once, before its session ends, to deposit what it learned.",
        {"on": "on: once per session with edits or decisions", "off": "off: never"},
    ),
)
