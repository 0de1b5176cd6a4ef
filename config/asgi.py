"""The ASGI application: Django, and MCP at `/mcp`."""

import gc
import os
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import django
from django.utils.module_loading import import_string

from config.checks import refuse_to_start
from config.middleware.bodies import bounded
from config.monitoring.sent_metrics import send_metrics

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


def noticing_who_leaves(app: App) -> App:
    """Add `loam.gone` to each connection's scope. It is set when the client disconnects, so that long work in a thread,
    which cannot be cancelled from outside, can stop itself.
    """

    async def run(scope: dict[str, Any], receive: Receive, send: Send) -> None:
        gone = threading.Event()

        async def heard() -> dict[str, Any]:
            message = await receive()
            if message["type"] == "http.disconnect":
                gone.set()
            return message

        await app({**scope, "loam.gone": gone}, heard, send)

    return run


django.setup(set_prefix=False)
refuse_to_start()
send_metrics(store=True)
# Imported by name, as settings name apps: it needs what `setup` has loaded.
announcing = import_string("accounts.middleware.announcing")
pages = noticing_who_leaves(announcing(import_string("config.handler.InKeptThreads")()))
known = import_string("config.middleware.callers.is_known")
application = bounded(import_string("sessions_app.mcp.WithMcp")(pages), known=known)


def spare_what_stays() -> None:
    """Exempt what is loaded now from garbage collection.

    Collection is rarer than by default (config/__init__.py), but the collector still looked through all modules and
    templates each time, in the middle of some request. Of the pages of 100,000 insights the p95 was 295 to 344 ms where
    the p50 was 128, and is 130 to 160 since; the p50 fell by 3 %.
    """
    import_string("config.urls.urlpatterns")  # with all views, which the first request would load
    gc.collect()
    gc.freeze()


spare_what_stays()
