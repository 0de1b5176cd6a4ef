"""A model on loopback: it speaks four protocols, records every request and answers from a script."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.clients.script import Action, Asked, First, Raw, Script
from tests.clients.wire import anthropic, chat, gemini, responses

WIRES = (anthropic, responses, chat, gemini)
# How a client calls its own tools: the name and input of one, for an action of a script.
Spell = Callable[[Action, Asked], tuple[str, dict[str, Any]]]

# A request that offers fewer names a conversation, or guesses its topic: it is no turn of the agent.
FEWEST_TOOLS = 5
# What is answered to a request that is the client's own doing (a compaction) and no turn; empty for a turn.
Aside = Callable[[Asked], str]


class Endpoint:
    """`asked` are the requests of the agent itself (those that offer tools), `said` what it was answered with, its
    calls included; `beside` is what else the client asks.
    """

    def __init__(self, script: Script, spell: Spell, aside: Aside) -> None:
        self.script, self.spell, self.aside = script, spell, aside
        self.asked: list[Asked] = []
        self.beside: list[Asked] = []
        self.said: list[str] = []
        self.unknown: list[str] = []
        self.turns = 0  # that ended
        self.changed = threading.Condition()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                endpoint._post(self)

            def do_GET(self) -> None:
                endpoint._get(self)

            def do_HEAD(self) -> None:
                _send(self, 200, b"", "text/plain")

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def wait(self, met: Callable[[], bool], seconds: float) -> bool:
        """Whether it came true within so many seconds, looked at whenever something was asked."""
        with self.changed:
            return self.changed.wait_for(met, seconds)

    def _get(self, handler: BaseHTTPRequestHandler) -> None:
        path = urlsplit(handler.path).path
        if path.endswith("/models"):
            model = {"id": "scripted", "object": "model", "created": 1, "owned_by": "loam", "type": "model"}
            _send(handler, 200, json.dumps({"object": "list", "data": [model], "models": []}).encode())
        else:
            _send(handler, 404, b"{}")

    def _post(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        path = urlsplit(handler.path).path
        if path.endswith(("/count_tokens", ":countTokens")):
            _send(handler, 200, json.dumps({"input_tokens": len(raw) // 4, "totalTokens": len(raw) // 4}).encode())
            return
        wire = next((wire for wire in WIRES if path.startswith(wire.PATH)), None)
        if wire is None:
            self.unknown.append(path)
            _send(handler, 404, b"{}")
            return
        asked = wire.read(path, json.loads(raw))
        with self.changed:
            number = len(self.asked) + len(self.beside)
            aside = self.aside(asked) or ("" if len(asked.tools) >= FEWEST_TOOLS else "A title")
            text, calls = (aside, []) if aside else self._reply(asked)
            (self.beside if aside else self.asked).append(asked)
            if not aside:
                self.said.append("\n".join([text, *(json.dumps(given, ensure_ascii=False) for _, given in calls)]))
            self.changed.notify_all()
        whole = wire.answer(asked.body, text, calls, number)
        self._say(handler, wire, asked, whole)
        with self.changed:
            self.turns += not calls and not aside
            self.changed.notify_all()

    def _reply(self, asked: Asked) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
        reply = self.script.next(asked)
        try:
            return reply.text, [self._spelt(action, asked) for action in reply.calls]
        except First as first:
            self.script.again()
            return "", [(first.name, first.given)]

    def _spelt(self, action: Action | Raw, asked: Asked) -> tuple[str, dict[str, Any]]:
        return (action.name, action.given) if isinstance(action, Raw) else self.spell(action, asked)

    def _say(self, handler: BaseHTTPRequestHandler, wire: Any, asked: Asked, whole: dict[str, Any]) -> None:
        streamed = asked.body.get("stream") or ":stream" in asked.path
        try:
            if streamed:
                _send(handler, 200, b"".join(wire.stream(whole)), "text/event-stream")
            else:
                _send(handler, 200, json.dumps(whole).encode())
        except OSError:
            pass  # the client was killed while it read


def _send(handler: BaseHTTPRequestHandler, status: int, body: bytes, kind: str = "application/json") -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def listening(script: Script, spell: Spell, aside: Aside) -> Iterator[Endpoint]:
    endpoint = Endpoint(script, spell, aside)
    threading.Thread(target=endpoint.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield endpoint
    finally:
        endpoint.server.shutdown()
        endpoint.server.server_close()
