"""What was learned since the first insights of an answer and is perhaps about the same thing, at its end."""

from collections.abc import Sequence

from accounts.rules.fence import inert_line
from sessions_app.answers.rules.parts import Item, LaterNote

LATER = "\nLearned later, perhaps on the same, not compared:\n"
# The share of the room that they may take from the insights' own words.
LATER_SHARE = 0.2
MOST_LATER = 4


def later_text(items: Sequence[Item], room: int) -> str:
    """Return as many as find room, a line each, those of the first insight first and each once; "" for none."""
    shown = {item.ref for item in items}
    ranked = [(place, at, note) for at, item in enumerate(items) for place, note in enumerate(item.later)]
    text = ""
    for _, at, note in sorted(ranked, key=lambda one: one[:2])[:MOST_LATER]:
        if note.ref in shown:
            continue
        line = _line(note, items[at].ref)
        if len(text) + len(line) + (0 if text else len(LATER)) <= room:
            text += line
            shown.add(note.ref)
    return f"{LATER}{text}" if text else ""


def _line(note: LaterNote, near: str) -> str:
    return f"[{note.ref}] {note.status}, {note.date}, {note.who}, near {near}: {inert_line(note.sentence)}\n"
