"""The preferences that hold for a question, as the first lines of an answer's text."""

from dataclasses import dataclass

from accounts.rules.fence import inert_line


@dataclass(frozen=True)
class PreferenceLine:
    """One preference that holds, and whose it is (`yours`, a team's slug, `inferred`)."""

    key: str
    value: str
    whose: str
    statement: str = ""


PREFERENCES_HEAD = "\nPreferred here (yours outrank the team's):\n"


def preferences_text(preferences: list[PreferenceLine], room: int) -> str:
    """The preferences that fit, a line each, and how many more there are."""
    text = PREFERENCES_HEAD if preferences else ""
    for n, one in enumerate(preferences):
        line = f"- {inert_line(one.key)} = {inert_line(one.value)} ({one.whose})"
        line += f": {inert_line(one.statement)}\n" if one.statement.strip() else "\n"
        rest = f"- and {len(preferences) - n} more\n"
        if len(text) + len(line) + (len(rest) if n + 1 < len(preferences) else 0) > room:
            return f"{text}{rest}" if n else ""
        text += line
    return text
