"""Images and links that carry data out: what shows a reader's answer fetches `![x](https://…/?q=…)` unasked.

Told by their form: an image or another embedded part from another server, and a link whose address has a place that a
reader is to fill (`?data=<the key>`, `?q=`). A mark between text and address keeps both readable and makes neither. An
image of the same repository and a link with nothing to fill stay as they are, and so does an address in code.
"""

from __future__ import annotations

import re

_ELSEWHERE_ADDRESS = r"\s*+(?:<\s*+)?(?:[a-z][a-z0-9+.-]{1,20}:|//|\\\\)"
# `![text](https://…)`; behind a letter stands a macro of Rust (`vec![x]`), and what follows is no address.
_IMAGE = re.compile(rf"(!\[[^\[\]\n]{{0,300}}\])(?=\({_ELSEWHERE_ADDRESS})", re.IGNORECASE)
# What is defined below the text: `[x]: https://…`, and its images, `![text][x]` and `![x]`.
_DEFINED = re.compile(rf"^\s{{0,3}}\[([^\[\]\n]{{1,100}})\]:(?={_ELSEWHERE_ADDRESS})", re.IGNORECASE | re.MULTILINE)
_IMAGE_BY_NAME = re.compile(r"!\[([^\[\]\n]{0,100})\](?:\[([^\[\]\n]{0,100})\])?(?![(‹])")
_EMBEDDED = re.compile(
    r"<(?=(?:img|image|picture|source|video|audio|track|iframe|embed|object|input|svg)\b[^<>]{0,400}?"
    rf"\b(?:src|srcset|poster|data|href)\s*=\s*[\"']?{_ELSEWHERE_ADDRESS})",
    re.IGNORECASE,
)
# An address that is to be filled: a place in brackets or braces, or a last field of its query without a value.
_TO_FILL = (
    r"(?:[^()\s]{0,400}[?&#;/=](?:[^()\s=&]{0,80}=)?(?:[<\[{$]|%7b|%3c)|[^()\s]{0,400}[?&][^()\s=&]{1,80}=(?=[)>\s]))"
)
_LINK = re.compile(rf"(?<=\])(?=\(\s*(?:https?:)?//{_TO_FILL})", re.IGNORECASE)
_BARE_LINK = re.compile(rf"<(?=https?://{_TO_FILL})", re.IGNORECASE)


def disarmed(text: str) -> str:
    """Text in which no image or link carries data out, with a mark where one did."""
    if "![" in text:
        text = _IMAGE.sub(r"\1‹", text)
        names = {name.lower() for name in _DEFINED.findall(text)}
        text = _IMAGE_BY_NAME.sub(lambda image: f"!‹{image[0][1:]}" if _is_defined(image, names) else image[0], text)
    if "](" in text:
        text = _LINK.sub("‹", text)
    return _BARE_LINK.sub("‹", _EMBEDDED.sub("‹", text)) if "<" in text else text


def _is_defined(image: re.Match[str], names: set[str]) -> bool:
    """Whether an image may have an address: what names one may have it from another text of an answer."""
    return image[2] is not None or image[1].lower() in names
