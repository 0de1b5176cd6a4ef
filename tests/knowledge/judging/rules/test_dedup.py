"""What becomes of a deposit, from what the server makes of its neighbours."""

import random

from knowledge.judging.rules.closeness import Thresholds
from knowledge.judging.rules.dedup import (
    MINILM,
    MOST_ASKED,
    DedupDecision,
    DedupOutcome,
    JudgedNeighbour,
    Neighbour,
    decide,
    may_displace,
)
from knowledge.judging.rules.relations import Reason, Relation, Verdict
from knowledge.rules.vocabulary import Status
from tests.cases import cases

ME, SOMEBODY = 1, 2
AT = Thresholds(asked=0.3, paired=0.5)
ASKED, PAIRED, FAR = 0.3, 0.5, 0.1
SAME, CHANGED, OPEN = Relation.DUPLICATES, Relation.SUPERSEDES, None


def near(relation, ref="A-1", similarity=0.8, closeness=FAR, **over):
    """A neighbour, somebody else's draft, and what the server makes of it; OPEN: it cannot tell."""
    given = {"ref": ref, "similarity": similarity, "closeness": closeness, "author_id": SOMEBODY}
    return JudgedNeighbour(Neighbour(**given | over), Verdict(relation, "server", similarity, Reason.CLOSE))


def decided(*judged, author_id=ME):
    return decide(author_id, judged, AT)


class TestOutcome:
    """One word for all that a decision does, the weightiest first."""

    @cases(
        ("decision", "outcome"),
        [
            (DedupDecision(), DedupOutcome.INSERTED),
            (DedupDecision(asking=("A-1",)), DedupOutcome.INSERTED),
            (DedupDecision(asking=("A-1",), pairing=("A-1",)), DedupOutcome.QUEUED),
            (DedupDecision(proposing=("A-2",), pairing=("A-1",)), DedupOutcome.PROPOSED),
            (DedupDecision(superseding=("A-3",), proposing=("A-2",), pairing=("A-1",)), DedupOutcome.SUPERSEDING),
            (DedupDecision(merge_into="A-1"), DedupOutcome.MERGED),
        ],
    )
    def test_is(self, decision, outcome):
        assert decision.outcome is outcome


class TestMerge:
    @cases("before", [SAME, CHANGED, OPEN])
    def test_comes_before_anything_else(self, before):
        done = decided(near(before, "A-1", 0.95, PAIRED), near(SAME, "A-2", 0.96), near(OPEN, "A-3", 0.99, PAIRED))
        assert done == DedupDecision(merge_into="A-2")

    @cases(
        ("similarities", "into"), [((0.7, 0.9), "A-2"), ((0.9, 0.7), "A-1"), ((0.8, 0.8), "A-1"), ((0.0, 0.0), "A-1")]
    )
    def test_is_into_the_nearest_and_of_two_into_the_first(self, similarities, into):
        judged = [near(SAME, ref, one) for ref, one in zip(("A-1", "A-2"), similarities, strict=True)]
        assert decided(*judged).merge_into == decided(*judged[::-1]).merge_into == into

    @cases("status", list(Status))
    def test_is_into_a_row_of_any_status(self, status):
        assert decided(near(SAME, status=status)) == DedupDecision(merge_into="A-1")

    @cases("closeness", [0.0, ASKED, PAIRED, 2.0])
    def test_does_not_depend_on_how_much_the_two_stand_out(self, closeness):
        assert decided(near(SAME, closeness=closeness)) == DedupDecision(merge_into="A-1")


class TestWhoMayBeDisplaced:
    @cases(
        ("status", "pinned", "author", "by_person", "may"),
        [
            (Status.DRAFT, False, SOMEBODY, False, True),
            (Status.DRAFT, False, None, False, True),
            (Status.DRAFT, True, SOMEBODY, False, False),
            (Status.DRAFT, False, SOMEBODY, True, False),
            (Status.PROMOTED, False, SOMEBODY, False, False),
            (Status.DEPRECATED, False, SOMEBODY, False, False),
            (Status.PROMOTED, False, None, False, False),
            (Status.PROMOTED, False, ME, False, True),
            (Status.PROMOTED, True, ME, False, True),
            (Status.DRAFT, True, ME, False, True),
            (Status.DRAFT, False, ME, True, True),
        ],
    )
    def test_is_ones_own_and_an_agents_draft_that_nobody_pinned(self, status, pinned, author, by_person, may):
        over = {"status": status, "pinned": pinned, "author_id": author, "by_person": by_person}
        done = decided(near(CHANGED, **over))
        assert (done.superseding, done.proposing) == ((("A-1",), ()) if may else ((), ("A-1",)))
        assert done.outcome is (DedupOutcome.SUPERSEDING if may else DedupOutcome.PROPOSED)

    def test_is_nobodys_own_when_no_author_is_known(self):
        assert not may_displace(None, Neighbour("A-1", 0.9, status=Status.PROMOTED, author_id=None))
        assert may_displace(None, Neighbour("A-1", 0.9, status=Status.DRAFT, author_id=None))


