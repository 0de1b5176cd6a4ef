"""Whatever reads a stranger's text by regular expressions is done in time with the worst of the longest."""

import signal
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from accounts.rules.guard.detection import find_secrets, redact_personal, redact_secrets, strip_invisible
from knowledge.errors.rules.fingerprint import fingerprint
from knowledge.judging.rules.code import is_code
from knowledge.rules.quality import quality
from sessions_app.answers.rules import gates
from sessions_app.transcripts.rules.decisions import extract
from sessions_app.transcripts.rules.errors import outcome
from sessions_app.transcripts.rules.files import changed
from sessions_app.transcripts.rules.plans import blocked, planned
from sessions_app.transcripts.rules.turn import Turn

# The longest text of an insight (knowledge/serializers/insights.py), and of a transcript's message.
LONGEST = 20_000
# Seconds of this process' own time. What is linear takes hundredths; what backtracks without bound never ends.
MOST = 2.0
UNITS = (
    "a", "A", "0", "aA0", " ", "\t", "\n", " \n", "a ", "a\n", "-", "_", ".", "/", "\\", ":", "=", ",", "@", "'", '"',
    "`", "(", "[", "{", "<", "*", "#", "!", "a.", "a/", "/a", "a:", "a-", "a=", "a@", "a@b.", "a, ", "0.", "0-", "0x",
    "f0", "not ", "we decided ", "because ", "at a(", 'File "', "a.b(", "-----BEGIN ", "eyJ", "漢", "- [ ] a\n",
)  # fmt: skip


def said(text: str) -> list[Turn]:
    return [Turn("user", "Go on."), Turn("assistant", text)]


READERS: dict[str, Callable[[str], Any]] = {
    "secrets": find_secrets,
    "secrets masked": redact_secrets,
    "personal data": redact_personal,
    "invisible": strip_invisible,
    "fingerprint": fingerprint,
    "quality": lambda text: quality(text[:200], text, text),
    "code": is_code,
    "decisions": lambda text: extract(said(text)),
    "files": lambda text: list(changed(Turn("assistant", text))),
    "errors": lambda text: outcome(Turn("tool", text)),
    "plans": lambda text: planned(said(text)),
    "blockers": lambda text: blocked(said(text)),
    "gates": lambda text: gates.judge(gates.read(text), known=frozenset()),
}


class TooLong(Exception):
    pass


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooLong


@pytest.fixture
def _bounded() -> Iterator[None]:
    before = signal.signal(signal.SIGVTALRM, _stop)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


class TestEveryReader:
    @pytest.mark.parametrize("name", READERS)
    def test_is_done_in_time_with_whatever_is_repeated(self, name: str, _bounded: None) -> None:
        slow = []
        for unit in UNITS:
            text = "a " + (unit * LONGEST)[: LONGEST - 10] + " \0a"
            signal.setitimer(signal.ITIMER_VIRTUAL, MOST)
            began = time.process_time()
            try:
                READERS[name](text)
            except TooLong:
                slow.append((unit, round(time.process_time() - began, 2)))
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        assert slow == []
