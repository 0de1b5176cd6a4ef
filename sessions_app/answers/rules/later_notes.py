"""Later notes: insights learned since the first ones of an answer and perhaps about the same thing, at its end."""

from collections.abc import Sequence

from accounts.rules.fence import inert_line
from sessions_app.answers.rules.parts import Item, LaterNote

LATER = "\nLearned later, perhaps on the same, not compared:\n"
# The share of the room that they may take from the insights' own words.
LATER_SHARE = 0.2
MOST_LATER = 4


def later_text(items: Sequence[Item], room: int, told: str = "") -> str:
    """Return the later notes that fit, a line each, those of the first insight first, each once; "" for none. If room
    is left, more than a sentence of the first ones is quoted. `told`: what the answer says above; a note that is quoted
    there, as the other side of a pair, is not quoted again.
    """
    notes = [note for item in items for note in item.later]
    quoted = {note.ref for note in notes if note.ref in told and inert_line(note.sentence) in told}
    shown = {*quoted, *(item.ref for item in items)}
    ranked = [(place, at, note) for at, item in enumerate(items) for place, note in enumerate(item.later)]
    lines: list[tuple[LaterNote, str, str]] = []
    left = room - len(LATER)
    for _, at, note in sorted(ranked, key=lambda one: one[:2])[:MOST_LATER]:
        line = _line(note, items[at].ref, note.sentence)
        if note.ref not in shown and len(line) <= left:
            lines.append((note, items[at].ref, line))
            left -= len(line)
            shown.add(note.ref)
    text = LATER if lines else ""
    for note, near, line in lines:
        longer = _line(note, near, note.beginning or note.sentence)
        told = longer if len(longer) - len(line) <= left else line
        left -= len(told) - len(line)
        text += told
    return text


def _line(note: LaterNote, near: str, said: str) -> str:
    return f"[{note.ref}] {note.status}, {note.date}, {note.who}, near {near}: {inert_line(said)}\n"
