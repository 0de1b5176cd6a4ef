"""Clients that do what agents and people do all day, at the pace of agents and people.

Each is an agent with a session, and now and then a person who looks at pages. Answers are recorded, so that they can be
compared with the database afterwards (tests/trials/stored_once.py). A request without an answer is sent again under the
same key, as the client does.
"""

import re
import time
import uuid
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from random import Random
from threading import Event, Thread
from typing import Any

import httpx2

TIMEOUT = 60.0
# A write that got no answer is sent again for so long, with this pause.
PATIENCE = 90.0
PAUSE = 0.3

TEAM, REPO = "platform", "acme/importer"
PAGES = ["/", "/insights/", "/insights/?q=export", "/topics/", "/dashboard/", "/sessions/", "/skills/", "/preferences/"]
PAGES += ["/contradictions/", "/duplicates/", "/friction/", "/teams/platform/", "/activity/?team=platform"]
PAGES += ["/go/?q=nightly", "/sessions/surfaced/", "/settings/", "/tokens/"]

THINGS = ("nightly export", "importer", "gateway", "billing job", "search index", "mobile build", "mail queue")
THINGS += ("token cache", "schema migration", "release script", "report worker", "image resizer", "feature flag table")
FACTS = (
    ("needs {n} workers, or the {other} falls behind", "PATTERN"),
    ("fails with a timeout when the {other} is restarted first; wait {n} seconds", "PITFALL"),
    ("reads its licence from the working directory of the {other}", "CONTEXT"),
    ("must run before the {other}, or it reads half of a table", "PITFALL"),
    ("keeps {n} old copies; delete the rest by hand after a release", "CONTEXT"),
    ("was moved behind the {other}, because its retries took {n} minutes", "DECISION"),
)
QUESTIONS = ("why does the {thing} fail", "how many workers for the {thing}", "what runs before the {thing}")
QUESTIONS += ("timeout of the {thing} after a restart of the {other}", "where does the {thing} keep its licence")
QUESTIONS += ("who decided on the {thing} and why", "vacuum half of a table {thing}")


@dataclass(frozen=True)
class Call:
    """One request: when (seconds since the start), what, how long (ms), how it ended (0: no answer)."""

    at: float
    what: str
    took: float
    status: int
    said: str = ""
    degraded: tuple[str, ...] = ()


@dataclass
class Kept:
    """What was answered, by what it is counted by."""

    deposits: dict[str, tuple[str, str]] = field(default_factory=dict)
    sessions: dict[str, bool] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    ratings: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Person:
    """Whose agents and browsers they are. All of one person's share a login: a login is limited by address, and here
    there is one.
    """

    url: str
    token: str
    cookies: httpx2.Cookies


def logged_in(url: str, known: dict[str, str]) -> Person:
    """`known`: what the demo tells of a person. Raises RuntimeError if they cannot log in."""
    browser = httpx2.Client(base_url=url, timeout=TIMEOUT, follow_redirects=True)
    form = browser.get("/accounts/login/").text
    token = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)[0]
    given = {"login": known["username"], "password": known["password"], "csrfmiddlewaretoken": token}
    answer = browser.post("/accounts/login/", data=given, headers={"Referer": url})
    if "sessionid" not in browser.cookies:
        raise RuntimeError(f"{known['username']} could not log in: {answer.status_code} {answer.text[:200]}")
    return Person(url, known["token"], browser.cookies)


def crowd(
    url: str,
    people: dict[str, dict[str, str]],
    *,
    size: int,
    think: float,
    stop: Event,
    only: Collection[str] = (),
) -> "list[Client]":
    """So many clients, half of them Alice's and half Bob's, who have begun. `only`: of their acts these, else all."""
    cast = [logged_in(url, people[name]) for name in ("alice", "bob")]
    trial, began = uuid.uuid4().hex[:6], time.monotonic()
    all_of_them = [
        Client(person=cast[n % 2], number=n, think=think, began=began, stop=stop, trial=trial, only=only)
        for n in range(size)
    ]
    for one in all_of_them:
        one.start()
    return all_of_them


def together(kept: Iterable[Kept]) -> dict[str, Any]:
    """What all clients were answered, as tests/trials/stored_once.py takes it."""
    found: dict[str, Any] = {"deposits": {}, "sessions": {}, "events": {}, "ratings": []}
    for one in kept:
        for name in ("deposits", "sessions", "events"):
            found[name].update(getattr(one, name))
        found["ratings"] += one.ratings
    return found


