"""What agents write down of a conversation, in their own forms, as turns."""

import json
from pathlib import Path
from typing import Any

import pytest

from sessions_app.client.src.hooks.tools import events_of
from sessions_app.client.src.transcripts.turns import MOST_CHARACTERS, Said, digest, read_transcript
from sessions_app.transcripts.rules.plans import planned
from sessions_app.transcripts.rules.turn import Turn
from tests.cases import cases

TOP = "/code/shop"


def lines(path: Path, *rows: Any) -> str:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return str(path)


def told(path: str) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in read_transcript(path, TOP)]


class TestClaudeCode:
    def row(self, role: str, content: Any, **more: Any) -> dict[str, Any]:
        return {
            "type": role,
            "message": {"role": role, "content": content},
            "timestamp": "2026-11-21T10:00:00Z",
            **more,
        }

    def test_reads_what_was_said_and_done(self, tmp_path: Path) -> None:
        path = lines(
            tmp_path / "a.jsonl",
            {"type": "summary", "summary": "Old talk", "leafUuid": "x"},
            {"type": "queue-operation", "operation": "dequeue"},
            self.row("user", "Stream the importer"),
            self.row(
                "assistant",
                [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "Decision: stream it."},
                    {"type": "tool_use", "name": "Edit", "input": {"file_path": f"{TOP}/src/importer.py"}},
                    {"type": "tool_use", "name": "Read", "input": {"file_path": f"{TOP}/README.md"}},
                    {"type": "tool_use", "name": "Bash", "input": {"command": "pytest -q tests/test_importer.py"}},
                ],
            ),
            self.row("user", [{"type": "tool_result", "tool_use_id": "t", "content": "API_KEY=whatever"}]),
            self.row("user", [{"type": "text", "text": "Good.<system-reminder>be brief</system-reminder>"}]),
        )
        assert told(path) == [
            ("user", "Stream the importer"),
            ("assistant", "Decision: stream it."),
            ("tool", "Edit src/importer.py"),
            ("tool", "Bash: pytest -q tests/test_importer.py"),
            ("user", "Good."),
        ]

    def test_leaves_out_what_the_client_itself_puts_into_the_models_mouth(self, tmp_path: Path) -> None:
        """Claude Code ends a turn that was cut off so when it is resumed."""
        cut = self.row("assistant", [{"type": "text", "text": "Two tests are left."}])
        put = self.row("assistant", [{"type": "text", "text": "No response requested."}])
        put["message"]["model"] = "<synthetic>"
        assert told(lines(tmp_path / "a.jsonl", cut, put)) == [("assistant", "Two tests are left.")]

    def use(self, name: str, call: str, **given: Any) -> dict[str, Any]:
        return self.row("assistant", [{"type": "tool_use", "id": call, "name": name, "input": given}])

    def result(self, call: str, text: Any, **more: Any) -> dict[str, Any]:
        return self.row("user", [{"type": "tool_result", "tool_use_id": call, "content": text, **more}])

    def test_takes_the_end_of_a_tests_output_and_of_nothing_else(self, tmp_path: Path) -> None:
        long = "x" * 9_000 + "\nE  AssertionError: 3 != 4\n1 failed"
        path = lines(
            tmp_path / "a.jsonl",
            self.use("Bash", "t1", command="pytest -q"),
            self.result("t1", [{"type": "text", "text": long}], is_error=True),
            self.use("Bash", "t2", command="cat .env"),
            self.result("t2", "PASSWORD=tr0ub4dor"),
            self.use("Read", "t3", file_path=f"{TOP}/a.py"),
            self.result("t3", "secret = 1"),
        )
        ((role, text),) = told(path)
        assert (role, text.startswith("Bash: pytest -q\n"), len(text) < 1_600) == ("tool", True, True)
        assert text.endswith("E  AssertionError: 3 != 4\n1 failed")

    def test_an_edit_that_failed_changed_nothing(self, tmp_path: Path) -> None:
        path = lines(
            tmp_path / "a.jsonl",
            self.use("Edit", "t1", file_path=f"{TOP}/a.py"),
            self.result("t1", "String to replace not found", is_error=True),
            self.use("Edit", "t2", file_path=f"{TOP}/b.py"),
            self.result("t2", "The file has been updated."),
        )
        assert told(path) == [("tool", "Edit b.py")]

    def test_leaves_out_what_nobody_said(self, tmp_path: Path) -> None:
        path = lines(
            tmp_path / "a.jsonl",
            self.row("assistant", "a sub-agent's", isSidechain=True),
            self.row("user", "<local-command-caveat>x</local-command-caveat>"),
            self.row("user", "meta", isMeta=True),
            self.row("assistant", "API Error: 529", isApiErrorMessage=True),
            self.row("user", "This session is being continued …", isCompactSummary=True),
        )
        assert told(path) == []

    def test_reads_up_to_the_line_a_crash_cut(self, tmp_path: Path) -> None:
        path = lines(tmp_path / "a.jsonl", self.row("user", "one"), '{"type": "assistant", "message": {"con')
        assert told(path) == [("user", "one")]


