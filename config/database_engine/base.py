"""Django's PostgreSQL backend, which discards all dead connections of its pool when one is found dead.

A connection is tested before a request gets it. After a restart of the server all connections in the pool are dead. The
pool's own check (CONN_HEALTH_CHECKS) discards one, waits a second, tests the next, waits two: with eight of them the
first request gave up after ten seconds, and the second took three.

In a test session it refuses the database that the settings name, because tests have their own.
"""

import os
from collections.abc import Mapping
from typing import Any

from django.db import utils
from django.db.backends.postgresql import base
from psycopg import OperationalError

# The database that may not be opened, in the form of `address`. Set by tests/conftest.py for the test session and,
# being an environment variable, for every process that a test starts.
REFUSED = "LOAM_REFUSED_DATABASE"


class RefusedDatabase(utils.OperationalError):
    """A test, or a process it started, tried to open the development database."""


def address(database: Mapping[str, Any]) -> str:
    """Return "host:port/name" of an entry of DATABASES."""
    return f"{database['HOST']}:{database['PORT']}/{database['NAME']}"


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        """Return the parameters for psycopg, also for code that connects without Django or without the pool. Raises
        RefusedDatabase in a test session, unless the tests' own database is connected.
        """
        if os.environ.get(REFUSED) == (here := address(self.settings_dict)):
            raise RefusedDatabase(
                f"This is a test session: it may not open {here}, the database that the settings name. A test asks "
                "for its own with the fixture db, transactional_db or module_db; a process that it starts needs a "
                "LOAM_VAR or DATABASE_URL of its own."
            )
        params: dict[str, Any] = super().get_connection_params()
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        if self.pool is None:
            return connection
        try:
            self.pool.check_connection(connection)
        except OperationalError:
            self.pool.putconn(connection)
            self.pool.drain()
            return super().get_new_connection(conn_params)
        return connection
