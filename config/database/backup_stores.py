"""Where backups are stored: a file on this machine, or an object in S3 (`s3://bucket/folder/loam-2026-11-26.dump`).

boto3 reads the endpoint and the account from the environment: AWS_ENDPOINT_URL_S3 (none for Amazon's own),
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_CA_BUNDLE, or a profile or role of the machine.

A backup is two files, the dump and the record of its rows. In S3 the record is stored first, so that an existing dump
is complete. S3 stores an object completely or not at all, and compares its checksum with that of what was sent.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError

from config.database.backup import ROWS, BackupFailed, rows_beside

SCHEME = "s3://"
# In seconds. An upload is sent in parts, each of which is retried.
OPTIONS = Config(connect_timeout=10, read_timeout=60, retries={"max_attempts": 5, "mode": "standard"})
# For a person who waits for the answer.
ASKED = Config(connect_timeout=3, read_timeout=5, retries={"max_attempts": 1})


@dataclass(frozen=True)
class S3Object:
    """One object of a bucket."""

    bucket: str
    key: str

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}/{self.key}"

    @property
    def rows(self) -> "S3Object":
        """The object with the record of this dump's rows."""
        return S3Object(self.bucket, f"{self.key}{ROWS}")


def place(given: str) -> Path | S3Object:
    """Return what an argument of `backup` or `restore` names. Raises BackupFailed for an incomplete address."""
    if not given.startswith(SCHEME):
        return Path(given)
    bucket, _, key = given.removeprefix(SCHEME).partition("/")
    if not bucket or not key or key.endswith("/"):
        raise BackupFailed(f"{given} names no object: write {SCHEME}BUCKET/FOLDER/NAME.dump.")
    return S3Object(bucket, key)


@contextmanager
def written(to: Path | S3Object) -> Iterator[Path]:
    """Yield the file to dump into. If `to` is in S3, it is uploaded with its record at the end.

    Raises BackupFailed.
    """
    if isinstance(to, Path):
        yield to
        return
    with tempfile.TemporaryDirectory(prefix="loam-backup-") as folder:
        dump = Path(folder, "loam.dump")
        yield dump
        for one, file in ((to.rows, rows_beside(dump)), (to, dump)):
            with _failing(f"{one} cannot be stored"):
                _client().upload_file(str(file), one.bucket, one.key)


@contextmanager
def at_hand(place: Path | S3Object) -> Iterator[Path]:
    """Yield the backup as a file on this machine, with its record beside it. Raises BackupFailed if there is none."""
    if isinstance(place, Path):
        if not place.is_file():
            raise BackupFailed(f"{place} does not exist.")
        yield place
        return
    with tempfile.TemporaryDirectory(prefix="loam-backup-") as folder:
        dump = Path(folder, "loam.dump")
        for one, file in ((place, dump), (place.rows, rows_beside(dump))):
            with _failing(f"{one} cannot be read"):
                _client().download_file(one.bucket, one.key, str(file))
        yield dump


def _client() -> Any:
    return boto3.client("s3", config=OPTIONS)


@contextmanager
def _failing(what: str) -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, Boto3Error, ClientError, ValueError) as error:
        raise BackupFailed(f"{what}: {str(error).strip().splitlines()[0][:300]}") from None


def objection(address: str, newest: str) -> str:
    """Return why a backup could not be stored in that folder of S3, or why `newest`, an existing one, could not be
    read; "" if nothing is found. Nothing is written. An account that may only write and read objects is checked with
    the newest of them.
    """
    bucket = address.removeprefix(SCHEME).partition("/")[0]
    there = place(newest) if newest.startswith(f"{SCHEME}{bucket}/") else None
    asked = boto3.client("s3", config=ASKED)
    try:
        if isinstance(there, S3Object):
            asked.head_object(Bucket=there.bucket, Key=there.key)
        else:
            asked.head_bucket(Bucket=bucket)
    except (NoCredentialsError, PartialCredentialsError):
        return "No credentials are given"
    except ClientError as error:
        code = str(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", ""))
        return {
            "403": f"The credentials may not read {newest if there else f'the bucket {bucket}'}",
            "404": f"{newest} no longer exists" if there else f"There is no bucket {bucket}",
        }.get(code, f"It answers {code or 'with an error'}")
    except (Boto3Error, BotoCoreError) as error:
        return f"It cannot be reached ({type(error).__name__})"
    return ""
