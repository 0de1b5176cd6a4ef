"""What agents' hooks call, as a process: exact answers, always 0, in time; told once, whatever fails on the way."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.sessions_app.client.machine import Machine
from tests.sessions_app.client.stand_in import ORIENTATION, StandIn

PROMPT = "How should I think about memory when the importer reads a large CSV file?"
EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "SessionEnd")
CURSOR = (
    "sessionStart",
    "beforeSubmitPrompt",
    "afterFileEdit",
    "afterShellExecution",
    "preCompact",
    "stop",
    "sessionEnd",
)
KEY = "AKIA" + "Q3EXZ7WLM2PRTYHK"


def edit(machine: Machine, name: str = "src/importer.py", **more: Any) -> Any:
    path = str(machine.checkout / name)
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    return machine.hook("PostToolUse", tool_name="Edit", tool_input=given, tool_response={"filePath": path}, **more)


def transcript(machine: Machine, name: str = "agent-session-1", *said: tuple[str, str]) -> Path:
    place = machine.home / ".claude" / "projects" / "shop" / f"{name}.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {"type": role, "message": {"role": role, "content": text}, "timestamp": "2026-11-21T10:00:00.000Z"}
        for role, text in said
    ]
    place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return place


class TestAnswers:
    def test_orientation_goes_where_claude_code_reads_it(self, machine: Machine) -> None:
        done = machine.hook("SessionStart", source="startup")
        own = done.json["hookSpecificOutput"]
        assert (done.status, done.err, set(done.json)) == (0, "", {"hookSpecificOutput"})
        assert set(own) == {"hookEventName", "additionalContext"}
        assert own["hookEventName"] == "SessionStart"
        assert own["additionalContext"].startswith(ORIENTATION)
        assert "loam-s-1" in own["additionalContext"]

    def test_a_conversation_that_was_ended_and_is_resumed_is_told_pointers_and_not_its_own_handoff(
        self, machine: Machine, server: StandIn
    ) -> None:
        server.handoff = "Handoff S-1 of alice: add the test."
        first = machine.hook("SessionStart", source="startup").json["hookSpecificOutput"]["additionalContext"]
        machine.hook("SessionEnd", reason="exit")
        text = machine.hook("SessionStart", source="resume").json["hookSpecificOutput"]["additionalContext"]
        assert (server.handoff in first, server.handoff in text) == (True, False)
        assert text.startswith(ORIENTATION)
        assert "loam-s-2" in text

    def test_copilots_conversation_keeps_its_head_when_it_is_resumed(self, machine: Machine, server: StandIn) -> None:
        """It puts what a start says where the first start's text stood: another one would change all it had sent."""
        given = {"sessionId": "c1", "timestamp": 1795396056445}
        first = machine.hook("sessionStart", "copilot", source="new", **given).json
        machine.hook("sessionEnd", "copilot", reason="complete", **given)
        again = machine.hook("sessionStart", "copilot", source="resume", **given).json
        assert "loam-s-1" in first["additionalContext"]
        assert again == first
        told = machine.hook("userPromptSubmitted", "copilot", prompt=PROMPT, **given).json["additionalContext"]
        assert "loam-s-2" in told
        assert server.surfaced in told

    def test_a_prompt_says_how_much_the_start_told(self, machine: Machine, server: StandIn) -> None:
        text = machine.hook("SessionStart", source="startup").json["hookSpecificOutput"]["additionalContext"]
        machine.hook("UserPromptSubmit", prompt=PROMPT)
        assert server.of("/surface/")[-1]["told"] == -(-len(text) // 4)

    def test_what_is_surfaced_goes_beside_the_prompt(self, machine: Machine) -> None:
        machine.hook("SessionStart", source="startup")
        done = machine.hook("UserPromptSubmit", prompt=PROMPT)
        assert done.json == {
            "hookSpecificOutput": {
                "hookEventName": "UserPromptSubmit",
                "additionalContext": "Known: read CSV in chunks.",
            }
        }

    @pytest.mark.parametrize("source", ["system", "loop_wakeup", "poll_event"])
    def test_what_no_person_asked_is_not_looked_up(self, machine: Machine, server: StandIn, source: str) -> None:
        assert machine.hook("UserPromptSubmit", prompt=PROMPT, source=source).json == {}
        assert server.calls == []

    def test_nothing_surfaced_is_nothing_said(self, machine: Machine, server: StandIn) -> None:
        server.surfaced = ""
        assert machine.hook("UserPromptSubmit", prompt="ok thanks").json == {}

    @pytest.mark.parametrize("event", ["PostToolUse", "PreCompact", "Stop", "SessionEnd"])
    def test_the_rest_say_nothing(self, machine: Machine, event: str) -> None:
        machine.hook("SessionStart", source="startup")
        done = machine.hook(event, tool_name="Bash", tool_input={"command": "pytest"}, tool_response={"stdout": ""})
        assert (done.status, done.json) == (0, {})

    def test_cursor_gets_its_own_shape(self, machine: Machine) -> None:
        given = {"conversation_id": "c-1", "workspace_roots": [str(machine.checkout)], "cursor_version": "3.7"}
        start = machine.hook("sessionStart", "cursor", **given)
        asked = machine.hook("beforeSubmitPrompt", "cursor", prompt=PROMPT, **given)
        assert set(start.json) == {"additional_context"}
        assert start.json["additional_context"].startswith(ORIENTATION)
        assert asked.json == {"continue": True, "additional_context": "Known: read CSV in chunks."}

    def test_codex_gets_the_shape_it_shares_with_claude_code(self, machine: Machine) -> None:
        done = machine.hook("SessionStart", "codex", source="startup", model="gpt")
        assert done.json["hookSpecificOutput"]["hookEventName"] == "SessionStart"


# What is recorded is read later, by one reader; what is answered is read at once, by each event for itself.
NONSENSE = ("", "not json", "[]", "null", '{"prompt": 7, "tool_input": [], "cwd": 3}')
GIVEN = [
    *product(["UserPromptSubmit"], NONSENSE),
    ("SessionStart", NONSENSE[1]),
    ("SessionStart", NONSENSE[4]),
    ("PostToolUse", NONSENSE[2]),
    ("PostToolUse", NONSENSE[4]),
    ("SessionEnd", NONSENSE[0]),
    ("SessionEnd", NONSENSE[3]),
]


class TestFailsOpen:
    @pytest.mark.parametrize(("event", "given"), GIVEN)
    def test_on_whatever_it_is_given(self, machine: Machine, event: str, given: str) -> None:
        done = machine.run("hook", event, given=given)
        assert done.status == 0
        assert done.out == "" or isinstance(done.json, dict)

    @pytest.mark.parametrize("event", [*CURSOR, "PostToolUseFailure", "PostCompact", "NoSuchEvent", "", "-x"])
    def test_on_other_words_than_claude_codes(self, machine: Machine, event: str) -> None:
        done = machine.run("hook", event, given='{"conversation_id": "c", "file_path": "a.py", "edits": []}')
        assert (done.status, isinstance(done.json, dict)) == (0, True)

    @pytest.mark.parametrize("event", EVENTS)
    def test_when_nobody_logged_in(self, alone: Machine, event: str) -> None:
        done = alone.hook(event, prompt=PROMPT, source="startup")
        assert (done.status, done.json) == (0, {})

    @pytest.mark.parametrize("event", EVENTS)
    def test_when_the_server_is_away(self, machine: Machine, event: str) -> None:
        machine.url = "http://127.0.0.1:9"
        done = machine.hook(event, prompt=PROMPT, source="startup")
        assert (done.status, done.json) == (0, {})

    def test_when_the_token_is_refused(self, machine: Machine, server: StandIn) -> None:
        server.refuse = {"": 401}
        assert machine.hook("SessionStart", source="startup").json == {}

    def test_when_its_own_folder_cannot_be_written(self, machine: Machine) -> None:
        (machine.home / ".config").write_text("a file where a folder belongs")
        assert machine.hook("SessionStart", source="startup").status == 0

    def test_silent_when_told_to_be(self, machine: Machine, server: StandIn) -> None:
        machine.extra = {"LOAM_OFF": "1"}
        assert machine.hook("SessionStart", source="startup").json == {}
        assert server.calls == []


class TestInTime:
    """As it is installed. Whole processes from start to end; one of some is in time, for other work goes on beside."""

    @pytest.fixture(autouse=True)
    def _installed(self, machine: Machine) -> None:
        machine.run("install", "claude-code", "--yes")
        machine.hook("SessionStart", source="startup")
        machine.seconds = ""

    def test_a_prompt_waits_less_than_300_ms(self, machine: Machine) -> None:
        taken = []
        while len(taken) < 15 and min(taken, default=1) >= 0.3:
            done = machine.hook("UserPromptSubmit", prompt=PROMPT)
            taken.append(done.seconds if done.out else 1)
        assert min(taken) < 0.3

    @pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
    def test_what_is_answered_waits_no_longer_for_a_server_that_hangs(
        self, machine: Machine, server: StandIn, event: str
    ) -> None:
        machine.waits, given = False, {"prompt": PROMPT, "source": "startup"}
        quick = min(machine.hook(event, session_id=f"quick-{n}", **given).seconds for n in range(5))
        server.delay = 5
        assert any(machine.hook(event, session_id=f"hung-{n}", **given).seconds < quick + 0.5 for n in range(5))

    def test_a_prompt_waits_longer_for_a_server_that_is_busy_and_says_that_it_is_well(
        self, machine: Machine, server: StandIn
    ) -> None:
        server.slow = {"/surface/": 0.35}
        assert any("Known: read CSV" in machine.hook("UserPromptSubmit", prompt=PROMPT).out for _ in range(7))

    def test_and_no_longer_than_a_second(self, machine: Machine, server: StandIn) -> None:
        machine.waits = False
        quick = min(machine.hook("UserPromptSubmit", session_id=f"q-{n}", prompt=PROMPT).seconds for n in range(5))
        server.slow = {"/surface/": 5}
        taken = [machine.hook("UserPromptSubmit", session_id=f"s-{n}", prompt=PROMPT) for n in range(5)]
        assert {one.out.strip() for one in taken} == {"{}"}
        assert min(one.seconds for one in taken) < quick + 0.9

    @pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure", "Stop", "PreCompact", "SessionEnd"])
    def test_what_is_recorded_waits_for_nobody(self, machine: Machine, server: StandIn, event: str) -> None:
        server.delay, machine.waits = 5, False
        given = {"tool_name": "Bash", "tool_input": {"command": "pytest"}, "error": "1 failed"}
        assert any(machine.hook(event, **given).seconds < 0.5 for _ in range(7))

    def test_a_tool_waits_no_longer_for_a_transcript_that_nobody_writes(self, machine: Machine) -> None:
        path = machine.write("t.jsonl", "{}\n")
        given = {"tool_use_id": "toolu_1", "transcript_path": str(path)}
        quick = min(machine.hook("PreToolUse").seconds for _ in range(7))
        assert any(machine.hook("PreToolUse", **given).seconds < quick + 0.1 for _ in range(7))

    def test_a_server_that_is_well_but_slow_is_waited_for(self, machine: Machine, server: StandIn) -> None:
        server.delay = 0.15
        done = machine.hook("SessionStart", source="startup", session_id="slow")
        assert ORIENTATION in done.out

    def test_an_orientation_that_came_too_late_is_given_at_the_next_prompt(
        self, machine: Machine, server: StandIn
    ) -> None:
        server.delay, machine.waits = 1.5, False
        assert machine.hook("SessionStart", source="startup", session_id="late").json == {}
        server.delay, machine.seconds = 0, "20"
        machine.delivered(30)
        said = [machine.hook("UserPromptSubmit", session_id="late", prompt=PROMPT).out for _ in range(2)]
        assert [ORIENTATION in one for one in said] == [True, False]
        assert len([1 for body in server.of("/sessions/") if body.get("agent_session", "").endswith(":late")]) == 1


class TestLosesNothing:
    @pytest.mark.parametrize("agent", ["claude-code", "copilot"])
    def test_when_an_agent_is_killed_as_soon_as_its_tool_runs(self, machine: Machine, agent: str) -> None:
        """The model's last words are still in the client's memory when it calls the hook: the tool waits for them."""
        state = machine.home / ".copilot" / "session-state" / "s-1" / "events.jsonl"
        path = state if agent == "copilot" else machine.home / "t.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"type": "user"}\n')
        given = {"tool_use_id": "toolu_1", "transcript_path": str(path)}
        if agent == "copilot":
            given = {"sessionId": "s-1", "timestamp": 1795391988950}
        line = '{"said": "Two tests are left.", "call": "toolu_1", "timestamp":1795391988950}\n'
        writes = threading.Timer(1.0, lambda: path.write_text(path.read_text() + line))
        writes.start()
        done = machine.hook("preToolUse" if agent == "copilot" else "PreToolUse", agent, tool_name="Bash", **given)
        assert "Two tests are left." in path.read_text()
        assert (done.status, done.json) == (0, {})
        writes.join()

    @pytest.mark.parametrize("event", ["PostToolUseFailure", "SessionEnd"])
    def test_when_the_client_kills_its_hooks_and_all_below_them(
        self, machine: Machine, server: StandIn, event: str
    ) -> None:
        """As a headless client does that ends: the whole process group, as soon as the hook has answered."""
        machine.hook("SessionStart", source="startup")
        server.delay = 0.3
        given = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "error": "1 failed"}
        given |= {"session_id": "agent-session-1", "cwd": str(machine.checkout)}
        words = [machine.python, "-I", "-S", str(machine.client), "hook", event]
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=machine.env(), start_new_session=True
        )
        process.communicate(json.dumps(given).encode())
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        machine.delivered()
        assert len(server.of("/events/" if event == "PostToolUseFailure" else "/end/")) == 1

    def test_when_the_courier_is_killed(self, machine: Machine, server: StandIn) -> None:
        machine.hook("SessionStart", source="startup")
        machine.waits, server.delay = False, 3
        edit(machine, "src/a.py")
        time.sleep(0.6)
        for place in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                if str(machine.client).encode() in place.read_bytes() and b"courier" in place.read_bytes():
                    os.kill(int(place.parent.name), signal.SIGKILL)
        machine.waits, server.delay = True, 0
        edit(machine, "src/b.py")
        # On a busy machine it had not begun when it was looked for, and still waits for the first answer.
        ends, paths = time.monotonic() + 20, set[str]()
        while len(paths) < 2 and time.monotonic() < ends:
            paths = {event["path"] for body in server.of("/events/") for event in body["events"]}
            time.sleep(0.05)
        assert paths == {"src/a.py", "src/b.py"}

    def test_when_a_hook_comes_while_the_courier_delivers(self, machine: Machine, server: StandIn) -> None:
        """It sees the lock held and starts nobody; the one at work must look again before it ends."""
        machine.hook("SessionStart", source="startup")
        machine.waits, server.delay = False, 0.7
        edit(machine, "src/a.py")
        time.sleep(0.6)
        edit(machine, "src/b.py")
        machine.hook("SessionEnd", reason="other")
        machine.delivered()
        assert len(server.of("/end/")) == 1

    def test_an_event_that_is_told_twice_has_one_id(self, machine: Machine, server: StandIn) -> None:
        machine.hook("SessionStart", source="startup")
        edit(machine)
        (body,) = server.of("/events/")
        assert body["events"][0]["id"]


