"""Characters nobody sees, by which a text says one thing to a person and another to a machine.

Removed: control characters (all but line feed and tab), terminal colours, zero-width characters, soft hyphens,
marks that turn the direction of text, tag characters, variation selectors, every other format character that has
no shape, and lone surrogates, which no UTF-8 can hold. Line ends of any kind become a line feed. NUL stays: what
holds one is not a text, and the door refuses it.

Kept is what scripts and emoji need, each time only between the neighbours that need it, and only once: a
zero-width (non-)joiner between letters of Arabic, the scripts of India and their kin; a joiner between two emoji;
one variation selector behind a symbol, a keycap's digit or an ideograph; the Mongolian selectors behind a
Mongolian letter; the tags of the three regional flags. So no run of them, in which a message could be written,
survives, and what is kept once is kept again: stripping twice changes nothing.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Stripped:
    """The text without invisible characters, and how many of which kind it had (kind → count, without line ends)."""

    text: str
    removed: Mapping[str, int]

    @property
    def count(self) -> int:
        """How many characters that are together."""
        return sum(self.removed.values())


_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
# England, Scotland and Wales: the only sequences of tags in use (Unicode emoji 15, emoji_tag_sequence).
_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
# Kind → the characters of it. Arabic number signs and their like are of category Cf too, but they are seen.
_KINDS = {
    "control": "\x01-\x08\x0e-\x1f\x7f-\x84\x86-\x9f",
    "soft hyphen": "\xad",
    "zero width": "\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0",
    "direction": "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    "variation selector": "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef",
    "tag": "\U000e0000-\U000e00ff",
    "format": "\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a",
    "surrogate": "\ud800-\udfff",
}
_KIND = {name: re.compile(f"[{characters}]") for name, characters in _KINDS.items()}
_COLOUR = r"\x1b(?:\[[0-9;?]{0,20}[A-Za-z]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\))"
_SUSPECT = re.compile(f"{_FLAGS}|{_COLOUR}|[{''.join(_KINDS.values())}]")
# One of these is in every text of which something is removed, a line end changed, or a flag kept. A page of 65 kB is
# looked through for one class in 0.5 ms, for the forms above in 4.
_ANY = re.compile(f"[\r\v\f\x85\u2028\u2029{''.join(_KINDS.values())}]")


def strip_invisible(text: str) -> Stripped:
    """The text as a person reads it. Nothing else of it changes; letters are not brought to a normal form."""
    if not _ANY.search(text):
        return Stripped(text, {})
    removed: Counter[str] = Counter()

    def left(match: re.Match[str]) -> str:
        if _is_needed(match):
            return match.group()
        removed[next(kind for kind, regex in _KIND.items() if regex.match(match.group()))] += 1
        return ""

    return Stripped(_SUSPECT.sub(left, _LINE_ENDS.sub("\n", text)), dict(removed))


JOINER, NON_JOINER = "\u200d", "\u200c"
# Scripts whose letters join, or whose consonants stack: Arabic to Sinhala, Tibetan to Myanmar, Khmer and Mongolian,
# Balinese and its neighbours, the Arabic forms, the Brahmic scripts beyond the first plane, Adlam.
_JOINING = re.compile(
    "[\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1a00-\u1bff\ua880-\ua8df\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00011fff\U0001e900-\U0001e95f]"
)
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_MONGOLIAN = re.compile("[\u1820-\u18aa]")
# Emoji of other categories than symbols: !! !? wavy dash, part alternation mark, information source.
_OTHER_EMOJI = "\u203c\u2049\u3030\u303d\u2139"
_KEYCAP = "\u20e3"


def _is_needed(match: re.Match[str]) -> bool:
    """Whether its neighbours need the character. Neighbours are those of the text as it came: a doubt removes."""
    text, place, found = match.string, match.start(), match.group()
    if len(found) > 1:
        return not found.startswith("\x1b")
    before, after = text[max(0, place - 1) : place], text[place + 1 : place + 2]
    if found in (JOINER, NON_JOINER) and _joins(before) and _joins(after):
        return True
    if found == JOINER:
        emoji = text[max(0, place - 2) : place - 1] if before == "\ufe0f" else before
        return _is_symbol(emoji) and _is_symbol(after)
    if "\ufe00" <= found <= "\ufe0f":
        keycap = before in set("0123456789#*") and after == _KEYCAP
        return _is_symbol(before) or keycap or bool(_IDEOGRAPH.match(before))
    if found >= "\U000e0100":
        return bool(_IDEOGRAPH.match(before))
    return bool("\u180b" <= found <= "\u180f" and found != "\u180e" and _MONGOLIAN.match(before))


def _joins(character: str) -> bool:
    return bool(_JOINING.match(character)) and unicodedata.category(character)[0] in "LM"


def _is_symbol(character: str) -> bool:
    return bool(character) and (unicodedata.category(character)[0] == "S" or character in _OTHER_EMOJI)
