"""Lifecycle, reuse, likeness, confidence: the small rules of a cluster."""

from dataclasses import replace

import numpy as np
import pytest

from knowledge.evidence.rules import lifecycle
from knowledge.evidence.rules.briefing import SURE
from knowledge.evidence.rules.confidence import (
    AT_MOST_UNFOUND,
    FLOOR,
    LOCATED,
    Signs,
    by_model,
    confidence,
    is_found,
    is_located,
    reported,
    unnamed_share,
)
from knowledge.evidence.rules.lifecycle import COLD, STABLE_REUSES, Lifecycle
from knowledge.evidence.rules.likeness import Saved, asks_the_same
from knowledge.evidence.rules.reuse import ReuseMode, in_scope, serves
from knowledge.evidence.rules.scope import SearchScope
from sessions_app.lab.corpora import paraphrases
from tests.cases import cases


class TestHotness:
    def test_halves_every_two_weeks(self) -> None:
        assert lifecycle.hotness(0.8, 14) == pytest.approx(0.4)

    def test_rises_by_a_tenth_and_never_above_one(self) -> None:
        assert lifecycle.warmed(0.5) == pytest.approx(0.6)
        assert lifecycle.warmed(0.95) == 1.0


class TestLifecycle:
    def test_moves_when_it_must(self) -> None:
        emerging, stable = Lifecycle.EMERGING, Lifecycle.STABLE
        assert lifecycle.after_reuse(emerging, STABLE_REUSES - 1) is emerging
        assert lifecycle.after_reuse(emerging, STABLE_REUSES) is stable
        assert lifecycle.after_check(stable, held=2, lost=1) is Lifecycle.CONTESTED
        assert lifecycle.after_check(stable, held=0, lost=2) is Lifecycle.DEPRECATED
        assert lifecycle.after_check(Lifecycle.CONTESTED, held=2, lost=0) is emerging
        assert lifecycle.after_cooling(emerging, COLD - 0.001) is Lifecycle.DEPRECATED
        assert lifecycle.after_cooling(emerging, COLD) is emerging
        assert lifecycle.after_cooling(stable, 0.0) is stable


class TestReuse:
    @cases(
        ("made", "asked", "good"),
        [
            (ReuseMode.DEEP, ReuseMode.DEEP, True),
            (ReuseMode.DEEP, ReuseMode.FAST, True),
            (ReuseMode.FAST, ReuseMode.FAST, True),
            (ReuseMode.FAST, ReuseMode.DEEP, False),
            (ReuseMode.DEEP, ReuseMode.FILENAME_ONLY, False),
        ],
    )
    def test_serves_its_own_mode_or_a_lighter_one(self, made: ReuseMode, asked: ReuseMode, good: bool) -> None:
        assert serves(made, asked) is good

    def test_needs_all_of_the_files_in_scope(self) -> None:
        files = {("s", "a/1"), ("s", "a/2"), ("s", "b/1"), ("t", "a/1")}
        assert in_scope(files, {"s", "t"}, SearchScope())
        assert not in_scope(files, {"s"}, SearchScope())
        assert not in_scope(files, {"s", "t"}, SearchScope(paths=("a",)))
        assert not in_scope(files, {"s"}, SearchScope(paths=("b",)))
        assert not in_scope(set(), {"s"}, SearchScope())


def _saved(text: str) -> Saved:
    return Saved(text, text)


class TestLikeness:
    @cases(
        ("asked", "before"),
        [
            ("list the largest files", "list the smallest files"),
            ("upgrade to postgres 17", "upgrade to postgres 18"),
            ("convert a csv file to json", "convert a json file to csv"),
            ("deploy with downtime", "deploy without downtime"),
            ("who is on call this week", "who is on call last week"),
            ("open `settings.py` of the app", "open `urls.py` of the app"),
            ("what is the limit at Northgate", "what is the limit at Southgate"),
            ("what is the phone number of Mrs Meyer", "what is the phone number of Mrs Mayer"),
            ("when is the gate open on Monday", "when is the gate open on Thursday"),
            ("the port of inbound mail", "the port of outbound mail"),
            ("where are process values stored", "how long are process values stored"),
            ("who set the chlorine", "why was the chlorine set"),
            ("switch to the standby server", "switch back from the standby server"),
            ("how do I build the app for Android", "how do I build the app for Windows"),
            ("À quelle heure fait-on la recherche ?", "À quelle fréquence fait-on la recherche ?"),
            ("残留塩素はいつ測定しますか", "残留塩素はどこで測定しますか"),
            ("¿Cuándo se prohíbe llenar las piscinas?", "¿Cuándo se permite llenar las piscinas?"),
        ],
    )
    @pytest.mark.parametrize("evidence", ["before", "both"])
    def test_tells_apart_what_vectors_do_not(self, asked: str, before: str, evidence: str) -> None:
        text = before if evidence == "before" else f"{before}. {asked}."
        assert not asks_the_same(asked, before, _saved(text))

    @cases(
        ("asked", "before"),
        [
            ("how can I reset the password of a user", "reset a user's password"),
            ("how do we delete personal data", "how is personal data deleted"),
            ("which postgres queries are slow and how do I see them", "how to find slow queries in postgres"),
            ("Wann wird die Pumpe geprüft?", "wann wird die Pumpe geprüft"),
        ],
    )
    def test_lets_the_same_words_pass(self, asked: str, before: str) -> None:
        assert asks_the_same(asked, before, _saved(before))
        assert asks_the_same(before, asked, _saved(before))

    def test_asks_the_evidence_about_other_words(self) -> None:
        one, other = "how do we roll back a release", "how do we roll back a deployment"
        assert asks_the_same(other, one, _saved("Roll back a deployment with `undo`."))
        assert not asks_the_same(other, one, _saved("Roll back with `undo`."))
        assert not asks_the_same(other, one, _saved("A deployment is rolled back like a release."))
        assert not asks_the_same(other, one, Saved("Roll back with `undo`.", "Some deployment."))

    def test_takes_another_word_that_hardly_moves_the_question(self) -> None:
        one, other = (
            "how do I list the largest files in a git repository",
            "how can I list the biggest files of a git repo",
        )
        assert asks_the_same(other, one, _saved("git rev-list"), 0.983)
        assert not asks_the_same(other, one, _saved("git rev-list"), 0.95)
        monday, thursday = "when is the gate of the old loading bay open on Monday", "when is it open on Thursday"
        assert not asks_the_same(thursday, monday, _saved(monday), 0.99)

    def test_drops_a_word_that_told_nothing_apart(self) -> None:
        one, other = "which pump stands in the old hall", "which pump stands in the hall"
        assert asks_the_same(other, one, _saved("Pump P-17 stands in the hall."))
        assert not asks_the_same(other, one, _saved("Pump P-17 stands in the old hall."))

    def test_takes_none_of_the_look_alikes_of_the_lab(self) -> None:
        pairs = [*paraphrases.DIFFERENT, *paraphrases.HELD_OUT_DIFFERENT]
        assert not [(b, a) for a, b in pairs if asks_the_same(b, a, _saved(a))]


