"""Django's PostgreSQL backend, whose pool is rid of all its dead connections when one is found dead.

A connection is tried before a request gets it. When the server has been restarted all that wait in the pool are dead;
the pool's own check (CONN_HEALTH_CHECKS) throws one away, waits a second, tries the next, waits two: with eight of them
the first request gave up after ten seconds, and the second took three.
"""

from typing import Any

from django.db.backends.postgresql import base
from psycopg import OperationalError


class DatabaseWrapper(base.DatabaseWrapper):
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
