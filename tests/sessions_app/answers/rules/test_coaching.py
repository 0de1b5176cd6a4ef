"""Explanations that fade."""

from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.coaching import (
    AT,
    MOST_TOKENS,
    UNTIL,
    CoachingMoment,
    Concept,
    lesson_for,
    next_concept,
    words_for,
)
from sessions_app.answers.rules.packing import tokens
from tests.cases import cases


class TestWordsFor:
    @cases("concept", Concept)
    def test_fades_from_full_over_a_line_to_silence(self, concept: Concept) -> None:
        lesson = lesson_for(concept, Interface.REST)
        assert [words_for(concept, told) for told in range(UNTIL + 2)] == [
            lesson.full,
            *[lesson.line] * (UNTIL - 1),
            "",
            "",
        ]

    @cases("concept", Concept)
    def test_keeps_to_its_budget(self, concept: Concept) -> None:
        for via in Interface:
            lesson = lesson_for(concept, via)
            assert tokens(lesson.full) <= MOST_TOKENS
            assert tokens(lesson.line) < tokens(lesson.full)


class TestNextConcept:
    def test_tells_one_after_the_other(self) -> None:
        first, second, *_ = AT[CoachingMoment.SURFACED]
        assert next_concept(CoachingMoment.SURFACED, {}, ()) is first
        assert next_concept(CoachingMoment.SURFACED, {first: UNTIL - 1}, ()) is first
        assert next_concept(CoachingMoment.SURFACED, {first: UNTIL}, ()) is second

    def test_leaves_out_what_is_known(self) -> None:
        first, second, *_ = AT[CoachingMoment.SURFACED]
        assert next_concept(CoachingMoment.SURFACED, {}, {first}) is second
        assert next_concept(CoachingMoment.SURFACED, {}, set(Concept)) is None

    def test_has_something_for_every_moment(self) -> None:
        assert all(next_concept(moment, {}, ()) for moment in CoachingMoment)
