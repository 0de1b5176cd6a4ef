"""Text search of lists: find the rows that contain all words typed."""

import re
from typing import Any

from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q, TextField, Value

from knowledge.rules.vocabulary import AnchorKind

# The typed text: words, and phrases in quotation marks.
_WORDS = re.compile(r'"([^"]+)"|(\S+)')
# Use at most this many words; more do not narrow the result.
MOST_WORDS = 12
# If more rows than this match, the newest are found sooner by scanning all rows in order.
FEW = 20_000
# The trigram index needs words of at least this many characters.
INDEXED_FROM = 3


class SearchedText(Func):
    """Reference, title, text, reasoning and repository as one text. The trigram index is on exactly this expression."""

    arg_joiner = " || ' ' || "
    template = "(%(expressions)s)"
    output_field = TextField()


class Ilike(Func):
    arg_joiner = " ILIKE "
    template = "(%(expressions)s)"
    output_field = BooleanField()


SEARCHED_TEXT = SearchedText(F("ref"), F("title"), F("body"), F("reasoning"), F("repo"))


def words_of(text: str) -> list[str]:
    """Return the words and quoted phrases of the typed text."""
    return [phrase or word for phrase, word in _WORDS.findall(text.replace("\0", ""))][:MOST_WORDS]


def has_text(word: str) -> Q:
    """Return the condition that a row's text contains the word, ignoring case."""
    escaped = re.sub(r"([\\%_])", r"\\\1", word)
    return Q(Ilike(SEARCHED_TEXT, Value(f"%{escaped}%")))


def has_anchor(word: str) -> Q:
    """Return the condition that an anchor is a tag with this word, or a file or symbol with exactly this name."""
    kinds = (AnchorKind.TAG, AnchorKind.FILE, AnchorKind.SYMBOL)
    return Q(kind__in=kinds, value__in={word, word.lower()})


def containing(rows: Any, anchors: Any, text: str) -> Any:
    """Return the rows that have every word of `text` in their text or as an anchor.

    It runs the search at once, because a list is sorted, paged and counted, and would repeat the search each time.
    """
    words = words_of(text)
    sought = [word for word in words if len(word) >= INDEXED_FROM]
    for word in words:
        if word not in sought:
            # Nearly every row contains it, so it is checked only on what the longer words find.
            rows = rows.filter(has_text(word))
    if not sought:
        return rows
    found = list(_legs(rows.order_by(), anchors, sought)[: FEW + 1])
    if len(found) <= FEW:
        return rows.filter(pk__any=sorted({pk for (pk,) in found}))
    for word in sought:
        rows = rows.filter(has_text(word) | Q(pk__in=_insights_of(anchors.filter(has_anchor(word)))))
    return rows


def _legs(rows: Any, anchors: Any, words: list[str]) -> Any:
    """Return (id,) of the rows, some of them twice.

    One leg finds the rows with all words in their text, by the trigram index together (three common words one by one
    took 470 ms at 100,000 insights; together they take 50 ms). The other finds the rows with one of the words as an
    anchor, which are few, and checks the other words on these.
    """
    by_text, one_of = rows, Q()
    for word in words:
        by_text, one_of = by_text.filter(has_text(word)), one_of | has_anchor(word)
    named = rows.filter(pk__in=_insights_of(anchors.filter(one_of)))
    for word in words if words[1:] else ():
        mine = anchors.filter(has_anchor(word), insight=OuterRef("pk"))
        named = named.filter(has_text(word) | Q(Exists(mine)))
    return by_text.values_list("pk").union(named.values_list("pk"), all=True)


def _insights_of(anchors: Any) -> Any:
    return anchors.order_by().values("insight_id")