class Client(Thread):
    """One agent and its person, until told to stop. `think`: seconds between two requests, on the mean; `only`: of what
    they do these acts, else all.
    """

    def __init__(
        self,
        *,
        person: Person,
        number: int,
        think: float,
        began: float,
        stop: Event,
        trial: str,
        only: Collection[str] = (),
    ) -> None:
        super().__init__(daemon=True)
        self.number, self.think, self.began, self.stop, self.trial = number, think, began, stop, trial
        self.rng = Random(f"mix {number}")
        bearer = {"Authorization": f"Bearer {person.token}"}
        self.agent = httpx2.Client(base_url=person.url, headers=bearer, timeout=TIMEOUT)
        self.browser = httpx2.Client(
            base_url=person.url, cookies=person.cookies, timeout=TIMEOUT, follow_redirects=True
        )
        self.calls: list[Call] = []
        self.kept = Kept()
        self.said = 0
        self.session = ""
        self.shown: tuple[str, list[str]] = ("", [])
        self.fault: BaseException | None = None
        acts: list[tuple[Callable[[], None], int]] = [(self.query, 34), (self.deposit, 14), (self.rate, 8)]
        acts += [(self.events, 12), (self.page, 14), (self.mcp, 10), (self.surface, 4), (self.read, 4)]
        self.acts = [act for act, weight in acts for _ in range(weight) if not only or act.__name__ in only]

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                self.one_session()
        except BaseException as fault:
            self.fault = fault
            raise

    def one_session(self) -> None:
        self.start_session()
        for _ in range(self.rng.randint(8, 30)):
            if self.stop.is_set():
                break
            self.rest()
            self.rng.choice(self.acts)()
        self.hand_over("checkpoint")
        self.rest()
        self.hand_over("end")
        self.session = ""

    def rest(self) -> None:
        if self.think:
            self.stop.wait(self.rng.expovariate(1 / self.think))

    # --- the wire -------------------------------------------------------------------------------------------
    def send(self, what: str, method: str, path: str, *, by: httpx2.Client | None = None, **more: Any) -> Any:
        """The answer, or None where there was none or a fault; noted either way."""
        began = time.monotonic()
        status, said, degraded, answer = 0, "", (), None
        try:
            answer = (by or self.agent).request(method, path, **more)
            status = answer.status_code
            if "json" in answer.headers.get("content-type", "") and isinstance(body := answer.json(), dict):
                degraded = tuple(part["component"] for part in body.get("degraded") or [])
            if status >= 400:
                said = answer.text[:3_000]
        except httpx2.HTTPError as error:
            said = f"{type(error).__name__}: {error}"
        took = (time.monotonic() - began) * 1000
        self.calls.append(Call(round(began - self.began, 3), what, round(took, 1), status, said, degraded))
        return answer if answer is not None and status < 400 else None

    def insist(self, what: str, path: str, body: dict[str, Any], key: str) -> Any:
        """A write until it is answered; `key` makes it one write however often it is sent. Raises TimeoutError."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            answer = self.send(
                what, "POST", f"/api/v1/{path}", json=body, headers={"Idempotency-Key": key} if key else {}
            )
            if answer is not None:
                return answer.json()
            if 400 <= self.calls[-1].status < 500:
                raise AssertionError(f"{what} is refused: {self.calls[-1]}")
            time.sleep(PAUSE)
        raise TimeoutError(f"{what} {key}: no answer within {PATIENCE:.0f} s; {self.calls[-1]}")

    # --- the agent ------------------------------------------------------------------------------------------
    def start_session(self) -> None:
        body = {"repo": REPO, "team": TEAM, "branch": "main", "agent": "trial", "machine": f"m{self.number}"}
        answer = self.insist("start", "sessions/", body | {"prompt": self.question()}, self.key())
        self.session = answer["session"]
        self.kept.sessions[self.session] = False

    def hand_over(self, verb: str) -> None:
        words = {"summary": f"Looked after the {self.thing()}.", "handoff_note": f"The {self.thing()} comes next."}
        words |= {"pending": [f"try the {self.thing()} again"]}
        self.insist(verb, f"sessions/{self.session}/{verb}/", words, self.key())
        self.kept.sessions[self.session] = verb == "end"

    def events(self) -> None:
        key = self.key()
        events = [
            {"kind": "edit", "path": f"src/{self.rng.randint(1, 40)}.py", "id": f"{key}-1"},
            {"kind": "test", "command": "pytest", "outcome": self.rng.choice(("passed", "failed")), "id": f"{key}-2"},
        ]
        if self.rng.random() < 0.3:
            error = f"TimeoutError: {self.thing()} did not answer in {self.rng.randint(5, 60)} s"
            events.append({"kind": "error", "error": error, "id": f"{key}-3"})
        self.insist("events", f"sessions/{self.session}/events/", {"events": events}, key)
        self.kept.events[self.session] = self.kept.events.get(self.session, 0) + len(events)

    def query(self) -> None:
        body = {"query": self.question(), "session": self.session, "repo": REPO, "explain": self.rng.random() < 0.2}
        answer = self.send("query", "POST", "/api/v1/query/", json=body)
        if answer is not None:
            found = answer.json()
            self.shown = (found["query_id"], [one["ref"] for one in found["insights"]])

    def deposit(self) -> None:
        kind, body = self.lesson()
        key = self.key()
        sent = {"kind": kind, "body": body, "team": TEAM, "repo": REPO, "session": self.session}
        sent |= {"reasoning": "It kept failing at night."} if kind == "DECISION" else {}
        answer = self.insist("deposit", "insights/", sent | {"tags": ["trial"]}, key)
        self.kept.deposits[key] = (body, answer["insight"]["ref"])

    def rate(self) -> None:
        query_id, refs = self.shown
        if not refs:
            self.query()
            return
        verdict = self.rng.choice(("helpful", "helpful", "unhelpful"))
        body = {"insight": self.rng.choice(refs), "verdict": verdict, "query_id": query_id, "session": self.session}
        self.insist("rate", "ratings/", body, "")
        self.kept.ratings.append((query_id, body["insight"], verdict))

    def surface(self) -> None:
        body = {"prompt": f"Please look after this: {self.question()}?", "session": self.session, "team": TEAM}
        self.send("surface", "POST", "/api/v1/surface/", json=body)

    def read(self) -> None:
        if self.shown[1]:
            self.send("read", "GET", f"/api/v1/insights/{self.rng.choice(self.shown[1])}/")

    def mcp(self) -> None:
        message = {"jsonrpc": "2.0", "id": self.said, "method": "tools/call"}
        message["params"] = {"name": "query_insights", "arguments": {"query": self.question(), "session": self.session}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
        answer = self.send("mcp", "POST", "/mcp", json=message, headers=headers)
        if answer is not None and answer.json().get("result", {}).get("isError", True):
            # HTTP says 200: what came of it stands in the message.
            status = 503 if "(unavailable)" in answer.text else 500
            self.calls.append(replace(self.calls[-1], what="mcp", status=status, said=answer.text[:300]))

    # --- the person -----------------------------------------------------------------------------------------
    def page(self) -> None:
        pages = [*PAGES, *(f"/insights/{ref}/" for ref in self.shown[1])]
        path = self.rng.choice(pages)
        self.send(f"page {path.split('?')[0].split('PLAT-')[0]}", "GET", path, by=self.browser)

    # --- words ----------------------------------------------------------------------------------------------
    def key(self) -> str:
        self.said += 1
        return f"mix-{self.trial}-{self.number}-{self.said}"

    def thing(self) -> str:
        return self.rng.choice(THINGS)

    def question(self) -> str:
        """One of some thousand; a third of them have been asked before."""
        text = self.rng.choice(QUESTIONS).format(thing=self.thing(), other=self.thing())
        return text if self.rng.random() < 0.3 else f"{text} in {self.rng.randint(1, 400)}"

    def lesson(self) -> tuple[str, str]:
        """Some say the same as others did, in the same words or nearly; some speak against another."""
        fact, kind = self.rng.choice(FACTS)
        thing, other = self.rng.sample(THINGS, 2)
        text = fact.format(n=self.rng.choice((2, 3, 5, 8, 30)), other=other)
        where = f" of {self.trial}" + ("" if self.rng.random() < 0.2 else f" plant {self.rng.randint(1, 300)}")
        return kind, f"The {thing}{where} {text}."
