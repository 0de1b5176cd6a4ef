from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from tests.conftest import NOW
from tests.knowledge.evidence.conftest import books, files  # noqa: F401
from tests.web import serving

Connect = Callable[..., AbstractAsyncContextManager[Client]]
# To a server of ours, without TLS: to read the system's authorities takes 25 ms for each client.
NO_TLS = False


@pytest.fixture
def url(transactional_db: None) -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture
def secrets(transactional_db: None, alice: Member, bob: Member, charlie: Member) -> dict[str, str]:
    """A token of each with all scopes, and one of Bob's that may only read."""
    made = {
        m.username: issue_token(name="agent", scopes=list(Scope), by=m, now=NOW).secret for m in (alice, bob, charlie)
    }
    return {**made, "reader": issue_token(name="reads", scopes=[Scope.READ], by=bob, now=NOW).secret}


@pytest.fixture
def connect(url: str, secrets: dict[str, str]) -> Connect:
    """`async with connect("alice") as client`: the official SDK's client over HTTP; `mode` is the protocol's era,
    `wish` the query of the address.
    """

    @asynccontextmanager
    async def connected(who: str, mode: Any = "auto", wish: str = "") -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {secrets[who]}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30, verify=NO_TLS) as http,
            Client(streamable_http_client(f"{url}/mcp{wish}", http_client=http), mode=mode) as client,
        ):
            yield client

    return connected
