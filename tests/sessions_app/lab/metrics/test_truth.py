"""What is counted of how changed facts are told."""

from sessions_app.lab.metrics.pairs import Share
from sessions_app.lab.metrics.truth import CaseResult, case, figures


def changed(length: str, *, first: bool) -> CaseResult:
    row = {"id": "1", "label": "contra", "length": length, "kind": "CONTEXT", "a": "Ten.", "b": "Six.", "question": "?"}
    return CaseResult(case(row), merged=False, superseded=False, asked=False, right=(first,))


def test_sentences_and_paragraphs_are_counted_together_and_apart() -> None:
    told = [changed("short", first=True), changed("short", first=False), changed("paragraph", first=True)]
    found = figures(told)
    assert found["current first"] == Share(2, 3)
    assert found["of sentences"] == Share(1, 2)
    assert found["of paragraphs"] == Share(1, 1)
