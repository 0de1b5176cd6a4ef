"""Migrations beside programs that serve: none waits long for a lock, and none costs a request its transaction."""

import io
import time
from threading import Event, Thread

import psycopg
import pytest
from django.core.management import call_command
from django.db import OperationalError, connection, transaction

from config.database.lock_waits import LONG, PAUSES, SHORT, WAITS, is_lock_refused, wait_briefly
from knowledge.evidence.models import Evidence, Source
from tests.together import PATIENCE, together

# It adds a column to each of two tables.
BEFORE, AFTER = "0005", "0006"
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = %s::regclass"


def read(model: type) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id FROM {model._meta.db_table} LIMIT 1")


def until_waited_for(table: str) -> None:
    """Return once somebody waits for a lock on the table."""
    end = time.monotonic() + PATIENCE
    with connection.cursor() as cursor:
        while time.monotonic() < end:
            cursor.execute(WAITING, [table])
            if cursor.fetchone()[0]:
                return
            time.sleep(0.01)
    raise TimeoutError(table)


@pytest.fixture
def before(transactional_db: None):
    """The database as it was before the migration."""
    call_command("migrate", "evidence", BEFORE, verbosity=0)
    yield
    call_command("migrate", "evidence", AFTER, verbosity=0)


class TestAMigration:
    def test_that_waits_in_a_circle_with_a_request_lets_it_finish_and_is_made_again(self, before: None) -> None:
        said = io.StringIO()

        def request() -> str:
            """Reads the two tables in the other order than the migration locks them."""
            with transaction.atomic():
                read(Evidence)
                reading.set()
                until_waited_for(Evidence._meta.db_table)
                read(Source)
            return "answered"

        def migrate() -> str:
            reading.wait(PATIENCE)
            call_command("migrate", "evidence", AFTER, verbosity=0, stderr=said)
            return "migrated"

        reading = Event()
        assert together(request, migrate) == ["answered", "migrated"]
        assert "Another transaction holds a lock; again in 0.1 s." in said.getvalue()
        assert not Source.objects.filter(revision="x").exists()

    def test_stops_nobody_behind_it_for_long(self, before: None) -> None:
        """Who comes behind one that waits for a table waits as long as that does."""
        done, reading = Event(), Event()
        longest = 0.0

        def hold() -> None:
            with transaction.atomic():
                read(Source)
                reading.set()
                done.wait(PATIENCE)
            connection.close()

        def ask() -> None:
            nonlocal longest
            began = time.monotonic()
            while time.monotonic() < began + 1:
                asked = time.monotonic()
                read(Source)
                longest = max(longest, time.monotonic() - asked)
            done.set()
            connection.close()

        threads = [Thread(target=hold), Thread(target=ask)]
        threads[0].start()
        reading.wait(PATIENCE)
        threads[1].start()
        call_command("migrate", "evidence", AFTER, verbosity=0, stderr=io.StringIO())
        for thread in threads:
            thread.join(PATIENCE)
        assert done.is_set()
        assert 0 < longest < 0.9

    def test_fails_for_any_other_reason_at_once(self, transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        def gone(self: object, *args: object, **options: object) -> None:
            nonlocal tries
            tries += 1
            raise OperationalError("the connection is lost") from psycopg.OperationalError()

        tries = 0
        monkeypatch.setattr("django.core.management.commands.migrate.Command.handle", gone)
        with pytest.raises(OperationalError, match="the connection is lost"):
            call_command("migrate", verbosity=0)
        assert tries == 1


class TestAWait:
    def test_is_short_in_the_transaction_alone(self, transactional_db: None) -> None:
        def now() -> str:
            with connection.cursor() as cursor:
                cursor.execute("SHOW lock_timeout")
                return str(cursor.fetchone()[0])

        usual = now()
        with connection.execute_wrapper(wait_briefly(lambda: SHORT)):
            assert now() == usual
            with transaction.atomic():
                assert now() == f"{SHORT}ms"
        assert now() == usual

    def test_is_as_long_as_it_must_be_where_nothing_is_said(self, transactional_db: None) -> None:
        as_long = connection.execute_wrapper(wait_briefly(lambda: None))
        with as_long, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone()[0] == "0"

    def test_is_short_of_a_deadlock_but_for_autovacuum(self, transactional_db: None) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT setting::int FROM pg_settings WHERE name = 'deadlock_timeout'")
            circle = cursor.fetchone()[0]
        assert SHORT < circle / 2 < circle < LONG
        assert WAITS[0] == SHORT and LONG in WAITS and len(PAUSES) == len(WAITS) - 1

    def test_is_refused_by_a_lock_and_by_a_circle_alone(self) -> None:
        def raised(cause: Exception) -> OperationalError:
            error = OperationalError()
            error.__cause__ = cause
            return error

        assert is_lock_refused(raised(psycopg.errors.LockNotAvailable()))
        assert is_lock_refused(raised(psycopg.errors.DeadlockDetected()))
        assert not is_lock_refused(raised(psycopg.errors.AdminShutdown()))