class TestWhatIsTold:
    def test_a_start_says_where_and_who(self, machine: Machine, server: StandIn) -> None:
        machine.extra = {"LOAM_TEAM": "platform"}
        machine.hook("SessionStart", source="startup")
        told = server.of("/sessions/")[0]
        assert (told["repo"], told["branch"], told["team"]) == ("acme/shop", "main", "platform")
        assert (told["agent"], bool(told["machine"])) == ("claude-code", True)
        assert "s3cr3t" not in json.dumps(server.calls)

    def test_an_edit_is_told_with_its_path_in_the_checkout(self, machine: Machine, server: StandIn) -> None:
        machine.hook("SessionStart", source="startup")
        edit(machine)
        (event,) = server.of("/events/")[0]["events"]
        assert (event["kind"], event["path"]) == ("edit", "src/importer.py")
        assert event["at"].endswith("Z")

    @pytest.mark.parametrize("tool", ["Read", "Glob", "Grep", "LS", "WebFetch", "TodoWrite", "Task"])
    def test_reading_leaves_no_trace(self, machine: Machine, server: StandIn, tool: str) -> None:
        machine.hook("SessionStart", source="startup")
        machine.hook("PostToolUse", tool_name=tool, tool_input={"file_path": str(machine.checkout / "a.py")})
        assert server.of("/events/") == []

    def test_a_file_of_somewhere_else_is_nobodys_business(self, machine: Machine, server: StandIn) -> None:
        machine.hook("SessionStart", source="startup")
        edit(machine, "../../diary.md")
        machine.hook("PostToolUse", tool_name="Write", tool_input={"file_path": "/etc/hosts"})
        assert server.of("/events/") == []

    def test_a_failed_test_is_told_with_its_error(self, machine: Machine, server: StandIn) -> None:
        machine.hook("SessionStart", source="startup")
        machine.hook(
            "PostToolUseFailure",
            tool_name="Bash",
            tool_input={"command": f"cd {machine.home}/code/shop && pytest -q"},
            error=f"E  AssertionError: 3 != 4 in {machine.home}/code/shop/a.py with {KEY}",
        )
        (event,) = server.of("/events/")[0]["events"]
        assert (event["kind"], event["outcome"]) == ("test", "failed")
        assert event["command"] == "cd ~/code/shop && pytest -q"
        assert "AssertionError: 3 != 4" in event["error"]
        assert KEY not in json.dumps(server.calls)
        assert str(machine.home) not in json.dumps(server.of("/events/"))

    def test_a_prompt_is_masked_before_it_leaves(self, machine: Machine, server: StandIn) -> None:
        prompt = f"use {KEY} and write to jane.miller@globex.com, \u200bhidden, about the importer"
        machine.hook("UserPromptSubmit", prompt=prompt)
        told = server.of("/surface/")[0]["prompt"]
        assert told == "use [SECRET] and write to [EMAIL], hidden, about the importer"

    def test_a_compaction_writes_a_checkpoint_with_what_was_said(self, machine: Machine, server: StandIn) -> None:
        place = transcript(machine, "agent-session-1", ("user", "fix it"), ("assistant", f"I use {KEY} here."))
        machine.hook("SessionStart", source="startup", transcript_path=str(place))
        machine.hook("PreCompact", trigger="auto", custom_instructions=None, transcript_path=str(place))
        told = server.of("/checkpoint/")[0]
        assert [turn["role"] for turn in told["transcript"]] == ["user", "assistant"]
        assert told["transcript"][1]["text"] == "I use [SECRET] here."

    def test_a_turns_end_is_no_end_and_tells_only_now_and_then(self, machine: Machine, server: StandIn) -> None:
        machine.hook("SessionStart", source="startup")
        for _ in range(3):
            machine.hook("Stop", stop_hook_active=False, last_assistant_message="Done.")
        assert (len(server.of("/checkpoint/")), server.of("/end/")) == (1, [])

    def test_an_end_is_told_once(self, machine: Machine, server: StandIn) -> None:
        place = transcript(machine, "agent-session-1", ("user", "fix it"), ("assistant", "It streams now."))
        machine.hook("SessionStart", source="startup", transcript_path=str(place))
        for _ in range(2):
            machine.hook("SessionEnd", reason="logout", transcript_path=str(place))
        (told,) = server.of("/end/")
        assert (told["asked"], told["last_message"]) == ("fix it", "It streams now.")
        assert told["at"].endswith("Z")

    def test_a_long_transcript_is_cut_from_its_beginning(self, machine: Machine, server: StandIn) -> None:
        said = [("assistant", f"turn {number} " + "x" * 3_000) for number in range(600)]
        place = transcript(machine, "agent-session-1", *said)
        machine.hook("SessionStart", source="startup")
        machine.hook("PreCompact", trigger="auto", transcript_path=str(place))
        told = server.of("/checkpoint/")[0]["transcript"]
        assert told[-1]["text"].startswith("turn 599")
        assert sum(len(turn["text"]) for turn in told) <= 160_000


