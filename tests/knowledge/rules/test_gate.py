"""What a draft must pass."""

import pytest

from knowledge.rules.gate import SecretFound, guard_draft
from knowledge.rules.vocabulary import Kind
from tests.cases import cases
from tests.factories import make_draft

# Put together here, so that no scanner of this repository takes it for a leak.
SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


class TestGuarded:
    @cases("field", ["title", "body", "reasoning", "error", "repo", "idempotency_key"])
    def test_refuses_a_secret_in_any_text(self, field: str) -> None:
        with pytest.raises(SecretFound) as refused:
            guard_draft(make_draft(**{field: f"use {SECRET} there"}))
        assert set(refused.value.errors) == {field}
        assert SECRET not in str(refused.value.errors)

    @cases("field", ["tags", "files", "symbols"])
    def test_refuses_a_secret_in_any_list(self, field: str) -> None:
        with pytest.raises(SecretFound):
            guard_draft(make_draft(**{field: ["fine", SECRET]}))

    def test_lets_a_reviewed_term_through(self) -> None:
        assert SECRET in guard_draft(make_draft(body=f"use {SECRET} there"), allowed={SECRET}).draft.body

    def test_masks_personal_data_and_remembers_the_whole(self) -> None:
        passed = guard_draft(make_draft(kind=Kind.CONTEXT, body="Ask\njane.doe@northwindcorp.com about it."))
        assert passed.draft.body == "Ask\n[EMAIL] about it."
        assert "jane.doe" in passed.whole.body
        assert [(one.field, one.line, one.column) for one in passed.redacted] == [("body", 2, 1)]

    def test_takes_invisible_characters_out_before_it_looks(self) -> None:
        with pytest.raises(SecretFound):
            guard_draft(make_draft(body=f"use {SECRET[:8]}\u200b{SECRET[8:]} there"))
        assert guard_draft(make_draft(body="a\u200bb says what to do")).stripped == {"body": 1}
