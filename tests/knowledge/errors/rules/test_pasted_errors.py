"""A question with an error pasted into it."""

from hypothesis import given

from knowledge.errors.rules.fingerprint import fingerprint
from knowledge.errors.rules.pasted_errors import SplitQuestion, split_question
from tests.cases import cases
from tests.knowledge.errors.rules.test_fingerprint import ERRORS
from tests.knowledge.errors.rules.test_fingerprint_traces import CASES, Case

BEFORE = "The nightly job fails since Monday, I see this:"
AFTER = "What did we do about it last time?"


class TestPart:
    @cases("case", CASES, ids=str)
    def test_finds_the_error_of_every_language_between_sentences(self, case: Case) -> None:
        for error in (case.here, case.there):
            for text, question in (
                (f"{BEFORE}\n{error}\n{AFTER}", f"{BEFORE}\n{AFTER}"),
                (f"{AFTER}\n\n{error}", AFTER),
                (f"{BEFORE}\n```\n{error}\n```\n{AFTER}", f"{BEFORE}\n{AFTER}"),
                (error, ""),
            ):
                found = split_question(text)
                assert found.question == question
                assert fingerprint(found.error) == fingerprint(error)

    @cases(
        ("text", "question", "error"),
        [
            (
                "npm run build fails\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1\nany idea",
                "npm run build fails\nany idea",
                "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1",
            ),
            (
                "2024-05-01 10:22:33,123 ERROR [w] could not lock\nwhy",
                "why",
                "2024-05-01 10:22:33,123 ERROR [w] could not lock",
            ),
            ("Why `KeyError: 'tenant'` in the export?", "Why in the export?", "KeyError: 'tenant'"),
            ("What is this: OSError: [Errno 28] disk full", "What is this", "OSError: [Errno 28] disk full"),
            ('How to fix: "ValueError: bad page"', "How to fix", "ValueError: bad page"),
            (
                "OSError: [Errno 28] No space left on device: '/x'",
                "",
                "OSError: [Errno 28] No space left on device: '/x'",
            ),
            ("bash: kubectl: command not found", "", "bash: kubectl: command not found"),
            ("make: *** [all] Error 2\nthe build broke", "the build broke", "make: *** [all] Error 2"),
        ],
    )
    def test_of_shorter_output(self, text: str, question: str, error: str) -> None:
        assert split_question(text) == SplitQuestion(question, error)

    @cases(
        "text",
        [
            "celery beat fires twice",
            "How do I fix OSError: [Errno 28] No space left on device?",
            "ImportError: how do we avoid it?",
            "Why does a KeyError in the worker end the run",
            "Uncaught exceptions in the worker",
            "Exit code handling in bash",
            "Errors are searched by their words\n- at noon (UTC)\n#1 priority is retries",
            "one\n\n  two\n\n```\nmake test\n```\n",
            "",
            "\n",
        ],
    )
    def test_leaves_a_question_as_it_is(self, text: str) -> None:
        assert split_question(text) == SplitQuestion(text)

    @given(ERRORS)
    def test_keeps_every_line_once(self, text: str) -> None:
        found = split_question(text)
        if not found.error:
            assert found.question == text
        for line in found.error.split("\n"):
            assert line.strip() in text
