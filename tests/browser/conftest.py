"""A real Chromium against a real server. Skipped, with the reason, where there is no Chromium to be had.

One browser and one server for all; each test has profiles and rows of its own. People come in with a session that was
opened for them, as a browser keeps it: signing in by the form is a story of its own (test_stories.py).
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from accounts.models import User
from tests.pages import session_of

# Playwright brings its own browser by a download; Debian's is used instead.
CHROMIUM = Path("/usr/bin/chromium")
# Nothing but the pages: no GPU, no calls home.
ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
INSTALL = ["apt-get", "install", "-y", "--no-install-recommends", "chromium"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


def install() -> str:
    """Why there is no Chromium, after trying to install one as root; empty when there is one."""
    if CHROMIUM.exists():
        return ""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return f"there is no {CHROMIUM}; install it with: {' '.join(INSTALL)}"
    subprocess.run(["apt-get", "update"], check=False, capture_output=True)
    done = subprocess.run(INSTALL, check=False, capture_output=True, text=True)
    return "" if CHROMIUM.exists() else f"Chromium could not be installed: {done.stderr.strip()[-300:]}"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    missing = install()
    if missing:
        pytest.skip(missing)
    # Playwright's loop runs in this thread. Django takes a running loop for asynchronous code, and looks its
    # connections up elsewhere: it is told that this is no danger, and handed the one that knows the test database.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    database = connections[DEFAULT_DB_ALIAS]
    with sync_playwright() as playwright:
        connections[DEFAULT_DB_ALIAS] = database
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGS)
        yield browser
        browser.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


# What the console says of an answer that is meant: somebody else was quicker.
REFUSED = re.compile(r"the server responded with a status of 4(09|12)")
# What HTMX says of a request that ended with its page, when somebody went to another meanwhile.
LEFT = re.compile(r"htmx:(sendError|sendAbort|afterRequest)")
COOKIE = settings.SESSION_COOKIE_NAME


@pytest.fixture
def open_page(chromium: Browser, transactional_db: None, live_server: Any) -> Iterator[Callable[..., Page]]:
    """A page of a fresh profile, on the list of insights if `user` is signed in; other options go to the context.

    Whatever a page complains of (an error of a script, a thing the policy refuses), a dialog that opens, and a request
    to anywhere else fails the test at its end.
    """
    complaints: list[str] = []
    contexts: list[BrowserContext] = []
    # Requests that the browser gave up because their page was left.
    aborted: list[str] = []

    home = live_server.url
    # Its own drawings and what it downloads are no requests to anywhere.
    home_too = (home, "data:", "blob:")

    def heard(line: ConsoleMessage) -> None:
        if line.type == "error" and not REFUSED.search(line.text):
            complaints.append(line.text)

    def open_one(user: User | None = None, **options: Any) -> Page:
        context = chromium.new_context(**{"base_url": home, "reduced_motion": "reduce", **options})
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message) or dialog.dismiss())  # type: ignore[func-returns-value]
        page.on(
            "requestfailed", lambda sent: aborted.append(sent.url) if "ERR_ABORTED" in (sent.failure or "") else None
        )
        page.on("request", lambda sent: None if sent.url.startswith(home_too) else complaints.append(sent.url))
        if user:
            context.add_cookies([{"name": COOKIE, "value": session_of(user), "url": home}])
            page.goto("/insights/")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert [line for line in complaints if not (aborted and LEFT.search(line))] == []
