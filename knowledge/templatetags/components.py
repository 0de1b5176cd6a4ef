"""The parts that pages are made of, as tags: each is a template of templates/components/, all of them in each state are
on /components/ while DEBUG is on. Loaded in every template (`builtins` in config/settings.py).

Django's own tags rather than a package: docs/decisions/0025-components.md.
"""

from functools import lru_cache
from typing import Any

from django import template
from django.template import Context, Template
from django.template.loader import get_template
from django.urls import reverse
from django.utils.safestring import SafeString

register = template.Library()


@lru_cache(64)
def _loaded(name: str) -> Template:
    return get_template(f"components/{name}.html").template  # type: ignore[attr-defined]


def _rendered(component: str, /, **values: Any) -> SafeString:
    return _loaded(component).render(Context(values))


def _address(place: str) -> str:
    """The address of a view that needs no argument, by its name; a path as it is."""
    return reverse(place) if ":" in place and not place.startswith(("/", "?")) else place


@register.simple_block_tag
def panel(
    content: str, title: str, id: str, *, hint: str = "", look: str = "", flush: bool = False, hidden: bool = False
) -> SafeString:
    """A bordered part of a page under a heading. `flush`: a table or a list reaches its edges; `hidden`: the heading is
    for screen readers only.
    """
    return _rendered("panel", slot=content, title=title, id=id, hint=hint, look=look, flush=flush, hidden=hidden)


@register.simple_block_tag
def note(content: str, tone: str = "info", *, alert: bool = False, look: str = "mb-4", title: str = "") -> SafeString:
    """A message in the flow of the page: `info`, `success`, `warning` or `error`."""
    return _rendered("note", slot=content, tone=tone, alert=alert, look=look, title=title)


@register.simple_block_tag
def conflict_notice(content: str, title: str, id: str, *, who: str = "", look: str = "mb-6") -> SafeString:
    """What a form says when somebody else was first, with the differences in its body; the title begins with `who`."""
    return _rendered("conflict_notice", slot=content, title=title, id=id, who=who, look=look)


@register.simple_block_tag
def fold(content: str, label: str, *, about: str = "", open: bool = False, look: str = "") -> SafeString:
    """What is shown on request. `about` completes the label for a screen reader."""
    return _rendered("fold", slot=content, label=label, about=about, open=open, look=look)


@register.simple_tag
def breadcrumb(*crumbs: str) -> SafeString:
    """The way to this page, without the page itself: a label, and the name or path of a view, each."""
    links = [(label, _address(place)) for label, place in zip(crumbs[::2], crumbs[1::2], strict=True) if place]
    return _rendered("breadcrumb", links=links)


@register.simple_tag
def button(label: str, look: str = "outline", **given: Any) -> SafeString:
    """A button, or a link that looks like one where there is an `href`.

    `small`, `wide`, `icon`, `name` and `value`, `key` (of the keyboard), `action` (another address of its form).
    `about` completes the label for a screen reader, after a colon with `colon`.
    """
    return _rendered("button", label=label, look=look, **given)


@register.simple_tag(takes_context=True)
def post_button(context: Context, label: str, action: str, look: str = "outline", **given: Any) -> SafeString:
    """A form of one button, sent by POST, with up to two hidden fields: `field` and `sent`, `field_2` and `sent_2`."""
    token = context.get("csrf_token")
    return _rendered("post_button", csrf_token=token, label=label, action=_address(action), look=look, **given)


@register.simple_tag
def empty_state(title: str, words: str = "", url: str = "", act: str = "") -> SafeString:
    """What stands where a list is empty: what would appear, and the first step to it."""
    return _rendered("empty_state", title=title, words=words, url=_address(url), act=act)


@register.simple_tag
def pagination(previous: str = "", next: str = "", words: str = "") -> SafeString:
    """Links to the neighbouring pages of a list, each an address or nothing."""
    return _rendered("pagination", previous=previous, next=next, words=words) if previous or next else SafeString("")


@register.simple_tag(takes_context=True)
def pages(context: Context, page: int, more: bool, of: int = 0) -> SafeString:
    """The same where `page` of the address is a number; `of`: how many there are, where that is known."""

    def place(number: int) -> str:
        given = context["request"].GET.copy()
        given.pop("at", None)
        given["page"] = str(number)
        return f"?{given.urlencode()}"

    words = f"Page {page} of {of}" if of else ""
    return pagination(place(page - 1) if page > 1 else "", place(page + 1) if more else "", words)


@register.simple_tag
def badge(words: str, tone: str = "muted") -> SafeString:
    """A status or a count in a rounded frame: `success`, `info`, `warning`, `error` or `muted`."""
    return _rendered("badge", words=words, look=tone if tone == "muted" else f"text-{tone}")
