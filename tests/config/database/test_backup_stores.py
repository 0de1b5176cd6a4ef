"""A backup in S3 is what a file would be: whole, read back and compared before it counts."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import boto3
import pytest
from django.core.management import CommandError, call_command
from moto import mock_aws

from accounts.rules.rights import Member
from config.database.backup import BackupFailed
from config.database.backup_stores import S3Object, at_hand, place
from config.management.commands import restore
from knowledge.models import Insight
from tests.factories import make_insight

BACKUP = "s3://backups/loam/2026-11-26.dump"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        made = boto3.resource("s3").Bucket("backups")
        made.create()
        yield made


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out, stderr=out)
    return out.getvalue()


def keys(bucket: Any) -> list[str]:
    return sorted(one.key for one in bucket.objects.all())


class TestABackup:
    def test_is_stored_read_back_restored_and_compared(
        self, transactional_db: None, bucket: Any, alice: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make_insight(alice)
        assert "no errors" in run("backup", BACKUP)
        assert keys(bucket) == ["loam/2026-11-26.dump", "loam/2026-11-26.dump.rows"]
        Insight.objects.update(title="overwritten")
        assert "0 errors" in run("restore", "--check", BACKUP)
        taken: list[str] = []
        monkeypatch.setattr(restore, "take_its_place", lambda name, now: taken.append(name) or "before")
        assert "Restored." in run("restore", BACKUP)
        assert len(taken) == 1

    def test_that_was_damaged_there_is_told_of(self, transactional_db: None, bucket: Any, alice: Member) -> None:
        make_insight(alice)
        run("backup", "--unchecked", BACKUP)
        bucket.Object("loam/2026-11-26.dump.rows").put(Body=b'{"knowledge_insight": [7, "0"]}')
        with pytest.raises(CommandError, match=r"The backup has errors\. Nothing was changed\."):
            run("restore", "--check", BACKUP)

    def test_without_its_record_is_no_backup(self, transactional_db: None, bucket: Any) -> None:
        """The record is stored first: a dump alone was put there by somebody else."""
        bucket.Object("loam/2026-11-26.dump").put(Body=b"PGDMP")
        with pytest.raises(CommandError, match=r"2026-11-26\.dump\.rows cannot be read"):
            run("restore", "--check", BACKUP)

    def test_that_cannot_be_stored_fails_with_the_reason(self, db: None, bucket: Any, monkeypatch: Any) -> None:
        monkeypatch.setattr("config.management.commands.backup.dump", lambda to: _nothing(to))
        with pytest.raises(CommandError, match=r"s3://elsewhere/a\.dump\.rows cannot be stored: .*NoSuchBucket"):
            run("backup", "s3://elsewhere/a.dump")
        assert keys(bucket) == []

    def test_that_is_not_there_changes_nothing(self, db: None, bucket: Any) -> None:
        with pytest.raises(CommandError, match=r"Nothing was changed: s3://backups/no\.dump cannot be read: .*404"):
            run("restore", "s3://backups/no.dump")


def _nothing(to: Any) -> int:
    for path in (to, to.with_name(f"{to.name}.rows")):
        path.write_bytes(b"{}")
    return 2


class TestAPlace:
    @pytest.mark.parametrize("given", ["s3://", "s3://backups", "s3://backups/", "s3://backups/loam/", "s3:///a.dump"])
    def test_that_is_half_an_address_is_refused(self, given: str) -> None:
        with pytest.raises(BackupFailed, match="names no object"):
            place(given)

    def test_is_an_object_or_a_file(self, tmp_path: Any) -> None:
        assert place("s3://b/f/a.dump") == S3Object("b", "f/a.dump")
        assert place(f"{tmp_path}/a.dump") == tmp_path / "a.dump"
        with pytest.raises(BackupFailed, match="does not exist"), at_hand(tmp_path / "a.dump"):
            pass
