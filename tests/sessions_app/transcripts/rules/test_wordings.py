"""The wordings that the rules on decisions and next steps were made on."""

from sessions_app.transcripts.rules.decisions import extract
from sessions_app.transcripts.rules.plans import planned
from sessions_app.transcripts.rules.turn import Turn
from tests.cases import cases
from tests.sessions_app.transcripts.rules.wordings import DECIDED, NOT_DECIDED
from tests.sessions_app.transcripts.rules.wordings_ahead import NOT_PLANNED, PLANNED


class TestDecision:
    @cases(("text", "words", "reason"), DECIDED)
    def test_is_found_with_its_reason(self, text: str, words: str, reason: str) -> None:
        found = extract([Turn("assistant", text)])
        assert found, "nothing found"
        assert words in found[0].statement
        assert reason in found[0].reasoning

    @cases("text", NOT_DECIDED)
    def test_is_not_made_of_what_only_sounds_like_one(self, text: str) -> None:
        assert [one.statement for one in extract([Turn("assistant", text)])] == []


class TestNextStep:
    @cases(("text", "steps"), PLANNED)
    def test_is_found(self, text: str, steps: list[str]) -> None:
        found = planned([Turn("assistant", text)])
        assert len(found) == len(steps), found
        assert all(step in one.replace("*", "") for step, one in zip(steps, found, strict=True))

    @cases("text", NOT_PLANNED)
    def test_is_not_made_of_what_only_sounds_like_one(self, text: str) -> None:
        assert planned([Turn("assistant", text)]) == []
