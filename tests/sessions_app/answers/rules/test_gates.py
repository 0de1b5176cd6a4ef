"""The six gates, by a table of prompts written before the rules were tuned."""

import itertools
import random
from time import process_time

from sessions_app.answers.rules.gates import Gate, GateVerdict, Mode, judge, read, telling, topic
from sessions_app.answers.rules.gates_words import SMALL, SOCIAL
from tests.cases import cases

SHORT, SLASH, SOCIAL_GATE = Gate.MIN_CHARS, Gate.SLASH_COMMAND, Gate.CONVERSATIONAL
LOW, MODE, SAME, OPEN = Gate.LOW_SIGNAL, Gate.MODE, Gate.TOPIC_CHANGE, Gate.OPEN
UNKNOWN = Gate.NOTHING_RELEVANT
BEFORE = "How do we retry webhooks when the billing provider times out?"

# (prompt, the gate that stops it where the team has notes on nothing it names, its mode when it comes to that). `SAME`
# ones are asked after BEFORE was surfaced.
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
    ("make it better and cleaner please", MODE, Mode.EXECUTING),
    ("something is wrong with this thing", MODE, Mode.EXECUTING),
    ("can you look at this one again?", MODE, Mode.EXECUTING),
    ("what should we do about that then?", LOW, None),
    ("I don't like how this looks at all", MODE, Mode.EXECUTING),
    ("it does not work, please try once more", LOW, None),
    ("do the same for the other two as well", LOW, None),
    ("Fix the flaky test in tests/importer/test_load.py", UNKNOWN, Mode.EXPLORING),
    ("Add a retry to the webhook client and run the tests", UNKNOWN, Mode.EXECUTING),
    ("please rename UserProfile to Account everywhere", UNKNOWN, Mode.EXECUTING),
    ("Can you write a migration that adds an index on orders.created_at?", UNKNOWN, Mode.EXECUTING),
    ("implement pagination for GET /api/orders", UNKNOWN, Mode.EXECUTING),
    ("now delete the old reducer and update the imports", UNKNOWN, Mode.EXECUTING),
    ("I want you to bump Django to 5.2 and regenerate the lock file", UNKNOWN, Mode.EXECUTING),
    ("great, thanks. commit that with a message about the cache headers", UNKNOWN, Mode.EXECUTING),
    ("run pytest -k importer and show me the output", UNKNOWN, Mode.EXECUTING),
    ("Refactor the OrderExportJob so that it uses keyset pagination", UNKNOWN, Mode.EXECUTING),
    ("could you please move the constants into settings.py?", UNKNOWN, Mode.EXECUTING),
    ("Revert the last commit on the release branch", UNKNOWN, Mode.EXECUTING),
    ("go ahead and deploy the importer to staging", UNKNOWN, Mode.EXECUTING),
    ("Create a new React component for the billing form, then write tests for it", UNKNOWN, Mode.EXECUTING),
    ("Bitte schreibe einen Test für den CSV-Import", UNKNOWN, Mode.EXECUTING),
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
    ("The worker gets OOM-killed when it parses the 9 GB customer file", UNKNOWN, Mode.EXPLORING),
    ("TypeError: Cannot read properties of undefined (reading 'map')", UNKNOWN, Mode.EXPLORING),
    ("I am thinking about moving the queue from Celery to plain PostgreSQL", OPEN, Mode.EXPLORING),
    ("What did we decide about feature flags last week?", OPEN, Mode.REFLECTING),
    ("Where did we leave off yesterday?", OPEN, Mode.REFLECTING),
    ("Looking back, what went wrong with the Jenkins migration?", OPEN, Mode.REFLECTING),
    ("and what about dead letters in RabbitMQ", OPEN, Mode.EXPLORING),
    ("more on connection pooling with pgbouncer", UNKNOWN, Mode.EXECUTING),
    ("the same for the TypeScript client's retry policy", UNKNOWN, Mode.EXECUTING),
    ("Warum bricht der nächtliche Export bei großen Shops ab?", OPEN, Mode.EXPLORING),
    ("What would break if we upgraded to Django 5.2?", OPEN, Mode.EXPLORING),
    ("Which of our services still use the v1 billing API?", OPEN, Mode.EXPLORING),
]


def verdict(prompt: str, last: frozenset[str] = frozenset(), known: frozenset[str] = frozenset()) -> GateVerdict:
    return judge(read(prompt), known=known, last=last)


