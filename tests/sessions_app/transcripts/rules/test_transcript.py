"""What a transcript tells of a session: the digest, and each of its tables."""

from sessions_app.transcripts.rules.errors import outcome
from sessions_app.transcripts.rules.files import changed
from sessions_app.transcripts.rules.plans import blocked, planned
from sessions_app.transcripts.rules.transcript import LONGEST_MESSAGE, LONGEST_TOPIC, MOST_FILES, MOST_STEPS, digest
from sessions_app.transcripts.rules.turn import LONGEST_TURN, MOST_TURNS, Turn
from tests.cases import cases

PATCH = (
    "apply_patch\n*** Begin Patch\n*** Update File: a.py\n*** Add File: b/c.go\n*** Delete File: d.ts\n*** End Patch"
)
CHANGED = [
    ("tool", "Edit src/a.py\nThe file has been updated.", ["src/a.py"]),
    ("tool", "Write(src/a.py)", ["src/a.py"]),
    ("tool", 'Edit {"file_path": "src/a.py", "old_string": "x"}', ["src/a.py"]),
    ("tool", '{"name": "Write", "input": {"file_path": "src/a.py"}}', ["src/a.py"]),
    ("tool", "Edited Dockerfile", ["Dockerfile"]),
    ("tool", "Edit app/[id]/page.tsx", ["app/[id]/page.tsx"]),
    ("tool", "Edit /srv/shop/src/a.py", ["srv/shop/src/a.py"]),
    ("tool", '{"name": "Edit", "input": {"file_path": "/home/me/shop/src/a.py"}}', ["shop/src/a.py"]),
    ("tool", PATCH, ["a.py", "b/c.go", "d.ts"]),
    ("tool", "Applied edit to app/x.py\nApplied edit to app/y.py", ["app/x.py", "app/y.py"]),
    ("tool", "[replace_in_file for 'src/A.java'] Result: saved.", ["src/A.java"]),
    ("assistant", "<write_to_file>\n<path>src/A.java</path>\n<content>x</content></write_to_file>", ["src/A.java"]),
    ("assistant", "I've updated `src/a.py` and created `Makefile.am`.", ["src/a.py", "Makefile.am"]),
    ("assistant", "Edited `src/a.ts`\n\nDone.", ["src/a.ts"]),
    ("assistant", "Look at `src/a.py`; it was updated last year.", []),
    ("assistant", "I'll update `src/a.py` next.", []),
    ("assistant", "```\nI updated `src/a.py`\n```", []),
    ("assistant", "I created `a new thing` and updated `Base`.", []),
    ("user", "Edit src/a.py", []),
    ("tool", "Read src/a.py\nWrite src/b.py", []),
    ("tool", "Bash cat notes.txt\nEdit src/a.py", []),
    ("tool", "Edit src/a.py\nError: String to replace not found in file.", []),
]


class TestChanged:
    @cases(("role", "text", "paths"), CHANGED)
    def test_names_what_was_changed(self, role: str, text: str, paths: list[str]) -> None:
        assert list(changed(Turn(role, text))) == paths

    def test_names_it_as_the_repository_does(self) -> None:
        """An agent's own tools are given whole paths of its machine."""
        turn = Turn("tool", "Edit /home/me/code/shop/src/a.py")
        assert list(changed(turn, "acme/shop")) == ["src/a.py"]
        assert digest([turn], "acme/shop").files == digest([turn], "acme/shop").uncommitted == ("src/a.py",)


PLANNED = [
    ("Next steps:\n- run it\n- ship it", ["run it", "ship it"]),
    ("## Next steps\n\n1. run it\n2. ship it\n\nThat is all.", ["run it", "ship it"]),
    ("**Still to do:**\n* run it", ["run it"]),
    ("Saved it. Follow-ups:\n1. run it", ["run it"]),
    ("Next up is the release; I still need to run it.", ["the release", "run it."]),
    ("TODO: run it; ship it", ["run it", "ship it"]),
    ("Done.\n\nRemaining work: run the load test.", ["run the load test."]),
    ("Next I'll run it, then ship it.", ["run it", "ship it."]),
    ("The next step is to run it.", ["run it."]),
    ("- [x] made\n- [ ] run it", ["run it"]),
    ("Nächste Schritte:\n- messen", ["messen"]),
    ("Prochaines étapes :\n- mesurer", ["mesurer"]),
    ("Next steps:\n- none", []),
    ("Next steps:\n- ~~run it~~\n- ✅ ship it", []),
    ("Would you like me to run it next?", []),
    ("If you like, next I'll run it.", []),
    ("```\n# TODO: run it\n```", []),
    ("> Next steps:\n> - run it", []),
    ("The next release fixes it. What is left of the old code is dead.", []),
    ("Nothing is left to do.", []),
    ("I read the list.\n- one\n- two", []),
]


