import pytest

from knowledge.rules.dedup import (
    MINILM,
    UNCALIBRATED,
    Decision,
    Incoming,
    Judged,
    Neighbour,
    Outcome,
    asks,
    calibration,
    decide,
    may_supersede,
)
from knowledge.rules.stance import Judgement, Stance
from knowledge.rules.stance_cues import Cue, CueKind
from knowledge.rules.vocabulary import Status

ME, SOMEBODY = 1, 2
NUMBER = Cue(CueKind.NUMBER, False, ("40",), ("400",))
NEGATION = Cue(CueKind.NEGATION, True, ("retry",), ("retry",))
INCOMING = Incoming(repo="acme/shop", author_id=ME)


def near(stance, ref="A-1", similarity=0.9, cues=(), **over):
    """A neighbour, somebody else's draft of the same repo, and what was said of it; None: no judge."""
    neighbour = Neighbour(**{"ref": ref, "similarity": similarity, "repo": "acme/shop", "author_id": SOMEBODY} | over)
    judgement = None if stance is None else Judgement(stance, 0.9, cues, "local", "it says why")
    return Judged(neighbour, judgement, cues)


def decided(*judged, incoming=INCOMING, calibrated=MINILM):
    return decide(incoming, judged, calibrated)


SAME, AGAINST, OTHER, UNSURE = Stance.SAME, Stance.CONTRADICTION, Stance.UNRELATED, Stance.UNSURE


class TestDecide:
    def test_inserts_where_nothing_is_near(self):
        assert decided() == Decision()
        assert decided().outcome is Outcome.INSERTED

    def test_merges_what_the_judge_calls_the_same(self):
        done = decided(near(SAME))
        assert (done.outcome, done.merge_into, done.revives) == (Outcome.MERGED, "A-1", False)
        assert done.reasons == ("A-1: same, by local",)

    def test_merges_into_the_closest_and_asks_no_further(self):
        def judged():
            yield near(SAME, "A-1")
            raise AssertionError("asked on after a merge")

        assert decide(INCOMING, judged(), MINILM).merge_into == "A-1"

    def test_goes_on_past_the_unrelated(self):
        done = decided(near(OTHER, "A-1"), near(SAME, "A-2"))
        assert (done.merge_into, done.queueing) == ("A-2", ())

    def test_revives_a_deprecated_one_by_merging_into_it(self):
        assert decided(near(SAME, status=Status.DEPRECATED)).revives

    def test_never_merges_over_a_cue_whatever_the_judge_says(self):
        done = decided(near(SAME, cues=(NUMBER,)))
        assert (done.outcome, done.merge_into, done.queueing) == (Outcome.QUEUED, "", ("A-1",))
        assert done.reasons == ("A-1: same, by local: queued [number: 40 / 400]",)

    def test_supersedes_all_that_is_contradicted(self):
        done = decided(near(AGAINST, "A-1"), near(OTHER, "A-2"), near(AGAINST, "A-3"))
        assert (done.outcome, done.superseding) == (Outcome.SUPERSEDING, ("A-1", "A-3"))

    def test_queues_what_the_judge_is_unsure_of(self):
        done = decided(near(UNSURE))
        assert (done.outcome, done.queueing) == (Outcome.QUEUED, ("A-1",))
        assert done.reasons == ("A-1: unsure, by local: it says why: queued",)

    @pytest.mark.parametrize(
        ("similarity", "cues", "queued"),
        [
            (0.83, (), True),
            (0.829, (), False),
            (0.7, (NUMBER,), False),
            (0.7, (NEGATION,), True),
            (0.61, (NEGATION,), False),
        ],
    )
    def test_spares_people_what_is_far_and_not_opposed(self, similarity, cues, queued):
        done = decided(near(UNSURE, similarity=similarity, cues=cues, joined=True))
        assert bool(done.queueing) is queued
        assert done.outcome is (Outcome.QUEUED if queued else Outcome.INSERTED)

    @pytest.mark.parametrize("stance", [UNSURE, SAME, None])
    def test_asks_one_question_about_a_family_of_siblings(self, stance):
        """Forty ports of forty services: each is near three others, and only the nearest is worth a look."""
        done = decided(*(near(stance, ref, similarity=0.95, cues=(NUMBER,)) for ref in ("A-1", "A-2", "A-3")))
        assert done.queueing == ("A-1",)
        assert done.reasons[2].startswith("A-3:")

    def test_asks_about_each_that_is_opposed(self):
        done = decided(near(UNSURE, "A-1", cues=(NUMBER,)), near(UNSURE, "A-2", cues=(NEGATION,)))
        assert done.queueing == ("A-1", "A-2")

    @pytest.mark.parametrize("before", [AGAINST, UNSURE])
    def test_merges_nothing_after_a_conflict_but_queues_it(self, before):
        done = decided(near(before, "A-1"), near(SAME, "A-2"))
        assert done.merge_into == ""
        assert "A-2" in done.queueing

    def test_keeps_a_merge_that_came_before_a_conflict(self):
        assert decided(near(SAME, "A-1"), near(AGAINST, "A-2")) == decided(near(SAME, "A-1"))

    def test_tells_superseding_from_queued_when_it_does_both(self):
        done = decided(near(UNSURE, "A-1"), near(AGAINST, "A-2"))
        assert (done.outcome, done.superseding, done.queueing) == (Outcome.SUPERSEDING, ("A-2",), ("A-1",))


