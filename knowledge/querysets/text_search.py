"""SQL of plain text search: rows whose words stand somewhere in their text, as a person looks through a list."""

import re
from typing import Any

from django.db.models import BooleanField, F, Func, Q, TextField, Value

from knowledge.rules.vocabulary import AnchorKind

# What somebody typed: words, and phrases in quotation marks.
_WORDS = re.compile(r'"([^"]+)"|(\S+)')
# More words narrow nothing any more.
MOST_WORDS = 12
# The trigram index knows no shorter ones.
INDEXED_FROM = 3


class SearchedText(Func):
    """Reference, title, text, reasoning and repository as one text; the trigram index is on this very expression."""

    arg_joiner = " || ' ' || "
    template = "(%(expressions)s)"
    output_field = TextField()


class Ilike(Func):
    arg_joiner = " ILIKE "
    template = "(%(expressions)s)"
    output_field = BooleanField()


SEARCHED_TEXT = SearchedText(F("ref"), F("title"), F("body"), F("reasoning"), F("repo"))


def words_of(text: str) -> list[str]:
    """The words and quoted phrases of what was typed."""
    return [phrase or word for phrase, word in _WORDS.findall(text.replace("\0", ""))][:MOST_WORDS]


def has_text(word: str) -> Ilike:
    """Whether a row's text contains the word, whatever its case."""
    escaped = re.sub(r"([\\%_])", r"\\\1", word)
    return Ilike(SEARCHED_TEXT, Value(f"%{escaped}%"))


def has_anchor(word: str) -> Q:
    """Whether a row has the word as a tag, or as the whole name of a file or symbol."""
    kinds = (AnchorKind.TAG, AnchorKind.FILE, AnchorKind.SYMBOL)
    return Q(kind__in=kinds, value__in={word, word.lower()})


def containing(rows: Any, anchors: Any, text: str) -> Any:
    """Return those rows that have every word of `text` in their text or as an anchor: each leg by its own index."""
    for word in words_of(text):
        if len(word) < INDEXED_FROM:
            # Nearly every row has it: the newest are found sooner by leafing through them.
            rows = rows.filter(has_text(word))
            continue
        by_text = rows.model.objects.filter(has_text(word)).order_by().values("pk")
        by_anchor = anchors.filter(has_anchor(word)).order_by().values("insight_id")
        rows = rows.filter(pk__in=by_text.union(by_anchor, all=True))
    return rows
