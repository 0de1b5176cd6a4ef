"""Errors are found by their fingerprint, by what they say and by their words; the question beside them still counts."""

from datetime import datetime
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.models import Anchor
from knowledge.retrieval.actions.retrieve import Retrieved, retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from sessions_app.answers.actions.build_answer import build_answer
from tests.factories import make_insight, make_insights
from tests.knowledge.library import LESSONS, stock

# What one machine deposited, what another one prints (other paths, numbers, hosts and callers), and a lesson about it
# that repeats none of the error's words.
ERRORS = {
    "python": (
        "OSError: [Errno 28] No space left on device",
        'Traceback (most recent call last):\n  File "/srv/export/run.py", line 88, in dump\n    fh.write(row)\n'
        "OSError: [Errno 28] No space left on device: '/data/run-17/part.csv'",
        "The nightly export fills the runner. Prune old images weekly and write to the scratch volume.",
    ),
    "javascript": (
        "TypeError: Cannot read properties of undefined (reading 'map')\n    at renderList (/home/ann/list.js:12:17)",
        "Uncaught TypeError: Cannot read properties of undefined (reading 'map')\n"
        "    at Table.rows (https://app.acme.com/assets/table.js:1:99)",
        "Components render before their store is loaded; default the items to an empty array.",
    ),
    "java": (
        "java.lang.OutOfMemoryError: Java heap space",
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
        "\tat java.base/java.util.Arrays.copyOf(Arrays.java:3537)\n\tat com.acme.Report.add(Report.java:77)",
        "The monthly report keeps all rows. Stream them and give the job two gigabytes.",
    ),
    "go": (
        "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\n"
        "main.pick(0x5)\n\t/home/ann/server.go:41 +0x1d\n",
        "panic: runtime error: index out of range [9] with length 7\n\ngoroutine 37 [running]:\n"
        "main.choose(0x9)\n\t/srv/ring.go:12 +0x2b\nexit status 2",
        "The shard is computed from the old ring size after scaling down; take the length under the lock.",
    ),
    "shell": (
        "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! Found: react@18.2.0",
        "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! \n"
        "npm ERR! While resolving: web@0.3.1\nnpm ERR! Found: react@19.0.0",
        "The date picker peers on an older major. Pin it with overrides.",
    ),
}  # fmt: skip


def ask(by: Member, now: datetime, text: str, **over: Any) -> Retrieved:
    return retrieve(ask=Ask(text, **over), by=by, now=now)


def refs(found: Retrieved) -> list[str]:
    return [hit.insight.ref for hit in found.hits]


def exact(found: Retrieved) -> float:
    return next(part.value for part in found.hits[0].score.parts if part.name == "exact")


@pytest.fixture
def library(alice: Member, now: datetime) -> dict[str, str]:
    return stock(alice, now)


@pytest.fixture
def known(library: dict[str, str], alice: Member, now: datetime) -> dict[str, str]:
    """Lessons about each error, none of which repeats its words."""
    rows = make_insights(alice, now, *({"body": body, "error": error} for error, _, body in ERRORS.values()))
    return {name: row.ref for name, row in zip(ERRORS, rows, strict=True)}


@pytest.mark.parametrize("name", ERRORS)
class TestAnErrorRaisedElsewhere:
    def test_is_found_by_what_it_says(self, known: dict[str, str], bob: Member, now: datetime, name: str) -> None:
        error = ERRORS[name][1]
        for text, given in (
            ("Why does this happen?", error),
            (error, ""),
            (f"Why does this happen?\n{error}\nThanks!", ""),
            ("the build is red again", error),
        ):
            found = ask(bob, now, text, error=given)
            assert refs(found)[0] == known[name]
            assert exact(found) == 0.5
            assert "same error message from another place" in found.hits[0].score.why

    def test_is_found_by_its_words_in_a_lesson_that_has_no_error(
        self, library: dict[str, str], alice: Member, bob: Member, now: datetime, name: str
    ) -> None:
        stored, error, body = ERRORS[name]
        said = stored.split("\n\n")[0].replace("npm ERR! ", "")
        ref = make_insight(alice, body=f"{body} Seen as: {said}").ref
        for text, given in (("Why does this happen?", error), (error, ""), (f"{error}\nWhy?", "")):
            assert refs(ask(bob, now, text, error=given))[0] == ref

    def test_leaves_the_question_its_own_answer(
        self, known: dict[str, str], bob: Member, now: datetime, name: str
    ) -> None:
        """Somebody asks about one thing, and has another on the screen."""
        found = ask(bob, now, "Why does every job of celery beat fire twice?", error=ERRORS[name][1])
        assert {known[name], refs(ask(bob, now, LESSONS["beat"]))[0]} <= set(refs(found))


