"""Which link of the header is marked as that of the page."""

import pytest
from django.test import RequestFactory

from knowledge.templatetags.navigation import navigation


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("/", "Inbox"),
        ("/contradictions/", "Inbox"),
        ("/proposals/7/", "Inbox"),
        ("/pairs/7/merge/", "Inbox"),
        ("/insights/PLAT-1/", "Insights"),
        ("/sessions/open/", "Sessions"),
        ("/friction/", "Sessions"),
    ],
)
def test_marks_the_part_a_page_belongs_to(path: str, label: str) -> None:
    assert [item.label for item in navigation(RequestFactory().get(path)) if item.current] == [label]


def test_marks_nothing_on_a_page_of_the_account() -> None:
    assert not any(item.current for item in navigation(RequestFactory().get("/settings/")))
