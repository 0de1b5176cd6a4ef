"""No regular expression takes time that grows faster than the text: a stranger writes the text."""

import gc
import math
import re
import signal
import time
from collections.abc import Iterator
from itertools import pairwise
from types import FrameType

import pytest

from knowledge.imports.rules import headings
from sessions_app.client.src.hooks import tools
from sessions_app.transcripts.rules import blocks
from tests.patterns import Found, Run, all_patterns, attacks, made_in_functions

# What is bad for many: repeated, after nothing, and followed by what fits nowhere.
UNITS = (
    "AA ", " ", "\n", "\t", "a", "0", "_", "-", "/", "\\", '"', "'", "`", "(", "[", "{", "<", "*", ".", ",", ":",
    "a ", "a.", "a/",
)  # fmt: skip
ENDS = "\0!"
# Characters. A first look, by which most are done; then the growth from each to the next is measured.
FIRST, SIZES = 2_500, (10_000, 20_000, 40_000)
# Seconds of this process. Below it at the first size nobody waits, whatever the growth: what grows with the square
# takes 50 ms there, at the 1 ns that the fastest loop of `re` takes for a character.
FLOOR = 0.005
# Twice the text may take so many times as long: 2 is linear, 4 is the square.
MOST = 3.0
# What takes no more than this is linear, and need not be asked again.
LINEAR = 2.4
# What is stopped at the first look: nothing linear takes so long. Later on it has four times as much.
TOO_LONG = 0.4

# A shared machine is now faster, now slower: both sizes are measured side by side, and the best of so many tells.
TRIES = 10

# Patterns that are only ever given short texts: how long (characters), and who sees to it.
BOUNDED: dict[str, tuple[int, str]] = {
    "knowledge.imports.rules.headings._LINK": (headings.LONGEST_HEADING, "whoever asks for a heading"),
    "knowledge.errors.rules.fingerprint_traces._AT_FORMS": (1_001, "_AT, which takes so much of a line"),
    "sessions_app.transcripts.rules.decision_words.PATTERNS": (
        blocks.LONGEST_SENTENCE,
        "whoever asks how a sentence decides",
    ),
    "sessions_app.transcripts.rules.decision_words.LABEL": (blocks.LONGEST_SENTENCE, "the same"),
    "sessions_app.transcripts.rules.decision_words.RECORD": (blocks.LONGEST_HEADING, "who reads headings"),
    "sessions_app.transcripts.rules.decision_words.AGAINST": (blocks.LONGEST_SENTENCE, "the same"),
    "sessions_app.transcripts.rules.decision_words.UNDECIDED": (blocks.LONGEST_HEADING, "who reads headings"),
    "sessions_app.transcripts.rules.plans.WHOLE": (blocks.LONGEST_SENTENCE, "who asks what a sentence plans"),
    "sessions_app.transcripts.rules.plans.NEXT_LAST": (blocks.LONGEST_SENTENCE, "the same"),
    "sessions_app.transcripts.rules.plans._SEVERAL": (blocks.LONGEST_SENTENCE, "the same"),
    "sessions_app.transcripts.rules.decision_words.WORK": (blocks.LONGEST_SENTENCE, "the same"),
    "sessions_app.client.src.hooks.tools._COMMANDS": (tools.LONGEST_LOOKED_AT, "whoever asks what a command is"),
    "sessions_app.client.src.install.agents._TOML": (5_000, "nobody: it is one's own settings, on one's own machine"),
}
# Seconds that one of them may take with the longest it is given. The slowest take 0.09 s on a quick core and 0.14 s on
# one whose sibling is busy; what grows faster than the square takes seconds.
BRIEF = 0.3
# Where patterns are made whose text does not stand in the call: of what, and why that does no harm.
TABLE = "a table's rows, which are found as the table"
MADE: dict[str, str] = {
    "accounts.rules.guard.patterns._row": TABLE,
    "accounts.rules.guard.rows.__post_init__": "hints, escaped, one or another",
    "sessions_app.answers.rules.gates_words._re": TABLE,
    "sessions_app.transcripts.rules.wording.wording": TABLE,
    "knowledge.evidence.rules.scope._part": "a glob, by fnmatch, which makes atomic groups",
    "knowledge.evidence.rules.freshness._is_named": "names of files that are escaped, in 200 characters",
    "knowledge.evidence.rules.freshness.speaks_of": "names of files that are escaped",
    "knowledge.evidence.rules.freshness.successor_pattern": "constants and escaped names, 60 characters apart",
    "knowledge.evidence.rules.windows.compiled": "words that are escaped, one after the other",
    "knowledge.retrieval.rules.bm25._pairs": "a class of characters, or another",
    "knowledge.errors.rules.fingerprint.fingerprint": "a constant: a name in brackets",
    "knowledge.errors.rules.fingerprint_patterns._inside": "the same constant",
    "knowledge.templatetags.diff.pieces": "either of two that cannot fail",
    "sessions_app.handoffs.rules.handoff_text._message": "steps that are escaped, one after the other, and a constant",
    "sessions_app.client.src.late.__getattr__": "the text of any other, where that is asked",
    "sessions_app.lab.corpora.transcripts.read": "a title, in files of labels",
}


