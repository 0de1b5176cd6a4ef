from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg import sql
from rest_framework.test import APIClient

from sessions_app.lab import throwaway
from tests.sessions_app.killed import Agent


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
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(copy))  # of a run that was killed
            server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(copy, original))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(throwaway, "TEMPLATE", f"{usual}_migrated")
                yield
            server.execute(sql.SQL("DROP DATABASE {}").format(copy))


@pytest.fixture
def bob_at(bobs_agent: APIClient) -> Callable[..., Agent]:
    return lambda **over: Agent(bobs_agent, **over)


@pytest.fixture
def alice_at(alices_agent: APIClient) -> Callable[..., Agent]:
    return lambda **over: Agent(alices_agent, **over)
