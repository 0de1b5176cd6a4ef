"""One bad request after the other, and what was wrong with the answers."""

import json
import os
from collections.abc import Sequence
from typing import Any, TypeVar

from rest_framework.test import APIClient

from accounts.rules.problems import CODES
from tests.database import changed, contents

FIELDS = {"type", "title", "status", "detail", "code", "errors"}
CODES_ALLOWED = {
    *CODES.values(),
    "precondition_required",
    "stale_revision",
    "secret_found",
    "wrong_status",
    "team_unclear",
    "session_ended",
    "nothing_offered",
}


T = TypeVar("T")
# With this environment variable every value is sent everywhere.
WHOLE = "LOAM_WHOLE_SWEEPS"
PARTS = 3


def share(values: Sequence[T], turn: int, parts: int = PARTS) -> Sequence[T]:
    """One of `parts` shares of them, another one for each turn: as many turns send them all. At least one value; all of
    them where WHOLE is set.
    """
    parts = max(1, min(parts, len(values)))
    return values if os.environ.get(WHOLE) else values[turn % parts :: parts]


class Sweep:
    """Sends one bad request after the other, and at its end shows those that were not refused as they should be."""

    def __init__(self, client: APIClient) -> None:
        self.client = client
        client.raise_request_exception = False
        self.before = contents()
        self.wrong: list[str] = []
        self.sent = 0

    def expect(self, answer: Any, what: str, *statuses: int) -> None:
        self.sent += 1
        told = fault(answer, statuses)
        if told:
            self.wrong.append(f"{what[:120]!r}: {told}")

    def nothing_came_of(self, what: str) -> None:
        """Nothing was changed since the last look: said of each case where many are of one test."""
        tables = changed(self.before)
        if tables:
            self.wrong.append(f"{what[:120]!r}: changed {tables}")
            self.before = contents()


def fault(answer: Any, statuses: tuple[int, ...]) -> str:
    """What is wrong with an answer; empty when it is a proper refusal with one of these statuses."""
    if answer.status_code not in statuses:
        return f"answered {answer.status_code}, not {statuses}: {answer.content[:300]!r}"
    if answer["Content-Type"] != "application/problem+json":
        return f"is {answer['Content-Type']}"
    body = json.loads(answer.content)
    if not set(body) >= FIELDS or body["status"] != answer.status_code or not body["title"] or not body["detail"]:
        return f"is no problem document: {body}"
    if body["code"] not in CODES_ALLOWED:
        return f"has the code {body['code']}"
    return "" if len(answer.content) < 5_000 else "says too much"