class TestAnErrorThatIsNamedInPart:
    """The lesson repeats none of the error's words: they stand in its anchor alone."""

    @pytest.fixture
    def full(self, known: dict[str, str], alice: Member, now: datetime) -> str:
        """Another lesson reads like the error and is about another one."""
        exit_code = "Exit code 137 of the indexer pod means the kernel killed it for memory; raise the limit."
        make_insight(alice, now=now, kind="PITFALL", body=exit_code)
        return make_insight(
            alice,
            now=now,
            body="The box ran full of core dumps: delete /var/crash and set ulimit -c 0 for the render service.",
            error="asyncpg.exceptions._base.InterfaceError: cannot perform operation: another operation is in progress",
        ).ref

    @pytest.mark.parametrize(
        ("part", "name"),
        [
            ("No space left on device", "python"),
            ("no space left on device", "python"),
            ("OSError: No space left on device: '/mnt/x'", "python"),
            ("asyncpg InterfaceError another operation in progress", ""),
        ],
    )
    def test_is_found(self, known: dict[str, str], full: str, bob: Member, now: datetime, part: str, name: str) -> None:
        found = ask(bob, now, "what does this mean", error=part)
        assert refs(found)[0] == (known[name] if name else full)

    @pytest.mark.parametrize("path", ["/mnt/x", "/home/ci/build/x.o", "/data/jobs/992/out.exr"])
    def test_of_another_path_is_first_as_a_question_of_one_line_and_as_the_error(
        self, known: dict[str, str], full: str, bob: Member, now: datetime, path: str
    ) -> None:
        line = f"OSError: [Errno 28] No space left on device: '{path}'"
        assert refs(ask(bob, now, line))[0] == known["python"]
        assert refs(ask(bob, now, "render fails", error=line))[0] == known["python"]

    @pytest.mark.parametrize("part", ["device", "space", "100%_", "a b"])
    def test_in_a_plain_word_is_not(self, known: dict[str, str], bob: Member, now: datetime, part: str) -> None:
        assert known["python"] not in refs(ask(bob, now, "what does this mean", error=part))

    @pytest.mark.parametrize(
        "question",
        [
            "No space left on device",
            "I get OSError: [Errno 28] No space left on device: '/mnt/a' when I run the tests, what to do?",
            "the job says OSError errno 28, no space left on device. any idea",
        ],
    )
    def test_is_found_by_a_question_that_quotes_it(
        self, known: dict[str, str], bob: Member, now: datetime, question: str
    ) -> None:
        assert refs(ask(bob, now, question))[0] == known["python"]

    @pytest.mark.parametrize(
        ("error", "line"),
        [
            (
                "thread 'mixer' panicked at src/playlist.rs:214:31:\nalready mutably borrowed: BorrowError",
                "thread 'main' panicked at src/foo.rs:1:1: already mutably borrowed: BorrowError",
            ),
            (
                "panic: close of closed channel\n\ngoroutine 42 [running]:\nmain.Leave(0xc000112000)\n\t/src/a.go:5",
                "panic: close of closed channel goroutine 9 [running]: main.(*Room).Leave(0xc0001)",
            ),
        ],
    )
    def test_is_found_by_a_trace_in_one_line(
        self, known: dict[str, str], alice: Member, bob: Member, now: datetime, error: str, line: str
    ) -> None:
        ref = make_insight(alice, now=now, body="Hand the guard over before the second worker starts.", error=error).ref
        assert refs(ask(bob, now, line))[0] == ref
        assert refs(ask(bob, now, "help", error=line))[0] == ref

    @pytest.mark.parametrize(
        "question",
        [
            "OOMKilled",
            "why is the optimizer OOMKilled with exit code 137?",
            "Containers:\n  optimizer:\n    State: Waiting\n    Last State: Terminated\n      Reason: OOMKilled\n"
            "      Exit Code: 137\n    Ready: False",
            "failed to acquire 'pg lock of berth', what now?",
            "while locking tuple in relation berth",
        ],
    )
    def test_is_found_by_any_line_of_what_a_tool_prints(
        self, library: dict[str, str], alice: Member, bob: Member, now: datetime, question: str
    ) -> None:
        """No reader of traces knows its layout, and most of its lines name no error."""
        error = "Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137"
        pod = make_insight(
            alice, now=now, body="The chart's ceiling is below the heap; set seventy percent.", error=error
        )
        error = 'ERROR: failed to acquire pg lock of berth\nCONTEXT:  while locking tuple (12,7) in relation "berth"'
        lock = make_insight(alice, now=now, body="Sort both jobs' updates by their primary key.", error=error)
        assert refs(ask(bob, now, question))[0] == (lock if "berth" in question else pod).ref

    @pytest.mark.parametrize(
        "question",
        ["what exit code should a linter return?", "who decides on the last state of a release?", "the reason for it"],
    )
    def test_is_not_found_by_two_plain_words_of_it(
        self, library: dict[str, str], alice: Member, bob: Member, now: datetime, question: str
    ) -> None:
        error = "Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137"
        pod = make_insight(
            alice, now=now, body="The chart's ceiling is below the heap; set seventy percent.", error=error
        )
        assert pod.ref not in refs(ask(bob, now, question))

    def test_of_another_name_is_not(self, library: dict[str, str], alice: Member, bob: Member, now: datetime) -> None:
        """All but the name of the module is the same, and the name is what it is about."""
        error = "ModuleNotFoundError: No module named 'orjson'"
        ref = make_insight(alice, now=now, body="The slim image has no wheels; install the extra.", error=error).ref
        assert refs(ask(bob, now, error))[0] == ref
        assert ref not in refs(ask(bob, now, "I see ModuleNotFoundError: No module named 'lxml' in CI, why?"))

    def test_given_as_an_error_leads_no_plain_question(
        self, library: dict[str, str], alice: Member, bob: Member, now: datetime
    ) -> None:
        """Anybody may give the words of a question as the error of a note."""
        ship = make_insight(alice, now=now, body="Deploy the gateway with make ship from the release branch.")
        curate.promote(ref=ship.ref, by=alice, now=now)
        error = "Error: how do I deploy the gateway"
        hostile = make_insight(bob, now=now, body="Geese nest on the roof of the canteen.", error=error)
        for question in ("how do I deploy the gateway", "how do I deploy the gateway after an error"):
            assert refs(ask(alice, now, question))[0] == ship.ref
        assert refs(ask(alice, now, error))[0] == hostile.ref


