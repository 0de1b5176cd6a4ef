"""Two texts as one, with what went and what came marked."""

import difflib
import re
from datetime import UTC
from functools import lru_cache
from typing import Any

from django import template
from django.utils.dateformat import format as date_format
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from accounts.rules.rights import Level
from knowledge.review.rules.version_token import VERDICTS, differences
from knowledge.review.rules.word_difference import is_dense, stretches
from knowledge.rules.vocabulary import HEIRS, field_name

register = template.Library()

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")

# A mark may stand within code, not across its end: tags stay nested.
_CODE = re.compile(r"(?<!`)`((?:[^`<\n]|<(?:ins|del)>[^`<\n]*</(?:ins|del)>)+)`(?!`)")

# Two texts with less in common than this say it in words of their own: marks on nearly all of them tell nothing.
MARKED_FROM = 0.35
# Longer texts are compared by lines: word by word a difference of two long texts takes seconds.
BY_WORD_UP_TO = 6_000


@register.simple_tag
def difference(old: Any, new: Any) -> SafeString:
    """`new` with <ins> around what came and <del> around what went, word by word."""
    parts: list[tuple[str, str]] = []
    for same, gone, came in stretches(*pieces(text_of(old), text_of(new))):
        parts += [("", came)] if same else [("del", gone), ("ins", came)]
    return format_html_join("", "{}", ((_marked(tag, text),) for tag, text in parts if text))


@register.simple_tag
def rewritten(old: Any, new: Any) -> bool:
    """Whether so much differs that the new text is easier to read than the difference."""
    return is_dense(stretches(*pieces(text_of(old), text_of(new))))


# What is said above a text whose words are not marked: without it, it looks like the same text.
UNLIKE = "The texts differ too much to mark single words."


@register.simple_tag
def beside(other: Any, this: Any) -> SafeString:
    """What differs between the two; only the other's text when they have next to nothing in common."""
    before, after = pieces(text_of(other), text_of(this))
    near = difflib.SequenceMatcher(None, before, after, autojunk=False).ratio() >= MARKED_FROM
    if near:
        return difference(other, this)
    return format_html('<span class="muted mb-1 block text-sm">{}</span>{}', UNLIKE, text_of(other))


@register.simple_tag
def only_here(other: Any, this: Any, tag: str) -> SafeString:
    """`this` with <tag> (ins or del) around the words that `other` does not have in that place, without marks if it is
    another text altogether. What stands between backticks in a line is shown as code; other Markdown as it was written.
    """
    here, there = text_of(this), text_of(other)
    first = here <= there
    likeness, parts = _compared(*sorted((here, there)))
    if likeness < MARKED_FROM:
        return _with_code(format_html("{}", here))
    shown = (("" if same else tag, one if first else two) for same, one, two in parts)
    return _with_code(format_html_join("", "{}", ((_marked(name, text),) for name, text in shown if text)))


# A page shows both sides of each of its pairs, one after the other: the comparison is made once.
@lru_cache(maxsize=32)
def _compared(one: str, two: str) -> tuple[float, list[tuple[bool, str, str]]]:
    """How alike two texts are (0–1), and both in parts: whether they are the same there, and what each says."""
    before, after = pieces(one, two)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if matcher.quick_ratio() < MARKED_FROM:  # an upper bound of the other, for a hundredth of the time
        return 0.0, []
    likeness = matcher.ratio()
    return likeness, stretches(before, after)


@register.filter
def changed(line: Any) -> list[tuple[str, Any, Any]]:
    """Name, new and old value of each field a log line is about; verdicts are told apart from them. Of a line that has
    only old values, such as of something deleted, the new ones are empty.
    """
    return [
        (field_name(name), plain_value(name, now), plain_value(name, line.before.get(name)))
        for name, now in (line.after or dict.fromkeys(line.before)).items()
        if name not in {HEIRS, *VERDICTS}
    ]


@register.filter
def log_changes(line: Any) -> list[tuple[str, Any, Any]]:
    """Name, old and new value of each field of a log line that a person would ask about."""
    told = differences(line.before, line.after)
    return [(field_name(name), plain_value(name, was), plain_value(name, now)) for name, was, now in told]


def plain_value(name: str, value: Any) -> Any:
    """A value of the log as a person reads it: levels by name, moments as everywhere, numbers without a tail."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "level" and value in list(Level):
        return Level(value).name.lower()
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    if isinstance(value, str) and _MOMENT.match(value):
        moment = parse_datetime(value)
        return date_format(moment.astimezone(UTC), "j M Y, H:i") if moment else value
    return value


@register.filter
def diff_lines(unified: str) -> list[tuple[str, str]]:
    """A unified diff as (what became of the line, its text); the file names on top are left out."""
    found = []
    for line in (unified or "").splitlines():
        if line.startswith(("--- ", "+++ ")):
            continue
        kind = {"+": "came", "-": "went", "@": "place"}.get(line[:1], "same")
        found.append((kind, line[1:] if kind in ("came", "went", "same") else "⋯"))
    return found


def text_of(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(text_of(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {text_of(item)}" for name, item in value.items())
    return "" if value is None else str(value)


def pieces(old: str, new: str) -> tuple[list[str], list[str]]:
    """Both texts in words with their spaces; in lines when they are long."""
    short = len(old) + len(new) <= BY_WORD_UP_TO
    pattern = re.compile(r"\s+|\w+|[^\w\s]" if short else r".*\n?")
    return [p for p in pattern.findall(old) if p], [p for p in pattern.findall(new) if p]


def _with_code(shown: SafeString) -> SafeString:
    # Escaped before; only <code> is added.
    return mark_safe(_CODE.sub(r"<code>\1</code>", shown))


def _marked(tag: str, text: str) -> SafeString | str:
    return format_html("<" + tag + ">{}</" + tag + ">", text) if tag else text
