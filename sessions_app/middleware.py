"""Signs of life: a call that named a session keeps the session alive, whichever app answered it."""

import time
from collections.abc import Callable
from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from sessions_app.actions.heartbeat import beat
from sessions_app.rules.vocabulary import HEARTBEAT_STEP

# So many sessions this process remembers to have heard of within the step; beyond, it asks the database again.
MOST_REMEMBERED = 10_000


class Heartbeat:
    """After each answered call in a session (`accounts.authentication.in_session`), at most once a minute for each."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.heard: dict[str, float] = {}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        session: str = getattr(request, "agent_session", "")
        if session and answer.status_code < 400 and self._is_due(session):
            beat(by=replace(request.member, session=session), now=timezone.now())  # type: ignore[attr-defined]
        return answer

    def _is_due(self, session: str) -> bool:
        at = time.monotonic()
        if at - self.heard.get(session, -1e9) < HEARTBEAT_STEP.total_seconds():
            return False
        if len(self.heard) >= MOST_REMEMBERED:
            self.heard.clear()
        self.heard[session] = at
        return True
