"""Tags that prompts are made of and that no list names: by the words of their names, and by what stands around them.

HTML has its own names, and code has names of one word for generics and components. What is left is told by what it
holds: data is a value or further tags (`<version>1.2</version>`), a place to fill is never closed (`<commit>`), and
what stands between two tags of a prompt is words to a reader.
"""

from __future__ import annotations

import re
from functools import cached_property

# A name with a hyphen or an underscore is a client's: HTML has none but custom elements. A comparison has a blank
# (`a < b_c`), a generic a name before it, a size a number (`<memory:8192>`), and a person's address is one.
_CLIENTS = re.compile(
    r"<(?P<opens>\s{0,4}/[/\s]{0,4}|[|\\!?]+)?[^\W\d_]+(?:[-_][^\W_]|:[^\W\d_])[\w.:-]*(?!@|[\w.+:-])"
    r"|<\s{1,4}[^\W\d_]+(?:[-_:]\w{1,40}){1,9}(?:\s*>|\s+[\w-]{1,30}\s?=\s?[\"'])"
)
_SPOKEN_PART = re.compile(
    r"(?:system|user|human|assistant|developer|tool|function|instructions?|important|thinking|antml|claude|im|prompt|"
    r"reminder)(?:[-_:]|\b)",
    re.IGNORECASE,
)
# Words of which names are made, written together or with capitals within (`<antThinking>`, `<sysprompt>`).
_COMPOUND = re.compile(
    r"<[\s/]{0,4}(?:sys(?!calls?\b)|system|user|human|assistant|developer|tool|function|agent|ant|model|admin|ai|llm|loam|"
    r"hidden|new)"
    r"(?:thinking|thoughts?|prompts?|messages?|instructions?|reminders?|results?|calls?|outputs?|response|reply|turn|"
    r"polic(?:y|ies)|rules?|context|memory|notes?|notices?|override|directives?|system|user)\b",
    re.IGNORECASE,
)
# What is a prompt's wherever it stands, and what is at the beginning of a line: elsewhere it is a place to fill.
_ANYWHERE = {
    "ai", "sys", "loam", "skill", "skills", "policy", "policies", "rules", "admin", "administrator", "llm", "gpt",
    "anthropic",
}  # fmt: skip
_AT_LINES = {
    "model", "role", "message", "messages", "untrusted", "trusted", "operator", "notice", "override", "directive",
    "agent", "bot", "reminder", "reply",
}  # fmt: skip
_NAMED_TAG = re.compile(
    r"<(?P<closes>\s{0,2}/)?\s{0,2}(?P<name>[A-Za-z][A-Za-z\d]{0,40})"
    r"(?:\s{0,4}/?>|\s{1,4}[\w-]{1,30}\s?=|[^\w\s\x00-\x7f])"
)
_ANY_TAG = re.compile(
    r"<(?P<closes>\s{0,2}/\s{0,2})?(?P<name>[A-Za-z][A-Za-z\d]{0,40})(?:\s[^<>]{0,200})?>(?!`)|"
    r"<\s{1,2}(?P<parted>[A-Za-z][A-Za-z\d]{0,40})\s{0,2}>(?!`)"
)
# Alone on its line, above a line of words that is no deeper: what a list of placeholders explains is. Lines that are
# told as one have a slash between them.
_ABOVE_WORDS = re.compile(
    r"<\s?(?P<name>[A-Za-z][A-Za-z\d]{0,40})\s?>[ \t]*(?:\n(?P<below>[ \t>|]*)|/ )(?P<held>[^\n]{1,200})"
)
# Two words; in scripts that few texts about code have, one that another follows, or as many signs where no blanks are.
_OTHER_WORD = r"[^\W\d_\u0000-\u024f]"
_WORDS_WITHIN = (
    r"[A-Za-z]{2,}[,;:.]?\s{1,9}[a-z]|[a-z]{2,}[,;:.]?\s{1,9}\w|[A-Z]{2,}(?:\s[A-Z]{2,}){2}|"
    rf"{_OTHER_WORD}{{2,}}[,;:.]?\s{{1,9}}\w|[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]{{4}}"
)
_HELD_WORDS = re.compile(rf"(?<!\S)(?:{_WORDS_WITHIN})")
# Right behind a tag, perhaps emphasised or quoted; a number's place to fill is followed by its ending (`<n>th`).
_BEGUN_WORDS = re.compile(rf"[*~`\"\u201c\u00ab!#]{{0,4}}(?!(?:st|nd|rd|th)\b)(?:{_WORDS_WITHIN})")
# How much behind a tag tells whether it holds words.
_HELD = 200
_HTML = {
    "a", "abbr", "acronym", "address", "applet", "area", "article", "aside", "audio", "b", "base", "basefont", "bdi",
    "bdo", "big", "blink", "blockquote", "body", "br", "button", "canvas", "caption", "center", "cite", "code",
    "col", "colgroup", "data", "datalist", "dd", "del", "details", "dfn", "dialog", "dir", "div", "dl", "dt", "em",
    "embed", "fieldset", "figcaption", "figure", "font", "footer", "form", "frame", "frameset", "h1", "h2", "h3",
    "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "i", "iframe", "img", "input", "ins", "kbd", "label",
    "legend", "li", "link", "main", "map", "mark", "marquee", "menu", "meta", "meter", "nav", "nobr", "noframes",
    "noscript", "object", "ol", "optgroup", "option", "output", "p", "param", "picture", "plaintext", "portal",
    "pre", "progress", "q", "rb", "rp", "rt", "ruby", "s", "samp", "script", "search", "section", "select", "slot",
    "small", "source", "span", "strike", "strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td",
    "template", "textarea", "tfoot", "th", "thead", "time", "title", "tr", "track", "tt", "u", "ul", "var", "video",
    "wbr", "xmp", "animate", "circle", "clippath", "defs", "desc", "ellipse", "filter", "foreignobject", "g",
    "image", "line", "lineargradient", "marker", "mask", "math", "metadata", "path", "pattern", "polygon",
    "polyline", "radialgradient", "rect", "stop", "switch", "symbol", "text", "textpath", "tspan", "use", "view",
    "mi", "mn", "mo", "mrow", "msub", "msup", "mfrac", "ci", "cn", "apply", "bvar", "comment", "description", "name",
    "author", "license", "copyright", "string", "value",
}  # fmt: skip
# Cut off at the end of a text, or where another one goes on.
_CUT_TAG = re.compile(
    r"<\s?/\s?[A-Za-z](?:[\w-]{0,30}\s?(?:\u2026|\.{3}|$)|[\w-]{1,30}[\s,;)])|"
    r"<(?P<begun>[A-Za-z]{2,12})(?:\u2026|\.{3}|$|(?<=[A-Za-z]{5})[\s,;)])"
)
_BEGINNINGS = (
    *_ANYWHERE, "system-reminder", "user", "human", "assistant", "developer", "tool", "function", "instructions",
    "important", "thinking", "invoke", "parameter", "antml", "claude", "team-memory",
)  # fmt: skip


