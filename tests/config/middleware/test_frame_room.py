"""A request's frames are in one chunk of memory: no call on its way maps one of its own."""

import resource

from config.middleware.frame_room import FrameRoom, call_with_room

# Deeper than any page; and so many calls that a chunk for each is seen among other page faults.
DEPTH, CALLS = 300, 400


class TestFrameRoom:
    def test_no_loop_at_any_depth_maps_a_chunk_for_each_call(self):
        assert max(_faults_by_depth()) >= CALLS, "the interpreter no longer does what this is for"

        assert max(call_with_room(lambda _: _faults_by_depth(), None)) < CALLS

    def test_answers_what_the_next_one_answers(self):
        assert FrameRoom(lambda request: f"answer to {request}")("a request") == "answer to a request"


def _faults_by_depth() -> list[int]:
    """Pages that were mapped by a loop of calls, at each depth."""
    return [_at_depth(depth) for depth in range(DEPTH)]


def _at_depth(depth: int) -> int:
    if depth:
        return _at_depth(depth - 1)
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    for _ in range(CALLS):
        _leaf()
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before


def _leaf() -> None:
    return None


# Larger than a step of the way down, so that at some depth it does not fit.
_leaf.__code__ = _leaf.__code__.replace(co_stacksize=100)