class TooLong(Exception):
    pass


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooLong


@pytest.fixture
def _bounded() -> Iterator[None]:
    before = signal.signal(signal.SIGVTALRM, _stop)
    gc.disable()  # or one of them is charged for what all tests before it have left
    yield
    gc.enable()
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def took(run: Run, before: str, unit: str, size: int) -> float:
    """Seconds; without end where it had to be stopped."""
    text = before + unit * max(1, size // len(unit)) + ENDS
    signal.setitimer(signal.ITIMER_VIRTUAL, TOO_LONG if size <= FIRST else 4 * TOO_LONG)
    began = time.process_time()
    try:
        run(text)
    except TooLong:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - began


def fault(run: Run, before: str, unit: str, tries: int = TRIES) -> str:
    """How it grows, if that is faster than the text; nothing if it is not."""
    first = took(run, before, unit, FIRST)
    if first < FLOOR * (FIRST / SIZES[0]) ** 2:
        return ""
    seconds = [first if first == math.inf else took(run, before, unit, SIZES[0])]
    if seconds[0] < FLOOR:
        return ""
    if seconds[0] == math.inf:
        return f"{before[:40]!r} + {unit[:40]!r}*n does not end"
    for smaller, size in pairwise(SIZES):
        for again in range(tries):
            now, base = took(run, before, unit, size), took(run, before, unit, smaller) if again else seconds[-1]
            if now <= MOST * base:
                break
        else:
            return f"{before[:40]!r} + {unit[:40]!r}*n: {[round(one, 3) for one in [*seconds, now]]} s"
        seconds.append(now)
        if now <= LINEAR * base:
            break
    return ""


def _is(found: Found, name: str) -> bool:
    """Of that name, or in the table of that name."""
    return found.name == name or found.name.startswith(f"{name}[")


def faults(found: Found, tries: int = TRIES) -> str:
    """The first."""
    longest = next((longest for name, (longest, _) in BOUNDED.items() if _is(found, name)), 0)
    for method, run in found.runs().items():
        for before, unit in {("", unit) for unit in UNITS} | attacks(found.pattern):
            if longest:
                slow = min(took(run, before, unit, longest - len(before)) for _ in range(2)) > BRIEF
                why = f"{before[:40]!r} + {unit[:40]!r}*n of {longest}" if slow else ""
            else:
                why = fault(run, before, unit, tries)
            if why:
                return f"{method}: {why}"
    return ""


class TestEveryPattern:
    def test_takes_time_in_proportion_to_the_text(self, _bounded: None) -> None:
        assert {found.name: wrong for found in all_patterns() if (wrong := faults(found))} == {}

    def test_is_found(self) -> None:
        names = {found.name for found in all_patterns()}
        assert len(names) > 300
        assert {"knowledge.retrieval.rules.bm25._COMPOUND", "accounts.rules.guard.stand_ins._CODE"} <= names

    def test_is_written_where_it_can_be_found(self) -> None:
        assert made_in_functions() == set(MADE)

    def test_that_is_bounded_is_there(self) -> None:
        patterns = all_patterns()
        assert [name for name in BOUNDED if not any(_is(found, name) for found in patterns)] == []

    @pytest.mark.parametrize("text", [r"(a+)+$", r"\s+$", r"(?:\w+\s?)*:", r"a.*b.*c", r"\s*x"])
    def test_that_grows_faster_is_told(self, text: str, _bounded: None) -> None:
        # What grows with the square need not be given ten chances to look linear: two tell the same.
        assert faults(Found("some", re.compile(text), frozenset({"search"})), tries=2)
