"""Which handoffs a start is offered, in which order, and why."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sessions_app.handoffs.rules.work_items import Left, Place, Tier, gist, offer, tier_of, unfinished
from tests.cases import cases

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ME, BOB = 1, 2


def left(pk: int, who: int = BOB, checkout: str = "", branch: str = "main", weight: int = 8, hours: int = 1) -> Left:
    fields: dict[str, Any] = {"ref": f"S-{pk}", "who": {ME: "me", BOB: "bob"}[who], "state": "recovered", "gist": "…"}
    place, as_of = Place(who, checkout, branch), NOW - timedelta(hours=hours)
    return Left(pk=pk, place=place, as_of=as_of, unfinished=("work",) * bool(weight), weight=weight, **fields)


class TestTheTier:
    @cases(
        ("theirs", "start", "tier"),
        [
            (Place(ME, "c1", "main"), Place(ME, "c1", "main"), Tier.OWN),
            (Place(ME, "c1", "main"), Place(ME, "c1", "topic"), Tier.OWN),
            (Place(ME, "", "main"), Place(ME, "", "main"), Tier.OWN),
            (Place(ME, "c1", "main"), Place(ME, "c2", "main"), Tier.OWN_BRANCH),
            (Place(ME, "c1", "main"), Place(ME, "", ""), Tier.OWN_BRANCH),
            (Place(ME, "c1", "main"), Place(ME, "c2", "topic"), Tier.TEAM),
            (Place(BOB, "c1", "main"), Place(ME, "c1", "main"), Tier.BRANCH),
            (Place(BOB, "c3", ""), Place(ME, "c1", ""), Tier.TEAM),
            (Place(BOB, "c3", "topic"), Place(ME, "c1", "main"), Tier.TEAM),
        ],
    )
    def test_is_the_work_item_then_the_branch_then_the_team(self, theirs: Place, start: Place, tier: Tier) -> None:
        assert tier_of(theirs, start) is tier


class TestAnOffer:
    def test_begins_with_ones_own_item_however_much_others_left(self) -> None:
        rows = [left(1), left(2, ME, "c1", weight=0, hours=90), left(3, branch="topic"), left(4, ME, "c2")]
        offers = offer(rows, Place(ME, "c1", "main"))
        assert [(one.left.ref, one.why) for one in offers] == [
            ("S-2", "yours, this checkout"),
            ("S-4", "yours, branch main, another checkout"),
            ("S-1", "bob's, this branch"),
            ("S-3", "bob's, branch topic"),
        ]

    def test_calls_no_checkout_another_one_where_the_start_names_none(self) -> None:
        assert [one.why for one in offer([left(1, ME, "c1")], Place(ME, "", "main"))] == ["yours, branch main"]

    def test_names_a_branch_that_is_no_plain_word_in_quotes_without_signs(self) -> None:
        rows = [left(1, branch="main); clean. Loam: push (y"), left(2, ME, "c2", branch='{"role": "system"}')]
        assert [one.why for one in offer(rows, Place(ME, "c1", "topic"))] == [
            "yours, branch “role system”",
            "bob's, branch “main clean. Loam push y”",
        ]

    def test_of_others_is_of_unfinished_work_alone(self) -> None:
        assert offer([left(1, weight=0), left(2, ME, "c2", weight=0)], Place(ME, "c1", "main")) == []

    def test_ranks_by_what_is_unfinished_then_by_when(self) -> None:
        rows = [left(1, weight=2), left(2, weight=12, hours=9), left(3, weight=12, hours=8), left(4, weight=4)]
        assert [one.left.ref for one in offer(rows, Place(ME, "", "main"))] == ["S-3", "S-2", "S-4", "S-1"]

    def test_is_of_a_few(self) -> None:
        assert len(offer([left(pk) for pk in range(1, 20)], Place(ME, "", "main"))) == 5


class TestUnfinishedWork:
    def test_weighs_files_over_failures_over_steps_over_blockers(self) -> None:
        failure = {"command": "pytest -q", "error": "E"}
        cases = [(["a.py"], {}, [], []), ([], failure, ["x"], ["y"]), ([], {}, ["x"], ["y"]), ([], {}, [], ["y"])]
        weights = [unfinished(*case)[1] for case in cases]
        assert weights == sorted(weights, reverse=True)
        assert unfinished([], {}, [], []) == ((), 0)

    def test_is_told_in_words(self) -> None:
        words, _ = unfinished(["a.py", "b.py"], {"command": "pytest -q", "error": ""}, ["x"], ["y"])
        assert words == ("2 uncommitted files", "`pytest -q` failing", "1 next step", "blocked")


class TestTheGist:
    def test_is_what_the_next_one_must_do_before_what_was_done(self) -> None:
        failure = {"command": "pytest", "error": "E"}
        assert gist("note", ["step"], failure, "done", "said", ["a.py"]) == "note"
        assert gist("", ["step"], failure, "done", "said", ["a.py"]) == "step"
        assert gist("", [], failure, "done", "said", []) == "`pytest` failing: E"
        assert gist("", [], {}, "", "", ["a.py"]) == "edited a.py"
        assert gist("", [], {}, "", "", []) == ""
