"""The forms of an insight in a text for agents, from its title alone to all of its words."""

from accounts.rules.fence import inert, inert_line, untagged
from knowledge.rules.draft import first_sentence, shortened
from sessions_app.answers.rules.parts import Item

CUT = " […]"
# Shorter than this a text that is cut off says nothing more than its first sentence does.
LEAST_BODY = 80
# A first sentence longer than this, or a title in a list of titles, is cut.
LONGEST_SENTENCE = 240
LONGEST_TITLE = 90
# Marks by the state of an insight's files.
TRUST_MARKS = {
    "stale": " · stale: its files changed since, check it",
    "contradicted": " · said to be contradicted, not settled",
}


def brief(item: Item, room: int | None, *, noted: bool = True) -> str:
    """Reference, kind and title on a line, within `room` if there is one and the title can be cut to it, and its notes,
    or at least how it stands.
    """
    standing = (
        ""
        if noted
        else "".join(f"; {word}" for word in (item.side if not item.standing else "", item.standing) if word)
    )
    begun = f"\n[{item.ref}] {item.kind} ({item.status}, {item.who}{standing}): "
    left = LONGEST_TITLE if room is None else min(LONGEST_TITLE, room - len(begun) - 1)
    title = shortened(inert_line(item.title), max(left, 1))
    return f"{begun}{title}\n{_notes(item) if noted else ''}"


def title_alone(item: Item) -> str:
    """Reference, kind, how it stands and title, on one line."""
    return brief(item, None, noted=False).lstrip("\n")


def hint(item: Item) -> str:
    """The same, and the first sentence on the next one, unless that is the title."""
    sentence = shortened(inert_line(first_sentence(item.body)), LONGEST_SENTENCE)
    again = begins_with(item.body, inert_line(item.title)) and len(sentence) <= LONGEST_TITLE
    return title_alone(item) if again else f"{title_alone(item)}{sentence}\n"


def least(item: Item) -> str:
    """The head, the title and the first sentence; the whole item if that is shorter."""
    sentence = shortened(inert_line(first_sentence(item.body)), LONGEST_SENTENCE)
    return min(full(item), f"{_head(item)}{sentence}{CUT}\n{_notes(item)}", key=len)


def cut_sentence(item: Item, room: int) -> str:
    """The head, the title and the beginning of the first sentence within `room` characters; "" if that says little."""
    head, notes = _head(item), _notes(item)
    left = room - len(head) - len(notes) - len(CUT) - 1
    if left < LEAST_BODY:
        return ""
    return f"{head}{shortened(inert_line(first_sentence(item.body)), left)}{CUT}\n{notes}"


def cut(item: Item, room: int) -> str:
    """The item with its body cut, within `room` characters; "" if that says no more than its first sentence."""
    head, notes = _head(item), _notes(item)
    left = room - len(head) - len(notes) - len(CUT) - 1
    if left < LEAST_BODY:
        return ""
    body = inert(item.body.strip())[: left + 1]
    kept = body[:left] if len(body.split()) < 2 else body.rsplit(None, 1)[0]
    text = f"{head}{kept.rstrip()}{CUT}\n{notes}"
    return text if len(text) > len(least(item)) else ""


def full(item: Item) -> str:
    """All of its words, with its reasoning and its notes."""
    why = f"Why: {inert(item.reasoning.strip())}\n" if item.reasoning.strip() else ""
    return f"{_head(item)}{inert(item.body.strip())}\n{why}{_notes(item)}"


def begins_with(body: str, title: str) -> bool:
    """Whether the text says the title with its first words, Markdown apart."""
    stem = title.rstrip("….").rstrip()
    return bool(stem) and inert_line(first_sentence(body)).startswith(stem)


def _notes(item: Item) -> str:
    return "".join(f"{untagged(' '.join(note.split()))}\n" for note in item.notes)


def _head(item: Item) -> str:
    """What the item is and its title, unless its text begins with that."""
    head = f"\n[{item.ref}] {item.kind} · {item.status} · {item.confidence} confidence · {item.date} · {item.who}"
    head += f"{TRUST_MARKS.get(item.trust, '')}\n"
    title = inert_line(item.title)
    return head if begins_with(item.body, title) else f"{head}{title}\n"
