"""The words an insight is described with."""

from knowledge.rules.vocabulary import AnchorKind, Confidence, Kind, Source, Stability, Status, Trust, confidence
from tests.cases import cases


class TestConfidence:
    @cases(
        ("voices", "sure"),
        [
            (0, Confidence.LOW),
            (1, Confidence.LOW),
            (2, Confidence.MEDIUM),
            (3, Confidence.HIGH),
            (4, Confidence.HIGH),
            (1000, Confidence.HIGH),
        ],
    )
    def test_is_high_from_the_third_voice_on(self, voices: int, sure: Confidence) -> None:
        assert confidence(voices) is sure


class TestWords:
    def test_are_the_contract_with_every_client(self) -> None:
        assert {kind.value for kind in Kind} == {
            "SOLUTION", "PATTERN", "PITFALL", "CONTEXT", "WORKFLOW", "DEPENDENCY", "DECISION",
        }  # fmt: skip
        assert [status.value for status in Status] == ["draft", "promoted", "deprecated", "archived"]
        assert [stability.value for stability in Stability] == ["evergreen", "stable", "evolving"]
        assert [source.value for source in Source] == ["agent", "human", "import", "transcript", "said", "evidence"]
        assert {trust.value for trust in Trust} == {"validated", "stale", "contradicted", "unknown"}
        assert {kind.value for kind in AnchorKind} == {"file", "symbol", "tag", "error", "message"}
        assert [confidence.value for confidence in Confidence] == ["high", "medium", "low"]
