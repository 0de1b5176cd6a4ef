"""A language model behind any endpoint that speaks OpenAI's chat protocol: one bounded call, answered in strict JSON.

What travels is a system message of ours and data of others', the latter as JSON strings between marks that are made
again for each call. What comes back is taken only if the caller's `parse` takes it; else it is asked again, a few
times, and then the model is down and the caller says how it goes on without. Nothing that a file says can therefore do
more than fill a field that was asked for. Each call, good or bad, is counted: tokens, tries, time.
"""

import json
import secrets
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

import httpx2
from django.conf import settings
from django.db import connection

from accounts.adapters.model_calls import ModelRequest, ModelUsage, model_call
from knowledge.rules.model_json import NoJson, json_in
from knowledge.rules.model_provider import provider_of

# Tries in all, the pause before another one in seconds, and the longest an endpoint may ask for.
TRIES = 3
PAUSES = (0.2, 0.6)
LONGEST_PAUSE = 2.0
# A briefing is some 5 kB in an envelope of 1 kB; more than this is something else.
MOST_BYTES = 500_000
# Seconds in which an endpoint that failed all tries is not asked again: every search would wait for it. One that is
# busy (HTTP 429) says itself how long, and is waited for where that is short.
PAUSE_AFTER_FAILURE = 15.0
PAUSE_WHEN_BUSY = 1.0
# What a token is taken for when the endpoint does not count.
CHARACTERS = 4
PORTS = {"http": 80, "https": 443}

Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Called:
    """One call. `outcome` is empty for a good answer, else why there was none."""

    purpose: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    tries: int
    took_ms: float
    outcome: str = ""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class LlmDown(Exception):
    """There is no answer: not configured, out of reach, over budget, or what came was none. The text says which;
    `called` what was spent in vain, if anything was asked.
    """

    def __init__(self, why: str, called: Called | None = None) -> None:
        super().__init__(why)
        self.called = called


class Unfit(ValueError):
    """What `parse` raises for an answer that is not what was asked for."""


@dataclass(frozen=True)
class Prompt:
    """What is asked: `parse` takes the text of the answer and raises Unfit; `seconds` are for one of `tries`."""

    purpose: str
    messages: Messages
    parse: Callable[[str], Any]
    most_tokens: int
    seconds: float
    tries: int = TRIES


class _Again(Exception):
    """This try gave nothing, another one may. `pause`: what the endpoint asked to wait, in seconds; `busy`: whether it
    is up, and takes no more for now.
    """

    def __init__(self, why: str, pause: float = 0.0, *, busy: bool = False) -> None:
        super().__init__(why)
        self.pause, self.busy = pause, busy


class _Declined(Exception):
    """HTTP 400 or 422: the endpoint does not take the request as it is. `detail`: what it said."""

    def __init__(self, why: str, detail: str) -> None:
        super().__init__(why)
        self.detail = detail


# What some endpoints refuse, and an answer can be had without.
OPTIONS = ("response_format", "temperature", "max_tokens")
# What `max_tokens` is called where that is refused by this name.
RENAMED = "max_completion_tokens"


@cache
def _trusted_authorities() -> ssl.SSLContext:
    """Return httpx's own default, made once for a process: reading the list takes 20 ms, and each search has a Chat."""
    return httpx2.create_ssl_context()


