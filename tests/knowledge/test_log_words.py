"""What pages make of the words of the log."""

from html import unescape

from django.utils import timezone

from accounts.models import LogEntry, User
from accounts.rules.rights import Member
from knowledge.actions import curate
from knowledge.models import Pair
from tests.factories import make_insight
from tests.knowledge.test_views import text
from tests.pages import signed_in


class TestTheWordsOfALog:
    """The log keeps a machine's words; a page says what they mean."""

    def test_are_plain_where_they_are_shown(self, alice_user: User, alice: Member, bob: Member) -> None:
        row = make_insight(alice, title="Guard \u200blong ALTERs", body="Always run the guard.", now=timezone.now())
        line = LogEntry.objects.get(subject=row.ref, verb="deposited")
        assert "invisible characters stripped: {" in line.why
        unsure = "PLAT-9: unsure, by local: no clear majority: queued [version: 8 / 9]"
        LogEntry.objects.filter(pk=line.pk).update(why=f"{line.why}; {unsure}")
        other = make_insight(bob, body="Never run the guard.")
        reason = unsure.partition(": ")[2]
        Pair.between(row, other, question="contradiction", reason=reason, by=alice, at=timezone.now())
        client = signed_in(alice_user)
        for path in (f"/insights/{row.ref}/", "/teams/platform/activity/"):
            page = unescape(text(client.get(path)))
            assert "1 invisible character taken out of the title; it may say the same as PLAT-9" in page
            assert "by local" not in page and "stripped: {" not in page
        page = unescape(text(client.get("/contradictions/")))
        assert "It may say the same as the other: nobody can tell from the words alone; a person is asked" in page
        assert "by local" not in page

    def test_of_a_person_stand_as_they_were_written(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice)
        curate.pin(ref=row.ref, by=alice, now=timezone.now(), why="same, by and <large>")
        assert "“same, by and &lt;large&gt;”" in text(signed_in(alice_user).get(f"/insights/{row.ref}/"))
