"""The bridge from MCP over stdio to MCP over HTTP."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from typing import Any

from sessions_app.client.src.checkout.place import as_anchored, place_of
from sessions_app.client.src.commands.knowledge import learned_from
from sessions_app.client.src.delivery.server import Away, Problem, Server
from sessions_app.client.src.hooks.marks import (
    ASKED_MARKING_TAKES,
    as_report,
    fetch_anchors,
    marked,
    refs_in,
    report_changes,
)
from sessions_app.client.src.local import Json

_VERSION_META = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
AT_ONCE = 8
# Notes of one answer that are looked at.
MOST_REFS = 40


class Bridge:
    """Lines of JSON-RPC from stdin to the server's `/mcp`, and its answers back, each as it comes."""

    def __init__(self, server: Server) -> None:
        self.server, self.version = server, ""
        self._out = threading.Lock()
        self._where = place_of(os.getcwd())

    def run(self) -> None:
        under_way: list[threading.Thread] = []
        for line in filter(bytes.strip, sys.stdin.buffer):
            try:
                message = json.loads(line)
            except ValueError:
                self._say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Not JSON."}})
                continue
            # The handshake comes first: what it settles goes with every later call.
            if isinstance(message, dict) and message.get("method") == "initialize":
                self.pass_on(message)
                continue
            under_way = [one for one in under_way if one.is_alive()]
            if len(under_way) >= AT_ONCE:
                under_way.pop(0).join()
            under_way.append(threading.Thread(target=self.pass_on, args=(message,)))
            under_way[-1].start()
        for one in under_way:
            one.join()

    def pass_on(self, message: Any) -> None:
        asked = isinstance(message, dict) and "id" in message and "method" in message
        try:
            message = self._with_hashes(self._with_own_paths(message))
            text, headers = self.server.send("POST", "/mcp", message, self._headers(message))
            for answer in _answers(text, headers.get("Content-Type") or ""):
                if asked and message["method"] == "initialize" and isinstance(answer.get("result"), dict):
                    self.version = str(answer["result"].get("protocolVersion") or "")
                elif asked and message["method"] == "tools/call":
                    self._mark(answer)
                self._say(answer)
        except (Away, Problem) as error:
            said = error.body.get("error") if isinstance(error, Problem) else None
            # What is wrong by the protocol comes with a status of its own, and in the protocol's own words.
            fault = said if isinstance(said, dict) else {"code": -32000, "message": str(error)}
            if asked:
                self._say({"jsonrpc": "2.0", "id": message["id"], "error": fault})

    def _with_own_paths(self, message: Any) -> Any:
        """Return a call with its files as the team's notes have them: agents give whole paths."""
        params = message.get("params") if isinstance(message, dict) else None
        given = params.get("arguments") if isinstance(params, dict) else None
        files = given.get("files") if isinstance(given, dict) else None
        if not isinstance(params, dict) or not isinstance(given, dict) or not isinstance(files, list):
            return message
        if not all(isinstance(one, str) for one in files):
            return message  # the server says what is wrong with it
        top = self._where.top
        paths = [as_anchored(one, top, top) for one in files]
        return {**message, "params": {**params, "arguments": {**given, "files": paths}}}

    def _with_hashes(self, message: Any) -> Any:
        """Return a deposit with the hashes of its files as they are now; anything else as it is."""
        params = message.get("params") if isinstance(message, dict) else None
        if not isinstance(params, dict) or params.get("name") != "deposit_insight":
            return message
        given = params.get("arguments")
        if not isinstance(given, dict) or given.get("provenance"):
            return message
        files = given.get("files")
        paths = [one.strip() for one in files.split(",")] if isinstance(files, str) else files
        hashes = learned_from(self._where.top, [one for one in paths or () if isinstance(one, str)])
        return {**message, "params": {**params, "arguments": {**given, "provenance": hashes}}} if hashes else message

    def _mark(self, answer: Json) -> None:
        """Mark the notes in the texts of a tool's answer whose files changed since they were learned."""
        result = answer.get("result")
        blocks = result.get("content") if isinstance(result, dict) else None
        for block in blocks if isinstance(blocks, list) else []:
            refs = refs_in(str(block.get("text", "")))[:MOST_REFS] if isinstance(block, dict) else []
            if not refs:
                continue
            with contextlib.suppress(Away, Problem):
                anchors = fetch_anchors(self.server, self._where.repo, refs)
                block["text"], changed = marked(block["text"], self._where.top, anchors, takes=ASKED_MARKING_TAKES)
                if changed:
                    report_changes(self._where.top, self._where.repo, self.server.who.url, as_report(changed))

    def _headers(self, message: Any) -> dict[str, str]:
        headers = {"Accept": "application/json, text/event-stream"}
        params = message.get("params") if isinstance(message, dict) else None
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(_VERSION_META) if isinstance(meta, dict) else None
        if version or self.version:
            headers["MCP-Protocol-Version"] = str(version or self.version)
        if version:
            method = str(message.get("method"))
            headers["Mcp-Method"] = method
            name = params.get(_NAMED_BY.get(method, ""))
            if isinstance(name, str):
                plain = re.fullmatch(r"[!-~](?:[ -~]*[!-~])?", name) and not name.startswith("=?base64?")
                headers["Mcp-Name"] = name if plain else f"=?base64?{base64.b64encode(name.encode()).decode()}?="
        return headers

    def _say(self, answer: Json) -> None:
        with self._out:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


def _answers(text: str, kind: str) -> Iterator[Json]:
    """The JSON-RPC messages of an answer: one as JSON, none (202), or some as events."""
    parts = re.findall(r"^data: ?(.*)$", text, re.MULTILINE) if "event-stream" in kind else [text]
    for part in parts:
        if part.strip():
            try:
                message = json.loads(part)
            except ValueError as error:
                raise Away("The server's answer is not JSON.") from error
            yield from message if isinstance(message, list) else [message]
