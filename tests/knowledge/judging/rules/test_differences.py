"""What two texts differ in, and which difference forbids a merge."""

from knowledge.judging.rules.careful import cues_between
from knowledge.judging.rules.differences import announced, denies, differences, overlap
from knowledge.judging.rules.reading import Sentence, read
from knowledge.judging.rules.relations import Cue, CueKind
from knowledge.rules.draft import derive_title, searchable
from tests.cases import cases


def cues(first: str, second: str) -> tuple[Cue, ...]:
    return differences(read(first), read(second))


def kinds(first: str, second: str, *, strong: bool) -> set[CueKind]:
    return {cue.kind for cue in cues(first, second) if cue.strong is strong}


def sentence(text: str) -> Sentence:
    return read(text).sentences[0]


STRONG = [
    ("Wait 10 s before the retry.", "Wait 30 s before the retry.", CueKind.NUMBER),
    ("The timeout is in seconds.", "The timeout is in milliseconds.", CueKind.UNIT),
    ("The API answers 422 to a bad body.", "The API answers 429 to a bad body.", CueKind.NUMBER),
    ("Keep two copies of a backup.", "Keep five copies of a backup.", CueKind.NUMBER),
    ("Set ef_search=40 for the index.", "Set ef_search=400 for the index.", CueKind.NUMBER),
    ("The lift runs at 9 m/s.", "The lift runs at 12 m/s.", CueKind.NUMBER),
    ("The lift runs at 9 m/s.", "The lift runs at 9 km/s.", CueKind.NUMBER),
    ("Pin Django to 5.2.1 here.", "Pin Django to 5.2.3 here.", CueKind.VERSION),
    ("Call the API v1 for orders.", "Call the API v2 for orders.", CueKind.VERSION),
    ("Shared code is in packages/legacy.", "Shared code is in packages/core.", CueKind.PATH),
    ("Always rebase before merging.", "Never rebase before merging.", CueKind.NEGATION),
    ("Retry the call on a timeout.", "Don't retry the call on a timeout.", CueKind.NEGATION),
    ("The payload's height is given in centimetres.", "In the payload the height is in metres.", CueKind.UNIT),
    ("Weights of the parcels are in grams.", "Parcels have their weights in kilograms.", CueKind.UNIT),
    (
        "The kiosk builds with Node 16; anything newer breaks the printer binding.",
        "Kiosk builds with Node 20 since the printer binding was bumped. Node 16 no longer installs.",
        CueKind.NUMBER,
    ),
    (
        "Rotate the edge certificates from your laptop with the profile edge-admin once the ticket is approved.",
        "Nobody rotates edge certificates from a laptop. Certbot does it when the ticket has the label.",
        CueKind.NEGATION,
    ),
    # What a bare "don't" takes back is often an omission: read as a denial of what was said before it, the two would
    # agree.
    (
        "Do not run `vacuum full` on `slots`.",
        "Forgetting to run `vacuum full` on `slots` fills the disk, so don't.",
        CueKind.NEGATION,
    ),
    ("We use Jest for all tests.", "We no longer use Jest for all tests.", CueKind.NEGATION),
    (
        "A schema change needs one review from the data squad before it is merged.",
        "A schema change needs one review from anyone before it is merged, the data squad is not asked.",
        CueKind.NEGATION,
    ),
    *(
        (
            "A schema change needs one review from the data squad.",
            f"A schema change needs one review from the data squad{but}.",
            CueKind.NEGATION,
        )
        for but in (
            ", unless the author is in a hurry",
            ", except for comments",
            ", but not in the demo database",
            " only if it drops a column",
            " on days other than Friday",
        )
    ),
    ("Deploy on any day except Friday, by the train.", "Deploy on any day, by the train.", CueKind.NEGATION),
]
WEAK = [
    ("Jobs go through Redis.", "Jobs go through RabbitMQ.", CueKind.NAME),
    ("Jobs go through a queue.", "Jobs go through the Redis queue.", CueKind.NAME),
    ("Jobs go through a queue.", "Jobs now go through a queue.", CueKind.CHANGE),
    ("Wait before the retry.", "Wait 30 s before the retry.", CueKind.NUMBER),
    ("The timeout is in seconds.", "The timeout is in megabytes.", CueKind.UNIT),
    ("A worker runs 16 threads.", "A worker runs 16 threads and takes 20 jobs.", CueKind.NUMBER),
    (
        "Never read the clock inside the reducer, a replay is told another time.",
        "A replay breaks where the reducer reads the clock, so pass it in as an argument.",
        CueKind.NEGATION,
    ),
    ("The lift is fast.", "The lift is fast and runs at 9 m/s.", CueKind.NUMBER),
    ("Shared code is there.", "Shared code is in packages/core.", CueKind.PATH),
    # "Them" is what was named before; "the second" is no unit.
    (
        "`time.Now()` in ingest is UTC but `StudyTime` is local time; don't compare them.",
        "Don't compare `StudyTime` with `time.Now()` in ingest: the first is local time, the second is UTC.",
        CueKind.NEGATION,
    ),
    (
        "Lock the row for an update.",
        "Lock the row. The mail goes out without an update of anything else.",
        CueKind.NEGATION,
    ),
]
NONE = [
    ("Wait thirty seconds.", "Wait 30 s."),
    ("Wait 60 s.", "Wait 1 minute."),
    ("Never rebase.", "Don't rebase."),
    ("Use the Redis store.", "Use Redis stores."),
    ("The server calls the client.", "The client calls the server."),
    # Told in other words, what one excepts the other one says straight out.
    (
        'Quote "$@" in wrapper scripts, or arguments with spaces are split.',
        'Arguments containing spaces fall apart in wrapper scripts unless "$@" is quoted.',
    ),
    ("Deploy on any day except Friday.", "Any day is one to deploy on, apart from Friday."),
    ("", ""),
]