class TestSpool:
    def test_keeps_what_happens_offline_and_tells_it_once_later(self, machine: Machine, server: StandIn) -> None:
        there, machine.url = machine.url, "http://127.0.0.1:9"
        machine.hook("SessionStart", source="startup")
        for number in range(5):
            edit(machine, f"src/{number}.py")
        assert server.calls == []
        # the same server, reached again: its address was spooled with what is its
        for path in [*machine.spool, *(machine.own / "sessions").glob("*.json")]:
            path.write_text(path.read_text().replace("http://127.0.0.1:9", there))
        machine.url = there
        edit(machine, "src/5.py")
        told = [event["path"] for body in server.of("/events/") for event in body["events"]]
        assert told == [f"src/{number}.py" for number in range(6)]
        assert machine.spool == []

    def test_tells_a_lost_answer_once(self, machine: Machine, server: StandIn) -> None:
        machine.hook("SessionStart", source="startup")
        server.lose_answers = 1
        edit(machine, "src/a.py")
        edit(machine, "src/b.py")
        edit(machine, "src/c.py")
        told = [event["path"] for body in server.of("/events/") for event in body["events"]]
        assert sorted(told) == ["src/a.py", "src/b.py", "src/c.py"]
        assert len({key for _, path, _, key in server.calls if "/events/" in path}) == len(server.of("/events/"))

    def test_starts_once_though_the_answer_was_lost(self, machine: Machine, server: StandIn) -> None:
        server.lose_answers = 1
        assert machine.hook("SessionStart", source="startup").json == {}
        edit(machine)
        starts = [body for _, path, body in server.counted if path == "/api/v1/sessions/"]
        assert len(starts) == 1
        assert len(server.of("/loam-s-1/events/")) == 1

    def test_never_tells_another_server(self, machine: Machine, server: StandIn) -> None:
        there, machine.url = machine.url, "http://127.0.0.1:9"
        edit(machine)
        machine.url = there
        machine.hook("SessionStart", source="startup")
        assert server.of("/events/") == []
        assert len(machine.spool) == 1

    def test_puts_aside_what_is_refused_for_good(self, machine: Machine, server: StandIn) -> None:
        machine.hook("SessionStart", source="startup")
        server.refuse = {"/events/": 400}
        edit(machine, "src/a.py")
        server.refuse = {}
        edit(machine, "src/b.py")
        assert [body["events"][0]["path"] for body in server.of("/events/")] == ["src/b.py"]
        (aside,) = (machine.own / "refused").glob("*.json")
        assert json.loads(aside.read_text())["why"] == "It is refused."

    @pytest.mark.parametrize("status", [401, 421, 503])
    def test_waits_while_the_token_does_not_hold_or_the_team_moves(
        self, machine: Machine, server: StandIn, status: int
    ) -> None:
        machine.hook("SessionStart", source="startup")
        server.refuse = {"/events/": status}
        edit(machine)
        assert len(machine.spool) == 1
        server.refuse = {}
        machine.hook("Stop", stop_hook_active=False)
        assert len(server.of("/events/")) == 1

    def test_is_for_its_owners_eyes(self, machine: Machine) -> None:
        machine.url = "http://127.0.0.1:9"
        machine.hook("SessionStart", source="startup")
        edit(machine)
        files = [path for path in machine.own.rglob("*.json") if path.is_file()]
        assert files
        assert all(path.stat().st_mode & 0o077 == 0 for path in files)


