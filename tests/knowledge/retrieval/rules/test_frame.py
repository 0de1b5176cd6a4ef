"""Two notes of one frame. What it decides is in test_currency.py."""

from hypothesis import given
from hypothesis import strategies as st

from knowledge.retrieval.rules.frame import Blanks, ends_otherwise, same_places, shared_frame
from tests.cases import cases

FIRMWARE = "Commits in the firmware repo need a sign-off."


def differ(mine: str, theirs: str) -> tuple[set[str], set[str]]:
    frame = shared_frame(mine, theirs)
    assert frame is not None
    return set(frame.mine), set(frame.theirs)


class TestSharedFrame:
    @cases(
        ("mine", "theirs", "blanks"),
        [
            (FIRMWARE, "Commits in the web repo need a ticket number.", ({"firmware"}, {"web"})),
            # After a colon the note says what it has to say of its subject.
            (
                "Restore of the daily backup: pg_restore, table by table.",
                "Restore of the weekly backup: the cluster as a whole.",
                ({"daily"}, {"weekly"}),
            ),
            (
                "The queue of the mail worker is in Redis. It is emptied at night.",
                "The queue of the push worker is in Redis. Nothing empties it.",
                ({"mail"}, {"push"}),
            ),
            # What a single sentence ends with may be the fact that has changed.
            (
                "Failed calls of the client are repeated after a fixed delay.",
                "Failed calls of the client are repeated with backoff.",
                (set(), set()),
            ),
            # What one of them leaves out, or has a figure for, is not what the other is about instead.
            (
                "The tank sensor reports its temperature every 5 minutes over LoRa.",
                "The tank sensor reports every 2 minutes over LoRa.",
                (set(), set()),
            ),
            (
                "The dome of the north tower closes at a wind speed of 20 m/s by itself.",
                "The dome of the north tower closes at 14 m/s by itself.",
                (set(), set()),
            ),
        ],
    )
    def test_is_what_each_has_in_the_place_of_the_other(
        self, mine: str, theirs: str, blanks: tuple[set[str], set[str]]
    ) -> None:
        assert differ(mine, theirs) == blanks
        assert differ(theirs, mine) == blanks[::-1]

    @cases(
        ("mine", "theirs"),
        [
            (FIRMWARE, "Since March we ask for a ticket number in brackets."),
            ("Redis holds it.", "Kafka holds it."),
            (FIRMWARE, ""),
            ("", ""),
        ],
    )
    def test_is_none_of_two_that_open_otherwise(self, mine: str, theirs: str) -> None:
        assert shared_frame(mine, theirs) is None

    def test_of_equal_openings_has_no_blanks(self) -> None:
        assert shared_frame(FIRMWARE, FIRMWARE) == Blanks(frozenset(), frozenset())

    @given(st.text(max_size=200), st.text(max_size=200))
    def test_has_no_word_on_both_sides(self, mine: str, theirs: str) -> None:
        frame = shared_frame(mine, theirs)
        assert frame is None or not frame.mine & frame.theirs


class TestSamePlaces:
    @cases(
        ("mine", "theirs", "pairs"),
        [
            (
                "Staging cluster: 3 nodes, on spot.",
                "Production cluster is 9 nodes over three zones.",
                [("Staging", "Production")],
            ),
            (
                "Level editor on Windows: install it.",
                "The level editor on Linux is built by ninja.",
                [("Windows", "Linux")],
            ),
            ("On iOS the token is sent again.", "On Android it is sent after login.", [("iOS", "Android")]),
            # The two are one word, and the fact may have changed.
            ("Application logs are kept for 90 days.", "App logs are kept for a month.", []),
            # Far from the beginning stands what is said.
            (
                "The person on call looks at the board of the week and then at the red queue.",
                "The person on call looks at the board of the week and then at the blue queue.",
                [],
            ),
            ("Deploys go out on Tuesdays.", "We release each Thursday.", []),
            ("", "x", []),
            # A verb at the beginning is no name of the portal.
            (
                "Feature flags of the observing portal are kept in Flagsmith.",
                "Toggle portal features in the flags table, the contract ran out.",
                [],
            ),
        ],
    )
    def test_hold_what_each_note_speaks_of(self, mine: str, theirs: str, pairs: list[tuple[str, str]]) -> None:
        assert same_places(mine, theirs) == pairs
        assert same_places(theirs, mine) == [pair[::-1] for pair in pairs]


class TestEndsOtherwise:
    @cases(
        ("mine", "theirs", "same"),
        [
            ("Errors are reported to Rollbar.", "Errors are reported to Sentry.", True),
            ("Errors of the app are reported to Rollbar.", "Errors of the site are reported to Sentry.", False),
            ("Errors are reported to Rollbar. Ask Jo for a seat.", "Errors are reported to Sentry.", False),
            ("Errors are reported to Rollbar.", "Ask Jo for a seat in Sentry.", False),
        ],
    )
    def test_is_of_single_sentences_that_open_alike(self, mine: str, theirs: str, same: bool) -> None:
        assert ends_otherwise(mine, theirs) is same
        assert ends_otherwise(theirs, mine) is same
