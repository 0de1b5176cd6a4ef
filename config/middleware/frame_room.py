"""Allocate the memory for a request's Python frames once instead of again and again.

CPython (3.11 to 3.13) keeps the frames of Python functions in chunks of 16 kB. A call that does not fit into the chunk
maps another one and unmaps it when it returns (`push_chunk` in Python/pystate.c). A loop at that depth does so with
each of its calls: a page of the inbox mapped and unmapped 1,450 chunks, a quarter of its CPU time. Which depth that is
changes with every function on the way, so pages became slow by unrelated changes.
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

# The size that the outer frame declares, in pointers. Chunk sizes are powers of two, so its chunk has 512 kB and leaves
# 240 kB to what is called; the deepest pages use 60 kB. Memory that is never written to is never allocated.
SLOTS = 34_000


def call_with_room(call: Callable[[Any], Any], argument: Any) -> Any:
    """Return what the call returns. The frames of everything it calls are in one chunk."""
    return call(argument)


call_with_room.__code__ = call_with_room.__code__.replace(co_stacksize=SLOTS)


class FrameRoom:
    """The outermost middleware, because the others have frames too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer: HttpResponse = call_with_room(self.get_response, request)
        return answer
