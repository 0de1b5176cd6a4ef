"""Django's PostgreSQL backend, whose pool is rid of all its dead connections when one is found dead.

A connection is tried before a request gets it. When the server has been restarted all that wait in the pool are dead;
the pool's own check (CONN_HEALTH_CHECKS) throws one away, waits a second, tries the next, waits two: with eight of them
the first request gave up after ten seconds, and the second took three.

In a test session it refuses the database that the settings name: tests have one of their own.
"""

import os
from collections.abc import Mapping
from typing import Any

from django.db import utils
from django.db.backends.postgresql import base
from psycopg import OperationalError

# The database that may not be opened, as `address` writes it. Set by tests/conftest.py for the test session and, as it
# is an environment variable, for every process that a test starts.
REFUSED = "LOAM_REFUSED_DATABASE"


class RefusedDatabase(utils.OperationalError):
    """A test, or a process that it started, tried to open the development database."""


def address(database: Mapping[str, Any]) -> str:
    """Return "host:port/name" of an entry of DATABASES, as it is written there."""
    return f"{database['HOST']}:{database['PORT']}/{database['NAME']}"


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        """Return the parameters for psycopg. Code that opens a connection past Django or past the pool takes them from
        here too. Raises RefusedDatabase in a test session, unless the tests' own database is connected.
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
