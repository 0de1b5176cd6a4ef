"""What the log says of a machine's reasons, in plain English."""

import itertools

import pytest

from knowledge.rules.dedup import MINILM, Incoming, Judged, Neighbour, decide
from knowledge.rules.plainly import CUES, UNSURE, is_machines, plainly
from knowledge.rules.stance import Judgement, Stance
from knowledge.rules.stance_cues import Cue, CueKind
from knowledge.rules.vocabulary import Status
from tests.knowledge.rules.test_dedup import INCOMING, near

NUMBER = Cue(CueKind.NUMBER, False, ("40",), ("400",))
DENIES = Cue(CueKind.NEGATION, True, ("not",), ())
# What a person must not be told: whose words these are.
JARGON = (", by ", "local", "stance", " cue", "queued", "unsure", "no judge", "superseded", "{", "}")


class TestPlainly:
    @pytest.mark.parametrize(
        ("reason", "said"),
        [
            (
                "unsure, by local: a cue, and no stance that agrees with it: queued [version: 8 / 9]",
                "it may say the same as the other: they read alike, but differ in a detail; a person is asked "
                "(what differs: a version, 8 and 9)",
            ),
            (
                "PLAT-4: unsure, by llm:llama3:8b: same, but only 0.61 sure: queued",
                "it may say the same as PLAT-4: it is not sure enough; a person is asked, says the language model "
                "llama3:8b",
            ),
            ("PLAT-4: unrelated, by local; PLAT-5: same, by local",
             "PLAT-4 is about something else; it says the same as PLAT-5"),
            ("PLAT-4: no judge, 0.95",
             "PLAT-4 reads 95% alike, and nothing was there to compare them closer"),
            (
                "PLAT-7: unsure, by local: no clear majority [number: 9 / 18; number: 9s / 18s; "
                "name: quite a number of longer words / i; word: a / b; order: – / –]",
                "it may say the same as PLAT-7: nobody can tell from the words alone; both stand (what differs: a "
                "number, 9 and 18; a name; a word, a and b; more)",
            ),
            ("PLAT-16: unrelated, by local [code: – / –]", "PLAT-16 is about something else"),
            ("PLAT-4: of another repo (acme/web)", "PLAT-4 is of another repository, acme/web"),
            ("PLAT-4: too far (0.31)", "PLAT-4 is about something else"),
            ('invisible characters stripped: {"title": 1}', "1 invisible character taken out of the title"),
            (
                "typo invisible characters stripped: {'body': 3, 'source_url': 1000}",
                "typo; 1,003 invisible characters taken out of the body and the source url",
            ),
            (
                "Guard long ALTERs (PLAT-3: same, by local; redacted: email in body, line 1, column 4)",
                "Guard long ALTERs (it says the same as PLAT-3; personal data masked: email in body, line 1, column 4)",
            ),
            ("3 positive signals from 2 sessions, balance +30", "3 signals spoke for it, from 2 sessions"),
            ("moderated", "done in the admin"),
        ],
    )  # fmt: skip
    def test_says_it_in_words(self, reason: str, said: str) -> None:
        assert plainly(reason) == said

    @pytest.mark.parametrize(
        "reason",
        ["", "It never worked for me.", "the same, by and large", "unsure about it: ask Bob", "{}", "x" * 10_000,
         "PLAT-4: see there", "moderated it myself", "“same, by local”"],
    )  # fmt: skip
    def test_leaves_what_a_person_wrote(self, reason: str) -> None:
        assert plainly(reason) == reason
        assert not is_machines(reason)

    def test_knows_every_cue(self) -> None:
        assert set(CUES) == set(CueKind)

    def test_knows_whatever_is_decided(self) -> None:
        """Every stance, near and far, with what speaks against it, of whom and in which state."""
        reasons = set()
        for stance, similarity, cues, pinned in itertools.product(
            (*Stance, None), (0.70, 0.90, 0.95), ((), (NUMBER,), (DENIES, NUMBER)), (False, True)
        ):
            first = near(stance, "PLAT-1", similarity, cues, pinned=pinned, status=Status.PROMOTED)
            second = near(stance, "PLAT-2", similarity, cues, author_id=INCOMING.author_id)
            third = near(Stance.SAME, "PLAT-3", 0.95)
            for some in ((first,), (second,), (first, second, third)):
                reasons |= {told(line) for line in decide(INCOMING, some, MINILM).reasons}
        for why in UNSURE:
            unsure = Judgement(Stance.UNSURE, 0.0, (), "local", why)
            one = Judged(Neighbour("PLAT-4", 0.9), unsure, ())
            reasons |= {told(line) for line in decide(Incoming("", 1), [one], MINILM).reasons}
        far = Judged(Neighbour("PLAT-5", 0.2), None, ())
        reasons |= {told(line) for line in decide(Incoming("", 1), [far], MINILM).reasons}
        assert len(reasons) > 20
        assert [said for said in reasons if any(word in said for word in JARGON)] == []


def told(line: str) -> str:
    """As it is shown in a history, and as the reason of a pair, which names no reference."""
    said = plainly(line)
    assert said != line
    assert plainly(line.split(": ", 1)[1]) != line.split(": ", 1)[1]
    return said
