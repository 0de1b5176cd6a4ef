"""Pages get the same Member that agents get."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from accounts.actions.members import member_of
from accounts.actions.turns import BeforeStatements, turns

# Where a connection's scope has its call.
CALL = "loam.call"


def announcing(app: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Leaves the call in each connection's scope, so that others let it pass before a thread begins with it."""

    async def run(scope: dict[str, Any], receive: Any, send: Any) -> None:
        said = dict(scope.get("headers", ()))
        call = turns.arrive(hash(said.get(b"authorization") or said.get(b"cookie") or b""))
        try:
            await app({**scope, CALL: call}, receive, send)
        finally:
            turns.withdraw(call)

    return run


class MemberMiddleware:
    """`request.member` for a logged-in person, built when first looked at; None for a visitor."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            user = request.user
            if user.pk and (call := getattr(request, "call", None)):
                turns.identify(call, -user.pk)
            request.member = SimpleLazyObject(lambda: member_of(user=user))  # type: ignore[attr-defined]
        else:
            request.member = None  # type: ignore[attr-defined]
        return self.get_response(request)


class TakesTurns:
    """`request.call`, which gives way to others before its statements; gives back at its end the turn that it took
    (accounts/authentication.py), and what it used is its caller's.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        call = getattr(request, "scope", {}).get(CALL) or turns.arrive(0)
        request.call = call  # type: ignore[attr-defined]
        began, before = time.thread_time(), BeforeStatements(call, turns)
        # Around those that measure statements: letting others pass is not time of the database.
        connection.execute_wrappers.insert(0, before)
        try:
            return self.get_response(request)
        finally:
            connection.execute_wrappers.remove(before)
            turns.leave(call, seconds=time.thread_time() - began, most=settings.LOAM_AT_ONCE)


class Private:
    """Keeps what is one person's out of shared caches, and has browsers ask again: pages of who is signed in, what
    agents are answered, and the pages of signing in. What says otherwise itself is left alone.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if "Cache-Control" not in answer:
            answer["Cache-Control"] = "private, no-cache"
        return answer
