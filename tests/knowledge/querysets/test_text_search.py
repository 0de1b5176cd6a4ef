"""Plain text search finds the same whether the index finds the rows or all are leafed through."""

import pytest

from accounts.rules.rights import Member
from knowledge.models import Anchor, Insight
from knowledge.querysets import text_search
from knowledge.querysets.text_search import containing
from tests.conftest import NOW
from tests.factories import make_insights

NOTES = (
    {"title": "Celery acks late", "body": "A transaction is bound to its task.", "tags": ["celery"]},
    {"title": "How long a lock waits", "body": "A TRANSACTION waits for 2 s.", "tags": ["postgres"]},
    {"title": "Boundaries of a form", "body": "How the boundary is drawn.", "tags": ["transaction"]},
    {"title": "100% of a_b", "body": "What is escaped is found as it stands.", "files": ["src/a_b.py"]},
)

# What is typed, and the titles that are found.
SOUGHT = [
    ("transaction", {"Celery acks late", "How long a lock waits", "Boundaries of a form"}),
    ("TRANSACTION how", {"How long a lock waits", "Boundaries of a form"}),
    ("bound transaction", {"Celery acks late", "Boundaries of a form"}),
    ('"bound to" celery', {"Celery acks late"}),
    ("a is transaction", {"Celery acks late", "Boundaries of a form"}),
    ("src/a_b.py escaped", {"100% of a_b"}),
    ("100% a_b", {"100% of a_b"}),
    ("axb", set()),
    ("2", {"How long a lock waits"}),
    ("transaction nowhere", set()),
]


@pytest.mark.parametrize("few", [text_search.FEW, 0], ids=["by index", "leafed through"])
@pytest.mark.parametrize(("typed", "titles"), SOUGHT, ids=[typed for typed, _ in SOUGHT])
def test_finds_rows_with_every_word(
    alice: Member, bob: Member, monkeypatch: pytest.MonkeyPatch, few: int, typed: str, titles: set[str]
) -> None:
    monkeypatch.setattr(text_search, "FEW", few)
    make_insights(alice, NOW, *NOTES)
    make_insights(bob, NOW, *({**note, "team": "personal"} for note in NOTES))
    rows = Insight.objects.visible_to(alice)
    found = containing(rows, Anchor.objects.all(), typed)
    assert found.count() == len(titles)
    assert {row.title for row in found.order_by("-created_at", "-pk")} == titles