class TestKinship:
    def test_links_the_near_and_those_of_the_same_files(self) -> None:
        vectors = [np.array([1.0, 0.0]), np.array([0.95, 0.31]), np.array([0.0, 1.0])]
        files = [frozenset({("s", "a")}), frozenset({("s", "b")}), frozenset({("s", "a")})]
        found = {(one, other) for one, other, _, _ in lifecycle.pairs(vectors, files)}
        assert found == {(0, 1), (0, 2)}

    def test_merges_only_the_same_question_of_the_same_files(self) -> None:
        assert lifecycle.one_and_the_same(0.90, 0.5)
        assert not lifecycle.one_and_the_same(0.89, 1.0)
        assert not lifecycle.one_and_the_same(1.0, 0.49)


SOME = Signs(coverage=0.5, tight=0.4, absent=0.2, unnamed=0.0, cosine=0.4, exact=None)


class TestConfidence:
    @cases("sign", ["coverage", "tight", "cosine"])
    def test_rises_with_what_the_passage_has(self, sign: str) -> None:
        assert confidence(replace(SOME, **{sign: 0.8})) > confidence(SOME)

    @cases("sign", ["absent", "unnamed"])
    def test_falls_with_what_no_file_has_and_names_the_passage_has_not(self, sign: str) -> None:
        assert confidence(replace(SOME, **{sign: 0.6})) < confidence(SOME)

    def test_is_nothing_where_the_exact_term_is_another(self) -> None:
        """E_SPOOL_FULL at station WIL, of the line that has E_SPOOL_GAP at station WIL."""
        other = Signs(coverage=0.7, tight=0.7, absent=0.3, unnamed=0.0, cosine=0.7, exact=0.0)
        assert confidence(other) == 0.0
        assert confidence(replace(other, absent=0.0)) > 0.5 and confidence(replace(other, exact=None)) > 0.5

    def test_counts_names_less_in_a_long_text(self) -> None:
        assert [unnamed_share(1, 2, terms) for terms in (4, 10, 20)] == [0.5, 0.5, 0.25]
        assert unnamed_share(0, 0, 4) == 0.0

    def test_is_at_least_that_of_a_place_that_was_looked_for(self) -> None:
        nothing = Signs(coverage=0.0, tight=0.0, absent=1.0, unnamed=0.0, cosine=0.0, exact=1.0)
        assert confidence(replace(nothing, located=True)) == LOCATED
        assert is_found(LOCATED) and LOCATED < SURE

    @cases(
        ("share", "held", "places", "located"),
        [
            (0.5, 1.0, [1], True),
            (0.5, 1.0, [1, 50], True),
            (0.5, 1.0, [51], False),  # a host in every line
            (0.5, 0.5, [1, 0], False),
            (0.3, 1.0, [1], False),  # named in passing
            (0.5, None, [], False),
        ],
    )
    def test_of_a_place_needs_tokens_of_few_places(
        self, share: float, held: float | None, places: list[int], located: bool
    ) -> None:
        assert is_located(share, held, places) is located

    def test_of_a_model_and_the_evidence_together_may_be_a_little_less(self) -> None:
        assert (by_model(0.9, 0.9), by_model(0.9, 0.0), by_model(0.9, 0.02)) == (0.9, FLOOR, FLOOR)
        assert by_model(0.6, 0.1) == pytest.approx(0.35)

    def test_below_the_floor_is_never_said_to_be_more_than_a_third(self) -> None:
        assert not is_found(FLOOR - 0.01) and is_found(FLOOR)
        assert (reported(FLOOR - 0.01), reported(0.1), reported(FLOOR)) == (AT_MOST_UNFOUND, 0.1, FLOOR)
