"""The preferences that apply to a question, as the first lines of an answer's text."""

from dataclasses import dataclass

from accounts.rules.fence import inert_line


@dataclass(frozen=True)
class PreferenceLine:
    """One preference that applies, and its owner (`yours`, a team's slug, `inferred`)."""

    key: str
    value: str
    whose: str
    statement: str = ""


PREFERENCES_HEAD = "\nPreferred here (yours outrank the team's):\n"


def preferences_text(preferences: list[PreferenceLine], room: int) -> str:
    """Return the preferences, a line each: with their statements if all fit, otherwise without; then as many as fit,
    and the number of the others.
    """
    stated = _fitting(preferences, room, stated=True)
    return stated if stated is not None else _fitting(preferences, room, stated=False, some=True) or ""


def _fitting(preferences: list[PreferenceLine], room: int, *, stated: bool, some: bool = False) -> str | None:
    """Return the text of the preferences; None if not all fit. With `some`, those that fit, "" if none does."""
    text = PREFERENCES_HEAD if preferences else ""
    for n, one in enumerate(preferences):
        line = f"- {inert_line(one.key)} = {inert_line(one.value)} ({one.whose})"
        line += f": {inert_line(one.statement)}\n" if stated and one.statement.strip() else "\n"
        rest = f"- and {len(preferences) - n} more\n"
        if len(text) + len(line) + (len(rest) if n + 1 < len(preferences) else 0) > room:
            return (f"{text}{rest}" if n else "") if some else None
        text += line
    return text