class TestSupersession:
    def test_is_of_all_that_is_announced_to_be_over(self):
        done = decided(
            near(CHANGED, "A-1", closeness=0.2),
            near(OPEN, "A-2"),
            near(CHANGED, "A-3", closeness=0.4),
            near(CHANGED, "A-4", closeness=0.9, status=Status.PROMOTED),
        )
        assert (done.superseding, done.proposing) == (("A-3", "A-1"), ("A-4",))
        assert (done.asking, done.pairing) == ((), ())

    def test_asks_nothing_about_it_however_close(self):
        assert decided(near(CHANGED, closeness=2.0)) == DedupDecision(superseding=("A-1",))

    def test_does_not_keep_it_from_asking_about_others(self):
        done = decided(near(CHANGED, "A-1", closeness=0.9), near(OPEN, "A-2", closeness=PAIRED))
        assert done == DedupDecision(superseding=("A-1",), pairing=("A-2",), asking=("A-2",))


class TestAsking:
    @cases(
        ("closeness", "asked", "paired"),
        [
            (0.0, False, False),
            (0.299, False, False),
            (0.3, True, False),
            (0.499, True, False),
            (0.5, True, True),
            (2.0, True, True),
        ],
    )
    def test_begins_with_one_threshold_and_pairing_with_another(self, closeness, asked, paired):
        done = decided(near(OPEN, closeness=closeness))
        assert done == DedupDecision(asking=("A-1",) if asked else (), pairing=("A-1",) if paired else ())
        assert done.outcome is (DedupOutcome.QUEUED if paired else DedupOutcome.INSERTED)

    def test_goes_by_closeness_and_not_by_similarity(self):
        assert decided(near(OPEN, similarity=0.99, closeness=0.299)) == DedupDecision()

    @cases("relation", [Relation.CONTRADICTS, Relation.COMPLEMENTS, Relation.UNRELATED])
    def test_is_not_about_what_is_told_already(self, relation):
        assert decided(near(relation, closeness=2.0)) == DedupDecision()

    def test_is_about_three_at_most_the_likeliest_first(self):
        closest = {f"A-{n}": 0.31 + n / 100 for n in range(1, 6)}
        done = decided(*(near(OPEN, ref, closeness=one) for ref, one in closest.items()))
        assert done.asking == ("A-5", "A-4", "A-3")
        assert len(done.asking) == MOST_ASKED

    def test_pairs_with_the_likeliest_alone(self):
        """Forty ports of forty services: each is near three others, and one question to people is enough."""
        done = decided(*(near(OPEN, f"A-{n}", closeness=0.6 + n / 10) for n in (1, 3, 2)))
        assert (done.pairing, done.asking) == (("A-3",), ("A-3", "A-2", "A-1"))

    def test_is_the_same_in_whatever_order_they_come(self):
        judged = [near(OPEN, f"A-{n}", 0.5 + n / 100, 0.2 + n / 10) for n in range(6)]
        judged += [near(CHANGED, f"B-{n}", 0.6, n / 10) for n in range(3)]
        expected = decided(*judged)
        for seed in range(10):
            assert decided(*random.Random(seed).sample(judged, len(judged))) == expected

    @cases(
        ("closeness", "asked", "paired"),
        [(0.149, False, False), (0.15, True, False), (0.499, True, False), (0.5, True, True)],
    )
    def test_begins_sooner_for_what_its_session_was_served_and_pairing_does_not(self, closeness, asked, paired):
        done = decided(near(OPEN, closeness=closeness, consulted=True))
        assert (bool(done.asking), bool(done.pairing)) == (asked, paired)

    def test_is_first_about_what_its_session_was_served(self):
        done = decided(near(OPEN, "A-1", closeness=0.4), near(OPEN, "A-2", closeness=0.3, consulted=True))
        assert done.asking == ("A-2", "A-1")

    @cases("field", ["asked", "paired"])
    def test_of_minilm_stands_where_it_was_measured(self, field):
        threshold = getattr(MINILM, field)
        for closeness, reached in ((threshold, True), (threshold - 0.001, False)):
            done = decide(ME, [near(OPEN, closeness=closeness)], MINILM.thresholds)
            assert bool(done.asking if field == "asked" else done.pairing) is reached

    def test_is_of_nothing_where_nothing_is_near(self):
        assert decided() == DedupDecision()
        assert decided().outcome is DedupOutcome.INSERTED
