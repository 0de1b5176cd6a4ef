"""Memory for the frames of a request, taken once and not again and again.

CPython (3.11 to 3.13) keeps the frames of Python functions in chunks of 16 kB. A call that does not fit into the chunk
maps another one and unmaps it when it returns (`push_chunk` in Python/pystate.c). Where a loop stands at that depth,
each of its calls does so: a page of the inbox mapped and unmapped 1,450 chunks, a quarter of its CPU time. At which
depth that is changes with every function on the way, so that pages became slow by changes that had nothing to do with
it.
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

# What the frame below says it needs, in pointers. Sizes of chunks are powers of two, so its own has 512 kB and leaves
# 240 kB to what is called; the deepest pages use 60 kB. What nobody writes to takes no memory.
SLOTS = 34_000


def call_with_room(call: Callable[[Any], Any], argument: Any) -> Any:
    """What the call returns. All that it calls has its frames in one chunk."""
    return call(argument)


call_with_room.__code__ = call_with_room.__code__.replace(co_stacksize=SLOTS)


class FrameRoom:
    """Before all others, which have frames too. It answers nothing itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer: HttpResponse = call_with_room(self.get_response, request)
        return answer
