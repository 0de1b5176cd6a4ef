"""A server that fails on demand: it takes what the client sends as Loam does, and can be slow, away, or lose its
answers. What Loam itself does with the same calls is tested with Loam; what no working server does is tested here.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sessions_app.adapters.client_file import client_file

ME = {"user": "alice", "teams": [], "token": {"name": "laptop"}}
ORIENTATION = "Last handoff of acme/shop (clean): cover empty files."


@dataclass
class StandIn:
    """`calls`: (method, path, body, key) as they came; `counted`: the same, each key once. `moods` turn bad."""

    url: str = ""
    calls: list[tuple[str, str, Any, str]] = field(default_factory=list)
    counted: list[tuple[str, str, Any]] = field(default_factory=list)
    keys: dict[str, Any] = field(default_factory=dict)
    delay: float = 0
    # Seconds more for paths that have a part in them.
    slow: dict[str, float] = field(default_factory=dict)
    lose_answers: int = 0
    refuse: dict[str, int] = field(default_factory=dict)
    surfaced: str = "Known: read CSV in chunks."
    handoff: str = ""

    def of(self, part: str) -> list[Any]:
        """The bodies of the counted calls whose path has `part` in it."""
        return [body for _, path, body in self.counted if part in path]

    def answer(self, method: str, path: str, body: Any, key: str) -> tuple[int, Any]:
        self.calls.append((method, path, body, key))
        for part, status in self.refuse.items():
            if part in path:
                return status, {"status": status, "code": "invalid", "detail": "It is refused.", "errors": {}}
        if key and key in self.keys:
            return 200, self.keys[key]
        self.counted.append((method, path, body))
        said = self._say(path)
        if key:
            self.keys[key] = said
        return 200, said

    def _say(self, path: str) -> Any:
        if path == "/api/v1/sessions/":
            number = len([p for _, p, _ in self.counted if p == path])
            pointer = {"kind": "handoff", "ref": "1", "title": "cover empty files", "how": "history"}
            orientation = {"text": ORIENTATION, "tokens": 12, "pointers": [pointer]}
            handoff = {"ref": "S-1", "text": self.handoff, "tokens": 9} if self.handoff else None
            known = {"orientation": orientation, "handoff": handoff, "recovered": False}
            return {"session": f"loam-s-{number}", **known}
        if path == "/api/v1/surface/":
            found = bool(self.surfaced)
            return {"surfaced": found, "text": self.surfaced, "tokens": 6, "gate": "", "reason": "all passed"}
        return {"accepted": 1}


@contextmanager
def stand_in() -> Iterator[StandIn]:
    """It listens on a port of its own until the test ends."""
    mood = StandIn()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answers = {"/connect/loam.py": client_file().content, "/api/v1/me/": json.dumps(ME).encode()}
            answers["/api/v1/health/"] = b'{"status": "ok"}'
            time.sleep(mood.delay)
            status = next((code for part, code in mood.refuse.items() if part in self.path), 200)
            served = answers.get(self.path, b"")
            self.send_response(status if served else 404)
            self.send_header("Content-Length", str(len(served)))
            self.end_headers()
            self.wfile.write(served)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"null")
            time.sleep(mood.delay + sum(more for part, more in mood.slow.items() if part in self.path))
            status, said = mood.answer("POST", self.path, body, self.headers.get("Idempotency-Key") or "")
            if mood.lose_answers:
                mood.lose_answers -= 1
                self.close_connection = True
                self.connection.close()
                return
            text = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    mood.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield mood
    finally:
        server.shutdown()
        server.server_close()