class PromptTags:
    """Which tags of a text are a prompt's."""

    def __init__(self, text: str, decoded: str) -> None:
        """`decoded`: the text with each sign that a reader takes for a bracket as that bracket, without formatting."""
        self.text, self.decoded = text, decoded

    def has(self, at: int, tag: str) -> bool:
        """Whether a prompt's tag begins at a place of the text; `tag`: what stands there, folded, behind a `<`."""
        found = _NAMED_TAG.match(tag)
        closes = bool(found and found["closes"]) or tag[1:3].lstrip()[:1] == "/"
        of_generic = not closes and self.text[at - 1 : at].isalnum()  # `List<rules>`
        client = _CLIENTS.match(tag)
        if client and (not of_generic or client["opens"] or _SPOKEN_PART.search(client[0])):
            return True
        if of_generic:
            return False
        if not found:
            return self.text[at - 1 : at] != "/" and self._is_cut(tag)  # `/</g` is a pattern
        name = found["name"]
        lower = name.lower()
        if name[0].isupper() and not name.isupper():  # a component, a class
            return lower in _ANYWHERE and lower in self._of_words
        if lower in _ANYWHERE or _COMPOUND.match(tag):
            return True
        if lower in _AT_LINES and (closes or self._begins_a_line(at)):
            return not self._holds_a_value(at, name)
        return lower not in _HTML and (lower in self._of_words or self._is_above_words(at))

    def _is_cut(self, tag: str) -> bool:
        found = _CUT_TAG.match(tag)
        begun = found and found["begun"]
        return bool(found) and (not begun or any(word.startswith(begun.lower()) for word in _BEGINNINGS))

    def _holds_a_value(self, at: int, name: str) -> bool:
        """Whether a tag holds one word, which it or another one closes: `<role>admin</role>`."""
        begin = self.text.rfind(f"<{name}>", max(0, at - 80), at + len(name) + 2)
        held, closed, _ = self.text[begin + len(name) + 2 : begin + 80].partition(f"</{name}>")
        words = held.lower().split()
        return begin >= 0 and bool(closed) and len(words) == 1 and words[0] not in ("system", "assistant", "developer")

    def _is_above_words(self, at: int) -> bool:
        """Whether a tag stands alone on its line, and words follow on the next one."""
        found = _ABOVE_WORDS.match(self.text, at)
        if not found or not self._begins_a_line(at):
            return False
        before = self.text[max(0, at - 40) : at].rpartition("\n")[2]
        return len(found["below"] or "") <= len(before) and bool(_HELD_WORDS.match(found["held"]))

    def _begins_a_line(self, at: int) -> bool:
        """Whether nothing but what decorates stands before it on its line."""
        before = self.text[max(0, at - 40) : at].rpartition("\n")[2].rpartition(" / ")[2]
        return not any(sign.isalpha() for sign in before) and before[-1:] != "`"

    @cached_property
    def _of_words(self) -> frozenset[str]:
        """Names of tags that hold words, or that close what nothing opened.

        Where a cut has dropped what closes one, words right behind it tell: a blank follows a place to fill.
        """
        opened: dict[str, bool] = {}
        found, closed, begun = set(), set(), set()
        for tag in _ANY_TAG.finditer(self.decoded):
            name = (tag["name"] or tag["parted"]).lower()
            if not tag["closes"]:
                held = self.decoded[tag.end() : tag.end() + _HELD].partition("<")[0]
                opened[name] = opened.get(name, False) or bool(_HELD_WORDS.search(held))
                if _BEGUN_WORDS.match(held):
                    begun.add(name)
                continue
            closed.add(name)
            if opened.get(name, True):
                found.add(name)
        return frozenset(found | (begun - closed))