class TestDifferences:
    @cases(("first", "second", "kind"), STRONG)
    def test_are_strong_where_both_give_a_value_or_one_denies(self, first: str, second: str, kind: CueKind) -> None:
        assert kind in kinds(first, second, strong=True)
        assert kind in kinds(second, first, strong=True)

    @cases(("first", "second", "kind"), WEAK)
    def test_are_weak_where_only_one_says_more(self, first: str, second: str, kind: CueKind) -> None:
        for one, other in ((first, second), (second, first)):
            assert kind in kinds(one, other, strong=False)
            assert kinds(one, other, strong=True) == set()

    @cases(("first", "second"), NONE)
    def test_are_none_between_two_ways_to_write_it(self, first: str, second: str) -> None:
        assert cues(first, second) == cues(second, first) == ()

    def test_are_none_because_a_title_has_no_full_stop(self) -> None:
        one = "Use the `useStudy(uid)` hook in components, don't fetch `/studies` by hand."
        other = "Components get studies through the hook `useStudy(uid)` and don't fetch `/studies` themselves."
        assert cues(searchable(derive_title(one), one, ""), searchable(derive_title(other), other, "")) == ()

    def test_show_the_words_of_either(self) -> None:
        [cue] = cues("Wait 10 s before the retry.", "Wait 30 s before the retry.")
        assert (cue.first, cue.second, str(cue)) == (("10 s",), ("30 s",), "number: 10 s / 30 s")
        assert cue.as_data() == {"kind": "number", "first": ["10 s"], "second": ["30 s"]}

    @cases(
        ("first", "second", "shown"),
        [
            ("Keep logs for 30 days.", "Keep logs for 45 days.", "number: 30 days / 45 days"),
            ("Keep logs for thirty days.", "Keep logs for 1.5 months.", "number: 30 days / 1.5 months"),
            ("Uploads end at 12 MB.", "Uploads end at 40 MB.", "number: 12 MB / 40 MB"),
            ("Some 1,000 rows at once.", "Some 2_000 rows at once.", "number: 1,000 / 2_000"),
            ("Alert at 80% load.", "Alert at 90 percent load.", "number: 80% / 90 percent"),
            ("Set ef_search=40 for it.", "Set ef_search=400 for it.", "number: 40 / 400"),
            ("Call the API v1 here.", "Call the API v2 here.", "version: v1 / v2"),
            ("It is told in seconds.", "It is told in weeks.", "unit: seconds / weeks"),
            ("Keep 10 s and 20 s.", "Keep 30 s and 40 s.", "number: 10 s, 20 s / 30 s, 40 s"),
        ],
    )
    def test_show_figures_as_they_are_written(self, first: str, second: str, shown: str) -> None:
        assert shown in [str(cue) for cue in cues(first, second)]

    def test_are_none_between_two_that_give_the_same_values_in_another_order(self) -> None:
        """Neither has a value that the other lacks."""
        found = cues(
            "A point query needs 15 ms when the block is in the cache and 120 ms otherwise.",
            "A point query needs 120 ms without the block in the cache. With the block a point query needs 15 ms.",
        )
        assert not [cue for cue in found if cue.strong and cue.kind is CueKind.NUMBER]

    def test_are_another_unit_wherever_it_stands(self) -> None:
        found = cues(
            "The height of the crane is reported in centimetres by the sensor.",
            "From this firmware on, sensors of all cranes say it in metres.",
        )
        assert [(cue.kind, cue.first, cue.second) for cue in found if cue.strong] == [
            (CueKind.UNIT, ("centimetres",), ("metres",))
        ]

    def test_are_another_value_though_one_text_names_both(self) -> None:
        found = cues("The build runs on Node 16.", "The build runs on Node 20. Node 16 no longer installs.")
        assert [cue for cue in found if cue.strong and cue.kind is CueKind.NUMBER]

    def test_show_each_once(self) -> None:
        shown = [(c.kind, c.first, c.second) for c in cues("Deploys take 2 hours.", "Deploys take 4 hours.")]
        assert len(shown) == len(set(shown)) == 1

    def test_show_what_is_denied_as_it_is_written(self) -> None:
        found = cues("Never keep logs for 30 days.", "Keep logs for 30 days.")
        assert [cue.first for cue in found if cue.strong] == [("keep", "logs", "30 days")]

    def test_show_names_whole(self) -> None:
        assert "name: redis:7 / –" in [str(cue) for cue in cues("Pull the redis:7 image.", "Pull the image.")]

    def test_come_strong_ones_first_and_each_once(self) -> None:
        found = cues("Always send 10 mails by Postfix.", "Never send 20 mails by Exim.")
        assert [cue.strong for cue in found] == sorted((cue.strong for cue in found), reverse=True)
        assert len(set(found)) == len(found) > 1

    def test_of_two_figures_are_weak_where_they_are_said_of_two_things(self) -> None:
        first = "Importer chunks have 5000 rows. Nightly exports go out."
        second = "Importer chunks are read. Invoices older than 90 days leave the mailbox at 300 a minute."
        assert CueKind.NUMBER in kinds(first, second, strong=False)
        assert CueKind.NUMBER not in kinds(first, second, strong=True)

    @cases("code", ["```py\nretry(3)\n```", "def retry(n):\n    return n + 1\n\nretry(3)\n"])
    def test_of_code_are_not_looked_for(self, code: str) -> None:
        assert [cue.kind for cue in cues_between(code, "Retry three times.")] == [CueKind.CODE]

    def test_of_what_is_too_long_are_not_looked_for(self) -> None:
        long = "Every worker retries its job. " * 400
        assert [cue.kind for cue in cues_between(long, "Retry three times.")] == [CueKind.LENGTH]

    def test_of_the_same_are_none_however_long(self) -> None:
        long = "Every worker retries its job. " * 400
        assert cues_between(long, long.replace(".", " !")) == ()


