"""What Prometheus is told of standbys, the archive, slots, backups and teams that move; and that it costs little."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import ProgrammingError
from django.utils import timezone

from accounts.adapters import replica
from accounts.models import Team
from accounts.rules.rights import Member
from config.database import server_state
from config.database.backup_record import record_backup
from config.database.server_state import Archive, ReplicationSlot, Standby
from config.monitoring.database_metrics import HOLDS, Kept

NOW = timezone.now()


def figures() -> dict[tuple[str, ...], float]:
    """Name and labels' values → value."""
    samples = (sample for family in Kept().found(NOW) for sample in family.samples)
    return {(one.name, *one.labels.values()): one.value for one in samples}


class TestTheFigures:
    def test_of_a_server_alone_say_that_nothing_is_missing(self, db: None) -> None:
        assert figures() == {
            ("loam_sync_standbys_needed",): 0,
            ("loam_sync_standbys",): 0,
            ("loam_archive_failing",): 0,
            ("loam_team_stopped_seconds",): 0,
        }

    def test_tell_of_standbys_that_are_missing_or_behind(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        found = [Standby("node2", True, 7), Standby("node3", False, None)]
        monkeypatch.setattr(server_state, "standbys", lambda: found)
        monkeypatch.setattr(server_state, "synchronous_needed", lambda: 2)
        told = figures()
        assert told["loam_sync_standbys_needed",] == 2 and told["loam_sync_standbys",] == 1
        assert told["loam_standby_behind_bytes", "node2"] == 7
        assert ("loam_standby_behind_bytes", "node3") not in told

    def test_tell_of_the_standby_that_is_read(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        places = {("default", replica.WRITTEN): 900, (replica.ALIAS, replica.REPLAYED): 400}
        monkeypatch.setattr(replica, "configured", lambda: True)
        monkeypatch.setattr(replica, "ask", lambda alias, statement: places[alias, statement])
        assert figures()["loam_read_standby_behind_bytes",] == 500

    @pytest.mark.parametrize(
        ("mode", "command", "failed", "failing"),
        [("on", True, True, 1), ("on", True, False, 0), ("on", False, False, 1), ("off", False, True, 0)],
    )
    def test_tell_of_an_archive_that_fails(
        self, db: None, monkeypatch: pytest.MonkeyPatch, mode: str, command: bool, failed: bool, failing: int
    ) -> None:
        found = Archive(mode, command, 1, NOW, NOW + timedelta(seconds=1 if failed else -1), "0A")
        monkeypatch.setattr(server_state, "archive", lambda: found)
        assert figures()["loam_archive_failing",] == failing

    def test_tell_what_slots_hold(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(server_state, "replication_slots", lambda: [ReplicationSlot("gone", False, 9, False)])
        assert figures()["loam_replication_slot_held_bytes", "gone"] == 9

    def test_tell_of_the_last_backup_where_one_is_expected(self, db: None, settings: Any) -> None:
        assert ("loam_backup_timestamp_seconds",) not in figures()
        settings.LOAM_BACKUP = "/backups"
        assert figures()["loam_backup_timestamp_seconds",] == 0
        record_backup("/backups/a.dump", began=NOW, now=NOW, size=1)
        assert figures()["loam_backup_timestamp_seconds",] == pytest.approx(NOW.timestamp())
        assert figures()["loam_backup_max_age_seconds",] == 26 * 3600

    def test_tell_how_long_a_team_that_moves_takes_no_writes(self, alice: Member) -> None:
        Team.objects.filter(slug="platform").update(writes_stopped_at=NOW - timedelta(minutes=7))
        assert figures()["loam_team_stopped_seconds",] == 420
        Team.objects.filter(slug="platform").update(moved_to="https://there.test")
        assert figures()["loam_team_stopped_seconds",] == 0

    def test_of_what_a_server_does_not_tell_are_left_out(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuses() -> None:
            raise ProgrammingError("permission denied for view pg_stat_archiver")

        monkeypatch.setattr(server_state, "archive", refuses)
        told = figures()
        assert ("loam_archive_failing",) not in told and ("loam_team_stopped_seconds",) in told


class TestAScrape:
    def test_asks_a_handful_of_statements_and_the_next_none(
        self, db: None, django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kept = Kept()
        with django_assert_num_queries(6):
            first = kept.found(NOW)
        with django_assert_num_queries(0):
            assert kept.found(NOW) is first
        monkeypatch.setattr(kept, "_at", kept._at - HOLDS)
        with django_assert_num_queries(6):
            kept.found(NOW)
