"""The look at the whole database by which sweeps say that nothing came of a request (tests/database.py)."""

import pytest
from django.db import transaction

from accounts.models import LogEntry, Team
from tests.conftest import NOW
from tests.database import changed, contents


class Undone(Exception):
    pass


class TestWhatHasChanged:
    def test_is_nothing_where_nothing_was_written(self, platform: Team) -> None:
        before = contents()
        assert list(Team.objects.all())
        assert changed(before) == []

    def test_is_each_table_that_was_written_to(self, platform: Team, mobile: Team) -> None:
        before = contents()
        Team.objects.create(name="Web", slug="web", prefix="WEB")
        assert changed(before) == ["accounts_team"]
        before = contents()
        Team.objects.filter(pk=mobile.pk).update(name="Phones")
        assert changed(before) == ["accounts_team"]
        before = contents()
        Team.objects.filter(pk=mobile.pk).delete()
        assert changed(before) == ["accounts_team"]

    def test_is_nothing_where_it_was_written_as_it_was(self, platform: Team) -> None:
        before = contents()
        platform.save()
        assert changed(before) == []

    def test_is_seen_within_what_is_undone_and_gone_after(self, platform: Team) -> None:
        first = contents()
        for _ in range(2):
            before = first.undone()
            with pytest.raises(Undone), transaction.atomic():
                Team.objects.filter(pk=platform.pk).delete()
                assert changed(before) == ["accounts_team"]
                raise Undone
        assert changed(first) == changed(before) == changed(before.undone()) == []

    def test_is_no_line_of_an_act_that_was_refused(self, platform: Team) -> None:
        before = contents()
        line = {"team": platform, "subject": "x", "line": "x", "at": NOW}
        LogEntry.objects.create(verb="refused", **line)
        assert changed(before) == []
        LogEntry.objects.create(verb="edited", **line)
        assert changed(before) == ["accounts_logentry"]

    @pytest.mark.django_db(transaction=True)
    def test_is_seen_where_each_statement_commits(self, platform: Team) -> None:
        before = contents()
        Team.objects.filter(pk=platform.pk).update(name="Core")
        assert changed(before) == ["accounts_team"]