class TestWhoMayChangeTheTeamsMind:
    @pytest.mark.parametrize(
        ("status", "pinned", "author", "may"),
        [
            (Status.DRAFT, False, SOMEBODY, True),
            (Status.DRAFT, False, None, True),
            (Status.DRAFT, True, SOMEBODY, False),
            (Status.PROMOTED, False, SOMEBODY, False),
            (Status.DEPRECATED, False, SOMEBODY, False),
            (Status.PROMOTED, False, None, False),
            (Status.PROMOTED, False, ME, True),
            (Status.PROMOTED, True, ME, True),
            (Status.DRAFT, True, ME, True),
        ],
    )
    def test_is_the_author_and_of_a_draft_that_nobody_pinned_anybody(self, status, pinned, author, may):
        done = decided(near(AGAINST, status=status, pinned=pinned, author_id=author))
        assert (done.superseding, done.opening) == ((("A-1",), ()) if may else ((), ("A-1",)))
        assert done.outcome is (Outcome.SUPERSEDING if may else Outcome.QUEUED)

    def test_is_nobody_when_the_author_of_neither_is_known(self):
        neighbour = Neighbour("A-1", 0.9, status=Status.PROMOTED, author_id=None)
        assert not may_supersede(Incoming("", None), neighbour)

    def test_is_told_in_the_reason(self):
        (reason,) = decided(near(AGAINST, status=Status.PROMOTED, cues=(NEGATION,))).reasons
        assert reason.startswith("A-1: contradicted, by local, but it is somebody else's and promoted")
        assert reason.endswith("[negation: retry / retry]")


class TestAnotherRepo:
    @pytest.mark.parametrize("stance", [SAME, AGAINST, UNSURE, None])
    def test_is_left_alone_by_a_machine(self, stance):
        done = decided(near(stance, repo="acme/other", similarity=0.99))
        assert (done.outcome, done.opening, done.queueing) == (Outcome.INSERTED, (), ())
        assert done.reasons == ("A-1: of another repo (acme/other)",)

    @pytest.mark.parametrize(("mine", "theirs"), [("", "acme/shop"), ("acme/shop", ""), ("", ""), ("x", "x")])
    def test_is_only_one_that_is_named_on_both_sides(self, mine, theirs):
        done = decided(near(SAME, repo=theirs), incoming=Incoming(mine, ME))
        assert done.outcome is Outcome.MERGED

    def test_is_no_conflict(self):
        assert decided(near(AGAINST, "A-1", repo="acme/other"), near(SAME, "A-2")).merge_into == "A-2"


class TestBand:
    @pytest.mark.parametrize(("similarity", "asked"), [(0.619, False), (0.62, True), (0.63, True)])
    def test_begins_where_nine_in_ten_duplicates_are(self, similarity, asked):
        assert asks(INCOMING, near(SAME, similarity=similarity).neighbour, MINILM) is asked
        assert decided(near(SAME, similarity=similarity)).outcome is (Outcome.MERGED if asked else Outcome.INSERTED)

    @pytest.mark.parametrize("similarity", [0.0, 0.4])
    def test_holds_none_of_the_joined_back(self, similarity):
        assert decided(near(AGAINST, similarity=similarity, joined=True)).superseding == ("A-1",)

    @pytest.mark.parametrize(("similarity", "asked"), [(0.829, False), (0.83, True)])
    def test_is_the_living_models_for_an_embedder_nobody_calibrated(self, similarity, asked):
        assert asks(INCOMING, near(SAME, similarity=similarity).neighbour, UNCALIBRATED) is asked

    @pytest.mark.parametrize(
        ("name", "found"),
        [
            ("all-MiniLM-L6-v2@gt-0.1.0", MINILM),
            ("all-MiniLM-L6-v2", MINILM),
            ("other@1", UNCALIBRATED),
            ("", UNCALIBRATED),
        ],
    )
    def test_belongs_to_the_embedder(self, name, found):
        assert calibration(name) is found


class TestWithoutJudge:
    @pytest.mark.parametrize(("similarity", "outcome"), [(0.929, Outcome.INSERTED), (0.93, Outcome.MERGED)])
    def test_merges_from_the_fail_safe(self, similarity, outcome):
        done = decided(near(None, similarity=similarity))
        assert (done.outcome, done.degraded) == (outcome, True)

    @pytest.mark.parametrize("cue", [NUMBER, NEGATION])
    def test_never_over_a_cue(self, cue):
        done = decided(near(None, similarity=0.99, cues=(cue,)))
        assert (done.outcome, done.queueing) == (Outcome.QUEUED, ("A-1",))

    def test_never_after_a_conflict(self):
        done = decided(near(None, "A-1", similarity=0.99, cues=(NUMBER,)), near(None, "A-2", similarity=0.98))
        assert (done.merge_into, done.queueing) == ("", ("A-1", "A-2"))

    def test_goes_on_past_a_cue_below_the_fail_safe(self):
        done = decided(near(None, "A-1", similarity=0.92, cues=(NUMBER,)), near(None, "A-2", similarity=0.93))
        assert (done.merge_into, done.queueing) == ("A-2", ())

    def test_holds_for_one_neighbour_if_the_judge_comes_back(self):
        done = decided(near(None, "A-1", similarity=0.9), near(SAME, "A-2", similarity=0.85))
        assert (done.merge_into, done.degraded) == ("A-2", True)

    def test_supersedes_nothing(self):
        done = decided(near(None, similarity=0.99, cues=(NEGATION,)))
        assert (done.superseding, done.opening) == ((), ())

    def test_is_not_degraded_by_a_neighbour_that_nobody_would_have_asked_about(self):
        assert not decided(near(None, similarity=0.3)).degraded
