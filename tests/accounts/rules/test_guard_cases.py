"""How many of the secrets that developers write are hidden, and how many look-alikes."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from accounts.rules.guard.detection import find_secrets, redact_secrets, secret_values
from tests.cases import cases
from tests.guard import FOLDER, PARTS, Case, is_hidden, look_alikes, secrets
from tests.sweep import share

# The guard hides .99 of the part that it was made on. With fewer than these something has come undone.
RECALL, FALSE_ALARMS = 0.95, 0.01
# Of these the faults were read once, and not all were fixed (docs/evaluation.md).
RECALL_OF = {"fourth_held_out": 0.92, "fifth": 0.8, "thirteenth": 0.9}
# By other authors, and learned from: these figures are of texts that it knows (at first sight: docs/evaluation.md).
RECALL_OF |= {"fourteenth": 0.87, "fifteenth": 0.77, "sixteenth": 0.74, "seventeenth": 0.74, "eighteenth": 0.71}
# Of 660 draws 7: a hash of an app's key, a rate limiter's keys, a note of two words behind "password".
FALSE_ALARMS_OF = {"fifteenth": 0.011}
SEEDS = range(3)


def drawn(part: str) -> Sequence[int]:
    """One of the seeds, another one for the next part; all of them in whole sweeps, and where a bar is set by all."""
    return SEEDS if part in FALSE_ALARMS_OF else share(SEEDS, PARTS.index(part))


@pytest.mark.parametrize("part", PARTS)
class TestTheCases:
    def test_are_hidden_where_they_hold_a_secret(self, part: str) -> None:
        cases = [case for seed in drawn(part) for case in secrets(part, seed)]
        missed = [case.title for case in cases if not is_hidden(case, redact_secrets(case.text)[0])]
        assert len(missed) <= (1 - RECALL_OF.get(part, RECALL)) * len(cases), missed

    def test_are_let_through_where_they_hold_none(self, part: str) -> None:
        cases = [case for seed in drawn(part) for case in look_alikes(part, seed)]
        found = [(case.title, find_secrets(case.text)) for case in cases if find_secrets(case.text)]
        assert len(found) <= FALSE_ALARMS_OF.get(part, FALSE_ALARMS) * len(cases), found

    def test_are_clean_when_they_are_masked(self, part: str) -> None:
        """What is masked once is not masked again: what is stored can be scanned."""
        masked = [redact_secrets(case.text)[0] for case in secrets(part)]
        assert [text for text in masked if redact_secrets(text)[0] != text] == []

    def test_are_let_through_once_their_values_are_reviewed(self, part: str) -> None:
        for case in secrets(part):
            reviewed = secret_values(case.text)
            assert find_secrets(case.text, allowed=reviewed) == [], case.title

    def test_are_enough_and_have_different_titles(self, part: str) -> None:
        for found in (secrets(part), look_alikes(part)):
            assert len({case.title for case in found}) == len(found) >= 50
            assert len({case.text for case in found}) == len(found)


class TestTheFiles:
    @cases("path", sorted(FOLDER.glob("secrets_*.txt")), ids=lambda path: path.stem)
    def test_hold_no_token_that_a_forge_blocks(self, path: Path) -> None:
        blocked = (
            r"gh[pousr]_\w{30}|github_pat_\w{30}|AKIA[A-Z0-9]{16}|sk_live_\w{20}|xox[bp]-\d|BEGIN [A-Z ]*PRIVATE KEY"
        )
        assert re.findall(blocked, path.read_text()) == []

    def test_draw_other_secrets_for_another_seed(self) -> None:
        first, second = ([case.pieces for case in secrets("choosing", seed)] for seed in (0, 1))
        assert sum(a != b for a, b in zip(first, second, strict=True)) > len(first) / 2


class TestHidden:
    @cases(("masked", "hidden"), [("a [SECRET] b", True), ("a kR8vTq2m b", False), ("R8vTq2mZx", False)])
    def test_leaves_no_eight_characters_of_a_secret(self, masked: str, hidden: bool) -> None:
        assert is_hidden(Case("", "", ("kR8vTq2mZx",)), masked) == hidden