class TestCodex:
    def item(self, **payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-11-21T10:00:00.000Z", "type": "response_item", "payload": payload}

    def test_reads_what_was_said_and_done(self, tmp_path: Path) -> None:
        patch = f"*** Update File: src/importer.py\n@@\n-a\n+b\n*** Add File: {TOP}/src/b.py\n*** End Patch"
        path = lines(
            tmp_path / "rollout-1.jsonl",
            {"timestamp": "t", "type": "session_meta", "payload": {"id": "1", "cwd": TOP}},
            self.item(type="message", role="developer", content=[{"type": "input_text", "text": "rules"}]),
            self.item(
                type="message",
                role="user",
                content=[{"type": "input_text", "text": "<environment_context>cwd</environment_context>"}],
            ),
            self.item(type="message", role="user", content=[{"type": "input_text", "text": "Stream it"}]),
            self.item(type="reasoning", encrypted_content="…"),
            self.item(type="message", role="assistant", content=[{"type": "output_text", "text": "It streams."}]),
            {"timestamp": "t", "type": "event_msg", "payload": {"type": "agent_message", "message": "It streams."}},
            self.item(type="custom_tool_call", name="apply_patch", input=f"*** Begin Patch\n{patch}"),
            self.item(
                type="function_call", name="shell", arguments=json.dumps({"command": ["git", "commit", "-m", "x"]})
            ),
        )
        assert told(path) == [
            ("user", "Stream it"),
            ("assistant", "It streams."),
            ("tool", "Edit src/importer.py"),
            ("tool", "Edit src/b.py"),
            ("tool", "Bash: git commit -m x"),
        ]


class TestCursor:
    def test_reads_its_lines(self, tmp_path: Path) -> None:
        asked = [{"type": "text", "text": "<user_query>\nStream it\n</user_query>"}]
        path = lines(
            tmp_path / "c.jsonl",
            {"role": "user", "message": {"content": asked}},
            {"role": "assistant", "message": {"content": [{"type": "text", "text": "It streams."}]}},
        )
        assert told(path) == [("user", "Stream it"), ("assistant", "It streams.")]

    def test_tells_when_and_what_was_typed_and_done(self, tmp_path: Path) -> None:
        """As it writes since 2026: the moment and the query apart from what the client adds, no result of a tool."""

        def typed(text: str, moment: str = "Monday, Aug 24, 2026, 3:01 PM (UTC-5)") -> dict[str, Any]:
            return {
                "role": "user",
                "message": {"content": [{"type": "text", "text": f"<timestamp>{moment}</timestamp>\n{text}"}]},
            }

        used = [
            {"type": "text", "text": "It streams.\n\n[REDACTED]"},
            {"type": "tool_use", "name": "StrReplace", "input": {"path": f"{TOP}/src/importer.py", "old_string": "a"}},
            {"type": "tool_use", "name": "Shell", "input": {"command": "pytest -q", "working_directory": TOP}},
        ]
        path = lines(
            tmp_path / "c.jsonl",
            typed("<image_files>\n1. /a.png\n</image_files>\n<user_query>\nStream it\n</user_query>"),
            {"role": "assistant", "message": {"content": used}},
            {"type": "turn_ended", "status": "success"},
            typed("<system_notification>\nA task has finished.\n</system_notification>"),
            typed("<user_query>\nGood\n</user_query>", "Tuesday, Aug 25, 2026, 12:30 AM (UTC+5:30)"),
        )
        assert [(turn.role, turn.text, turn.at) for turn in read_transcript(path, TOP)] == [
            ("user", "Stream it", "2026-08-24T20:01:00Z"),
            ("assistant", "It streams.", "2026-08-24T20:01:00Z"),
            ("tool", "Edit src/importer.py", "2026-08-24T20:01:00Z"),
            ("tool", "Bash: pytest -q", "2026-08-24T20:01:00Z"),
            ("user", "Good", "2026-08-24T19:00:00Z"),
        ]

    def test_reads_its_older_text(self, tmp_path: Path) -> None:
        path = tmp_path / "c.txt"
        path.write_text(
            "user:\n<user_query>\nStream it\n</user_query>\n\nassistant:\n[Thinking] hm\n\nIt streams.\n"
            "[Tool call] Shell\n  command: cat .env\n\n[Tool result] Shell\nKEY=1\n"
        )
        assert told(str(path)) == [("user", "Stream it"), ("assistant", "It streams.")]


class TestGemini:
    """A line a message, written again, whole, when something is added to it."""

    def row(self, id: str, kind: str, content: Any, *calls: dict[str, Any]) -> dict[str, Any]:
        row = {"id": id, "timestamp": "2026-11-21T10:00:00.000Z", "type": kind, "content": content}
        return {**row, "toolCalls": list(calls)} if calls else row

    def call(self, id: str, name: str, status: str = "success", output: str = "", **given: str) -> dict[str, Any]:
        answer = {"functionResponse": {"id": id, "name": name, "response": {"output": output}}}
        return {"id": id, "name": name, "args": given, "status": status, "result": [answer]}

    def test_keeps_what_was_said_beside_calls_once(self, tmp_path: Path) -> None:
        edit = self.call("t1", "replace", file_path=f"{TOP}/src/importer.py")
        run = self.call("t2", "run_shell_command", output="16 passed in 0.3s", command="pytest -q")
        path = lines(
            tmp_path / "session-1.jsonl",
            {"sessionId": "1", "projectHash": "x"},
            self.row("m1", "user", "Stream it"),
            self.row("m2", "gemini", "It streams now.", edit),
            {"$set": {"lastUpdated": "2026-11-21T10:00:01.000Z"}},
            self.row("m2", "gemini", "It streams now.", edit, run),
            self.row("m3", "gemini", [{"text": "Done."}]),
        )
        assert told(path) == [
            ("user", "Stream it"),
            ("assistant", "It streams now."),
            ("tool", "Edit src/importer.py"),
            ("tool", "Bash: pytest -q\n16 passed in 0.3s"),
            ("assistant", "Done."),
        ]

    def test_an_edit_that_failed_changed_nothing(self, tmp_path: Path) -> None:
        """The result stands in the call, and once more in what the model was answered."""
        call = self.call("t1", "replace", "error", "not found", file_path=f"{TOP}/a.py")
        answered = self.row("m2", "user", call["result"])
        path = lines(tmp_path / "session-1.jsonl", self.row("m1", "gemini", "I try.", call), answered)
        assert told(path) == [("assistant", "I try.")]

    def test_leaves_out_what_was_taken_back(self, tmp_path: Path) -> None:
        path = lines(
            tmp_path / "session-1.jsonl",
            self.row("m1", "user", "Stream it"),
            self.row("m2", "gemini", "With threads."),
            {"$rewindTo": "m1"},
            self.row("m3", "user", "Stream it without threads"),
        )
        assert told(path) == [("user", "Stream it without threads")]


class TestReading:
    @pytest.mark.parametrize(
        "content", ["", "\n\n", "[1]\n", "\x00\xff", '{"type": "user", "message": "x"}\n', "{" * 9_000]
    )
    def test_survives_whatever_lies_there(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "a.jsonl").write_text(content)
        assert read_transcript(str(tmp_path / "a.jsonl"), TOP) == []

    def test_takes_no_folder_no_device_and_no_missing_file(self, tmp_path: Path) -> None:
        assert [read_transcript(path, TOP) for path in (str(tmp_path), "/dev/zero", str(tmp_path / "none"))] == [[]] * 3

    def test_reads_the_end_of_a_huge_file(self, tmp_path: Path) -> None:
        rows = [{"type": "user", "message": {"role": "user", "content": f"{n} " + "x" * 10_000}} for n in range(900)]
        read = read_transcript(lines(tmp_path / "a.jsonl", *rows), TOP)
        assert read[-1].text.startswith("899 ")
        assert len(read) < 700

    def test_a_digest_is_masked_within_its_limits_and_in_order(self) -> None:
        turns = [Said("assistant", f"{n} write to jane.miller@globex.com " + "y" * 9_000) for n in range(500)]
        made = digest(turns)
        assert sum(len(turn["text"]) for turn in made) <= MOST_CHARACTERS
        assert made[-1]["text"].startswith("499 write to [EMAIL]")
        assert [int(turn["text"].split()[0]) for turn in made] == sorted(int(t["text"].split()[0]) for t in made)


class TestEventsOf:
    @cases(
        ("command", "kind"),
        [
            ("pytest -q", "test"),
            ("cd app && npm run test:unit", "test"),
            ("cargo test --all", "test"),
            ("python manage.py test accounts", "test"),
            ("go test ./...", "test"),
            ("make check", "test"),
            ("npx vitest run", "test"),
            ("npm run build", "build"),
            ("cargo build --release", "build"),
            ("npx tsc --noEmit", "build"),
            ("git commit -am 'x'", "commit"),
            ("git -C app rebase main", "commit"),
            ("python manage.py migrate", "migration"),
            ("alembic upgrade head", "migration"),
        ],
    )
    def test_knows_what_a_command_does(self, command: str, kind: str) -> None:
        assert [event["kind"] for event in events_of("Bash", {"command": command}, "", TOP, failed=None)] == [kind]

    @cases(
        "command",
        ["ls -la", "cat test.py", "git status", "git log", "grep -r pytest-x .", "echo latest", "", "cd tests"],
    )
    def test_keeps_quiet_about_reading(self, command: str) -> None:
        assert events_of("Bash", {"command": command}, "", TOP, failed=False) == []

    def test_tells_of_any_command_that_failed(self) -> None:
        (event,) = events_of("Bash", {"command": "ls nowhere"}, "No such file", TOP, failed=True)
        assert (event["kind"], event["outcome"], event["error"]) == ("error", "failed", "No such file")

    def test_reads_from_the_output_whether_tests_passed(self) -> None:
        for output, outcome in (
            ("3 passed in 1 s", "passed"),
            ("1 failed, 2 passed", "failed"),
            ("0 failed", "passed"),
        ):
            (event,) = events_of("shell", {"command": "pytest"}, output, TOP, failed=None)
            assert event["outcome"] == outcome


class TestTodoLists:
    """As Claude Code, Codex, Gemini CLI, Copilot CLI, Cursor and clients to come call their tools."""

    def read(self, tmp_path: Path, *calls: tuple[str, Any, str]) -> list[str]:
        """What the server is told of the calls, as (name, input, output) in Claude Code's form."""
        rows: list[Any] = []
        for number, (name, given, output) in enumerate(calls):
            use = {"type": "tool_use", "id": f"t{number}", "name": name, "input": given}
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output}
            rows.append({"type": "assistant", "message": {"role": "assistant", "content": [use]}})
            rows.append({"type": "user", "message": {"role": "user", "content": [result]}})
        turns = [Turn(turn.role, turn.text) for turn in read_transcript(lines(tmp_path / "a.jsonl", *rows), TOP)]
        return planned(turns)

    @pytest.mark.parametrize(
        ("tool", "given"),
        [
            ("TodoWrite", {"todos": [
                {"content": "Read the parser", "status": "completed", "activeForm": "Reading"},
                {"content": "Mend the header", "status": "in_progress", "activeForm": "Mending"},
                {"content": "Measure it", "status": "pending", "activeForm": "Measuring"},
            ]}),
            ("update_plan", {"explanation": "So far", "plan": [
                {"step": "Read the parser", "status": "completed"},
                {"step": "Mend the header", "status": "in_progress"},
                {"step": "Measure it", "status": "pending"},
            ]}),
            ("write_todos", {"todos": [
                {"description": "Read the parser", "status": "completed"},
                {"description": "Mend the header", "status": "in_progress"},
                {"description": "Give up", "status": "cancelled"}, {"description": "Measure it", "status": "pending"},
            ]}),
            ("update_todo", {"todos": "- [x] Read the parser\n- [ ] Mend the header\n- [ ] Measure it\n"}),
            ("work_items", {"items": '[{"title": "Mend the header", "done": false}, {"title": "Measure it",'
                            ' "done": false}, {"title": "Read the parser", "done": true}]'}),
        ],
    )  # fmt: skip
    def test_are_known_by_their_structure(self, tmp_path: Path, tool: str, given: dict[str, Any]) -> None:
        assert self.read(tmp_path, (tool, given, "ok")) == ["Mend the header", "Measure it"]

    def test_that_change_item_by_item_are_put_together(self, tmp_path: Path) -> None:
        made = [
            ("TaskCreate", {"subject": text, "description": f"{text}, in full"}, f"Task #{number} created successfully")
            for number, text in enumerate(["Read the parser", "Mend the header", "Give up", "Measure it"], 1)
        ]
        done = ("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1 status")
        gone = ("TaskUpdate", {"taskId": "3", "status": "deleted"}, "Updated task #3 deleted")
        assert self.read(tmp_path, *made, done, gone) == ["Mend the header", "Measure it"]

    def test_of_which_a_part_is_sent_keep_the_rest(self, tmp_path: Path) -> None:
        whole = {"todos": [{"id": "a", "content": "Mend the header", "status": "pending"},
                           {"id": "b", "content": "Measure it", "status": "pending"}]}  # fmt: skip
        part = {"merge": True, "todos": [{"id": "a", "content": "Mend the header", "status": "completed"}]}
        assert self.read(tmp_path, ("todo_write", whole, ""), ("todo_write", part, "")) == ["Measure it"]

    def test_are_none_where_a_file_or_a_command_has_boxes(self, tmp_path: Path) -> None:
        boxes = "- [ ] one\n- [ ] two\n"
        path = f"{TOP}/docs/list.md"
        assert not self.read(
            tmp_path, ("Write", {"file_path": path, "content": boxes}, ""), ("Bash", {"command": f"echo '{boxes}'"}, "")
        )
