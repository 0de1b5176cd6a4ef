"""What the tests' shortcuts leave is what the product leaves, row by row."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.rules.rights import Member
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Insight
from tests.conftest import NOW
from tests.database import contents
from tests.factories import _deposited, _written, make_draft, make_insight

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DRAFTS: dict[str, list[dict[str, Any]]] = {
    "one": [{}],
    "the same twice": [{}, {}],
    "others": [{"body": f"Beat number {n} runs once an hour, by its lock."} for n in range(3)],
    "all fields": [
        {
            "title": "A title",
            "reasoning": "It was so.",
            "tags": ["ship"],
            "files": ["src/a.py"],
            "symbols": ["a.run"],
            "error": "ValueError: no",
            "repo": "acme/shop",
            "provenance": [{"path": "src/a.py", "sha256": "a" * 64}],
        }
    ],
    "an invisible character": [{"body": "Run the\u200b guard first."}],
    "one's own": [{"team": "personal"}],
}


def left_by(make: Callable[[], Any]) -> dict[str, list[str]]:
    """All rows once that is done, numbered from the same number and without what is random; then it is undone."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            for found in connection.introspection.sequence_list():
                name = connection.ops.quote_name(found["name"] or f"{found['table']}_{found['column']}_seq")
                cursor.execute(f"ALTER SEQUENCE {name} RESTART WITH 700000")
        make()
        rows = {table: sorted(UUID.sub("uuid", text).split("\n")) for table, text in contents().items()}
        transaction.set_rollback(True)
    return rows


class TestInsights:
    @pytest.mark.parametrize("overs", DRAFTS.values(), ids=DRAFTS)
    def test_are_what_a_deposit_leaves(self, overs: list[dict[str, Any]], alice: Member) -> None:
        make_insight(alice, body="Another of the team's.")
        drafts = [make_draft(**over) for over in overs]
        written = left_by(lambda: _written(drafts, alice, NOW))
        deposited = left_by(lambda: _deposited(drafts, alice, NOW))
        assert written == deposited
        assert written != left_by(list)

    @pytest.mark.parametrize(
        "over",
        [
            {"body": "As PLAT-1 has it, run the guard."},
            {"body": "Ask ann.other@acme-payments.com first."},
            {"body": "The key is AKIAIOSFODNN7EXAMPLQ."},
            {"relations": [Statement("PLAT-1", Relation.DUPLICATES)]},
            {"idempotency_key": "k1"},
            {"body": " "},
        ],
        ids=["a reference", "personal data", "a secret", "a relation", "a key", "nothing"],
    )
    def test_that_take_more_than_a_row_are_deposited(self, over: dict[str, Any], alice: Member) -> None:
        make_insight(alice)
        assert _written([make_draft(), make_draft(**over)], alice, NOW) == []
        assert Insight.objects.count() == 1

    def test_without_a_vector_are_deposited(self, alice: Member, embedder_down: str) -> None:
        assert _written([make_draft()], alice, NOW) == []
        assert make_insight(alice).embedding is None
