"""A sign of life while something takes long."""

import time
from threading import Event

from django.db import DatabaseError

from knowledge.jobs.adapters.heartbeat import heartbeat


class TestPulse:
    def test_beats_until_the_block_ends(self) -> None:
        beats: list[float] = []
        enough = Event()

        def beat() -> None:
            beats.append(time.monotonic())
            if len(beats) >= 3:
                enough.set()

        with heartbeat(beat, every=0.01):
            assert enough.wait(10)
        there = len(beats)
        time.sleep(0.1)
        assert len(beats) == there

    def test_goes_on_after_a_beat_that_was_not_taken(self) -> None:
        tried: list[int] = []
        again = Event()

        def beat() -> None:
            tried.append(1)
            if len(tried) == 1:
                raise DatabaseError("away")
            again.set()

        with heartbeat(beat, every=0.01):
            assert again.wait(10)

    def test_is_not_waited_for(self) -> None:
        begun = time.monotonic()
        with heartbeat(lambda: None, every=600):
            pass
        assert time.monotonic() - begun < 5
