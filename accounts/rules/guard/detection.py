"""The guard at the gate: what no text may carry into the store.

*Secrets* are refused (or masked, in texts that must not be lost): `find_secrets` names the kind and the place of
each, never the secret, so that a finding can be shown, logged and sent. *Personal data* is masked by
`redact_personal`. *Invisible characters*, by which text says one thing to a person and another to a machine, are
removed by `strip_invisible`, before anything else looks at the text: a zero-width space inside a key would hide it.

All three work on one text at a time, know nothing of rows or teams and take linear time. A team's reviewed terms
come in as `allowed`: what is exactly one of them is left alone.

Text is not brought to a Unicode normal form: what its author wrote stays as it is, character for character, unless
it is invisible. Anyone who compares texts normalises what they compare.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from operator import add

from accounts.rules.guard.chosen import is_object_of_secrets, is_pair_of_secrets
from accounts.rules.guard.invisible import Stripped, strip_invisible
from accounts.rules.guard.near import NEAR
from accounts.rules.guard.patterns import HINTS, TABLE
from accounts.rules.guard.personal import PERSONAL, SUMS
from accounts.rules.guard.rows import ASCII_LOWER
from accounts.rules.guard.wrapped import decoded, joined

__all__ = [
    "Finding",
    "Stripped",
    "find_secrets",
    "masked",
    "redact_personal",
    "redact_secrets",
    "secret_values",
    "strip_invisible",
]


@dataclass(frozen=True)
class Finding:
    """Something at `line` and `column` (both from 1) of the text called `field`; what it is, not what it says."""

    pattern: str
    line: int
    column: int
    field: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}"
        return f"{self.pattern} in {self.field}, {place}" if self.field else f"{self.pattern} at {place}"


@dataclass(frozen=True)
class _Span:
    start: int
    end: int
    pattern: str


# --- secrets -------------------------------------------------------------------------------------------
SECRET = "[SECRET]"


def find_secrets(text: str, *, field: str = "", allowed: Collection[str] = ()) -> list[Finding]:
    """The secrets in a text, in their order; each place once, by the first pattern of the table that knows it."""
    return _findings(text, _secret_spans(text, allowed), field)


def redact_secrets(text: str, *, field: str = "", allowed: Collection[str] = ()) -> tuple[str, list[Finding]]:
    """The text with `[SECRET]` in the place of each secret, and where they were (in the text as it came)."""
    spans = _secret_spans(text, allowed)
    return _masked(text, spans, dict.fromkeys((s.pattern for s in spans), SECRET)), _findings(text, spans, field)


def secret_values(text: str, *, allowed: Collection[str] = ()) -> list[str]:
    """The secrets themselves, each once: for nothing but to put them among the reviewed terms."""
    return list(dict.fromkeys(text[span.start : span.end] for span in _secret_spans(text, allowed)))


def masked(text: str) -> str:
    """What is kept of a text that must not be lost (a question, a reason): nothing unseen in it, its secrets masked."""
    return redact_secrets(strip_invisible(text).text)[0]


# A secret in base 64 in base 64: deeper nobody packs one.
DEEPEST = 2
ENCODED = "encoded secret"


# What was seen beside a secret is seen otherwise beside its mask: so often a text is asked again.
MOST_ROUNDS = 8


def _secret_spans(text: str, allowed: Collection[str]) -> list[_Span]:
    """Return where the secrets are, but for reviewed ones: with these masked, no other is found."""
    spans = _spans_seen(text, allowed)
    for _ in range(MOST_ROUNDS if spans else 0):
        further = _spans_seen(_masked(text, spans, dict.fromkeys((span.pattern for span in spans), SECRET)), allowed)
        if not further:
            break
        spans = _apart([*spans, *(_in_original(span, spans) for span in further)])
    return spans


def _in_original(found: _Span, spans: list[_Span]) -> _Span:
    """Return where something stands that was found in a text with masks in it."""
    start, end, longer = found.start, found.end, 0
    for span in spans:
        at = span.start - longer
        if at >= found.end:
            break
        more = span.end - span.start - len(SECRET)
        # a mask within what was found, or at its begin
        start += more if at + len(SECRET) <= found.start else min(0, at - found.start)
        end += more
        longer += more
    return _Span(start, end, found.pattern)


def _spans_seen(text: str, allowed: Collection[str]) -> list[_Span]:
    """Return where the rows see a secret, but for reviewed ones.

    Two rows may see two ends of one secret. It is reviewed when the whole is, or all that was seen of it.
    """
    seen = [*_table_spans(text), *_encoded_spans(text, allowed, DEEPEST)]
    if whole := joined(text):
        inner = [*_table_spans(whole.text), *_encoded_spans(whole.text, allowed, DEEPEST)]
        seen += [_Span(*whole.place((span.start, span.end)), span.pattern) for span in inner]
    spans = _apart(seen)
    if not allowed:
        return spans
    starts = [span.start for span in seen if text[span.start : span.end] not in allowed]
    return [
        span
        for span in spans
        if text[span.start : span.end] not in allowed and any(span.start <= start < span.end for start in starts)
    ]


# In a longer text nearly every pair of characters stands somewhere.
LONGEST_OF_PAIRS = 6_000
_ENDS = tuple((hint, hint[:2], hint[-2:]) for hint in HINTS if len(hint) > 1)
_SHORT_HINTS = tuple(hint for hint in HINTS if len(hint) < 2)


def _hints_in(lowered: str) -> set[str]:
    """Return the hints that stand in a text; in a short one only those are looked for whose ends do."""
    if len(lowered) > LONGEST_OF_PAIRS:
        return {hint for hint in HINTS if hint in lowered}
    pairs = set(map(add, lowered, lowered[1:]))
    found = {hint for hint, first, last in _ENDS if first in pairs and last in pairs and hint in lowered}
    return found.union(hint for hint in _SHORT_HINTS if hint in lowered)


def _table_spans(text: str) -> Iterator[_Span]:
    lowered = text.lower()
    if len(lowered) != len(text):  # İ becomes two characters
        lowered = text.translate(ASCII_LOWER)
    hints = _hints_in(lowered)
    for row in TABLE:
        if not hints.isdisjoint(row.hints):
            yield from (_Span(start, end, row.name) for start, end in row.places(text, lowered))


def _encoded_spans(text: str, allowed: Collection[str], depth: int) -> Iterator[_Span]:
    """Yield what hides a secret by its encoding; the whole of it, for in parts it is not readable."""
    for (start, end), content in decoded(text):
        if depth and _is_in_encoded(content, allowed, depth):
            yield _Span(start, end, ENCODED)


def _is_in_encoded(content: str, allowed: Collection[str], depth: int) -> bool:
    if any(content[span.start : span.end] not in allowed for span in _table_spans(content)):
        return True
    known = is_pair_of_secrets(content) or is_object_of_secrets(content)
    return known or any(_encoded_spans(content, allowed, depth - 1))


def _apart(spans: list[_Span]) -> list[_Span]:
    """By their place in the text, those that overlap made one under the name of the first that knows what it is."""
    apart: list[_Span] = []
    for span in sorted(spans, key=lambda s: s.start):
        if apart and span.start < apart[-1].end:
            name = span.pattern if apart[-1].pattern == NEAR[0].name else apart[-1].pattern
            apart[-1] = _Span(apart[-1].start, max(span.end, apart[-1].end), name)
        else:
            apart.append(span)
    return apart


def _findings(text: str, spans: list[_Span], field: str) -> list[Finding]:
    found = []
    line, line_start = 1, 0
    for span in spans:
        line += text.count("\n", line_start, span.start)
        line_start = text.rfind("\n", 0, span.start) + 1
        found.append(Finding(span.pattern, line, span.start - line_start + 1, field))
    return found


def _masked(text: str, spans: list[_Span], masks: Mapping[str, str]) -> str:
    parts, last = [], 0
    for span in spans:
        parts += [text[last : span.start], masks[span.pattern]]
        last = span.end
    return "".join([*parts, text[last:]])


# --- personal data -------------------------------------------------------------------------------------
def redact_personal(
    text: str, *, field: str = "", allowed: Collection[str] = (), money: bool = False
) -> tuple[str, list[Finding]]:
    """The text with `[EMAIL]`, `[PHONE]`, `[CARD]` (and `[MONEY]` if asked) for what belongs to somebody, and where.

    Places are those of the text as it came. Reserved and documented values stay (see `guard_personal`).
    """
    patterns = (*PERSONAL, SUMS) if money else PERSONAL
    spans = _apart(
        [
            _Span(*row.span(match), row.name)
            for row in patterns
            for match in row.regex.finditer(text)
            if row.is_personal(match) and match.group() not in allowed
        ]
    )
    return _masked(text, spans, {row.name: row.mask for row in patterns}), _findings(text, spans, field)
