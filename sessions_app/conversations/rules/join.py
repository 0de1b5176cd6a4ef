"""Join the passages of a transcript with the stored ones of the same session.

A transcript arrives several times: at each checkpoint, at the end, and once more if it is found on the machine. It may
be longer than before, begin later (a client sends only the end of a long one), be a late retry of a shorter one, or be
rewritten. Equal passages keep their place, and so their row and their vector.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from sessions_app.conversations.rules.cut_passages import Piece

# The largest number of passages of one session; the last ones are kept. A day of an agent has some 200.
MOST_PASSAGES = 600


@dataclass(frozen=True)
class PlacedPassage:
    """A passage at its position in the session."""

    position: int
    piece: Piece


def join(kept: Sequence[PlacedPassage], sent: Sequence[Piece], most: int = MOST_PASSAGES) -> list[PlacedPassage]:
    """Return all passages that the session has from now on, the last `most`, in order.

    `kept` are in order too. A transcript that shares no passage with them follows them if it is later, otherwise it
    replaces them.
    """
    if not kept or not sent:
        return list(kept)[-most:] or _placed(sent, 0)[-most:]
    old = [_key(one.piece) for one in kept]
    new = [_key(piece) for piece in sent]
    match = SequenceMatcher(None, old, new, autojunk=False).find_longest_match()
    if not match.size:
        if _ended_before(kept[-1].piece, sent[0]):
            return [*kept, *_placed(sent, kept[-1].position + 1)][-most:]
        return _placed(sent, 0)[-most:]
    # The first passage that both have, where the two windows align.
    at, place = _first_shared(old, new, match.a - match.b)
    shift = kept[at].position - place
    moved = kept[at].piece.first_turn - sent[place].first_turn
    now = [PlacedPassage(shift + number, _moved(piece, moved)) for number, piece in enumerate(sent)]
    joined = [*kept[:at], *_remaining(kept[at:], now[place:])]
    if place >= at and not _continues(kept[:at], sent[:place]):
        joined = [*now[:place], *joined[at:]]
    return _from_zero(joined[-most:])


def _first_shared(old: list[tuple[str, str]], new: list[tuple[str, str]], offset: int) -> tuple[int, int]:
    """Return the places of the first passage that both have, within the alignment of their longest shared run."""
    for place, key in enumerate(new):
        if 0 <= place + offset < len(old) and old[place + offset] == key:
            return place + offset, place
    raise AssertionError("a run that is shared has a first passage")


def _remaining(kept: Sequence[PlacedPassage], sent: Sequence[PlacedPassage]) -> Sequence[PlacedPassage]:
    """Return the sent passages from the first shared one on, unless they are a late retry of a shorter transcript."""
    same = next(
        (n for n, (a, b) in enumerate(zip(kept, sent, strict=False)) if _key(a.piece) != _key(b.piece)),
        min(len(kept), len(sent)),
    )
    shorter = same < len(kept) and same == len(sent) - 1 and _begins(kept[same].piece, sent[same].piece)
    if same == len(sent) or shorter:
        return kept
    return [*kept[:same], *sent[same:]]


def _begins(whole: Piece, part: Piece) -> bool:
    return whole.speaker is part.speaker and whole.text.startswith(part.text)


def _continues(kept: Sequence[PlacedPassage], sent: Sequence[Piece]) -> bool:
    """Return whether the sent passage is the end of the kept one, which then stays."""
    return bool(kept) and len(kept) == len(sent) == 1 and kept[0].piece.text.endswith(sent[0].text)


def _ended_before(last: Piece, first: Piece) -> bool:
    return bool(last.at and first.at and last.at < first.at)


def _key(piece: Piece) -> tuple[str, str]:
    return piece.speaker, piece.text


def _moved(piece: Piece, by: int) -> Piece:
    first = max(piece.first_turn + by, 0)
    return replace(piece, first_turn=first, last_turn=max(piece.last_turn + by, first))


def _placed(pieces: Sequence[Piece], first: int) -> list[PlacedPassage]:
    return [PlacedPassage(first + number, piece) for number, piece in enumerate(pieces)]


def _from_zero(placed: list[PlacedPassage]) -> list[PlacedPassage]:
    """Return the passages, shifted up if the first would be below position 0, as when a session's beginning arrives
    last.
    """
    low = min(one.position for one in placed)
    return placed if low >= 0 else [replace(one, position=one.position - low) for one in placed]
