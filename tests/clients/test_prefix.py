"""The trial of prompt caches (`python -m tests.trials.prefix`), with a few sessions; and what it would not let pass."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from tests.cases import cases
from tests.clients.recorded import Exchange, Kept, exchanges, recordings
from tests.clients.requests import FIXTURES, Talk, Turn, shared
from tests.conftest import NOW
from tests.factories import make_insight
from tests.trials.prefix import missed, percentile, report
from tests.web import serving

CHAT = [
    {"role": "user", "text": "The upstream API blocks us with 429s. Why does the retrier in retryx retry so often?"},
    {"role": "assistant", "text": "It retries ten times.\n```diff\n--- a/retryx/retry.py\n+MAX_ATTEMPTS = 5\n```"},
    {"role": "user", "text": "Where does the importer read large CSV files, and what of its memory?"},
    {"role": "assistant", "text": "We decided to read CSV in chunks, because the worker ran out of memory."},
    {"role": "user", "text": "thanks"},
    {"role": "assistant", "text": "Remaining: cover empty files."},
]
LESSON = "The importer must read CSV in chunks of 5,000 rows, or the worker runs out of memory."
SESSIONS = 10
KEPT = Kept(1, "codex", 6, 1.0, 1.0, {"start": 100, "prompt": 600})


def data(folder: Path) -> Path:
    (folder / "dev.jsonl").write_text(json.dumps({"id": "a", "chats": [CHAT, CHAT[2:]]}) + "\n")
    (folder / "decoys.jsonl").write_text(json.dumps({"id": "b", "chat": CHAT[:2]}) + "\n")
    return folder


class TestRecordings:
    def test_pair_what_a_person_and_what_the_agent_said(self) -> None:
        twice = [*CHAT[:1], {"role": "user", "text": "Please look."}, *CHAT[1:2], *CHAT[1:2]]
        (one,) = exchanges(twice)
        assert one.prompt.endswith("\n\nPlease look.")
        assert one.reply == "\n\n".join([CHAT[1]["text"]] * 2)
        assert one.edits == "a/retryx/retry.py"
        assert exchanges(CHAT[:1]) == ()

    def test_go_over_every_client_and_are_the_same_each_time(self, tmp_path: Path) -> None:
        first, again = (recordings(data(tmp_path), 60, ["Celery beat"]) for _ in range(2))
        assert first == again
        assert {one.client for one in first} == set(FIXTURES)
        assert {one.resumed for one in first} == {one.killed for one in first} == {True, False}
        assert any("Celery beat" in exchange.prompt for one in first for exchange in one.exchanges)


class TestShared:
    def test_is_the_part_of_a_request_that_the_next_one_begins_with(self) -> None:
        assert shared(b"abcd", b"abcdef") == 1.0
        assert shared(b"abcd", b"abXdef") == 0.5
        assert shared(b"abcd", b"Xbcdef") == 0.0
        assert shared(b"abcd", b"ab") == 0.5

    @cases("client", list(FIXTURES))
    def test_is_lost_where_what_was_sent_is_told_otherwise(self, client: str) -> None:
        """A text at the head that changes from one request to the next costs the rest of the conversation."""
        talks = [Talk(client), Talk(client)]
        for talk, told in zip(talks, ("Last seen 3 minutes ago", "Last seen 4 minutes ago"), strict=True):
            talk.asks(Turn("Why?", told, "A note."))
            talk.says("Because. " * 500)
        assert shared(talks[0].request, talks[1].request) < 0.9

    @cases("client", list(FIXTURES))
    def test_is_all_of_it_where_texts_are_only_added(self, client: str) -> None:
        talk = Talk(client)
        talk.asks(Turn("Why?", "Pointers.", "A note."))
        before = talk.request
        talk.edits("importer/tariffs.py", "Bob works on it.")
        talk.says("Because.")
        talk.asks(Turn("And then?", "", "Another note."))
        assert shared(before, talk.request) == 1.0
        for text in ("Pointers.", "A note.", "Bob works on it.", "Another note."):
            assert text in talk.request.decode()

    def test_is_lost_when_copilots_start_says_something_else_at_a_resume(self) -> None:
        talk = Talk("copilot-cli")
        talk.asks(Turn("Why?", "Pointers.", ""))
        talk.says("Because. " * 500)
        before = talk.request
        same, other = (Talk("copilot-cli", messages=list(talk.messages)) for _ in range(2))
        same.asks(Turn("Go on.", "Pointers.", ""))
        other.asks(Turn("Go on.", "Other pointers.", ""))
        assert shared(before, same.request) == 1.0
        assert shared(before, other.request) < 0.5


class TestBars:
    def test_hold_the_worst_session_and_the_ninety_fifth_percentile(self) -> None:
        assert missed([KEPT] * 100) == []
        assert "0.980" in missed([*[KEPT] * 99, replace(KEPT, on=0.98)])[0]
        much = replace(KEPT, told={"prompt": 1_501})
        assert missed([*[KEPT] * 95, *[much] * 5]) == []
        assert "1,501 tokens" in missed([*[KEPT] * 94, *[much] * 6])[0]
        assert "1 starts" in missed([KEPT, replace(KEPT, same=False)])[0]

    def test_are_told_with_their_figures(self) -> None:
        text = report([KEPT, replace(KEPT, number=2, client="opencode", told={"start": 120}, same=True)])
        assert "2 sessions, 12 requests" in text
        assert "injected tokens p50 120, p95 700, most 700" in text
        assert "told the same: 1 of 1" in text

    def test_take_the_nearest_rank(self) -> None:
        assert [percentile([3, 1, 2, 4], share) for share in (0.25, 0.5, 0.95)] == [1, 2, 4]


def test_a_few_sessions_keep_both_bars(transactional_db: None, alice: Member, bob: Member, tmp_path: Path) -> None:
    """Each client's own hooks, on a running Loam, in processes of their own as the trial has them."""
    make_insight(alice, title="CSV in chunks", body=LESSON)
    people = {
        name: {"token": issue_token(name="laptop", scopes=list(Scope), by=by, now=NOW).secret}
        for name, by in (("alice", alice), ("bob", bob))
    }
    known = tmp_path / "people.json"
    with serving() as url:
        known.write_text(json.dumps({"url": url, "people": people}, indent=2))
        done = subprocess.run(
            [sys.executable, "-m", "tests.trials.prefix", str(data(tmp_path)), "--sessions", str(SESSIONS)],
            cwd=settings.BASE_DIR, env={**os.environ, "LOAM_TRIAL": str(known)}, capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{SESSIONS} sessions" in done.stdout
    assert "least 1.0000" in done.stdout.splitlines()[0]
    # Something was injected, or nothing was measured.
    assert "injected tokens p50 0" not in done.stdout


def test_an_exchange_without_code_edits_nothing() -> None:
    assert exchanges(CHAT[4:]) == (Exchange("thanks", "Remaining: cover empty files."),)
