"""Of open handoffs a start reads the lines that it shows, by an index made for it."""

from datetime import datetime
from typing import Any

from django.db import connection

from accounts.models import Team
from accounts.rules.rights import Member
from sessions_app.models import AgentSession, Handoff
from tests.sessions_app.sitting import REPO, sit, stop


def offered(who: Member, now: datetime) -> list[Any]:
    return Handoff.objects.all().offered_to(who, AgentSession.objects.get().team_id, REPO, now, 5, 5)


class TestOpenHandoffs:
    def test_are_found_by_their_index(self, platform: Team) -> None:
        with connection.cursor() as cursor:
            # Of a table without rows any plan costs as little.
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        found = Handoff.objects.filter(team_id=platform.pk, repo="acme/web").open().order_by("-as_of", "-pk")[:1]
        assert "handoff_open" in found.explain()

    def test_come_without_the_pages_they_carry(self, bob: Member, now: datetime) -> None:
        """A start shows a line of it: neither its lists nor the digest of its session's transcript are read."""
        stop(sit(bob, now), bob, now, summary="The importer streams now.")
        [found] = offered(bob, now)
        assert found.summary == "The importer streams now."
        assert {"decisions", "deposits", "facts"} <= found.get_deferred_fields()
        assert {"digest", "said", "prompt"} <= found.session.get_deferred_fields()

    def test_are_none_of_a_team_one_is_not_in(self, bob: Member, charlie: Member, now: datetime) -> None:
        stop(sit(bob, now), bob, now, summary="The importer streams now.")
        assert offered(charlie, now) == []
