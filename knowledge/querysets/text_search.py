"""SQL of the plain text search of lists: rows that contain all words."""

import re
from typing import Any

from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q, TextField, Value

from knowledge.rules.vocabulary import AnchorKind

# What somebody typed: words, and phrases in quotation marks.
_WORDS = re.compile(r'"([^"]+)"|(\S+)')
# More words narrow nothing any more.
MOST_WORDS = 12
# Of more rows than this that match, the newest are found sooner by leafing through all.
FEW = 20_000
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


def has_text(word: str) -> Q:
    """Whether a row's text contains the word, whatever its case."""
    escaped = re.sub(r"([\\%_])", r"\\\1", word)
    return Q(Ilike(SEARCHED_TEXT, Value(f"%{escaped}%")))


def has_anchor(word: str) -> Q:
    """Whether a row has the word as a tag, or as the whole name of a file or symbol."""
    kinds = (AnchorKind.TAG, AnchorKind.FILE, AnchorKind.SYMBOL)
    return Q(kind__in=kinds, value__in={word, word.lower()})


def containing(rows: Any, anchors: Any, text: str) -> Any:
    """Return those rows that have every word of `text` in their text or as an anchor. It asks at once which they are:
    a list is sorted, paged and counted, and would look for them each time.
    """
    words = words_of(text)
    sought = [word for word in words if len(word) >= INDEXED_FROM]
    for word in words:
        if word not in sought:
            # Nearly every row has it: it is looked for in what the longer words find.
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
    """(key,) of those rows, some twice: those with all words in their text, which the trigram index finds together
    (three common words took 470 ms one by one, at 100,000 insights, and take 50); and those with one of the words as an
    anchor, which are few, looked at for the others.
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