class TestTheText:
    """Names the error that a note is about, where the note does not."""

    def told(self, by: Member, now: datetime, text: str) -> str:
        return build_answer(ask=Ask(text), max_tokens=800, by=by, now=now).packed.text

    def test_of_a_note_that_does_not_say_it(self, known: dict[str, str], bob: Member, now: datetime) -> None:
        text = self.told(bob, now, "No space left on device")
        assert "\nFor the error: OSError: [Errno 28] No space left on device\n" in text

    def test_of_one_that_says_it_itself(
        self, library: dict[str, str], alice: Member, bob: Member, now: datetime
    ) -> None:
        body = "OSError: No space left on device means that the runner is full: prune images weekly."
        make_insight(alice, now=now, body=body, error=ERRORS["python"][0])
        assert "For the error" not in self.told(bob, now, "No space left on device")


class TestAnErrorThatIsKnown:
    def test_leaves_the_question_to_its_own_words(self, known: dict[str, str], bob: Member, now: datetime) -> None:
        error = ERRORS["go"][0].replace("/home/ann", "/opt")
        found = ask(bob, now, "why does celery beat fire twice", error=error)
        assert (refs(found)[0], exact(found)) == (known["go"], 1.0)
        assert np.allclose(found.vector, ask(bob, now, "why does celery beat fire twice").vector)

    def test_joins_its_words_where_it_is_not_asked_for(self, known: dict[str, str], bob: Member, now: datetime) -> None:
        plain = ask(bob, now, "why does celery beat fire twice", kinds=["PITFALL"])
        found = ask(bob, now, "why does celery beat fire twice", kinds=["PITFALL"], error=ERRORS["go"][0])
        assert not np.allclose(found.vector, plain.vector)

    def test_of_another_team_is_not(self, known: dict[str, str], charlie: Member, now: datetime) -> None:
        make_insight(charlie, body="Our own index is rebuilt at night.", team="mobile")
        for given in ERRORS["go"][:2]:
            found = ask(charlie, now, "what is this", error=given, trim=False)
            assert not set(refs(found)) & set(known.values())


