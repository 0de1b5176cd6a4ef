"""Recorded sessions, replayed with Loam on and off: what it costs a client's prompt cache, and in tokens.

A client sends its whole conversation with every request, and pays little for the part that is as it was. Loam's texts
are put in where a hook delivers them: the orientation before the first prompt, notes below the prompt they came for.
Afterwards nothing that was sent may change. `python -m tests.trials.replay` does the same with 1,000 sessions.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import numpy as np

from accounts.rules.rights import Member
from knowledge.rules.vocabulary import Kind
from sessions_app.actions.start import Opening, start
from sessions_app.answers.actions.surface import surface
from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.packing import tokens
from sessions_app.lab.corpora.transcripts import Labelled, read
from sessions_app.rules.orientation import BUDGET
from tests.factories import make_insight
from tests.sessions_app.gate_prompts import CONTINUATIONS, KNOWN, NOTES, SOCIAL

# How the trial is told, which pytest comes between.
SESSIONS = "LOAM_REPLAY_SESSIONS"
FEW, SEED = 8, 20_261_122
TRANSCRIPTS = Path(__file__).parents[1] / "transcripts"
DEMO = Path("sessions_app/lab/demo/content")
# The share of what was sent before that a request shares with it, with Loam on of what it is with Loam off; tokens.
LEAST_SHARED, MOST_TOLD = 0.99, 1_500
MOST_PROMPTS = 30


@dataclass
class Conversation:
    """What a client sends, request by request: the texts so far, as one."""

    so_far: str = ""
    requests: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.so_far += f"{text}\n\n"

    def ask(self) -> None:
        self.requests.append(self.so_far)

    @property
    def _same(self) -> list[int]:
        return [_prefix(one, after) for one, after in zip(self.requests, self.requests[1:], strict=False)]

    @property
    def shared(self) -> float:
        """Of all that was sent the share that was sent before in the same words, from the beginning."""
        return sum(self._same) / sum(map(len, self.requests[1:])) if len(self.requests) > 1 else 1.0

    @property
    def kept(self) -> float:
        """Of what a request sent, the share that the next one sends again in the same words, at least."""
        return min((same / len(one) for one, same in zip(self.requests, self._same, strict=False)), default=1.0)


def _prefix(one: str, other: str) -> int:
    """The number of characters that both begin with."""
    if other.startswith(one):
        return len(one)
    return next(at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)


@dataclass(frozen=True)
class Replayed:
    """Of one session: what it shares with Loam on and off, what is `kept` with it, and the tokens that Loam put in."""

    on: float
    off: float
    kept: float
    told: int


def recorded() -> list[Labelled]:
    return [one for file in sorted(TRANSCRIPTS.glob("*.txt")) for one in read(file.read_text(encoding="utf-8"))]


def library(by: Member) -> None:
    """What the team knows: the notes of the prompts, and the demo's."""
    for kind, body, files, error in NOTES:
        make_insight(by, kind=Kind(kind), body=body, files=files, error=error, reasoning="It cost us a day.")
    for file in sorted(DEMO.glob("*.jsonl")):
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            make_insight(
                by, kind=Kind(row["kind"]), title=row["title"], body=row["body"], reasoning=row.get("reasoning", "-")
            )


def replay(session: Labelled, by: Member, now: datetime, rng: Random) -> Replayed:
    """The session's turns, and prompts of a working day between them, up to MOST_PROMPTS."""
    with_loam, without = Conversation(), Conversation()
    opening = Opening(repo="acme/shop", team="platform", idempotency_key=f"{session.name}-{rng.random()}")
    started = start(opening=opening, by=by, now=now, via=Interface.MCP)
    told = tokens(started.orientation.text)
    assert told <= BUDGET
    with_loam.say(started.orientation.text)
    inside = replace(by, session=started.session.key)
    for at, (role, text) in enumerate(_turns(session, rng)):
        moment = now + timedelta(minutes=at)
        for one in (with_loam, without):
            one.say(f"{role}: {text}")
        if role == "user":
            notes = surface(prompt=text, by=inside, now=moment, via=Interface.MCP)
            told += tokens(notes.text)
            with_loam.say(notes.text)
            with_loam.ask()
            without.ask()
    # A resumed session is oriented again: for an equal state in the same words.
    again = start(opening=opening, by=by, now=now + timedelta(minutes=20), via=Interface.MCP)
    assert again.orientation.text == started.orientation.text
    return Replayed(with_loam.shared, without.shared, with_loam.kept, told)


def _turns(session: Labelled, rng: Random) -> list[tuple[str, str]]:
    turns = [(turn.role, turn.text) for turn in session.turns]
    for _ in range(rng.randrange(2, MOST_PROMPTS)):
        kind = rng.choices((KNOWN, CONTINUATIONS, SOCIAL), (4, 7, 1))[0]
        turns += [("user", rng.choice(kind)), ("assistant", "I have looked at it and changed the file. " * 12)]
    return turns


def test_costs_the_prompt_cache_nothing_and_few_tokens(alice: Member, bob: Member, now: datetime) -> None:
    rng, count = Random(SEED), int(os.environ.get(SESSIONS, FEW))
    library(alice)
    sessions = rng.choices(recorded(), k=count)
    # A day between two of them: no session finds another at work.
    done = [replay(one, bob, now + timedelta(days=n), rng) for n, one in enumerate(sessions)]
    shared = sum(one.on for one in done) / sum(one.off for one in done)
    told = np.percentile([one.told for one in done], [50, 95, 100])
    print(_line(done, shared, told))
    assert shared >= LEAST_SHARED
    assert min(one.kept for one in done) == 1.0
    assert told[1] <= MOST_TOLD


def _line(done: Sequence[Replayed], shared: float, told: np.ndarray) -> str:
    kept = min(one.kept for one in done)
    p50, p95, most = (round(float(value)) for value in told)
    return (
        f"{len(done)} sessions: of a request the next one keeps {kept:.4f} at least; the share of all that is sent "
        f"which was sent before is {shared:.4f} of the same without Loam; "
        f"told {p50} tokens (p50), {p95} (p95), {most} at most"
    )
