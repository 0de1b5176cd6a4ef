"""What the doctor says of backups, of the archive and of slots: what is unsafe, and what mends it."""

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from moto import mock_aws

from accounts.models import JobRun
from config.database import server_state
from config.database.backup_record import last_backup, record_backup, record_failure
from config.database.server_state import Archive, ReplicationSlot, Standby
from config.monitoring import backups
from config.monitoring.system_part import SystemPart

NOW = timezone.now()


def part(name: str) -> SystemPart:
    return next(one for one in backups.parts(now=NOW) if one.name == name)


def made(place: str, hours: float = 1) -> None:
    at = NOW - timedelta(hours=hours)
    record_backup(place, began=at, now=at, size=3_000_000)


@pytest.fixture
def folder(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: None) -> Path:
    """Where backups go, on another disk than the database as far as anybody can see."""
    settings.LOAM_BACKUP = str(tmp_path)
    monkeypatch.setattr(backups, "_shares_disk", lambda folder: False)
    return tmp_path


@pytest.fixture
def bucket(settings: Any, monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[Any]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    settings.LOAM_BACKUP = "s3://backups/loam"
    with mock_aws():
        there = boto3.resource("s3").Bucket("backups")
        there.create()
        yield there


class TestBackups:
    def test_that_nobody_makes_are_unsafe(self, db: None) -> None:
        found = part("backups")
        assert found.ok and found.unsafe and "None was made and LOAM_BACKUP is not set" in found.said
        assert "manage.py backup every night" in found.mend

    def test_that_were_never_made_where_they_should_be_are_wrong(self, folder: Path) -> None:
        found = part("backups")
        assert (found.ok, found.said) == (False, "None was made yet.")

    @pytest.mark.parametrize(("hours", "ok"), [(25.9, True), (26.1, False)])
    def test_that_are_too_old_are_wrong(self, folder: Path, hours: float, ok: bool) -> None:
        (folder / "a.dump").touch()
        made(f"{folder}/a.dump", hours)
        found = part("backups")
        assert found.ok is ok and not found.unsafe
        assert found.said.lower().startswith("the last one is 26 h old")
        assert ok or "LOAM_BACKUP_HOURS is 26: what came since would be lost." in found.said

    def test_of_another_path_are_looked_at_as_well(self, db: None) -> None:
        made("/elsewhere/a.dump", 2)
        assert part("backups").ok
        JobRun.objects.update(started_at=NOW - timedelta(days=3))
        assert "The last one is 72 h old" in part("backups").said

    def test_that_failed_do_not_count(self, folder: Path) -> None:
        record_failure("pg_dump: no room", began=NOW, now=NOW)
        assert last_backup() is None and not part("backups").ok

    def test_of_a_folder_that_is_not_there_are_wrong(self, folder: Path, settings: Any) -> None:
        settings.LOAM_BACKUP = f"{folder}/nowhere"
        assert part("backups").said == f"{folder}/nowhere is no folder."

    def test_of_a_folder_that_cannot_be_written_are_wrong(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Root may write anywhere, so the answer is the system's."""
        monkeypatch.setattr(os, "access", lambda path, mode: not (Path(path) == folder and mode & os.W_OK))
        assert part("backups").said == f"{folder} cannot be written to."

    def test_that_were_taken_away_are_wrong(self, folder: Path) -> None:
        made(f"{folder}/a.dump")
        assert part("backups").said == f"{folder}/a.dump no longer exists."

    def test_on_the_disk_of_the_database_are_unsafe(self, settings: Any, tmp_path: Path, db: None) -> None:
        with server_state.connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('data_directory')")
            (data,) = cursor.fetchone()
        settings.LOAM_BACKUP = str(Path(data).parent)
        found = part("backups")
        assert found.ok and found.unsafe
        assert "is on the database's disk, and would be lost with it." in found.said
        assert found.mend == "Mount another machine's disk there."

    def test_in_s3_are_well(self, bucket: Any) -> None:
        bucket.Object("loam/a.dump").put(Body=b"PGDMP")
        made("s3://backups/loam/a.dump")
        found = part("backups")
        assert found.ok and not found.unsafe

    def test_in_s3_that_are_gone_are_wrong(self, bucket: Any) -> None:
        made("s3://backups/loam/a.dump")
        assert part("backups").said.startswith("s3://backups/loam/a.dump no longer exists")

    def test_in_a_bucket_that_is_not_there_are_wrong(self, bucket: Any, settings: Any) -> None:
        settings.LOAM_BACKUP = "s3://elsewhere/loam"
        found = part("backups")
        assert found.said == "There is no bucket elsewhere: s3://elsewhere/loam takes no backup."
        assert "AWS_ENDPOINT_URL_S3" in found.mend

    def test_without_credentials_are_wrong(self, bucket: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        boto3.setup_default_session()
        assert part("backups").said.startswith("No credentials are given: ")

    def test_in_an_s3_that_cannot_be_reached_are_wrong(self, settings: Any, db: None, monkeypatch: Any) -> None:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "testing")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
        settings.LOAM_BACKUP = "s3://backups"
        assert part("backups").said.startswith("It cannot be reached (EndpointConnectionError)")


class TestTheCommand:
    def test_without_a_file_writes_where_the_setting_says_and_keeps_that_it_did(
        self, transactional_db: None, settings: Any, tmp_path: Path
    ) -> None:
        settings.LOAM_BACKUP = str(tmp_path)
        call_command("backup")
        last = last_backup()
        assert last is not None and Path(last.place).parent == tmp_path
        assert Path(last.place).stat().st_size == last.size
        call_command("backup", "--unchecked", str(tmp_path / "b.dump"))
        assert last_backup() == last

    def test_that_fails_keeps_why(self, transactional_db: None, settings: Any, tmp_path: Path) -> None:
        settings.LOAM_BACKUP = f"{tmp_path}/nowhere"
        with pytest.raises(CommandError):
            call_command("backup")
        run = JobRun.objects.get(name="backup")
        assert run.outcome == "failed" and "nowhere" in run.detail

    def test_without_either_says_so(self, db: None) -> None:
        with pytest.raises(CommandError, match="Name a FILE, or set LOAM_BACKUP"):
            call_command("backup")


ARCHIVE = Archive("on", True, 0, NOW, None, "")
ARCHIVES = [
    (replace(ARCHIVE, mode="off"), True, "not archived"),
    (ARCHIVE, True, "on, the last file at"),
    (replace(ARCHIVE, last_archived=None), True, "on, nothing yet"),
    (replace(ARCHIVE, has_command=False), False, "without an archive_command"),
    (replace(ARCHIVE, failed=3, last_failed=NOW - timedelta(hours=1)), True, "on, the last file"),
    (
        replace(ARCHIVE, failed=3, last_failed=NOW + timedelta(hours=1), failed_file="0A"),
        False,
        "0A cannot be archived",
    ),
    (replace(ARCHIVE, failed=3, last_archived=None, last_failed=NOW, failed_file="0A"), False, "the disk is full"),
]
SLOT = ReplicationSlot("node2", True, 10_000, False)
SLOTS = [
    ([], True, False, "none"),
    ([SLOT], True, False, "1, each is read"),
    ([SLOT, replace(SLOT, name="old", active=False)], True, True, "nobody reads old"),
    ([replace(SLOT, held_bytes=2_000_000_000)], False, False, "holds 2.0 GB of the log, which its standby reads too"),
    ([replace(SLOT, active=False, held_bytes=2_000_000_000)], False, False, "and nobody reads it: the disk fills up."),
    ([replace(SLOT, lost=True)], False, False, "its standby does not come back"),
]
STANDBY = Standby("node2", True, 5_000_000)
STANDBYS = [
    (1, [], False, False, "0 of 1 that an answer waits for: writes wait."),
    (1, [replace(STANDBY, synchronous=False)], False, False, "0 of 1"),
    (1, [STANDBY], True, True, "with one more gone, writes wait"),
    (1, [STANDBY, STANDBY], True, False, "5.0 MB behind at most"),
    (0, [replace(STANDBY, synchronous=None, behind_bytes=None)], True, False, "GRANT pg_monitor TO"),
]


class TestTheServer:
    @pytest.mark.parametrize(("found", "ok", "said"), ARCHIVES)
    def test_whose_archive_fails_is_wrong(
        self, db: None, monkeypatch: pytest.MonkeyPatch, found: Archive, ok: bool, said: str
    ) -> None:
        monkeypatch.setattr(server_state, "archive", lambda: found)
        told = part("archive")
        assert (told.ok, bool(told.mend)) == (ok, not ok) and said in told.said

    @pytest.mark.parametrize(("found", "ok", "unsafe", "said"), SLOTS)
    def test_whose_slots_hold_its_log_is_wrong(
        self, db: None, monkeypatch: Any, found: list[ReplicationSlot], ok: bool, unsafe: bool, said: str
    ) -> None:
        monkeypatch.setattr(server_state, "replication_slots", lambda: found)
        told = part("replication slots")
        assert (told.ok, told.unsafe, bool(told.mend)) == (ok, unsafe, unsafe or not ok) and said in told.said

    @pytest.mark.parametrize(("needed", "found", "ok", "unsafe", "said"), STANDBYS)
    def test_without_the_standby_that_answers_wait_for_is_wrong(
        self, db: None, monkeypatch: Any, needed: int, found: list[Standby], ok: bool, unsafe: bool, said: str
    ) -> None:
        monkeypatch.setattr(server_state, "synchronous_needed", lambda: needed)
        monkeypatch.setattr(server_state, "standbys", lambda: found)
        told = part("standbys")
        assert (told.ok, told.unsafe, bool(told.mend)) == (ok, unsafe, unsafe or not ok) and said in told.said

    def test_without_standbys_is_asked_nothing_of_them(self, db: None) -> None:
        assert [one.name for one in backups.parts(now=NOW)] == ["backups", "archive", "replication slots"]
        assert all(one.ok for one in backups.parts(now=NOW))