class TestAQuestionWithoutAnError:
    @pytest.mark.parametrize("text", ["why does celery beat fire twice", "why\n\n- does beat\n- fire twice"])
    def test_is_searched_as_it_came(self, known: dict[str, str], bob: Member, now: datetime, text: str) -> None:
        assert np.array_equal(ask(bob, now, text).vector, current().embed([text])[0])


class TestStatements:
    def test_are_as_many_with_an_error_as_without(self, known: dict[str, str], bob: Member, now: datetime) -> None:
        def statements(**over: Any) -> int:
            with CaptureQueriesContext(connection) as caught:
                ask(bob, now, "why does celery beat fire twice", **over)
            return len(caught)

        ask(bob, now, "celery beat", error=ERRORS["go"][0])
        plain = statements()
        for error in ERRORS["go"][:2]:
            assert statements(error=error) == plain


class TestMessages:
    def test_are_anchors_beside_the_fingerprint(self, alice: Member) -> None:
        row = make_insight(alice, error=ERRORS["python"][1])
        kinds = dict(row.anchors.values_list("kind", "value"))
        assert kinds["message"] == "OSError: [Errno 28] No space left on device"
        assert set(kinds) == {"error", "message"}

    def test_are_made_for_what_was_there_before(self, alice: Member) -> None:
        row = make_insight(alice, error=ERRORS["java"][1])
        made = list(row.anchors.order_by("pk").values_list("kind", "value", "recipe"))
        row.anchors.filter(kind="message").delete()
        migration = import_module("knowledge.migrations.0029_messages_of_errors")
        for _ in range(2):
            migration.create(apps, None)
            assert list(row.anchors.order_by("pk").values_list("kind", "value", "recipe")) == made
        migration.remove(apps, None)
        assert not Anchor.objects.filter(kind="message").exists()

    def test_and_the_other_lines_are_made_for_what_was_there_before(self, alice: Member) -> None:
        row = make_insight(alice, error="Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137")
        made = set(row.anchors.values_list("kind", "value", "recipe"))
        assert ("message", "Last State: Terminated", "errors-1") in made
        row.anchors.filter(kind="message").delete()
        migration = import_module("knowledge.migrations.0060_lines_of_errors")
        for _ in range(2):
            migration.create(apps, None)
            assert set(row.anchors.values_list("kind", "value", "recipe")) == made

    def test_are_made_again_for_a_fault_that_has_a_name(self, alice: Member) -> None:
        row = make_insight(alice, error="Servo drive SD-4 fault F0451 during homing")
        made = set(row.anchors.values_list("kind", "value"))
        assert ("message", "Servo drive SD fault F0451 during homing") in made
        row.anchors.filter(kind="error").update(value="0" * 32)
        row.anchors.filter(kind="message").update(value="Servo drive SD fault F during homing")
        migration = import_module("knowledge.migrations.0061_named_faults")
        for _ in range(2):
            migration.rebuild(apps, None)
            assert set(row.anchors.values_list("kind", "value")) == made

    def test_of_another_fault_are_no_exact_match(self, alice: Member, now: datetime) -> None:
        make_insight(alice, body="Re-seat the encoder cable.", error="Drive SD-4 fault F0451 during homing")
        own = make_insight(alice, body="Swap the brake resistor.", error="Drive SD-4 fault F0907 during homing")
        found = ask(alice, now, "drive stops", error="Drive SD-2 fault F0907 during homing")
        assert [hit.insight.ref for hit in found.hits][:1] == [own.ref]
