"""Lines of the log as JSON: whose request they are of, and nothing of what was written."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from accounts.rules.rights import Member
from config.middleware import request_log
from config.monitoring.logs import CURRENT, JsonLines
from tests.factories import make_insight

TEXT = "The kestrel release ships on Friday."


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(JsonLines())
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))

    @property
    def told(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]


@pytest.fixture
def kept() -> Iterator[Kept]:
    handler, names = Kept(), ("loam", "django")
    level = logging.getLogger("loam.requests").level
    logging.getLogger("loam.requests").setLevel(logging.INFO)
    for name in names:
        logging.getLogger(name).addHandler(handler)
    yield handler
    for name in names:
        logging.getLogger(name).removeHandler(handler)
    logging.getLogger("loam.requests").setLevel(level)


class TestARequest:
    def test_leaves_one_line_with_who_asked_what_and_how_long_it_took(
        self, kept: Kept, bobs_agent: APIClient, bob_user: User
    ) -> None:
        session = bobs_agent.post("/api/v1/sessions/", {"repo": "acme/web", "team": "platform"}).json()["session"]
        kept.lines.clear()
        answer = bobs_agent.post("/api/v1/query/", {"query": TEXT, "session": session}, HTTP_X_REQUEST_ID="abc-1")
        assert answer["X-Request-ID"] == "abc-1"
        (line,) = kept.told
        assert {name: line[name] for name in ("request", "member", "endpoint", "method", "status")} == {
            "request": "abc-1", "member": bob_user.pk, "endpoint": "api:query", "method": "POST", "status": 200,
        }  # fmt: skip
        assert session.startswith(line["session"]) and len(line["session"]) < len(session) / 2
        assert line["token"] and line["statements"] > 1 and line["ms"] > line["database_ms"] > 0

    @pytest.mark.parametrize("name", ["", "x" * 65, 'a", "level": "ERROR', "a b"])
    def test_is_given_a_name_if_its_own_is_none(self, kept: Kept, client: Client, name: str) -> None:
        answer = client.get("/healthz", HTTP_X_REQUEST_ID=name)
        assert answer["X-Request-ID"] != name
        assert kept.told[0]["request"] == answer["X-Request-ID"]

    def test_is_forgotten_when_it_is_answered(self, client: Client) -> None:
        client.get("/healthz")
        assert CURRENT.get() is None

    def test_tells_nothing_of_what_was_written_or_of_a_token(
        self, kept: Kept, alice: Member, agent_of: Any, client: Client
    ) -> None:
        row = make_insight(alice, body=TEXT)
        caller = agent_of(alice)
        secret = caller._credentials["HTTP_AUTHORIZATION"].split()[1]
        caller.post("/api/v1/insights/", {"kind": "CONTEXT", "body": TEXT, "nonsense": TEXT})
        caller.post("/api/v1/insights/", {"kind": "CONTEXT", "body": "AKIA" + "Q7" * 8})
        caller.get(f"/api/v1/insights/?q=kestrel&token={secret}")
        caller.post("/api/v1/query/", {"query": TEXT})
        client.get(f"/insights/{row.ref}/?q={secret}")
        client.post("/accounts/login/", {"login": "alice", "password": "kestrel-password"})
        said = "\n".join(kept.lines)
        assert len(kept.lines) >= 6
        assert not [word for word in ("kestrel", secret, "AKIA") if word in said]


class TestAnException:
    def test_is_told_by_its_kind_and_place_and_never_by_its_words(
        self, kept: Kept, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(request: Any) -> str:
            raise ValueError(f"invalid input: {TEXT}")

        client.raise_request_exception = False
        monkeypatch.setattr(request_log, "_endpoint", lambda request: "x")
        monkeypatch.setattr("config.monitoring.health.parts", lambda now: fails(now))
        assert client.get("/readyz").status_code == 500
        line = next(line for line in kept.told if "exception" in line)
        assert line["exception"]["type"] == "ValueError"
        assert any("test_logs.py" in place for place in line["exception"]["at"])
        assert "kestrel" not in "\n".join(kept.lines)

    def test_of_the_outside_says_what_it_says_with_secrets_masked(self) -> None:
        try:
            raise ConnectionError("cannot reach postgres://loam:kX8v2mQpL7wRz4T@db/loam\nDETAIL: kestrel")
        except ConnectionError as error:
            record = logging.LogRecord("loam", 40, "", 1, "it failed", None, (type(error), error, None))
        line = json.loads(JsonLines().format(record))
        assert line["exception"]["said"].startswith("cannot reach")
        assert "kX8v2mQp" not in str(line) and "kestrel" not in str(line)
