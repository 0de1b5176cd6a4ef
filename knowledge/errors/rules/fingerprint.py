"""What an error is called, whatever machine it happened on.

`fingerprint` turns the text of an error into a *template*: the exception types, the message without what
varies by machine or run, and the function and file nearest the failure. Two texts with the same template are
the same fault; the digest is the template's hash, for looking it up. The recipe names the version of the
rules: a row keeps the recipe that made its digest, and digests of different recipes are never compared.

How: the text is cleaned (colours, quotes, log prefixes); a reader of its language reduces a stack trace to
its errors and one place (`fingerprint_traces`), any other text is reduced to the lines that name an error;
and one ordered table of patterns masks what varies (`fingerprint_patterns`). This repeats until nothing
changes, so a template is its own template.

What is a value and what a name? In quotes `'tenant_id'` names the error (a KeyError on another key is
another fault), and `'Jane Doe'`, `'/srv/a.csv'` or `'2024-01-02'` does not. An identifier that is data
(`KeyError: 'jane'`) is kept too: one fault taken for two costs a reminder, two taken for one give a wrong one.
"""

import hashlib
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.errors.rules.fingerprint_patterns import PATH, PLACEHOLDER, TIME, TIMESTAMP, base_name, normalise
from knowledge.errors.rules.fingerprint_traces import NAMED_ERROR, SPEAKS_OF_ERROR, TracedFault, read_fault
from knowledge.retrieval.rules import bm25

# Raise it with any change that gives an error another template, unless a migration makes the digests again.
RECIPE = "errors-1"
# 128 bits: a team has at most some 10^6 errors, so a collision is a matter of 10^-26.
DIGEST_LENGTH = 32


@dataclass(frozen=True)
class Fingerprint:
    """`digest`: 32 hexadecimal digits of `recipe` and `template`; equal digests mean the same fault."""

    digest: str
    template: str
    recipe: str = RECIPE


# A trace says what it is at its start (Java, Go) or its end (Python). What lies between the first and the
# last 16,000 characters is frames; reading it would only cost time.
HALF_TEXT = 16_000
# Of a template more than this is the message's data (a dumped row, a query), not its name.
TEMPLATE_LENGTH = 600
# Masking once settles nearly every text, twice all seen so far; the bound is against texts made to resist.
ROUNDS = 6


def fingerprint(error_text: str) -> Fingerprint | None:
    """The fingerprint of an error message, stack trace or compiler output; None if it has no word in it."""
    template = _cut(error_text)
    for _ in range(ROUNDS):
        before, template = template, _step(template)
        if template == before:
            break
    if not re.search(r"[^\W\d_]", re.sub(PLACEHOLDER, "", template)):
        return None
    digest = hashlib.sha256(f"{RECIPE}\n{template}".encode()).hexdigest()[:DIGEST_LENGTH]
    return Fingerprint(digest=digest, template=template)


# Longer than this a message repeats its data (a dumped row, a list of files), and says nothing new.
MESSAGE_LENGTH = 200
# A value in quotes or brackets of its own: they go with it.
_VALUE = re.compile(rf"""[\[('"`]?(?:{PLACEHOLDER}[\s,.:+-]{{0,3}}){{1,20}}[\])'"`]?""")
# `main.c: error: …`, `deploy.sh: line <num>: …`: where a compiler or a shell puts the place.
_PLACED = re.compile(r"(?:<path>|[\w@.+$-]{1,120}\.\w{1,6}):\s(?:line <num>:\s)?")


def messages(error_text: str) -> tuple[str, ...]:
    """The lines by which an error can be searched: type and message of each error of its chain, outermost first.

    Without the place (path, line, function) and without what varies by machine or run. Empty if nothing is left.
    """
    said = (_message(error) for error in _read(_cut(error_text)).errors)
    return tuple(dict.fromkeys(line for line in said if re.search(r"[^\W\d_]", line)))


# A message of fewer words beside its type (`AssertionError`, `KeyError: 'id'`) is shared by faults that have nothing to
# do with each other.
TELLING_WORDS = 2


def telling_messages(error_text: str) -> tuple[str, ...]:
    """Those `messages` that say enough to know the error again by them alone, wherever it was raised."""
    return tuple(message for message in messages(error_text) if _is_telling(message))


def _is_telling(message: str) -> bool:
    kind, _, said = message.rpartition(": ")
    return len(set(bm25.terms(said)) - set(bm25.terms(kind))) >= TELLING_WORDS and " " in message


# What a tool prints about one error besides: which table was locked, why a container ended, which file was read.
MOST_LINES = 6
# ERR_OSSL_EVP_UNSUPPORTED, E_ACCESSDENIED: what an error is called beside its message.
_CODE = re.compile(r"\bE[A-Z0-9]{0,20}_[A-Z0-9_]{3,60}\b")


def searchable_lines(error_text: str) -> tuple[str, ...]:
    """All lines by which an error can be quoted, as `messages` has them, each once, at most MOST_LINES.

    Its messages, and the other errors and codes that a trace names; of a text in a layout that no reader of traces
    knows what else it says, those lines first that speak of an error.
    """
    clean = [line for line in _clean(_cut(error_text)) if line.strip()]
    said = messages(error_text)
    if read_fault(clean):
        others = [line for line in clean if NAMED_ERROR.match(line) or _CODE.search(line)]
    else:
        others = sorted(clean, key=lambda line: not SPEAKS_OF_ERROR.search(line))
    found = dict.fromkeys(said)
    for line in map(_message, others):
        if len(found) >= MOST_LINES:
            break
        if _has_word(line):
            found[line] = None
    return tuple(found)


