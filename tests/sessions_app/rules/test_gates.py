"""The six gates, by a table of prompts written before the rules were tuned."""

import itertools
import random
from time import process_time

import pytest

from sessions_app.rules.gates import Gate, Mode, judge, topic
from sessions_app.rules.gates_words import SMALL, SOCIAL

SHORT, SLASH, SOCIAL_GATE = Gate.MIN_CHARS, Gate.SLASH_COMMAND, Gate.CONVERSATIONAL
LOW, MODE, SAME, OPEN = Gate.LOW_SIGNAL, Gate.MODE, Gate.TOPIC_CHANGE, Gate.OPEN
BEFORE = "How do we retry webhooks when the billing provider times out?"

# (prompt, the gate that stops it, its mode when it comes to that). `SAME` ones are asked after BEFORE was surfaced.
PROMPTS = [
    ("ok", SHORT, None),
    ("why?", SHORT, None),
    ("fix the csv import", SHORT, None),
    ("   \n  pgbouncer?  \n  ", SHORT, None),
    ("y" * 19, SHORT, None),
    ("/help me with this please now", SLASH, None),
    ("/review the importer in src/load.py", SLASH, None),
    ("  /commit everything that is staged", SLASH, None),
    ("ok thanks that sounds good to me now", SOCIAL_GATE, None),
    ("thank you so much, that was really great work!", SOCIAL_GATE, None),
    ("Yes please, go ahead and do it.", SOCIAL_GATE, None),
    ("good morning, how are you doing today?", SOCIAL_GATE, None),
    ("thaaaanks!!! you are the best 🎉🎉🎉", SOCIAL_GATE, None),
    ("hmm ok, let me think about it for a moment", SOCIAL_GATE, None),
    ("no worries, take your time and continue", SOCIAL_GATE, None),
    ("perfect, LGTM, ship it 👍 see you tomorrow", SOCIAL_GATE, None),
    ("vielen Dank, das sieht sehr gut aus!", SOCIAL_GATE, None),
    ("merci beaucoup, c'est très bien comme ça", SOCIAL_GATE, None),
    ("make it better and cleaner please", LOW, None),
    ("something is wrong with this thing", LOW, None),
    ("can you look at this one again?", LOW, None),
    ("what should we do about that then?", LOW, None),
    ("I don't like how this looks at all", LOW, None),
    ("it does not work, please try once more", LOW, None),
    ("do the same for the other two as well", LOW, None),
    ("Fix the flaky test in tests/importer/test_load.py", MODE, Mode.EXECUTING),
    ("Add a retry to the webhook client and run the tests", MODE, Mode.EXECUTING),
    ("please rename UserProfile to Account everywhere", MODE, Mode.EXECUTING),
    ("Can you write a migration that adds an index on orders.created_at?", MODE, Mode.EXECUTING),
    ("implement pagination for GET /api/orders", MODE, Mode.EXECUTING),
    ("now delete the old reducer and update the imports", MODE, Mode.EXECUTING),
    ("I want you to bump Django to 5.2 and regenerate the lock file", MODE, Mode.EXECUTING),
    ("great, thanks. commit that with a message about the cache headers", MODE, Mode.EXECUTING),
    ("run pytest -k importer and show me the output", MODE, Mode.EXECUTING),
    ("Refactor the OrderExportJob so that it uses keyset pagination", MODE, Mode.EXECUTING),
    ("could you please move the constants into settings.py?", MODE, Mode.EXECUTING),
    ("Revert the last commit on the release branch", MODE, Mode.EXECUTING),
    ("go ahead and deploy the importer to staging", MODE, Mode.EXECUTING),
    ("Create a new React component for the billing form, then write tests for it", MODE, Mode.EXECUTING),
    ("Bitte schreibe einen Test für den CSV-Import", MODE, Mode.EXECUTING),
    ("thanks so much for the help with kafka, you are great", MODE, Mode.SOCIALIZING),
    ("good morning! hope you had a nice weekend in Berlin", MODE, Mode.SOCIALIZING),
    ("How do we retry webhooks if the billing provider times out?", SAME, Mode.EXPLORING),
    ("When the billing provider times out, how are webhooks retried?", SAME, Mode.EXPLORING),
    ("Tell me more about webhook retries and billing provider timeouts", SAME, Mode.EXPLORING),
    ("How should I think about memory when the importer reads a large CSV file?", OPEN, Mode.EXPLORING),
    ("Why does the nightly export time out for large shops?", OPEN, Mode.EXPLORING),
    ("What is the best way to paginate the orders API?", OPEN, Mode.EXPLORING),
    ("Is there a reason we use pgbouncer in transaction mode?", OPEN, Mode.EXPLORING),
    ("Explain the trade-offs between Redis and PostgreSQL for sessions", OPEN, Mode.EXPLORING),
    ("The worker gets OOM-killed when it parses the 9 GB customer file", OPEN, Mode.EXPLORING),
    ("TypeError: Cannot read properties of undefined (reading 'map')", OPEN, Mode.EXPLORING),
    ("I am thinking about moving the queue from Celery to plain PostgreSQL", OPEN, Mode.EXPLORING),
    ("What did we decide about feature flags last week?", OPEN, Mode.REFLECTING),
    ("Where did we leave off yesterday?", OPEN, Mode.REFLECTING),
    ("Looking back, what went wrong with the Jenkins migration?", OPEN, Mode.REFLECTING),
    ("and what about dead letters in RabbitMQ", OPEN, Mode.EXPLORING),
    ("more on connection pooling with pgbouncer", OPEN, Mode.DEEPENING),
    ("the same for the TypeScript client's retry policy", OPEN, Mode.DEEPENING),
    ("Warum bricht der nächtliche Export bei großen Shops ab?", OPEN, Mode.EXPLORING),
    ("What would break if we upgraded to Django 5.2?", OPEN, Mode.EXPLORING),
    ("Which of our services still use the v1 billing API?", OPEN, Mode.EXPLORING),
]


