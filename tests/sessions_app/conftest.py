from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from sessions_app.adapters import throwaway


@pytest.fixture(scope="module")
def migrated(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Throw-away databases begin as copies of one that is migrated. From nothing each would take five seconds, for what
    the tests' own database shows already; test_throwaway.py has one such.
    """
    with django_db_blocker.unblock():
        usual = str(connection.settings_dict["NAME"])
        connection.close()
        connection.close_pool()  # nobody may be connected to what is copied
        with psycopg.connect(**connection.get_connection_params(), autocommit=True) as server:
            copy, original = sql.Identifier(f"{usual}_migrated"), sql.Identifier(usual)
            server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(copy, original))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(throwaway, "TEMPLATE", f"{usual}_migrated")
                yield
            server.execute(sql.SQL("DROP DATABASE {}").format(copy))