class TestJudge:
    @cases(("prompt", "gate", "mode"), PROMPTS)
    def test_stops_or_opens(self, prompt: str, gate: Gate, mode: Mode | None) -> None:
        told = verdict(prompt, last=topic(BEFORE) if gate is SAME else frozenset())
        assert (told.gate, told.mode) == (gate, mode)
        assert told.reason.endswith(".")

    def test_has_sixty_prompts_and_each_gate(self) -> None:
        assert len(PROMPTS) >= 60
        assert {gate for _, gate, _ in PROMPTS} == {*Gate} - {Gate.NOTHING_NEW}

    def test_lets_an_order_through_when_the_team_has_notes_on_what_it_names(self) -> None:
        orders = [prompt for prompt, gate, mode in PROMPTS if mode is Mode.EXECUTING and gate is UNKNOWN]
        assert len(orders) >= 15
        for prompt in orders:
            subject = read(prompt).subject
            opens = bool(subject.names) or len(subject.words) > 1
            assert (verdict(prompt, known=subject.terms).gate is OPEN) is opens, prompt

    def test_needs_a_name_or_two_words_that_the_team_has_notes_on(self) -> None:
        prompt = "Refactor the nightly billing export in jobs/export_orders.py"
        assert verdict(prompt, known=frozenset({"bill"})).gate is UNKNOWN
        assert verdict(prompt, known=frozenset({"bill", "export"})).gate is OPEN
        assert verdict(prompt, known=frozenset({"jobs/export_orders.py"})).gate is OPEN

    def test_lets_the_first_prompt_of_a_session_ask_the_memory(self) -> None:
        reading = read("Refactor the nightly billing export")
        assert judge(reading, known=frozenset(), first=True).gate is OPEN
        assert judge(read("run it again, please, and push"), known=frozenset(), first=True).gate is MODE

    def test_suppresses_most_of_a_working_day(self) -> None:
        """The table is not a day, but the gates that are passed by nothing would be of no use either."""
        through = [prompt for prompt, _, _ in PROMPTS if verdict(prompt).gate is OPEN]
        assert 0 < len(through) <= len(PROMPTS) / 2


class TestSocialWords:
    def test_are_stopped_however_they_are_combined(self) -> None:
        rng = random.Random(7)
        words = sorted(SOCIAL)
        for length, _ in itertools.product((5, 8, 13, 40), range(100)):
            prompt = " ".join(rng.choices(words, k=length))
            assert verdict(prompt).gate in (SHORT, SOCIAL_GATE), prompt

    def test_are_stopped_with_small_words_between_them(self) -> None:
        rng = random.Random(8)
        words = sorted(SOCIAL | SMALL)
        for length, _ in itertools.product((5, 8, 13, 40), range(100)):
            prompt = " ".join(rng.choices(words, k=length))
            assert verdict(prompt).gate in (SHORT, SOCIAL_GATE, LOW, MODE), prompt

    @cases(
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
        assert verdict(prompt).gate is SOCIAL_GATE

    def test_do_not_hide_a_question(self) -> None:
        assert verdict("ok thanks, and why does pgbouncer drop prepared statements?").gate is OPEN


class TestTelling:
    def test_leaves_out_what_most_notes_say(self) -> None:
        assert telling(100, {"celeri": 20, "shop": 21, "sourdough": 0}) == {"celeri"}

    def test_takes_a_team_with_few_notes_at_its_word(self) -> None:
        assert telling(6, {"celeri": 5}) == {"celeri"}


class TestTopic:
    def test_is_what_a_prompt_is_about(self) -> None:
        assert topic("Please, how do we retry the webhooks?") == topic("webhooks retry")

    def test_is_new_at_exactly_the_threshold(self) -> None:
        """Jaccard above .35 is the same topic: 7 of 20 words is .35 and passes, 8 of 20 does not."""
        words = [f"word{chr(97 + n)}{chr(98 + n)}" for n in range(20)]
        shared = "How about " + " ".join(words[:20])
        assert verdict(shared, last=frozenset(topic(" ".join(words[:7])))).gate is OPEN
        assert verdict(shared, last=frozenset(topic(" ".join(words[:8])))).gate is SAME


class TestHostilePrompts:
    @cases("prompt", ["please " * 3_000, "a" * 20_000, "fix " * 5_000, "?" * 20_000, "ok " * 6_000, "x_y." * 5_000])
    def test_are_judged_in_linear_time(self, prompt: str) -> None:
        began = process_time()
        verdict(prompt)
        assert process_time() - began < 1


def test_a_reason_has_words_as_they_were_typed() -> None:
    reading = read("Why does every scheduled migration of read_csv stop?")
    told = judge(reading, known=reading.subject.terms - reading.subject.names)
    assert told.reason.endswith("insights on: csv, every, migration, scheduled.")
