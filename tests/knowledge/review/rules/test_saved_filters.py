"""What of a list's address is kept."""

import pytest

from knowledge.review.rules.saved_filters import KNOWN, Listing, known_parameters, narrows
from tests.cases import cases


class TestKept:
    @pytest.mark.parametrize(
        ("listing", "given", "wanted"),
        [
            (Listing.INSIGHTS, {"kind": "PITFALL", "cursor": "cD0x", "page": "7", "limit": "3"}, {"kind": "PITFALL"}),
            (Listing.INSIGHTS, {"tab": "new", "saved": "3", "tag": "ci"}, {"tag": "ci"}),
            (
                Listing.INBOX,
                {"tab": "stale", "page": "2", "q": "x", "repo": "acme/web"},
                {"tab": "stale", "repo": "acme/web"},
            ),
            (Listing.INBOX, {"kind": "", "tag": "  ", "repo": " acme/web "}, {"repo": "acme/web"}),
            (Listing.INSIGHTS, {"tag": "x" * 60, "team": "x" * 61}, {"tag": "x" * 60}),
            (Listing.INSIGHTS, {"tag": "a\0b", "q": "\0"}, {}),
            (Listing.INSIGHTS, {"__proto__": "x", "q[]": "x", "Q": "x", "": "x"}, {}),
        ],
    )
    def test_is_what_that_list_knows_and_could_take(
        self, listing: Listing, given: dict[str, str], wanted: dict[str, str]
    ) -> None:
        assert known_parameters(listing, given) == wanted
        assert known_parameters(listing, wanted) == wanted

    def test_stands_in_the_order_of_the_address(self) -> None:
        given = dict.fromkeys(reversed(KNOWN[Listing.INSIGHTS]), "x")
        assert list(known_parameters(Listing.INSIGHTS, given)) == list(KNOWN[Listing.INSIGHTS])


class TestNarrows:
    @cases(
        ("wanted", "does"),
        [({}, False), ({"tab": "new"}, False), ({"nearest": "1", "ordering": "x"}, False), ({"q": "x"}, True)],
    )
    def test_is_about_what_is_shown_not_how(self, wanted: dict[str, str], does: bool) -> None:
        assert narrows(wanted) is does
