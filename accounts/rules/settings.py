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
        "Your system knows whether it is day or night where you sit.",
        {
            Theme.SYSTEM: "as the system has it",
            Theme.LIGHT: "light",
            Theme.DARK: "dark",
        },
    ),
    Setting(
        "density",
        "Density",
        Density.COMFORTABLE,
        "Rows with air are easier to hit with a thumb; compact ones show more of a long list.",
        {Density.COMFORTABLE: "comfortable", Density.COMPACT: "compact"},
    ),
    Setting(
        "keys",
        "Keys of one letter",
        "on",
        "They make triage quick. Whoever speaks to the computer, or leans on keys, is better off without.",
        {"on": "on", "off": "off"},
    ),
    Setting(
        "machinery",
        "How much the machinery shows",
        Machinery.FULL,
        "In full at first, in a line later, then nothing: nobody has to know how it works to be helped by it.",
        {
            Machinery.SILENT: "silent: no explanations, to your agents or here",
            Machinery.BRIEF: "brief: one line where there is something new",
            Machinery.FULL: "full: all of it the first time, then a line, then nothing",
            Machinery.TEACHING: "teaching: all of it each time, until it was said five times",
        },
    ),
    Setting(
        "share_prompts",
        "Share prompts in handoffs",
        "off",
        "A handoff shows colleagues what your agent said and did. What you typed yourself is yours.",
        {"off": "off: only you see what you typed", "on": "on: your teams see what your sessions were asked to do"},
    ),
    Setting(
        "ask_to_deposit",
        "Ask agents to deposit before they stop",
        "on",
        "An agent knows what was decided, and why, until its session ends. It is asked once, if it deposited nothing.",
        {"on": "on: once a session in which something was edited or decided", "off": "off: never"},
    ),
)
