"""A real HTTP server on loopback that speaks OpenAI's chat protocol, and says what a test wants it to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# What the system messages begin with, so that the server can tell what it is asked.
PURPOSES = {
    "keyword search": "keywords",
    "judge passages": "score",
    "short briefing": "brief",
    "explore files": "step",
    "choose which files": "order",
    "rewrite the last": "rewrite",
    "compare two notes": "judge",
    "You read conversations": "propose",
}

Answer = Any  # a dict or text (the content), (status, bytes, headers), or a function of the handler


class Endpoint:
    """`answers`: by purpose, an answer or a function of the request's data that gives one; `asked` is what came."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, Any], dict[str, Any]]] = []
        self.usage: Any = {"prompt_tokens": 100, "completion_tokens": 10}
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                purpose = endpoint.purpose(body)
                endpoint.asked.append((purpose, dict(self.headers), body))
                endpoint.reply(self, purpose, body)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def purpose(self, body: dict[str, Any]) -> str:
        system = body["messages"][0]["content"]
        return next((name for words, name in PURPOSES.items() if words in system), "")

    def reply(self, handler: BaseHTTPRequestHandler, purpose: str, body: dict[str, Any]) -> None:
        answer = self.answers.get(purpose, self.answers.get("*"))
        if callable(answer):
            answer = answer(data(body))
        if callable(answer):  # the answer is the handler's own doing: silence, trickling, hanging up
            answer(handler)
            return
        status, content, headers = answer if isinstance(answer, tuple) else (200, self.completion(answer), {})
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def completion(self, content: Any) -> bytes:
        text = content if isinstance(content, str) else json.dumps(content)
        body = {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": self.usage}
        return json.dumps(body).encode()

    def of(self, purpose: str) -> list[dict[str, Any]]:
        return [body for name, _, body in self.asked if name == purpose]


def data(body: dict[str, Any]) -> dict[str, Any]:
    """What stands between the marks of a request."""
    found: dict[str, Any] = json.loads(body["messages"][1]["content"].split("\n")[1])
    return found


@contextmanager
def listening(over: Callable[[Endpoint], None] = lambda endpoint: None) -> Iterator[Endpoint]:
    endpoint = Endpoint()
    over(endpoint)
    threading.Thread(target=endpoint.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield endpoint
    finally:
        endpoint.server.shutdown()
        endpoint.server.server_close()
