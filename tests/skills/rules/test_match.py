"""What a skill is worth to a question, and which are served."""

from typing import Any

import pytest

from skills.rules.match import FLOOR, LEAST_SIMILARITY, MOST, Question, SkillCandidate, SkillMatch, best, match
from tests.cases import cases

NOTHING = Question.asked(text="how do I publish", tags=[], files=[], error="")


def candidate(
    distance: float | None = 0.5, *triggers: str, name: str = "release", version_id: int = 1
) -> SkillCandidate:
    return SkillCandidate(version_id, name, 1, distance, triggers)


def asked(**over: Any) -> Question:
    return Question.asked(**{"text": "how do I publish", "tags": [], "files": [], "error": "", **over})


class TestTheScore:
    def test_is_six_parts_meaning_and_four_of_triggers(self) -> None:
        found = match(candidate(0.5, "tag:release"), asked(tags=["Release"]))
        assert (found.similarity, found.overlap) == (0.5, 1.0)
        assert found.score == pytest.approx(0.6 * 0.5 + 0.4)
        assert found.why == "meaning 0.50; tag release"

    def test_is_not_lowered_by_triggers_the_question_says_nothing_of(self) -> None:
        triggers = ("tag:release", "file:release/*", "error:quota exceeded")
        assert match(candidate(0.5, *triggers), NOTHING).overlap == 0
        assert match(candidate(0.5, *triggers), asked(tags=["release"])).overlap == 1

    def test_is_lowered_by_those_it_speaks_against(self) -> None:
        found = match(candidate(0.5, "tag:release", "file:release/*"), asked(tags=["release"], files=["src/a.py"]))
        assert found.overlap == 0.5

    def test_counts_a_kind_once_however_many_are_met(self) -> None:
        many = match(candidate(0.5, "tag:a", "tag:b", "tag:c"), asked(tags=["a", "b", "c"]))
        assert many.overlap == match(candidate(0.5, "tag:a"), asked(tags=["a"])).overlap == 1

    def test_finds_an_error_that_was_pasted_into_the_question(self) -> None:
        skill = candidate(0.5, "error:No space left on device")
        for question in (asked(error="OSError: no  space left on device"), asked(text="no space left on device, why?")):
            assert match(skill, question).overlap == 1

    def test_has_no_meaning_without_a_vector(self) -> None:
        assert match(candidate(None, "tag:release"), asked(tags=["release"])).score == pytest.approx(0.4)

    def test_is_never_negative(self) -> None:
        assert match(candidate(1.4), NOTHING).score == 0


def worth(similarity: float, overlap: float = 0.0, name: str = "release", version_id: int = 1) -> SkillMatch:
    return SkillMatch(candidate(name=name, version_id=version_id), similarity, overlap, ())


class TestServed:
    @cases(("similarity", "served"), [(FLOOR / 0.6 - 0.001, 0), (FLOOR / 0.6 + 0.001, 1)])
    def test_is_what_is_over_the_floor(self, similarity: float, served: int) -> None:
        assert len(best([worth(similarity)], meaning=True)) == served

    @cases(("similarity", "served"), [(LEAST_SIMILARITY - 0.001, 0), (LEAST_SIMILARITY, 1)])
    def test_is_never_by_a_trigger_alone(self, similarity: float, served: int) -> None:
        assert len(best([worth(similarity, 1.0)], meaning=True)) == served

    def test_is_by_triggers_alone_when_the_embedder_is_down(self) -> None:
        assert best([worth(0, 1.0)], meaning=False)
        assert not best([worth(0, 0.5)], meaning=False)

    def test_are_the_best_few(self) -> None:
        found = best([worth(s, name=f"s{n}", version_id=n) for n, s in enumerate((0.6, 0.62, 0.61))], meaning=True)
        assert [m.candidate.name for m in found] == ["s1", "s2"]
        assert len(found) == MOST

    def test_is_no_second_far_behind_the_first(self) -> None:
        assert len(best([worth(0.9), worth(0.5, name="other")], meaning=True)) == 1
