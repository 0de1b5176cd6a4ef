"""Secrets and look-alikes as developers write them: what the guard is measured on.

No secret stands in these files, so that no scanner of a forge stops a push of them. A case is a text with places in
it: `[[…]]` is drawn when it is read and is (a part of) the secret, `<<…>>` is drawn and is none. In a place stand, one
after the other, draws (`hex 32`, `alnum 20`, `uuid`), literals (`'Winter~Kestrel'`, without their tildes, `\\n` is a
line feed) and filters of all that stands before them (`|b64`, `|pre '…'`). Draws depend on title, place and seed.
"""

import base64
import random
import re
import string
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

FOLDER = Path(__file__).parent
# On the first the guard was made; the second was measured once before its faults were mended too; the third was
# written, and measured, when all that was done. Then two of one set, split by the hash of the title before the
# guard was changed again: it was changed with the one in view, and the other was run once before its faults were mended
# too; the third was written, and measured, after that. The fourth was split like the second, and the fifth was written
# after it. The sixth was written before the guard and the others were read, and the guard was changed with it; so was
# the seventh; the eighth was written and measured after that, before its faults were mended too. The ninth was written
# before the guard was read and split at random; the guard was changed with one half, and the other was run once before
# its faults were mended too; the tenth was written, and measured, after that. The eleventh and the twelfth were made as
# the ninth and the tenth were; the thirteenth was written, and measured, when the faults of both had been mended.
# The fourteenth to the eighteenth are by authors who had not seen the guard: the eighteenth was run once before its
# texts were read and its weights learned, the three before it were in view. The nineteenth was run once before rows for
# PINs and recovery codes were written by its author. The twentieth was written before the guard was read and split by
# the hash of the title; the guard was changed with one half, and of the other the figures alone were read.
PARTS = (
    "choosing",
    "held_out",
    "afterwards",
    "second_choosing",
    "second_held_out",
    "third",
    "fourth_choosing",
    "fourth_held_out",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth_choosing",
    "ninth_held_out",
    "tenth",
    "eleventh_choosing",
    "eleventh_held_out",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth_choosing",
    "twentieth_held_out",
)
# No weights are learned from these, so that their figures stay those of texts that the score does not know.
NOT_LEARNED = ("nineteenth", "twentieth_choosing", "twentieth_held_out")

_ALNUM = string.ascii_letters + string.digits
_ALPHABETS = {
    "alnum": _ALNUM,
    "letters": string.ascii_letters,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "base32": string.ascii_uppercase + "234567",
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "digits": string.digits,
    "b64": _ALNUM + "+/",
    "b64dot": _ALNUM + "./",
    "url": _ALNUM + "-_",
    "strong": _ALNUM + "!@#$%^&*-_=+?",
    "django": string.ascii_lowercase + string.digits + "!@#$%^&*(-_=+)",
}
_PLACE = re.compile(r"\[\[(?P<secret>.*?)\]\](?!\])|<<(?P<plain>.*?)>>")
_TERM = re.compile(
    r"'(?P<literal>[^']*)'|\|(?P<filter>\w+)(?: '(?P<by>[^']*)')?|(?P<draw>\w+)(?: (?P<length>\d+))?|\s+"
)


@dataclass(frozen=True)
class Case:
    """A text; `pieces`: the parts of its secret, none for a look-alike."""

    title: str
    text: str
    pieces: tuple[str, ...]


def secrets(part: str, seed: int = 0) -> list[Case]:
    """Return the texts with a secret of one part, drawn by a seed."""
    return _cases(FOLDER / f"secrets_{part}.txt", seed)


def look_alikes(part: str, seed: int = 0) -> list[Case]:
    """Return the texts without a secret of one part, drawn by a seed."""
    return _cases(FOLDER / f"look_alikes_{part}.txt", seed)


def is_hidden(case: Case, masked: str) -> bool:
    """Whether no eight characters in a row of any piece (or the whole of a shorter one) are left in the masked text."""
    return not any(
        piece[start : start + 8] in masked for piece in case.pieces for start in range(max(1, len(piece) - 7))
    )


def _cases(path: Path, seed: int) -> list[Case]:
    parts = re.split(r"^--- (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [_case(title, text.rstrip("\n"), seed) for title, text in zip(parts[::2], parts[1::2], strict=True)]


def _case(title: str, text: str, seed: int) -> Case:
    pieces: list[str] = []
    numbers: Iterator[int] = iter(range(1000))

    def filled(match: re.Match[str]) -> str:
        secret = match["secret"] is not None
        value = _value(match["secret"] if secret else match["plain"], random.Random(f"{title} {next(numbers)} {seed}"))
        if secret:
            pieces.append(value)
        return value

    return Case(title, _PLACE.sub(filled, text), tuple(pieces))


def _value(terms: str, rng: random.Random) -> str:
    value, end = "", 0
    for match in _TERM.finditer(terms):
        assert match.start() == end, terms
        end = match.end()
        if match["literal"] is not None:
            value += match["literal"].replace("~", "").replace("\\n", "\n")
        elif match["filter"]:
            value = _filtered(value, match["filter"], (match["by"] or "").replace("~", ""))
        elif match["draw"]:
            value += _drawn(match["draw"], int(match["length"] or 0), rng)
    assert end == len(terms), terms
    return value


def _drawn(kind: str, length: int, rng: random.Random) -> str:
    if kind == "uuid":
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))
    if kind == "bytes":
        return base64.b64encode(rng.randbytes(length)).decode()
    return "".join(rng.choices(_ALPHABETS[kind], k=length))


def _filtered(value: str, name: str, by: str) -> str:
    if name == "pre":
        return by + value
    if name == "post":
        return value + by
    if name == "hexenc":
        return value.encode().hex()
    if name == "pct":
        return quote(value, safe="")
    if name == "b64url":
        return base64.urlsafe_b64encode(value.encode()).decode().rstrip("=")
    assert name == "b64", name
    return base64.b64encode(value.encode()).decode()
