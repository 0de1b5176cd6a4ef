"""The text of a comment, with the members it mentions as links."""

from collections.abc import Collection
from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from knowledge.review.rules.mentions import split_mentions
from knowledge.templatetags.markdown import visible

register = template.Library()


@register.simple_tag
def comment_text(comment: Any) -> SafeString:
    """The text as text; whom it mentions leads to what they wrote."""
    return _linked(comment.text, comment.names)


@register.simple_tag
def note_text(note: str, noted: Any) -> SafeString:
    """The note of a suggestion as `comment_text`; `noted`: the comments that it was stored with."""
    return _linked(note, [name for one in noted for name in one.names])


def _linked(said: str, names: Collection[str]) -> SafeString:
    home = reverse("knowledge:insights")
    parts = []
    for name, text in split_mentions(visible(said), names):
        address = f"{home}?{urlencode({'author': name})}"
        parts.append((format_html('<a class="link" href="{}">{}</a>', address, text) if name else text,))
    return format_html_join("", "{}", parts)
