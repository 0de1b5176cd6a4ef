"""The forms of an insight in a text for agents, from its title alone to all of its words."""

from functools import lru_cache

from accounts.rules import fence
from accounts.rules.fence import untagged
from knowledge.rules.draft import first_sentence, shortened
from sessions_app.answers.rules.excerpt import excerpt, sentence
from sessions_app.answers.rules.parts import Item

# Cached because one answer computes an item's forms some ten times to distribute its room.
inert, inert_line = lru_cache(256)(fence.inert), lru_cache(256)(fence.inert_line)
CUT = " […]"
# A cut text shorter than this says no more than its first sentence.
LEAST_BODY = 80
# A longer first sentence is cut, and so is a longer title in a list of titles.
LONGEST_SENTENCE = 240
LONGEST_TITLE = 90
# Marks by the state of an insight's files.
TRUST_MARKS = {
    "stale": " · stale: its files changed since, check it",
    "contradicted": " · said to be contradicted, not settled",
}


def brief(item: Item, room: int | None, *, noted: bool = True) -> str:
    """Return the reference, kind and title on one line, followed by the notes or at least the standing. The title is
    cut to `room`, if given.
    """
    standing = "" if noted else "".join(f"; {word}" for word in _stands(item))
    begun = f"\n[{item.ref}] {item.kind} ({item.status}, {item.who}{standing}): "
    left = LONGEST_TITLE if room is None else min(LONGEST_TITLE, room - len(begun) - 1)
    title = shortened(inert_line(item.title), max(left, 1))
    return f"{begun}{title}\n{_notes(item) if noted else ''}"


def title_alone(item: Item) -> str:
    """Return the reference, kind, standing and title on one line."""
    return brief(item, None, noted=False).lstrip("\n")


def hint(item: Item) -> str:
    """Return the title line, and the likeliest sentence on the next line unless it is the title."""
    likeliest = _sentence(item)
    again = _tells_title(item, likeliest) and len(likeliest) <= LONGEST_TITLE
    return title_alone(item) if again else f"{title_alone(item)}{likeliest}\n"


def unnoted(item: Item, room: int) -> str:
    """Return the head with the standing, the title and the likeliest sentence within `room`, without the notes: notes
    about others must not take the room of its own words. "" if that says little.
    """
    likeliest = _sentence(item)
    first, *rest = _head(item, likeliest).strip("\n").split("\n")
    head = "\n".join(["", first + "".join(f" · {word}" for word in _stands(item)), *rest, ""])
    if _is_whole(item, likeliest) and len(head) + len(likeliest) < room:
        return f"{head}{likeliest}\n"
    left = room - len(head) - len(CUT) - 1
    return f"{head}{shortened(likeliest, left)}{CUT}\n" if left >= LEAST_BODY else ""


def _stands(item: Item) -> list[str]:
    """Return the words for the standing, for a form without notes that would say it."""
    return [word for word in (item.side if not item.standing else "", item.standing) if word]


# How well a text tells of an item: its date and a sentence, whole or cut.
TOLD, CUT_SHORT = 2, 1
# The least characters of a sentence behind a date.
LEAST_DATED = 40


def dated(item: Item, room: int | None) -> str:
    """Return the reference, kind, date and a sentence on one line, the least that is told of a side of a pair, cut to
    `room` if given; "" if that says little.
    """
    begun, told = _dated_head(item), _dated_sentence(item)
    mark = "" if _is_whole(item, told) else CUT
    left = len(told) if room is None else room - len(begun) - len(mark) - 1
    return f"{begun}{shortened(told, left)}{mark}\n" if left >= min(LEAST_DATED, len(told)) else ""


def is_dated(item: Item, text: str) -> bool:
    """Return whether a text has the form of `dated`. Of the forms with longer heads only one with a whole sentence is
    better.
    """
    return text.startswith(_dated_head(item))


def least_dated(item: Item, told: int = LEAST_DATED) -> int:
    """Return the room of `dated` with `told` characters of its sentence, or all if it is shorter."""
    sentence_ = _dated_sentence(item)
    mark = "" if _is_whole(item, sentence_) else CUT
    return len(_dated_head(item)) + min(told, len(sentence_)) + len(mark) + 1


def _is_whole(item: Item, told: str) -> bool:
    """Return whether words are all that the item says, its notes on others apart."""
    return not item.reasoning.strip() and told == inert_line(item.body.strip())


