"""Whether an unreviewed note may come before a confirmed one, from its author's record."""

from knowledge.retrieval.rules.standing import MOST_REJECTED, MOST_UNREVIEWED, ROOM, Record, Rivalry
from tests.cases import cases

CLAIMS = {100 + number: number for number in range(1, ROOM + 3)}


class TestAContributor:
    @cases(
        ("rejected", "accepted", "trusted"),
        [
            (0, 0, True),
            (MOST_REJECTED - 1, 0, True),
            (MOST_REJECTED, 0, False),
            (MOST_REJECTED, 1, True),
            (9, 6, False),
        ],
    )
    def test_is_trusted_by_what_was_rejected_less_what_was_accepted(
        self, rejected: int, accepted: int, trusted: bool
    ) -> None:
        assert Record("bob", rejected, accepted).trusted is trusted

    def test_comes_before_so_many_confirmed_notes_a_day_the_first_claims_first(self) -> None:
        bob = Record("bob", claims=CLAIMS)
        assert bob.why_not_before(100 + ROOM) == ""
        why = "not reviewed, and bob has 20 notes of that day before confirmed ones already"
        assert bob.why_not_before(100 + ROOM + 1) == why
        assert Record("bob", confirmed=1, claims=CLAIMS).why_not_before(100 + ROOM + 1) == ""

    @cases(("confirmed", "unreviewed", "may"), [(0, 30, True), (0, 31, False), (1, 31, True)])
    def test_comes_first_unpaired_with_few_notes_or_a_confirmed_one(
        self, confirmed: int, unreviewed: int, may: bool
    ) -> None:
        assert MOST_UNREVIEWED == 30
        assert (Record("bob", confirmed=confirmed, unreviewed=unreviewed).why_not_unpaired == "") is may


class TestANote:
    def test_may_come_first(self) -> None:
        assert Rivalry(1, Record("bob")).held_back == Rivalry(1, None).held_back == ""

    def test_is_held_back_by_a_lead_by_its_status_or_by_its_author(self) -> None:
        assert Rivalry(1, Record("bob"), rejected=True).held_back == "a lead has rejected that it replaces that one"
        assert Rivalry(1, Record("bob"), deprecated=True).held_back == "it is deprecated"
        why = "4 proposals of bob were rejected in the last 90 days, 1 accepted"
        for claimed in (True, False):
            assert Rivalry(1, Record("bob", 4, 1), claimed=claimed).held_back == why
