"""Metrics of the database at `/metrics`: standbys, archive, slots, backups, and teams that are being moved.

Each process queries them at most every fifteen seconds, however often it is scraped: six small statements, none of
which reads a table of Loam's except those of job runs and teams.
"""

import time
from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from prometheus_client.core import GaugeMetricFamily, Metric

from accounts.actions import moving
from accounts.adapters import replica
from config.database import server_state
from config.database.backup_record import last_backup

HOLDS = 15.0
# The label of the standby that reads come from: it is queried itself, and its name is not known.
READ = "DATABASE_REPLICA_URL"


class Kept:
    """The cached metrics, and when they were read, on time.monotonic."""

    def __init__(self) -> None:
        self._at, self._found = float("-inf"), list[Metric]()

    def found(self, now: datetime) -> list[Metric]:
        """Return the metrics. If a server does not report one part (a managed one may not), the others are still
        returned.
        """
        if time.monotonic() - self._at > HOLDS:
            self._found = [metric for ask in PARTS for metric in _answered(ask(now))]
            self._at = time.monotonic()
        return self._found

    def forget(self) -> None:
        self._at = float("-inf")


def _answered(part: Iterable[Metric]) -> list[Metric]:
    try:
        return list(part)
    except (DatabaseError, InterfaceError):
        return []


def _standbys(now: datetime) -> Iterable[Metric]:
    found = server_state.standbys()
    needed, present = server_state.synchronous_needed(), server_state.synchronous_present(found)
    yield GaugeMetricFamily("loam_sync_standbys_needed", "Standbys that each answer waits for.", value=needed)
    yield GaugeMetricFamily("loam_sync_standbys", "Connected standbys that an answer may wait for.", value=present)
    behind = GaugeMetricFamily(
        "loam_standby_behind_bytes", "Bytes of the log that a standby has not replayed.", labels=["standby"]
    )
    for one in found:
        if one.behind_bytes is not None:
            behind.add_metric([one.name], one.behind_bytes)
    yield behind


def _read_standby(now: datetime) -> Iterable[Metric]:
    """Return the metrics of the standby that reads come from, which need no special role."""
    if not replica.configured():
        return
    written = replica.ask("default", replica.WRITTEN) or 0
    replayed = replica.ask(replica.ALIAS, replica.REPLAYED)
    if replayed is not None:
        behind = GaugeMetricFamily("loam_read_standby_behind_bytes", "The same, of the standby that reads come from.")
        behind.add_metric([], max(0, written - replayed))
        yield behind


def _archive(now: datetime) -> Iterable[Metric]:
    found = server_state.archive()
    failing = found.is_on and (found.is_failing or not found.has_command)
    yield GaugeMetricFamily("loam_archive_failing", "Whether the log cannot be archived.", value=int(failing))


def _slots(now: datetime) -> Iterable[Metric]:
    held = GaugeMetricFamily(
        "loam_replication_slot_held_bytes", "Bytes of the log that a replication slot keeps.", labels=["slot"]
    )
    for slot in server_state.replication_slots():
        held.add_metric([slot.name], slot.held_bytes)
    yield held


def _backups(now: datetime) -> Iterable[Metric]:
    """Return the metrics of backups. If backups are configured and there is none, its time is in 1970."""
    last = last_backup()
    if last is None and not settings.LOAM_BACKUP:
        return
    at, most = last.at.timestamp() if last else 0, settings.LOAM_BACKUP_HOURS * 3600
    yield GaugeMetricFamily("loam_backup_timestamp_seconds", "Time of the last verified backup.", value=at)
    yield GaugeMetricFamily("loam_backup_max_age_seconds", "Age past which it is too old.", value=most)


def _stopped(now: datetime) -> Iterable[Metric]:
    stopped = [
        (now - team.writes_stopped_at).total_seconds()
        for team in moving.teams_in_motion()
        if team.writes_stopped_at and not team.moved_to
    ]
    longest = max(stopped, default=0)
    yield GaugeMetricFamily("loam_team_stopped_seconds", "Longest that a moving team takes no writes.", value=longest)


PARTS = (_standbys, _read_standby, _archive, _slots, _backups, _stopped)
kept = Kept()
