"""A backup is restored and audited before it counts, and takes the live database's place only in one piece."""

import stat
from collections.abc import Callable
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from accounts.models import Tally
from accounts.rules.rights import Member
from config.database import backup
from config.database.backup import BackupFailed
from config.management.commands import backup as command
from config.management.commands import restore
from knowledge.jobs.rules.integrity import Check, Fault
from knowledge.models import Insight
from sessions_app.models import Passage
from tests.factories import make_insight
from tests.sessions_app.conversations.talk import talk


def databases() -> set[str]:
    with connection.cursor() as cursor:
        # Not those that tests in other processes make for a moment.
        own = "datname !~ 'throwaway' OR starts_with(datname, current_database())"
        cursor.execute(f"SELECT datname FROM pg_database WHERE {own}")
        return {name for (name,) in cursor.fetchall()}


def run(*words: Any) -> str:
    out = StringIO()
    call_command(*map(str, words), stdout=out, stderr=out)
    return out.getvalue()


@pytest.mark.slow
class TestABackup:
    def test_holds_everything_and_leaves_nothing_behind(
        self, transactional_db: None, alice: Member, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        row = make_insight(alice, body="The kestrel release ships on Friday.", now=timezone.now())
        talk(alice)
        Tally.objects.all().add("a", 1, 1)
        Session.objects.create(session_key="x" * 32, session_data="", expire_date=timezone.now())
        before, seen = databases(), {}

        def looked_at(name: str, **more: Any) -> list[Fault]:
            with backup._connected_to(name):
                seen["bodies"] = list(Insight.objects.values_list("ref", "body"))
                seen["passages"] = Passage.objects.exclude(embedding=None).count()
                seen["left out"] = Tally.objects.count() + Session.objects.count()
            return backup.faults_in(name, **more)

        monkeypatch.setattr(command, "faults_in", looked_at)
        said = run("backup", tmp_path / "loam.dump")
        assert "no errors" in said
        bodies = [(row.ref, "The kestrel release ships on Friday.")]
        assert seen == {"bodies": bodies, "passages": 4, "left out": 0}
        assert stat.S_IMODE((tmp_path / "loam.dump").stat().st_mode) == 0o600
        assert databases() == before
        assert Insight.objects.get().ref == row.ref
        (tmp_path / "loam.dump").write_bytes((tmp_path / "loam.dump").read_bytes()[:20_000])
        with pytest.raises(CommandError, match="Nothing was changed: pg_restore"):
            run("restore", tmp_path / "loam.dump", "--check")
        assert databases() == before

    def test_with_faults_says_so(self, db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(command, "faults_in", lambda name, now: [Fault(Check.INDEX, 1, ("an_index",))])
        with pytest.raises(CommandError, match="has errors"):
            run("backup", tmp_path / "loam.dump")
        assert (tmp_path / "loam.dump").exists()

    def test_with_faults_fails_when_it_is_checked(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(restore, "restored", lambda file: nullcontext("beside"))
        monkeypatch.setattr(restore, "faults_in", lambda name, now: [Fault(Check.INDEX, 1, ("an_index",))])
        (tmp_path / "loam.dump").write_bytes(b"a backup")
        with pytest.raises(CommandError, match="has errors"):
            run("restore", tmp_path / "loam.dump", "--check")

    @pytest.mark.parametrize("rows", [None, b"", b"[]", b'{"knowledge_insight": 7}'])
    def test_without_its_rows_is_not_known_to_be_whole(self, tmp_path: Path, rows: bytes | None) -> None:
        if rows is not None:
            (tmp_path / "loam.dump.rows").write_bytes(rows)
        (line,) = backup.altered("whatever", tmp_path / "loam.dump")
        assert line.startswith("loam.dump.rows cannot be read")

    def test_that_is_not_there_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="does not exist"):
            run("restore", tmp_path / "loam.dump", "--check")

    def test_that_cannot_be_made_leaves_the_one_before(
        self, db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "loam.dump").write_text("yesterday's")
        monkeypatch.setitem(connection.settings_dict, "NAME", "there_is_none")
        with pytest.raises(CommandError, match="there_is_none"):
            run("backup", tmp_path / "loam.dump")
        assert [path.name for path in tmp_path.iterdir()] == ["loam.dump"]
        assert (tmp_path / "loam.dump").read_text() == "yesterday's"

    def test_takes_no_place_that_somebody_is_connected_to(self, transactional_db: None) -> None:
        with backup._server() as server, backup.psycopg.connect(**{
            **{k: v for k, v in server.info.get_parameters().items() if k in ("user", "host", "port")},
            "password": str(connection.settings_dict["PASSWORD"]), "dbname": str(connection.settings_dict["NAME"]),
        }), pytest.raises(BackupFailed, match="stop web, worker and beat"):  # fmt: skip
            backup.take_its_place("whatever", now=timezone.now())


class TestAProgramOfPostgres:
    """pg_restore is the wheel's, and newer than some servers: what it says of that is no failure, anything else is."""

    @pytest.fixture
    def saying(self, db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
        def program(*lines: str, code: int = 1) -> None:
            script = "\n".join(f"echo '{line}' >&2" for line in lines)
            (tmp_path / "program").write_text(f"#!/bin/sh\n{script}\nexit {code}\n")
            (tmp_path / "program").chmod(0o755)
            monkeypatch.setattr(backup, "_program", lambda name: str(tmp_path / "program"))

        return program

    UNKNOWN = f"pg_restore: error: could not execute query: ERROR:  {backup.UNKNOWN_BEFORE_17}"
    IGNORED = "pg_restore: warning: errors ignored on restore: 1"

    def test_may_set_what_an_older_server_does_not_know(self, saying: Callable[..., None]) -> None:
        saying(self.UNKNOWN, "Command was: SET transaction_timeout = 0;", self.IGNORED)
        backup._run("pg_restore", bearable=backup.UNKNOWN_BEFORE_17)
        with pytest.raises(BackupFailed, match="transaction_timeout"):
            backup._run("pg_restore")

    @pytest.mark.parametrize("other", ["pg_restore: error: relation is there already", "pg_restore: error: no space"])
    def test_fails_with_the_first_error_that_is_another(self, saying: Callable[..., None], other: str) -> None:
        saying(self.UNKNOWN, other, self.IGNORED)
        with pytest.raises(BackupFailed, match=other[12:]):
            backup._run("pg_restore", bearable=backup.UNKNOWN_BEFORE_17)

    def test_fails_without_a_word_too(self, saying: Callable[..., None]) -> None:
        saying(code=3)
        with pytest.raises(BackupFailed, match="no reason given"):
            backup._run("pg_restore", bearable=backup.UNKNOWN_BEFORE_17)
