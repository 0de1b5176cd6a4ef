"""The one reader of English: figures, names, paths, negations and announced changes, by tables."""

from time import perf_counter

from hypothesis import given
from hypothesis import strategies as st

from knowledge.judging.rules.reading import LONGEST, MOST_SENTENCES, Reading, Sentence, figures_by_dimension, read
from tests.cases import cases

# The slowest hostile text below takes a few hundredths of a second; the rest is for a busy machine.
SLOW = 1.0


def one(text: str) -> Sentence:
    [sentence] = read(text).sentences
    return sentence


class TestFigures:
    @cases(
        ("text", "figures"),
        [
            ("Wait 30 s here.", {"time:30"}),
            ("Wait 30s here.", {"time:30"}),
            ("The 30-second timeout.", {"time:30"}),
            ("Wait 500 ms here.", {"time:0.5"}),
            ("Wait 0.5 seconds here.", {"time:0.5"}),
            ("Wait 5 minutes here.", {"time:300"}),
            ("Wait 300 s here.", {"time:300"}),
            ("Wait 1.5 h here.", {"time:5400"}),
            ("Kept 2 weeks here.", {"time:1209600"}),
            ("At 80 % load.", {"share:80"}),
            ("At 80% load.", {"share:80"}),
            ("At 80 percent load.", {"share:80"}),
            ("Port 8080 is open.", {"count:8080"}),
            ("Some 1,000 rows.", {"count:1000"}),
            ("Some 1_000 rows.", {"count:1000"}),
            ("Answer HTTP 429.", {"count:429"}),
            ("Set timeout=30 here.", {"count:30"}),
            ("Python 3.12.1 is needed.", {"version:3.12.1"}),
            ("Python v3.12.1 is needed.", {"version:3.12.1"}),
            ("The API v2 is meant.", {"version:2"}),
            ("Python 3.1 is needed.", {"count:3.1"}),
            ("Python 3.10 is needed.", {"count:3.10"}),
            ("The timeout is in seconds.", {"unit:second"}),
            ("The timeout is in milliseconds.", {"unit:millisecond"}),
            ("The build min is fine.", set()),
            ("No number at all.", set()),
            ("Not this one, the other one.", set()),
            ("Lifts run at 9 m/s.", {"rate:9 m/s"}),
            ("Lifts run at 9m/s there.", {"rate:9 m/s"}),
            ("It takes 1,000 req/s.", {"rate:1000 req/s"}),
            ("A sha256sum is not a figure.", set()),
        ],
    )
    def test_have_a_dimension_and_a_value(self, text: str, figures: set[str]) -> None:
        assert one(text).figures == figures

    @cases(
        ("spelled", "digits"),
        [
            ("Wait thirty seconds.", "Wait 30 seconds."),
            ("Wait Two minutes.", "Wait 2 minutes."),
            ("Wait one minute.", "Wait 1 minute."),
            ("A one-hour timeout.", "A 1-hour timeout."),
            ("Some one thousand rows.", "Some 1000 rows."),
            ("Keep twelve copies.", "Keep 12 copies."),
            ("Up to two hundred MB.", "Up to 200 MB."),
            ("Up to a hundred rows.", "Up to 100 rows."),
            ("Up to a thousand rows.", "Up to 1000 rows."),
            ("Up to 30k rows.", "Up to 30000 rows."),
            ("Up to 5 million rows.", "Up to 5000000 rows."),
            ("Up to 30,000 rows.", "Up to 30000 rows."),
            ("Keep 2 GB free.", "Keep 2 GiB free."),
            ("Keep 2 GB free.", "Keep 2048 MB free."),
        ],
    )
    def test_are_the_same_however_they_are_written(self, spelled: str, digits: str) -> None:
        assert one(spelled).figures == one(digits).figures != frozenset()

    @cases(
        ("this", "that"),
        [("30 s", "30 ms"), ("30 s", "30 %"), ("30 MB", "30 s"), ("30", "30 s"), ("3.1", "3.10"), ("v2", "2")],
    )
    def test_of_two_dimensions_are_two(self, this: str, that: str) -> None:
        assert one(f"It is {this} now.").figures != one(f"It is {that} now.").figures

    def test_are_sorted_by_dimension(self) -> None:
        assert figures_by_dimension(["time:30", "count:5", "time:60"]) == {
            "time": {"time:30", "time:60"},
            "count": {"count:5"},
        }

    def test_of_units_are_sorted_by_what_they_measure(self) -> None:
        assert figures_by_dimension(["unit:second", "unit:metre", "unit:minute"]) == {
            "unit of time": {"unit:second", "unit:minute"},
            "unit of length": {"unit:metre"},
        }

    def test_are_kept_with_the_words_next_to_them(self) -> None:
        assert one("Build with Node 16 on 4 runners.").counted == {("node", "count:16"), ("runner", "count:4")}


