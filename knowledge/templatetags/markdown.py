"""Markdown written by agents, made safe to look at.

Three nets: the parser knows no HTML, so what looks like a tag is text; the sanitiser lets only a short list
of tags and attributes through; the page's content security policy runs nothing but our own files. No image is
ever fetched, for a remote picture in a deposited text would tell its server who reads it: it becomes a link.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any

import nh3
from django import template
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pygments import highlight as pygments_highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from accounts.rules.guard.detection import strip_invisible
from accounts.rules.rights import Member
from knowledge.retrieval.actions.backlinks import visible_references
from knowledge.rules.references import references, split_references

register = template.Library()

# Longer code than this is shown without colours: some lexers need quadratic time on hostile input.
COLOURED_UP_TO = 8_000
# CommonMark's own bound. What is nested deeper is left out, so that no text makes the parser recurse long.
NESTING = 20
# A body begins under the page's own headings, so its first level is the third.
HEADING_SHIFT = 2

TAGS = {
    *("p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "pre", "code"),
    *("a", "em", "strong", "s", "span", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "title"}, "pre": {"class", "tabindex"}, "span": {"class"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}
# The classes we write: Pygments' short names, the frame of coloured code, the mark of a picture's link.
CLASS = re.compile(r"hl|far|[a-z][a-z0-9]{0,2}")
FORMATTER = HtmlFormatter(nowrap=True)


class Renderer(RendererHTML):
    """HTML for a page of ours: headings moved down, pictures as links."""

    def heading_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return f"<h{_level(tokens[index])}>"

    def heading_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return f"</h{_level(tokens[index])}>\n"

    def image(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        source = str(token.attrs.get("src", ""))
        words = self.renderInlineAsText(token.children or [], options, env) or source
        return f'<a href="{escape(source)}"><span class="far">image: {escape(words)}</span></a>'

    def code_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return coloured(tokens[index].content, "", "")


def coloured(code: str, language: str, _attributes: str) -> str:
    """A fenced block as <pre>; focusable, so that the keyboard can scroll it."""
    body = escape(code)
    if language and len(code) <= COLOURED_UP_TO:
        with suppress(ClassNotFound):
            body = pygments_highlight(code, get_lexer_by_name(language, stripnl=False), FORMATTER)
    return f'<pre class="hl" tabindex="0"><code>{body}</code></pre>'


PARSER = MarkdownIt(
    "commonmark", {"html": False, "maxNesting": NESTING, "highlight": coloured}, renderer_cls=Renderer
).enable(["table", "strikethrough"])


@register.filter
def markdown(text: str) -> SafeString:
    """Text as safe HTML, to stand in an element of class `prose`."""
    return sanitised(PARSER.render(strip_invisible(text or "").text))


@register.filter
def linked_markdown(text: str, member: Member) -> SafeString:
    """The same, with the references of insights that the member may see as links. In code and in links they stay as
    they are.
    """
    tokens = PARSER.parse(strip_invisible(text or "").text)
    lines = [token for token in tokens if token.type == "inline" and token.children]
    said = [piece.content for line in lines for piece, linked in _pieces(line) if not linked]
    found = references("\n".join(said)) if said else []
    known = visible_references(found, by=member) if found else set()
    for line in lines if known else ():
        line.children = [new for piece, linked in _pieces(line) for new in _linked(piece, linked, known)]
    ours = {_address(ref) for ref in known}
    return sanitised(PARSER.renderer.render(tokens, PARSER.options, {}), ours=ours)


def _address(ref: str) -> str:
    return reverse("knowledge:insight", args=[ref])


def _pieces(line: Token) -> Iterator[tuple[Token, bool]]:
    """Each token of a line, and whether no reference in it may become a link: in a link, or no text at all."""
    depth = 0
    for piece in line.children or []:
        depth += {"link_open": 1, "link_close": -1}.get(piece.type, 0)
        yield piece, depth > 0 or piece.type != "text"


def _linked(piece: Token, linked: bool, known: Collection[str]) -> Iterator[Token]:
    """The token, or the tokens of a text with its known references as links."""
    if linked:
        yield piece
        return
    for ref, text in split_references(piece.content, known):
        if ref:
            yield Token("link_open", "a", 1, attrs={"href": _address(ref)})
        yield Token("text", "", 0, content=text)
        if ref:
            yield Token("link_close", "a", -1)


def sanitised(html: str, *, ours: Collection[str] = ()) -> SafeString:
    """The HTML with nothing in it but the tags and attributes we write; `ours`: the pages of ours it may link to."""

    def attribute(tag: str, name: str, value: str) -> str | None:
        return value if (tag, name) == ("a", "href") and value in ours else _attribute(tag, name, value)

    return mark_safe(
        nh3.clean(
            html,
            tags=TAGS,
            attributes=ATTRIBUTES,
            attribute_filter=attribute,
            url_schemes=SCHEMES,
            link_rel="nofollow noopener noreferrer",
        )
    )


@register.filter
def excerpt(text: str, length: int = 240) -> str:
    """The first words of a Markdown text without its marks, for a list."""
    words: list[str] = []
    found = 0
    for token in PARSER.parse(strip_invisible(text or "").text[: length * 8]):
        piece = _plain(token)
        if piece:
            words.append(piece)
            found += len(piece) + 1
        if found > length:
            break
    line = " ".join(" ".join(words).split())
    return line if len(line) <= length else line[:length].rsplit(" ", 1)[0] + " …"


@register.filter
def visible(text: str) -> str:
    """A title or a name without characters that turn the line around: old rows may hold some, new ones never do."""
    return strip_invisible(text or "").text


def _plain(token: Token) -> str:
    if token.type in ("fence", "code_block"):
        return token.content
    if token.type != "inline":
        return ""
    breaks = ("softbreak", "hardbreak")
    return "".join(" " if child.type in breaks else child.content for child in token.children or [])


def _level(token: Token) -> int:
    return min(6, int(token.tag[1]) + HEADING_SHIFT)


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name == "class" and not all(CLASS.fullmatch(word) for word in value.split()):
        return None
    if tag == "a" and name == "href" and not re.match(r"(?:https?:|mailto:)", value, re.IGNORECASE):
        return None
    return value
