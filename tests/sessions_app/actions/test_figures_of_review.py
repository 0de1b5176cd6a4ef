"""The dashboard's figures of reviewing: how long it takes, and how old open contradictions are."""

from datetime import timedelta

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import Pair
from knowledge.review.actions.settle import report
from sessions_app.actions.figures import figures
from sessions_app.rules.figures import median_span
from tests.conftest import NOW
from tests.factories import make_insight
from tests.pages import signed_in

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def test_the_median_of_an_even_number_of_spans_is_between_the_two() -> None:
    assert median_span([4 * HOUR, HOUR, 2 * HOUR]) == 2 * HOUR
    assert median_span([HOUR, 2 * HOUR]) == 1.5 * HOUR
    assert median_span([]) is None


def test_contradictions_are_as_old_as_they_are_open(alice: Member, alice_user: User, charlie: Member) -> None:
    texts = ("Keep it on.", "Switch it off.", "Use tabs here.", "Use spaces here.")
    one, two, three, four = (make_insight(alice, body=body) for body in texts)
    for a, b, age in ((one, two, 10 * DAY), (three, four, 2 * DAY)):
        report(a=a.ref, b=b.ref, reason="They differ.", by=alice, now=NOW - age)
    found = figures(by=alice, now=NOW, days=30)
    assert (found.contradictions, found.oldest_contradiction, found.contradiction_age) == (2, 10 * DAY, 6 * DAY)
    assert figures(by=charlie, now=NOW, days=30).contradictions == 0
    page = signed_in(alice_user).get("/dashboard/").content.decode()
    assert "Oldest contradiction" in page and 'href="/contradictions/"' in page and "Background jobs" not in page
    Pair.objects.filter(raised_at=NOW - 10 * DAY).update(state="dismissed")
    assert figures(by=alice, now=NOW, days=30).oldest_contradiction == 2 * DAY
