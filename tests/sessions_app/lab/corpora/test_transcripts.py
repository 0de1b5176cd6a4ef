"""Labelled transcripts: how they are written, what is counted, and that the product's own set keeps its bars."""

from pathlib import Path

import pytest

from sessions_app.lab.corpora.transcripts import NOISE, ExtractionCount, measure, read, tables
from sessions_app.transcripts.rules.transcript import digest
from sessions_app.transcripts.rules.turn import Turn

FILE = """##### one | a style
=== user 2026-11-02T09:00:00Z
Fix it

please
=== noise 7
=== assistant
Decision: use Redis, because it runs.
=== expect
decision: redis | it runs
file: src/a.py
##### a trap
=== user
Decision: mine
"""
SET = Path(__file__).parents[3] / "transcripts"


class TestRead:
    def test_reads_turns_noise_and_what_is_expected(self) -> None:
        one, trap = read(FILE)
        assert one.name == "one"
        assert one.turns[0] == Turn("user", "Fix it\n\nplease", "2026-11-02T09:00:00Z")
        assert one.turns[1:8] == (*NOISE, NOISE[0])
        assert [(e.kind, e.words, e.reason) for e in one.expected] == [
            ("decision", ("redis",), ("it runs",)),
            ("file", ("src/a.py",), ()),
        ]
        assert (trap.name, trap.expected) == ("a trap", ())

    def test_holds_noise_in_which_nothing_happens(self) -> None:
        found = digest(NOISE)
        assert not any((found.decisions, found.files, found.next_steps, found.blockers, found.errors))


class TestMeasure:
    def test_counts_what_was_found_missed_and_invented(self) -> None:
        counts = measure(read(FILE))
        assert counts["decision"] == ExtractionCount(found=1, reasons=1)
        assert counts["file"] == ExtractionCount(missed=1)
        invented = read(FILE.replace("decision: redis", "decision: kafka"))
        assert measure(invented)["decision"] == ExtractionCount(invented=1, missed=1)

    def test_takes_no_two_found_for_one_planted(self) -> None:
        twice = FILE.replace("=== expect", "=== assistant\nDecision: keep Redis off the laptops.\n=== expect")
        assert measure(read(twice))["decision"] == ExtractionCount(found=1, invented=1, reasons=1)

    def test_has_no_share_of_nothing(self) -> None:
        assert (ExtractionCount().precision, ExtractionCount().recall) == (None, None)

    def test_makes_a_table_of_each_part(self) -> None:
        (table,) = tables({"held out": measure(read(FILE))}, {"held out": "1 transcript"})
        assert "held out: 1 transcript" in table.markdown
        assert "wrote the set" in table.markdown


@pytest.fixture(scope="module")
def transcripts() -> dict[str, list]:
    return {path.stem: read(path.read_text()) for path in SET.glob("*.txt")}


class TestTheProductsOwnSet:
    """Transcripts and traps, of which two parts are held out: the rules were not made on them."""

    def test_is_as_large_as_it_is_said_to_be(self, transcripts: dict[str, list]) -> None:
        sizes = {name: len(some) for name, some in transcripts.items()}
        tuned, first = {"tuning": 30, "traps_tuning": 50}, {"held_out": 10, "traps_held_out": 20}
        assert sizes == tuned | first | {"held_out_second": 12, "traps_held_out_second": 24}

    def test_is_found_in_all(self, transcripts: dict[str, list]) -> None:
        """The bars of recovery: nine tenths of files and steps. Of decisions hardly one may be wrong; what is missed is
        found in the conversation.
        """
        counts = measure([one for some in transcripts.values() for one in some])
        assert counts["file"].invented == 0
        for kind in ("file", "next"):
            assert (counts[kind].recall or 0) >= 0.9
            assert (counts[kind].precision or 0) >= 0.9
        assert (counts["decision"].precision or 0) >= 0.97
        assert (counts["decision"].recall or 0) >= 0.45

    def test_invents_nothing_where_the_rules_were_made(self, transcripts: dict[str, list]) -> None:
        counts = measure([*transcripts["tuning"], *transcripts["traps_tuning"]])
        assert [counts[kind].invented for kind in ("decision", "file", "next")] == [0, 0, 0]

    def test_has_few_traps_that_catch(self, transcripts: dict[str, list]) -> None:
        """Figures as they were measured, not looked into: what is held out is no list of what to mend."""
        for part in ("traps_held_out", "traps_held_out_second"):
            assert measure(transcripts[part])["decision"].invented == 0
            assert measure(transcripts[part])["next"].invented <= 2