class Chat:
    """`url`: up to and without `/chat/completions`. Threads may share it."""

    # Until when an endpoint that failed is not asked again, for all instances in this process: (moment, why).
    _failed: ClassVar[dict[tuple[str, str], tuple[float, str]]] = {}
    # Options that an endpoint has refused, for all instances in this process.
    _refused: ClassVar[dict[tuple[str, str], set[str]]] = {}

    def __init__(self, *, url: str, key: str, model: str) -> None:
        self.model = model
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._host, self._port = _server(self._url)
        self._provider = provider_of(self._host)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx2.Client(headers=headers, verify=_trusted_authorities())

    @classmethod
    def configured(cls) -> Self | None:
        """From LOAM_LLM_URL, LOAM_LLM_KEY and LOAM_LLM_MODEL; None where none is named."""
        if not settings.LOAM_LLM_URL or not settings.LOAM_LLM_MODEL:
            return None
        return cls(url=settings.LOAM_LLM_URL, key=settings.LOAM_LLM_KEY, model=settings.LOAM_LLM_MODEL)

    def ask(self, wish: Prompt, *, ends: float, gone: Callable[[], bool] = lambda: False) -> tuple[Any, Called]:
        """The parsed answer and what it cost. `ends` is on time.monotonic, over all tries.

        Raises LlmDown, whose `called` tells what was spent in vain.
        """
        _let_go_of_the_database()
        if why := self._rest(ends):
            raise LlmDown(f"{self.model}: {why}", self._called(wish, (0, 0), 0, time.monotonic(), why))
        asked = ModelRequest(wish.purpose, self.model, self._provider, self._host, self._port, wish.most_tokens)
        with model_call(asked) as used:
            try:
                given, called = self._ask(wish, ends, gone)
            except LlmDown as down:
                _fill(used, down.called)
                raise
            _fill(used, called)
        return given, called

    def _ask(self, wish: Prompt, ends: float, gone: Callable[[], bool]) -> tuple[Any, Called]:
        began = time.monotonic()
        spent = [0, 0]
        why, tries, answered = "", 0, False
        rest = PAUSE_AFTER_FAILURE
        while not why and tries < wish.tries:
            tries += 1
            try:
                given = wish.parse(self._content(wish, min(ends, time.monotonic() + wish.seconds), gone, spent))
                return given, self._called(wish, spent, tries, began)
            except (_Again, Unfit) as fault:
                answered = isinstance(fault, Unfit)
                if isinstance(fault, _Again) and fault.busy:
                    rest = min(PAUSE_AFTER_FAILURE, fault.pause or PAUSE_WHEN_BUSY)
                pause = min(LONGEST_PAUSE, max(getattr(fault, "pause", 0.0), PAUSES[min(tries, len(PAUSES)) - 1]))
                if tries == wish.tries or time.monotonic() + pause > ends or gone():
                    why = str(fault)
                else:
                    time.sleep(pause)
            except LlmDown as down:
                why = str(down)
        # One that answers, if not what was asked, is up: a caller with other wishes goes on.
        if not (answered and wish.tries < TRIES):
            self._failed[self._url, self.model] = (time.monotonic() + rest, why)
        told = f"{self.model}: {why}" + (f" ({tries} tries)" if tries > 1 else "")
        raise LlmDown(told, self._called(wish, spent, tries, began, why))

    def _rest(self, ends: float) -> str:
        """Why the endpoint is not asked now; "" where it is, after what is left of a short rest."""
        until, why = self._failed.get((self._url, self.model), (0.0, ""))
        left = until - time.monotonic()
        if left > LONGEST_PAUSE or time.monotonic() + left > ends:
            return f"{why}; retried later"
        if left > 0:
            time.sleep(left)
        return ""

    def _called(self, wish: Prompt, spent: Sequence[int], tries: int, began: float, outcome: str = "") -> Called:
        took = round((time.monotonic() - began) * 1000, 1)
        return Called(wish.purpose, self.model, spent[0], spent[1], tries, took, outcome[:200])

    def _content(self, wish: Prompt, ends: float, gone: Callable[[], bool], spent: list[int]) -> str:
        asked = {
            "model": self.model,
            "messages": list(wish.messages),
            "temperature": 0,
            "max_tokens": wish.most_tokens,
            "response_format": {"type": "json_object"},
        }
        if RENAMED in self._declined:
            asked[RENAMED] = asked.pop("max_tokens")
        declined = self._declined - {RENAMED}
        body = self._taken({name: value for name, value in asked.items() if name not in declined}, ends, gone)
        try:
            answer = json.loads(body)
            content = _said(answer["choices"][0]["message"])
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise _Again("the answer is not a chat completion") from error
        if not content:
            raise _Again("the answer has no text")
        count(answer, wish.messages, content, spent)
        return content

    @property
    def _declined(self) -> set[str]:
        """What this endpoint does not take."""
        return self._refused.setdefault((self._url, self.model), set())

    def _taken(self, asked: dict[str, Any], ends: float, gone: Callable[[], bool]) -> bytes:
        """The body of a good answer, asked again without an option that the endpoint refuses."""
        while True:
            try:
                return self._sent(asked, ends, gone)
            except _Declined as declined:
                options = [name for name in OPTIONS if name in asked]
                if not options:
                    raise LlmDown(str(declined)) from declined
                named = [name for name in options if name in declined.detail]
                if "max_tokens" in named and RENAMED in declined.detail:
                    self._declined.add(RENAMED)
                    asked = {RENAMED if name == "max_tokens" else name: value for name, value in asked.items()}
                    continue
                for name in named or options:
                    self._declined.add(name)
                    asked = {field: value for field, value in asked.items() if field != name}

    def _sent(self, asked: dict[str, Any], ends: float, gone: Callable[[], bool]) -> bytes:
        """The body of a good answer. Raises _Again, or LlmDown for what another try cannot mend."""
        left = ends - time.monotonic()
        if left <= 0:
            raise LlmDown("the time limit was reached")
        body = b""
        try:
            with self._client.stream("POST", self._url, json=asked, timeout=left) as answer:
                _check(answer)
                for piece in answer.iter_bytes():
                    body += piece
                    if len(body) > MOST_BYTES:
                        raise _Again("the answer is too large")
                    if gone() or time.monotonic() > ends:
                        raise _Again("the answer took too long")
        except (httpx2.InvalidURL, httpx2.StreamError, httpx2.UnsupportedProtocol) as error:
            raise LlmDown(str(error)) from error
        except httpx2.TimeoutException as error:
            raise _Again("timed out") from error
        except httpx2.HTTPError as error:
            raise _Again(f"not reachable: {type(error).__name__}") from error
        return body