_MASKED, _LETTER = re.compile(PLACEHOLDER), re.compile(r"[^\W\d_]")


def _has_word(line: str) -> bool:
    return _LETTER.search(_MASKED.sub("", line)) is not None


def _message(error: str) -> str:
    masked = normalise(error)
    words = _VALUE.sub(" ", _PLACED.sub("", masked, count=1) if _PLACED.match(masked) else masked).split()
    line = " ".join(word for word in words if any(c.isalnum() for c in word))
    if len(line) > MESSAGE_LENGTH:
        line = line[:MESSAGE_LENGTH].rsplit(" ", 1)[0]
    return line.rstrip(" :;,.-=([{")


def _step(text: str) -> str:
    return _join(_template(_read(text)))


def _read(text: str) -> TracedFault:
    """The errors of a text and their place, unmasked; of a text without a layout the lines that name an error."""
    lines = [line for line in _clean(text) if line.strip()]
    return read_fault(lines) or TracedFault(_naming_lines(lines))


def _template(fault: TracedFault) -> str:
    """`outer error <- its cause @ function file.py`, masked."""
    text = " <- ".join(fault.errors)
    if fault.place:
        file = base_name(fault.place.file) if fault.place.file else ""
        text += f" @ {fault.place.function} {'' if file == PATH else file}"
    return normalise(text)


def _cut(text: str) -> str:
    if len(text) <= 2 * HALF_TEXT:
        return text
    return text[:HALF_TEXT] + "\n" + text[-HALF_TEXT:].partition("\n")[2]


_COLOUR = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b\][^\x07\n]{0,200}\x07")
# A compiler quotes ‘so’ in a UTF-8 locale and 'so' or `so' in another.
_QUOTES = str.maketrans({"‘": "'", "’": "'", "‛": "'", "“": '"', "”": '"', "\u00a0": " ", "\r": "\n", "\x00": " "})
_CONTAINER = re.compile(r"(?m)^[\w.-]{1,40} {1,8}\| ")
_LEVEL = r"(?i:trace|debug|info|notice|warn(?:ing)?|error|fatal|critical|severe)"
# What a logger puts before a message: the time, perhaps a process, a level and a thread in brackets.
_PREFIX = re.compile(
    rf"[\[(<]?(?:{TIMESTAMP}|{TIME}|(?:[EWIF]\d{{4}}|\d\d-\d\d) \d\d:\d\d:\d\d\.\d{{1,9}})"
    rf"[\])>]?[\s:,|-]{{1,4}}(?:\[?\d{{1,7}}\]?\s{{1,4}}){{0,2}}"
    rf"(?:[\[(]?{_LEVEL}(?:[\])]|/[\w-]{{1,40}}\])?(?:\s{{0,8}}[:|-]{{1,3}}\s|\s{{1,8}}|:)|[VDIWEF]\s)?"
    r"(?:\[[^\]\n]{1,60}\]\s(?:[-:]\s)?)?"
)


def _clean(text: str) -> list[str]:
    """The lines, without colours, typographic quotes, the indent they share and what a logger put before."""
    text = _COLOUR.sub("", text).translate(_QUOTES)
    text = textwrap.dedent(_CONTAINER.sub("", text))
    return [after_log_prefix(line)[1] for line in text.split("\n")]


def after_log_prefix(line: str) -> tuple[str, str]:
    """What a logger put before a message ("" if nothing), and the message."""
    found = _PREFIX.match(line)
    return (found.group(), line[found.end() :]) if found else ("", line)


def printed(error_text: str) -> tuple[str, ...]:
    """The errors of a text in the words they were printed in, outermost first, without the stack; of a text without a
    layout the first line that names an error. At most two: the error and its root cause.
    """
    lines = [line for line in _clean(_cut(error_text)) if line.strip()]
    fault = read_fault(lines)
    said = [" ".join(error.split()) for error in (fault.errors if fault else _speaking(lines)[:1])]
    return tuple(dict.fromkeys((said[0], said[-1]))) if said else ()


# Text without a layout we know: at most this many of its lines that speak of an error, in their order.
NAMING_LINES = 3


def _naming_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines that speak of an error, masked, each once."""
    return tuple(dict.fromkeys(_join(normalise(line)) for line in _speaking(lines)[: 4 * NAMING_LINES]))[:NAMING_LINES]


def _speaking(lines: Sequence[str]) -> list[str]:
    """The lines that speak of an error, else all; one that ends in a colon together with the next."""
    whole: list[str] = []
    for line in lines:
        if whole and whole[-1].endswith(":"):
            whole[-1] += " " + line.strip()
        else:
            whole.append(line.rstrip())
    return [line for line in whole if SPEAKS_OF_ERROR.search(line)] or whole


_SAME = f"({PLACEHOLDER})"
# 1, 2, 3 · 10-20 · 4:17 · 0+512: how many there are, and how they are joined, is this run's.
_LISTED = re.compile(rf"{_SAME}(?:[\s,;:+.-]{{0,3}}\1)+")
# <host> (<host>) · <host> (): a name and what it stands for.
_AGAIN = re.compile(rf"{_SAME} \((?:\1)?\)")


def _join(text: str) -> str:
    """Lists of masked things become one, blanks one blank; no longer than a template may be."""
    words: list[str] = []
    for word in text.split():
        if not (words and "<" in word and word.rstrip(",;") == words[-1].rstrip(",;")):
            words.append(word)
    return _AGAIN.sub(r"\1", _LISTED.sub(r"\1", " ".join(words)))[:TEMPLATE_LENGTH].rstrip()
