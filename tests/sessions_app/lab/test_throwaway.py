"""The throw-away database: there while it is needed, gone after, and never in the way of the usual one."""

import psycopg
import pytest
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection

from accounts.models import Team
from knowledge.models import Insight
from sessions_app.lab import throwaway
from sessions_app.lab.throwaway import SUFFIX, NoDatabase, throwaway_database


@pytest.fixture
def usual(django_db_setup, django_db_blocker):
    """The name of the test database, which is connected to without a transaction around."""
    with django_db_blocker.unblock():
        yield connection.settings_dict["NAME"]
        connection.close()


def databases():
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database")
        return {name for (name,) in cursor.fetchall()}


class TestThrowawayDatabase:
    def test_begins_with_nothing_and_is_migrated(self, usual, monkeypatch):
        """As the tests' own database was (tests/migrated.py): a part of it is enough here."""
        asked = []

        def migrate(*words, **options):
            asked.append((words, options, connection.introspection.table_names()))
            call_command(*words, "contenttypes", **options)

        monkeypatch.setattr(throwaway, "call_command", migrate)
        with throwaway_database():
            assert asked == [(("migrate",), {"verbosity": 0, "interactive": False}, [])]
            assert ContentType._meta.db_table in connection.introspection.table_names()

    def test_is_fresh_and_gone_after(self, usual, migrated):
        with throwaway_database() as name:
            assert name.startswith(usual + SUFFIX)
            Team.objects.create(name="Mine", slug="mine", prefix="MINE")
            assert Insight.objects.count() == 0
        assert connection.settings_dict["NAME"] == usual
        assert not Team.objects.filter(slug="mine").exists()
        assert name not in databases()

    def test_is_gone_after_a_failure(self, usual, migrated):
        with pytest.raises(ZeroDivisionError), throwaway_database() as name:
            raise ZeroDivisionError
        assert connection.settings_dict["NAME"] == usual
        assert name not in databases()

    def test_clears_away_what_a_killed_run_left_and_spares_what_is_in_use(self, usual, migrated):
        left, used = f"{usual}{SUFFIX}left", f"{usual}{SUFFIX}used"
        with psycopg.connect(**connection.get_connection_params(), autocommit=True) as other:
            other.execute(f'CREATE DATABASE "{left}"')
            other.execute(f'CREATE DATABASE "{used}"')
            other.execute("SELECT pg_advisory_lock(hashtext(%s))", [used])
            with throwaway_database():
                there = databases()
            other.execute(f'DROP DATABASE "{used}"')
        assert left not in there
        assert used in there

    def test_says_when_the_account_may_not_make_one(self, usual, monkeypatch):
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("CREATE ROLE loam_small LOGIN PASSWORD 'small'")
        monkeypatch.setitem(connection.settings_dict, "USER", "loam_small")
        monkeypatch.setitem(connection.settings_dict, "PASSWORD", "small")
        try:
            with pytest.raises(NoDatabase, match="permission denied"), throwaway_database():
                raise AssertionError
        finally:
            monkeypatch.undo()
            with connection.cursor() as cursor:
                cursor.execute("DROP ROLE loam_small")