def _server(url: str) -> tuple[str, int]:
    """Host and port; nothing of an address that is none, which the call itself tells of."""
    try:
        there = urlsplit(url)
        return there.hostname or "", there.port or PORTS.get(there.scheme, 0)
    except ValueError:
        return "", 0


def _fill(used: ModelUsage, called: Called | None) -> None:
    if called:
        used.input_tokens, used.output_tokens, used.tries = called.prompt_tokens, called.completion_tokens, called.tries


def _said(message: Mapping[str, Any]) -> str:
    """The text of a message: its content, whole or in parts; else the call of a tool it would make, as JSON."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if isinstance(content, str) and content.strip():
        return content
    calls = [call.get("function") for call in message.get("tool_calls") or () if isinstance(call, dict)]
    call = next((one for one in (*calls, message.get("function_call")) if isinstance(one, dict)), None)
    if call is None:
        return ""
    arguments = call.get("arguments") or "{}"
    arguments = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return f'{{"tool": {json.dumps(call.get("name", ""))}, "arguments": {arguments}}}'


def _let_go_of_the_database() -> None:
    """While a model thinks, or hangs, its caller's connection is another's: a web process has but eight of them,
    and a few deposits would keep every page waiting.
    """
    if not connection.in_atomic_block:
        connection.close()


def count(answer: Any, messages: Messages, content: str, spent: list[int]) -> None:
    """Add what the endpoint says it used; where it says nothing sensible, what it must have been."""
    usage = answer.get("usage") if isinstance(answer, dict) else None
    guess = (sum(len(one["content"]) for one in messages) // CHARACTERS, len(content) // CHARACTERS)
    for at, name in enumerate(("prompt_tokens", "completion_tokens")):
        told = usage.get(name) if isinstance(usage, dict) else None
        good = isinstance(told, int) and not isinstance(told, bool) and 0 <= told < 10_000_000
        spent[at] += int(told) if good and told is not None else guess[at]


def _check(answer: httpx2.Response) -> None:
    """Go on only with a 200. Too busy or broken may pass; anything else will not."""
    code = answer.status_code
    if code == 200:
        return
    if code in (400, 422):
        raise _Declined(f"HTTP {code}", answer.read()[:2_000].decode("utf-8", "replace"))
    if code in (408, 429) or code >= 500:
        asked = answer.headers.get("retry-after", "")
        raise _Again(f"HTTP {code}", float(asked) if asked.isdecimal() else 0.0, busy=code == 429)
    raise LlmDown(f"HTTP {code}")


def fenced(**data: Any) -> str:
    """Others' words as JSON between marks that no text can know beforehand."""
    mark = secrets.token_hex(8)
    return f"<data-{mark}>\n{json.dumps(data, ensure_ascii=False)}\n</data-{mark}>"


def json_of(content: str) -> Any:
    """The JSON of a model's answer, however it is wrapped. Raises Unfit."""
    try:
        return json_in(content)
    except NoJson as none:
        raise Unfit(str(none)) from none


def conversation(system: str, user: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]