class TestDenies:
    @cases(
        ("one", "other", "taken"),
        [
            ("Never rebase before merging.", "Always rebase before merging.", {"rebas", "merg"}),
            ("Never rebase before merging.", "Never rebase before merging.", set()),
            ("Never as two processes.", "Always as one process.", set()),
            (
                "No video of a slide is preloaded.",
                "It preloads the video, so that no slide waits.",
                {"video", "preload"},
            ),
            ("Never send 10 mails.", "Send 10 mails.", {"send", "mail", "count:10"}),
            ("Never send 10 mails.", "Send 20 mails.", set()),
            ("Always rebase.", "Always merge.", set()),
        ],
    )
    def test_what_the_other_says_and_does_not_deny_itself(self, one: str, other: str, taken: set[str]) -> None:
        assert denies(sentence(one), sentence(other)) == taken

    def test_takes_two_thirds_of_what_is_denied(self) -> None:
        never = sentence("Never alpha bravo charlie.")
        assert denies(never, sentence("Do alpha bravo delta."))
        assert not denies(never, sentence("Do alpha delta echo."))


class TestOverlap:
    @cases(
        ("one", "other", "part"),
        [
            ("alpha bravo", "alpha bravo", 1.0),
            ("alpha bravo charlie delta", "alpha bravo echo foxtrot", 0.5),
            ("alpha bravo", "alpha charlie", 0.0),
            ("alpha", "alpha", 0.0),
        ],
    )
    def test_takes_two_shared_words(self, one: str, other: str, part: float) -> None:
        assert overlap(sentence(one), sentence(other)) == part


class TestAnnounced:
    def test_lists_each_phrase_once(self) -> None:
        assert announced(read("We switched to uv. We switched to Vitest. It now runs.")) == ("switched to", "now")