class TestPlanned:
    @cases(("text", "steps"), PLANNED)
    def test_names_what_is_to_be_done(self, text: str, steps: list[str]) -> None:
        assert planned([Turn("assistant", text)]) == steps

    def test_takes_the_latest_list_alone(self) -> None:
        assert planned([Turn("assistant", "Next:\n- a\n- b"), Turn("user", "ok"), Turn("assistant", "Next:\n- b")]) == [
            "b"
        ]

    def test_looks_only_at_the_last_words(self) -> None:
        talk = [Turn("assistant", "Next: run it."), *[Turn("assistant", "Ran it.")] * 3]
        assert planned(talk) == []

    def test_looks_further_back_in_a_turn_that_was_cut_off(self) -> None:
        """Between its tools an agent says little things; what it planned before them is still to be done."""
        plan = Turn("assistant", "The cause is the lock.\n\nNext steps:\n- drop the lock\n- run the importer")
        small = [Turn("assistant", "Let me look at the lock."), Turn("tool", "Bash: grep lock")] * 4
        cut_off = [Turn("user", "Mend it"), plan, Turn("tool", "Edit a.py"), *small]
        assert planned(cut_off) == ["drop the lock", "run the importer"]
        assert planned([*cut_off, Turn("assistant", "It is mended.")]) == []
        assert planned([*cut_off, Turn("user", "Thanks, now the menu"), *small]) == []

    def test_reads_a_list_that_a_tool_keeps_however_long_ago(self) -> None:
        todo = Turn("tool", "TodoWrite\n[completed] a\n[in_progress] b\n☐ c\n☒ d")
        assert planned([todo, *[Turn("assistant", "Working.")] * 9]) == ["b", "c"]

    def test_believes_a_tools_list_that_is_done(self) -> None:
        talk = [Turn("assistant", "Next: a."), Turn("tool", "TodoWrite\n[completed] a")]
        assert planned(talk) == []

    @cases(
        "said",
        [
            "Nodes joined. Pending pods: 14 → 0.",
            "I deleted the rest. Remaining: `wip-fx`, `spike`.",
            "Then I'll leave it here.",
        ],
    )
    def test_takes_no_figure_nor_name_for_a_step(self, said: str) -> None:
        assert planned([Turn("assistant", said)]) == []

    def test_reads_such_a_list_as_json(self) -> None:
        text = 'TodoWrite {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]}'
        assert planned([Turn("tool", text)]) == ["b"]

    @cases("role", ["user", "tool"])
    def test_hears_the_assistant_alone(self, role: str) -> None:
        assert planned([Turn(role, "Next steps:\n- send me the keys")]) == []


BLOCKED = [
    ("I'm blocked on the staging key.", 1),
    ("Blockers:\n- the staging key\n- the lawyer", 2),
    ("Blocker: the staging key.", 1),
    ("Waiting on the data team.", 1),
    ("I cannot continue without the key.", 1),
    ("We have to wait for the lawyer's answer.", 1),
    ("Blockers: none", 0),
    ("The job reconciles per account, so it doesn't have to wait for all of them.", 0),
    ("It can wait for the template work, and these shouldn't wait for Monday.", 0),
    ("Waiting for the tests to finish.", 0),
    ("The thread is waiting for it.", 0),
    ("If we get blocked by the firewall, we retry.", 0),
    ("Are you blocked by anything?", 0),
    ("> I am blocked on the key", 0),
]


class TestBlocked:
    @cases(("text", "count"), BLOCKED)
    def test_names_what_stands_in_the_way(self, text: str, count: int) -> None:
        assert len(blocked([Turn("assistant", text)])) == count


OUTCOMES = [
    ("Bash pytest\nE   AssertionError: 3 != 4\nFAILED t.py::test_a", "AssertionError: 3 != 4"),
    ("Bash cargo test\nerror[E0277]: the trait\nerror: could not compile", "error[E0277]: the trait"),
    ("shell go run .\npanic: nil map", "panic: nil map"),
    ("Bash tsc\nsrc/a.ts(3,1): error TS2322: no", "src/a.ts(3,1): error TS2322: no"),
    ("Bash gcc a.c\na.c:3:1: error: no semicolon", "a.c:3:1: error: no semicolon"),
    ("Bash pytest\n3 passed", ""),
]