class TestNamesAndPaths:
    @cases(
        ("text", "names"),
        [
            ("Use RabbitMQ for jobs.", {"rabbitmq"}),
            ("We use Redis here.", {"redis"}),
            ("Redis begins the sentence.", set()),
            ("Set ATOMIC_REQUESTS in it.", {"atomic_requests"}),
            ("call my_func or foo.bar", {"my_func", "foo.bar"}),
            ("it takes useState here", {"usestate"}),
            ("the DB is down", {"db"}),
            ("DB is down", {"db"}),
            ("restart celery@host first", {"celery@host"}),
            ("nothing is named here", set()),
        ],
    )
    def test_names_are_what_is_written_like_one(self, text: str, names: set[str]) -> None:
        assert one(text).names == names

    @cases(
        ("text", "paths"),
        [
            ("see src/app/main.py there", {"src/app/main.py"}),
            ("see `src/app/main.py`.", {"src/app/main.py"}),
            ("it is in packages/legacy.", {"packages/legacy"}),
            ("it is in Packages/Legacy/", {"packages/legacy"}),
            ("all of packages/core/*.ts there", {"packages/core/*.ts"}),
            ("edit /etc/hosts first", {"/etc/hosts"}),
            ("edit main.py first", set()),
            ("lifts run at 9 m/s here", set()),
            ("lifts run at 9m/s here", set()),
            ("it reads 40 MB/s at most", set()),
            ("some 1,000 req/s at most", set()),
            ("it pumps 2.5 l/min there", set()),
            ("it takes 90 requests/second there", set()),
            ("see src/db there", {"src/db"}),
            ("step 3 (app/api) there", {"app/api"}),
            ("on 4 srv/disk volumes", {"srv/disk"}),
            ("rack 4 /mnt/db is full", {"/mnt/db"}),
            ("the 2 app/x.py files", {"app/x.py"}),
        ],
    )
    def test_paths_have_a_slash(self, text: str, paths: set[str]) -> None:
        assert one(text).paths == paths


class TestNegations:
    @cases(
        ("text", "denied"),
        [
            ("Never rebase before merging.", {"rebas", "merg"}),
            ("Do not retry on 429.", {"retri", "count:429"}),
            ("Don't retry the call.", {"retri", "call"}),
            ("Don’t retry the call.", {"retri", "call"}),
            ("Use pnpm instead of npm.", {"npm"}),
            ("We no longer use Jest.", {"use", "jest"}),
            ("Avoid global state.", {"global", "state"}),
            ("It cannot run twice, retry it.", {"run", "twice"}),
            ("Never one two three.", {"one", "count:2", "count:3"}),
            ("Retry it because it is not locked.", set()),
            ("Lock it, otherwise it is never done.", set()),
            ("Set it to NO.", set()),
            ("Always rebase before merging.", set()),
        ],
    )
    def test_take_back_what_follows_in_the_clause(self, text: str, denied: set[str]) -> None:
        assert one(text).denied == denied

    def test_reach_five_words(self) -> None:
        assert one("Never touch alpha bravo charlie delta echo.").denied == {
            "touch",
            "alpha",
            "bravo",
            "charli",
            "delta",
        }

    def test_end_with_the_sentence(self) -> None:
        assert read("Never rebase. Merge the branch.").denied == {"rebas"}


