"""All that somebody can have told to them: every endpoint, page and admin page, found by looking, with its answer.

What is looked for in it is the test's business: a word that must stand nowhere, or somewhere.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from django.contrib import admin
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, reverse
from rest_framework.test import APIClient

import accounts.urls
import knowledge.urls
import sessions_app.urls
import skills.urls
from knowledge.evidence import urls as evidence_urls
from tests.endpoints import ENDPOINTS
from tests.sweep import share

T = TypeVar("T")
Names = Mapping[str, Sequence[Any]]
APPS = (accounts.urls, knowledge.urls, sessions_app.urls, skills.urls, evidence_urls)
PAGES = [(app.app_name, one) for app in APPS for one in app.urlpatterns if isinstance(one, URLPattern) and one.name]


def answers(client: APIClient, page: Client, names: Names, turn: int | None = None) -> Iterator[tuple[str, str]]:
    """What each address answers to a GET: (address, answer). `names`: what fills in the paths; one that needs another
    name is left out. With a `turn`, an address of many things is asked of a share of them (tests/sweep.py), another one
    in each turn: for what must stand nowhere, looked for again and again.
    """
    for at, endpoint in enumerate(ENDPOINTS):
        if endpoint.method == "GET":
            for parts in _some(list(_filled(endpoint.names, names)), at, turn):
                yield f"{endpoint} {parts}", endpoint.send(client, **parts).content.decode()
    for at, (app, pattern) in enumerate(PAGES):
        for parts in _some(list(_filled(list(pattern.pattern.converters), names)), at, turn):
            yield from _page(page, reverse(f"{app}:{pattern.name}", kwargs=parts))
    for at, (model, shown) in enumerate(admin.site._registry.items()):
        for address in _admin_addresses(model, shown, at, turn):
            yield from _page(page, address)
    yield "metrics", APIClient().get("/metrics").content.decode()


def _some(values: Sequence[T], at: int, turn: int | None) -> Sequence[T]:
    return values if turn is None else share(values, at + turn)


def _filled(wanted: Sequence[str], names: Names) -> Iterator[dict[str, Any]]:
    if all(names.get(name) for name in wanted):
        for values in itertools.product(*(names[name] for name in wanted)):
            yield dict(zip(wanted, values, strict=True))


def _page(page: Client, address: str) -> Iterator[tuple[str, str]]:
    answer = page.get(address)
    # A table is streamed, and so is the search of a repository, which goes on for as long as it is read.
    if not answer.streaming:
        yield address, answer.content.decode()
    elif answer["Content-Type"].startswith("text/csv"):
        yield address, b"".join(answer.streaming_content).decode()


def _admin_addresses(model: Any, shown: Any, at: int, turn: int | None) -> Iterator[str]:
    rows = list(model._default_manager.order_by("-pk").values_list("pk", flat=True)[:6])
    for pattern in shown.get_urls():
        for pk in _some(rows, at, turn):
            try:
                if pattern.name:
                    yield reverse(f"admin:{pattern.name}", kwargs=dict.fromkeys(pattern.pattern.converters, pk))
            except NoReverseMatch:
                pass
            if not pattern.pattern.converters:
                break