def _dated_head(item: Item) -> str:
    # Its date tells which side it is.
    standing = f"; {item.standing}" if item.standing else ""
    return f"\n[{item.ref}] {item.kind} ({item.status}, {item.date}{standing}): "


def _dated_sentence(item: Item) -> str:
    """Return the likeliest sentence. Of the older side it is the first one if that is shorter: its words should not
    take the room in which the newer one says what changed.
    """
    if item.side != "older":
        return _sentence(item)
    return min(_sentence(item), inert_line(shortened(first_sentence(item.body), LONGEST_SENTENCE)), key=len)


def tells(item: Item, text: str) -> int:
    """Return how well one of the forms tells of its item: `TOLD`, `CUT_SHORT`, or 0 without a date or a sentence."""
    if item.date not in text.lstrip("\n").partition("\n")[0]:
        return 0
    whole = len(text) >= len(least(item)) or _sentence(item) in text or _dated_sentence(item) in text
    return TOLD if whole else CUT_SHORT


def least(item: Item) -> str:
    """Return the head, the title and the likeliest sentence; the whole item if that is shorter."""
    likeliest = _sentence(item)
    return min(full(item), f"{_head(item, likeliest)}{likeliest}{CUT}\n{_notes(item)}", key=len)


def cut_sentence(item: Item, room: int) -> str:
    """Return the head, the title and the beginning of the likeliest sentence within `room`; "" if that says little."""
    likeliest = _sentence(item)
    head, notes = _head(item, likeliest), _notes(item)
    left = room - len(head) - len(notes) - len(CUT) - 1
    if left < LEAST_BODY:
        return ""
    return f"{head}{shortened(likeliest, left)}{CUT}\n{notes}"


def cut(item: Item, room: int) -> str:
    """Return the item with the sentences that say most about the question, or with its beginning, within `room`
    characters; "" if that says no more than one sentence.
    """
    head, notes = _head(item, ""), _notes(item)
    left = room - len(head) - len(notes) - 1
    if left < LEAST_BODY:
        return ""
    body = inert(item.body.strip())
    # Text from the middle of a line may now begin one, after the mark of the gap.
    spared = len(head) - len(_head(item, body))
    told = inert(excerpt(body, item.question, left, title_room=spared))
    fits = len(told) <= left + (spared if _tells_title(item, told) else 0)
    told = told if told and fits else _beginning(body, left - len(CUT))
    text = f"{_head(item, told)}{told}\n{notes}"
    return text if len(text) > len(least(item)) else ""


def _beginning(body: str, room: int) -> str:
    body = body[: room + 1]
    kept = body[:room] if len(body.split()) < 2 else body.rsplit(None, 1)[0]
    return f"{kept.rstrip()}{CUT}"


def _sentence(item: Item) -> str:
    spared = len(inert_line(item.title)) + 1 if _tells_title(item, item.body) else 0
    # The whole tells which tags are a pair: one that is closed in another sentence looks like a place to fill.
    return inert_line(sentence(inert(item.body), item.question, LONGEST_SENTENCE, title_room=spared))


def full(item: Item) -> str:
    """Return all of its words, with the reasoning and the notes."""
    why = f"Why: {inert(item.reasoning.strip())}\n" if item.reasoning.strip() else ""
    return f"{_head(item, item.body)}{inert(item.body.strip())}\n{why}{_notes(item)}"


def begins_with(body: str, title: str) -> bool:
    """Return whether the text begins with the title, ignoring Markdown."""
    stem = title.rstrip("….").rstrip()
    return bool(stem) and inert_line(first_sentence(body)).startswith(stem)


def _notes(item: Item) -> str:
    return "".join(f"{untagged(' '.join(note.split()))}\n" for note in item.notes)


def _head(item: Item, told: str) -> str:
    """Return what the item is and its title, unless the words that follow begin with the title."""
    head = f"\n[{item.ref}] {item.kind} · {item.status} · {item.confidence} confidence · {item.date} · {item.who}"
    head += f"{TRUST_MARKS.get(item.trust, '')}\n"
    return head if _tells_title(item, told) else f"{head}{inert_line(item.title)}\n"


def _tells_title(item: Item, told: str) -> bool:
    return begins_with(told, inert_line(item.title))