class TestAnnouncedChanges:
    @cases(
        ("text", "changes"),
        [
            ("We switched to Vitest.", ("switched to",)),
            ("They raised the limit from 10 to 30.", ("raised the limit from 10 to",)),
            ("We renamed foo to bar.", ("renamed foo to",)),
            ("We used to run Jest.", ("used to",)),
            ("It now uses pnpm.", ("now",)),
            ("It is deprecated.", ("is deprecated",)),
            ("Jest was replaced by Vitest.", ("was replaced",)),
            ("Since v3 it is async.", ("since",)),
            ("As of 2026 we ship it.", ("as of",)),
            ("Until recently it was Jest.", ("until recently",)),
            ("From now on use uv.", ("from now on",)),
            ("We no longer use Jest.", ("no longer",)),
            ("Use pnpm instead of npm.", ("instead of",)),
            ("Jest is used to run the tests.", ()),
            ("Since Monday it rains.", ()),
            ("We moved house.", ()),
            ("The lock is known to hold.", ()),
        ],
    )
    def test_are_told_by_closed_phrases(self, text: str, changes: tuple[str, ...]) -> None:
        assert one(text).changes == changes


class TestSentences:
    @cases(
        ("text", "count"),
        [
            ("One thing. Another thing.", 2),
            ("One thing; another thing.", 2),
            ("One thing: another thing.", 2),
            ("One thing\n\nAnother thing", 2),
            ("One thing\n- another thing\n- a third thing", 3),
            ("One thing that was\nwrapped here", 1),
            ("Backups run at 2 a.m. every day", 1),
            ("Backups run at 2 a.m. Restores are tried on Mondays", 2),
            ("Some servers, e.g. Redis, are shared", 1),
            ("Plan B. it holds", 2),
            ("", 0),
            ("... !!! ---", 0),
        ],
    )
    def test_end_where_a_reader_would_end_them(self, text: str, count: int) -> None:
        assert len(read(text).sentences) == count

    def test_of_a_code_block_are_not_read(self) -> None:
        assert read("Run this:\n```\nretry = 99\n```\nand wait.").figures == frozenset()

    def test_are_read_up_to_a_length(self) -> None:
        assert read("x" * LONGEST).complete
        assert not read("x" * (LONGEST + 1)).complete

    def test_are_read_up_to_a_number(self) -> None:
        def many(n: int) -> Reading:
            return read(" ".join(f"Rule number {at} holds." for at in range(n)))

        assert many(MOST_SENTENCES).complete
        assert not many(MOST_SENTENCES + 1).complete
        assert len(many(MOST_SENTENCES + 1).sentences) == MOST_SENTENCES


HOSTILE = {
    "one word": "a" * 200_000,
    "negators": "not " * 50_000,
    "slashes": "/" * 50_000,
    "folders": "a/" * 20_000,
    "versions": "1." * 20_000,
    "digits": "1" * 100_000,
    "spelled": "two " * 20_000,
    "changed": "changed " * 5_000,
    "raised": "raised " + "x " * 4_000,
    "fences": "```" * 20_000,
    "an open fence": "```" + "x\n" * 20_000,
    "NUL": "\0" * 9_000,
    "half a character": "\ud800" * 100,
    "stops": ". " * 20_000,
    "spaces": " " * 100_000,
    "lines": "\n" * 9_000,
    "items": "\n- " * 3_000,
    "powers": "²³" * 1_000,
    "other digits": "٣ s ٤٥ ms " * 500,
    "commas": "1," * 4_000,
    "assignments": "a=" * 20_000,
    "a long figure": "9" * 400 + " seconds",
}


class TestHostile:
    @cases("text", HOSTILE.values(), ids=HOSTILE)
    def test_text_is_read_at_once(self, text: str) -> None:
        started = perf_counter()
        read.__wrapped__(text)
        assert perf_counter() - started < SLOW

    @given(st.text(max_size=400))
    def test_text_never_raises(self, text: str) -> None:
        found = read(text)
        assert found.figures | found.words >= found.denied

    @given(
        st.lists(
            st.sampled_from(
                [
                    "not",
                    "never",
                    "30",
                    "s",
                    "ms",
                    "v2",
                    "a/b",
                    "no",
                    "longer",
                    "to",
                    "raised",
                    "1,0",
                    "%",
                    "=",
                    "`",
                    "```",
                    "\n",
                    ".",
                    ";",
                    ":",
                    "-",
                    "(",
                    ")",
                    "3.1",
                ]
            )
        )
    )
    def test_pieces_never_raise(self, pieces: list[str]) -> None:
        assert read(" ".join(pieces)) == read(" ".join(pieces))