class TestJudge:
    @pytest.mark.parametrize(("prompt", "gate", "mode"), PROMPTS)
    def test_stops_or_opens(self, prompt: str, gate: Gate, mode: Mode | None) -> None:
        verdict = judge(prompt, last=topic(BEFORE) if gate is SAME else frozenset())
        assert (verdict.gate, verdict.mode) == (gate, mode)
        assert verdict.reason.endswith(".")

    def test_has_sixty_prompts_and_each_gate(self) -> None:
        assert len(PROMPTS) >= 60
        assert {gate for _, gate, _ in PROMPTS} == {*Gate} - {Gate.NOTHING_RELEVANT, Gate.NOTHING_NEW}

    def test_lets_few_through_that_only_want_something_done(self) -> None:
        executing = [prompt for prompt, _, mode in PROMPTS if mode is Mode.EXECUTING]
        through = [prompt for prompt in executing if judge(prompt).gate is OPEN]
        assert len(executing) >= 15
        assert len(through) <= 0.2 * len(executing)

    def test_suppresses_most_of_a_working_day(self) -> None:
        """The table is not a day, but the gates that are passed by nothing would be of no use either."""
        through = [prompt for prompt, _, _ in PROMPTS if judge(prompt).gate is OPEN]
        assert 0 < len(through) <= len(PROMPTS) / 2


class TestSocialWords:
    def test_are_stopped_however_they_are_combined(self) -> None:
        rng = random.Random(7)
        words = sorted(SOCIAL)
        for length, _ in itertools.product((5, 8, 13, 40), range(100)):
            prompt = " ".join(rng.choices(words, k=length))
            assert judge(prompt).gate in (SHORT, SOCIAL_GATE), prompt

    def test_are_stopped_with_small_words_between_them(self) -> None:
        rng = random.Random(8)
        words = sorted(SOCIAL | SMALL)
        for length, _ in itertools.product((5, 8, 13, 40), range(100)):
            prompt = " ".join(rng.choices(words, k=length))
            assert judge(prompt).gate in (SHORT, SOCIAL_GATE, LOW), prompt

    @pytest.mark.parametrize(
        "prompt",
        [
            "OK. THANKS! THAT SOUNDS GOOD TO ME.",
            "ok,thanks,that,sounds,good,to,me,now",
            "ok... thanks... that sounds good... to me... now...",
            "okkk thankssss thaaat sounds goooood to me",
            "ok thanks that sounds good to me now 🙏🙏🙏 :-) <3",
            "ok\nthanks\nthat sounds good\nto me now",
            "“ok” thanks — that sounds good; to me, now",
            "ok thanks that’s good, it’s great, you’re awesome",
            "**ok** _thanks_ that sounds `good` to me now",
            "ók thânks that sounds gööd to me now",
        ],
    )
    def test_are_stopped_however_they_are_written(self, prompt: str) -> None:
        assert judge(prompt).gate is SOCIAL_GATE

    def test_do_not_hide_a_question(self) -> None:
        assert judge("ok thanks, and why does pgbouncer drop prepared statements?").gate is OPEN


class TestTopic:
    def test_is_what_a_prompt_is_about(self) -> None:
        assert topic("Please, how do we retry the webhooks?") == topic("webhooks retry")

    def test_is_new_at_exactly_the_threshold(self) -> None:
        """Jaccard above .35 is the same topic: 7 of 20 words is .35 and passes, 8 of 20 does not."""
        words = [f"word{chr(97 + n)}{chr(98 + n)}" for n in range(20)]
        shared = "How about " + " ".join(words[:20])
        assert judge(shared, last=frozenset(topic(" ".join(words[:7])))).gate is OPEN
        assert judge(shared, last=frozenset(topic(" ".join(words[:8])))).gate is SAME


class TestHostilePrompts:
    @pytest.mark.parametrize(
        "prompt", ["please " * 3_000, "a" * 20_000, "fix " * 5_000, "?" * 20_000, "ok " * 6_000, "x_y." * 5_000]
    )
    def test_are_judged_in_linear_time(self, prompt: str) -> None:
        began = process_time()
        judge(prompt)
        assert process_time() - began < 1
