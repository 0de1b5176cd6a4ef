"""Of the latest handoff a start reads the line that it shows, by an index made for it."""

from datetime import datetime

from django.db import connection

from accounts.models import Team
from accounts.rules.rights import Member
from sessions_app.models import AgentSession, Handoff
from tests.sessions_app.sitting import REPO, sit, stop


class TestTheLatestHandoff:
    def test_is_found_by_its_index(self, platform: Team) -> None:
        with connection.cursor() as cursor:
            # Of a table without rows any plan costs as little.
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        found = Handoff.objects.all().latest_first(platform.pk, "acme/web")[:1]
        assert "handoff_latest" in found.explain()

    def test_comes_without_the_pages_it_carries(self, bob: Member, now: datetime) -> None:
        """A start shows a line of it: neither its lists nor the digest of its session's transcript are read."""
        stop(sit(bob, now), bob, now, summary="The importer streams now.")
        found = Handoff.objects.all().latest_of(bob, AgentSession.objects.get().team_id, REPO)
        assert found.summary == "The importer streams now."
        assert {"decisions", "deposits", "files"} <= found.get_deferred_fields()
        assert {"digest", "said", "prompt"} <= found.session.get_deferred_fields()

    def test_is_none_of_a_team_one_is_not_in(self, bob: Member, charlie: Member, now: datetime) -> None:
        stop(sit(bob, now), bob, now, summary="The importer streams now.")
        assert Handoff.objects.all().latest_of(charlie, AgentSession.objects.get().team_id, REPO) is None
