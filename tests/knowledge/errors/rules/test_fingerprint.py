"""What every fingerprint promises, whatever the text."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.errors.rules.fingerprint import (
    MESSAGE_LENGTH,
    RECIPE,
    TEMPLATE_LENGTH,
    Fingerprint,
    fingerprint,
    messages,
    telling_messages,
)
from tests.cases import cases

# Parts of errors of many languages: random texts alone would hardly ever meet a reader or a pattern.
PARTS = [
    *("Traceback (most recent call last):\n", '  File "/home/ann/a.py", line 4, in run\n', "KeyError: 'x'\n"),
    *("    at f (/srv/a.js:1:2)\n", "Caused by: ", "java.io.IOException: ", "Uncaught ", "panic: ", "goroutine 1\n"),
    *("thread 'main' panicked at 'no', src/a.rs:1:2\n", "a.rb:1:in `f': no (NoMethodError)\n", "#0 0x1f in f a.c:1\n"),
    *("E   assert\n", "error: ", "error[E0308]: ", " --> a.rs:1:2\n", "2024-01-02T03:04:05Z ", "[ERROR] ", "<num>"),
    *("<host> ", "<time> ", "10.0.0.7:80", "::1", "0x1f", "-17", "1,024", "3 errors", "5 KB", "1m3s", "v1.2.3"),
    *("/a/b.csv", "C:\\a\\b.py:4", "./x", "a/b", "https://a.com/x", "a@b.com", "a.b.com", "u32", "x7", "abc123def"),
    *("'", '"', "`", "(", ")", "=", ":", " ", "\n", "\t", ",", "<", ">", "{", "}", "@", "|", "-", "$", "\x1b[31m", "é"),
    *("for user ", "message: ", "status 404", "code 5", "GET /a/17 ", " HTTP/1.1", "exit code 1", "12:30:01", "not "),
]
ERRORS = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(PARTS), max_size=40).map("".join),
    st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=6)), max_size=30).map("".join),
)


class TestFingerprint:
    def test_names_its_recipe(self):
        found = fingerprint("ValueError: bad page")
        assert found is not None
        assert (found.recipe, RECIPE) == ("errors-1", "errors-1")

    def test_has_a_digest_that_stays_what_it_is(self):
        """A stored digest is compared with a new one: this value may change only together with the recipe."""
        assert fingerprint("ValueError: bad page 17") == Fingerprint(
            digest="c900d85b4e2ac7e30f409f4e145159f6", template="ValueError: bad page <num>", recipe="errors-1"
        )

    @cases("text", ["", "  \n\t", "17", "0x1f 10.0.0.7", "---", "\x00"])
    def test_is_none_for_a_text_without_a_word(self, text: str):
        assert fingerprint(text) is None

    def test_knows_a_key_error_again_on_another_machine(self):
        trace = 'Traceback (most recent call last):\n  File "/home/%s/app/worker.py", line %d, in run_job\nKeyError: %r'
        here = fingerprint(trace % ("ann", 41, "acme_tenant"))
        assert here == fingerprint(trace % ("bob", 97, "acme_tenant"))
        assert here != fingerprint(trace % ("bob", 97, "other_tenant"))
        assert fingerprint(trace % ("ann", 41, "Jane Doe")) == fingerprint(trace % ("ann", 41, "John Roe"))

    def test_ignores_colours_and_what_a_logger_puts_before(self):
        plain = fingerprint("Cannot find package 'left-pad'")
        assert fingerprint("\x1b[31mCannot find package\x1b[0m 'left-pad'") == plain
        assert fingerprint("2024-05-01 10:22:33,123 ERROR [worker-3] Cannot find package 'left-pad'") == plain
        assert fingerprint("May  1 10:22:33 Cannot find package ‘left-pad’") == plain

    def test_of_a_long_log_takes_the_lines_that_speak_of_an_error(self):
        log = "Collecting torch\n" * 50 + "Could not find a version of torch\n" + "Cleaning up\n" * 50
        assert fingerprint(log) == fingerprint("Could not find a version of torch")

    def test_reads_a_heading_together_with_what_it_heads(self):
        assert fingerprint("Error:\nthe well is dry") != fingerprint("Error:\nthe well is deep")

    def test_finds_the_error_at_the_end_of_a_very_long_trace(self):
        frames = '  File "/srv/app/deep.py", line 7, in again\n' * 5000
        trace = f"Traceback (most recent call last):\n{frames}RecursionError: maximum recursion depth exceeded"
        found = fingerprint(trace)
        assert found is not None
        assert found.template == "RecursionError: maximum recursion depth exceeded @ again deep.py"


class TestMessages:
    @cases(
        ("error", "said"),
        [
            (
                "OSError: [Errno 28] No space left on device: '/srv/a.csv'",
                "OSError: [Errno 28] No space left on device",
            ),
            ("OSError: [Errno 28] No space left on device", "OSError: [Errno 28] No space left on device"),
            (
                'Traceback (most recent call last):\n  File "/a/b.py", line 4, in run\nOSError: [Errno 28] No space'
                " left on device: 'C:\\x\\y.bin'",
                "OSError: [Errno 28] No space left on device",
            ),
            (
                'psycopg.OperationalError: connection to server at "10.0.0.7", port 5432 failed: too many clients',
                "psycopg.OperationalError: connection to server at port failed: too many clients",
            ),
            ("src/main.c:12:5: error: 'count' undeclared", "error: 'count' undeclared"),
            ("./deploy.sh: line 12: kubectl: command not found", "kubectl: command not found"),
            (
                "panic: runtime error: index out of range [5] with length 3",
                "panic: runtime error: index out of range with length",
            ),
            ("error: failed to push some refs to 'git@github.com:acme/shop.git'", "error: failed to push some refs to"),
            ("segfault at 7f1e ip 00007f1e sp 00007ffd error 4", "segfault at ip sp error 4"),
        ],
    )
    def test_are_what_is_said_without_what_varies(self, error: str, said: str):
        assert messages(error) == (said,)

    def test_are_of_the_whole_chain(self):
        trace = (
            "App: stopped\njava.lang.IllegalStateException: no order 17\n\tat a.B.c(B.java:4)\n"
            "Caused by: java.io.IOException: pipe\n\tat a.B.d(B.java:9)"
        )
        assert messages(trace) == ("java.lang.IllegalStateException: no order", "java.io.IOException: pipe")

    def test_are_cut_between_words(self):
        [said] = messages("ValueError: " + "word " * 200)
        assert len(said) <= MESSAGE_LENGTH
        assert said.endswith("word")

    @cases("error", ["", "17", "---", "/a/b.csv"])
    def test_are_none_where_nothing_is_said(self, error: str):
        assert messages(error) == ()

    @cases(
        ("error", "telling"),
        [
            ("OSError: [Errno 28] No space left on device", True),
            ("KeyError: 'tenant_id'", True),
            ("bash: kubectl: command not found", True),
            ("npm ERR! code ERESOLVE", True),
            ("KeyError: 'id'", False),
            ("AssertionError", False),
            ("assert 3 == 4", False),
            ("Killed", False),
        ],
    )
    def test_are_telling_if_they_say_more_than_the_type(self, error: str, telling: bool):
        assert bool(telling_messages(error)) is telling


class TestEveryText:
    @given(ERRORS)
    @settings(max_examples=400, deadline=None)
    def test_has_a_template_that_is_its_own_template(self, text: str):
        found = fingerprint(text)
        if found:
            assert fingerprint(found.template) == found

    @given(ERRORS)
    @settings(max_examples=200, deadline=None)
    def test_has_a_short_template_of_one_line(self, text: str):
        found = fingerprint(text)
        if found:
            assert len(found.template) <= TEMPLATE_LENGTH
            assert found.template.splitlines() == [found.template]

    @cases("part", PARTS)
    def test_takes_linear_time(self, part: str):
        """100 KB of one part repeated, the way a regular expression is made to backtrack; usually below 50 ms."""
        text = part * (100_000 // len(part))
        start = time.process_time()
        fingerprint(text)
        assert time.process_time() - start < 1.0