class TestAfterAKill:
    def killed(self, machine: Machine) -> Path:
        """A session that began, changed something, spoke, and is gone without an end."""
        said = (("user", "stream the importer"), ("assistant", "Decision: we stream because memory is capped."))
        place = transcript(machine, "first", *said)
        started = {"source": "startup", "session_id": "first", "transcript_path": str(place)}
        machine.hook("SessionStart", **started)
        edit(machine, session_id="first")
        return place

    def bury(self, machine: Machine) -> None:
        """Its agent was this test's process; say that it was another one, which is gone."""
        machine.forget_process()

    def test_the_next_start_recovers_it_before_it_asks(self, machine: Machine, server: StandIn) -> None:
        self.killed(machine)
        self.bury(machine)
        machine.hook("SessionStart", source="startup", session_id="second")
        (told,) = server.of("/recover/")
        assert (told["session"], told["agent_session"]) == ("loam-s-1", "claude-code:first")
        assert [turn["role"] for turn in told["transcript"]] == ["user", "assistant"]
        assert "we stream because memory is capped" in told["transcript"][1]["text"]
        assert told["checkout"] == server.of("/api/v1/sessions/")[0]["checkout"]
        order = [path for _, path, _ in server.counted if "recover" in path or path == "/api/v1/sessions/"]
        assert order == ["/api/v1/sessions/", "/api/v1/sessions/recover/", "/api/v1/sessions/"]

    def test_every_killed_session_is_recovered(self, machine: Machine, server: StandIn) -> None:
        for name in ("one", "two", "three"):
            place = transcript(machine, name, ("user", f"work on {name}"), ("assistant", f"{name} is half done."))
            machine.hook("SessionStart", source="startup", session_id=name, transcript_path=str(place))
        self.bury(machine)
        machine.hook("SessionStart", source="startup", session_id="after")
        machine.run("courier")
        assert {body["agent_session"] for body in server.of("/recover/")} == {
            "claude-code:one", "claude-code:two", "claude-code:three",
        }  # fmt: skip

    def test_it_is_recovered_later_when_the_server_is_away(self, machine: Machine, server: StandIn) -> None:
        self.killed(machine)
        self.bury(machine)
        server.refuse = {"": 503}
        machine.hook("SessionStart", source="startup", session_id="second")
        assert server.of("/recover/") == []
        server.refuse = {}
        edit(machine, session_id="second")
        assert [body["agent_session"] for body in server.of("/recover/")] == ["claude-code:first"]

    def test_a_server_that_knows_no_recovery_gets_the_latest_with_the_start(
        self, machine: Machine, server: StandIn
    ) -> None:
        self.killed(machine)
        self.bury(machine)
        server.refuse = {"/recover/": 404}
        machine.hook("SessionStart", source="startup", session_id="second")
        told = [body for _, path, body in server.counted if path == "/api/v1/sessions/"][-1]
        assert (told["previous"], len(told["transcript"])) == ("loam-s-1", 2)

    def test_it_brings_them_once(self, machine: Machine, server: StandIn) -> None:
        self.killed(machine)
        self.bury(machine)
        for name in ("second", "third"):
            machine.hook("SessionStart", source="startup", session_id=name)
            self.alive(machine, name)
        assert len(server.of("/recover/")) == 1

    def alive(self, machine: Machine, name: str) -> None:
        for path in (machine.own / "sessions").glob(f"*{name}.json"):
            path.write_text(json.dumps({**json.loads(path.read_text()), "ended": True}))

    def test_one_that_still_runs_is_let_alone(self, machine: Machine, server: StandIn) -> None:
        self.killed(machine)
        machine.hook("SessionStart", source="startup", session_id="second")
        assert server.of("/recover/") == []

    def test_one_that_ended_needs_no_recovery(self, machine: Machine, server: StandIn) -> None:
        place = self.killed(machine)
        machine.hook("SessionEnd", session_id="first", reason="logout", transcript_path=str(place))
        self.bury(machine)
        machine.hook("SessionStart", source="startup", session_id="second")
        assert server.of("/recover/") == []

    def test_another_checkout_is_another_story(self, machine: Machine, server: StandIn) -> None:
        self.killed(machine)
        self.bury(machine)
        other = machine.home / "work" / "other"
        other.mkdir()
        machine.run("hook", "SessionStart", given=json.dumps({"session_id": "x", "cwd": str(other)}), cwd=other)
        starts = [body for _, path, body in server.counted if path == "/api/v1/sessions/"]
        assert (starts[-1]["repo"], server.of("/recover/")) == ("other", [])

    def test_words_from_before_the_hooks_were_installed_are_found(self, machine: Machine, server: StandIn) -> None:
        old = transcript(machine, "before", ("user", "stream it"), ("assistant", "We stream, because memory is short."))
        long_ago = time.time() - 3_600
        os.utime(old, (long_ago, long_ago))
        own = transcript(machine, "now")
        machine.hook("SessionStart", source="startup", transcript_path=str(own))
        told = server.of("/sessions/")[0]
        assert told["transcript"][1]["text"] == "We stream, because memory is short."

    def test_a_session_that_goes_on_is_not_started_again(self, machine: Machine, server: StandIn) -> None:
        machine.hook("SessionStart", source="startup")
        again = machine.hook("SessionStart", source="compact")
        assert ORIENTATION in again.json["hookSpecificOutput"]["additionalContext"]
        assert len([path for _, path, _ in server.counted if path == "/api/v1/sessions/"]) == 1