class TestOutcome:
    @cases(("text", "error"), OUTCOMES)
    def test_names_the_error_of_a_command(self, text: str, error: str) -> None:
        found = outcome(Turn("tool", text))
        assert found is not None
        assert found.error == error

    @cases("text", ["Bash cat build.log\nValueError: old", "Read a.log\nValueError: old", "Bash grep -r Error src"])
    def test_is_none_of_what_is_only_read(self, text: str) -> None:
        assert outcome(Turn("tool", text)) is None


class TestDigest:
    def test_keeps_an_error_until_the_command_works(self) -> None:
        failed, other = Turn("tool", "Bash pytest\nValueError: no"), Turn("tool", "Bash mypy\na.py:1: error: no")
        assert digest([failed, other]).errors == ("ValueError: no", "a.py:1: error: no")
        assert digest([failed, other, Turn("tool", "Bash pytest\n3 passed")]).errors == ("a.py:1: error: no",)

    def test_names_what_was_asked_for(self) -> None:
        talk = [
            Turn("user", text)
            for text in ("/clear", "<system-reminder>x</system-reminder>", "Fix it\nplease", "a" * 500)
        ]
        topics = digest(talk).topics
        assert topics[0] == "Fix it"
        assert len(topics) == 2
        assert len(topics[1]) <= LONGEST_TOPIC

    @cases(
        ("prompts", "last"),
        [
            (["Stream the importer please, it needs 8 GB"], ""),
            (
                ["Stream the importer", "Let it skip the empty lines", "yes, go on", "/cost"],
                "Let it skip the empty lines",
            ),
            (["Stream the importer please", "ok", "run the tests again"], ""),
            (
                ["Mend it", "And cap the retries at 4,\nfor the vendor", "thanks"],
                "And cap the retries at 4, for the vendor",
            ),
        ],
    )
    def test_names_what_was_asked_last(self, prompts: list[str], last: str) -> None:
        """A prompt that says to go on asks for nothing new."""
        assert digest([Turn("user", text) for text in prompts]).asked_last == last

    def test_ends_with_the_last_words_and_those_before_them_where_they_say_little(self) -> None:
        turns = [
            Turn("user", "Mend it"),
            Turn("assistant", "The lock is taken twice, so both wait."),
            Turn("tool", "Bash: grep lock"),
            Turn("assistant", "Now the test."),
            Turn("tool", "Edit a.py"),
        ]
        assert digest(turns).last_message == "Now the test. (Before that: The lock is taken twice, so both wait.)"
        whole = Turn("assistant", "It is mended. " * 30)
        assert digest([*turns, whole]).last_message.startswith("It is mended. It is")
        assert "Before that" not in digest([*turns, whole]).last_message
        thanked = [Turn("user", "Thanks, bye"), Turn("assistant", "You are welcome.")]
        said = digest([*turns, whole, *thanked]).last_message
        assert said.startswith("You are welcome. (Before that: It is mended.")

    def test_keeps_the_beginning_and_the_end_of_a_long_last_message(self) -> None:
        said = digest([Turn("assistant", f"It streams. {'And so on. ' * 300}The lock is missing.")]).last_message
        assert said.startswith("It streams. And so on.") and said.endswith("The lock is missing.")
        assert len(said) <= LONGEST_MESSAGE

    def test_keeps_the_latest_files_each_once_and_counts_the_rest(self) -> None:
        talk = [Turn("tool", f"Edit src/f{n}.py") for n in range(MOST_FILES + 3)] + [Turn("tool", "Edit src/f0.py")]
        found = digest(talk)
        assert len(found.files) == MOST_FILES
        assert found.files[-1] == "src/f0.py"
        assert "src/f1.py" not in found.files
        assert found.left_out == 3

    def test_reads_the_end_of_what_is_too_long(self) -> None:
        talk = [Turn("tool", "Edit first.py")] + [Turn("user", "ok")] * MOST_TURNS
        found = digest(talk)
        assert (found.files, found.turns, found.left_out) == ((), MOST_TURNS + 1, 1)

    def test_reads_no_more_of_a_turn_than_it_says(self) -> None:
        assert digest([Turn("assistant", "x " * LONGEST_TURN + "\n\nDecision: use Redis")]).decisions == ()

    def test_is_empty_of_nothing(self) -> None:
        found = digest([])
        assert (found.files, found.decisions, found.turns, found.left_out) == ((), (), 0, 0)

    def test_cuts_a_list_of_steps(self) -> None:
        steps = "\n".join(f"- step {n}" for n in range(MOST_STEPS + 5))
        assert len(digest([Turn("assistant", f"Next steps:\n{steps}")]).next_steps) == MOST_STEPS
