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
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, sync_playwright

from accounts.models import User
from tests.pages import session_of

# Playwright brings its own browser by a download; Debian's is used instead. The headless shell is the same browser
# without a desktop's windows: it takes a third less of the processors than the whole one, which serves where it is all
# there is.
SHELL, CHROMIUM = Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium")
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
WAIT = ["-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10"]
INSTALL = ["apt-get", "install", "-y", "--no-install-recommends", SHELL.name]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


def installed() -> Path | None:
    """The browser, after trying to install the shell as root."""
    if not SHELL.exists() and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", *WAIT, "update"], check=False, capture_output=True)
        subprocess.run([*INSTALL, *WAIT], check=False, capture_output=True)
    return next((path for path in (SHELL, CHROMIUM) if path.exists()), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    program = installed()
    if not program:
        pytest.skip(f"there is no {SHELL} and no {CHROMIUM}; install one with: {' '.join(INSTALL)}")
    # Playwright's loop runs in this thread. Django takes a running loop for asynchronous code, and looks its
    # connections up elsewhere: it is told that this is no danger, and handed the one that knows the test database.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    database = connections[DEFAULT_DB_ALIAS]
    with sync_playwright() as playwright:
        connections[DEFAULT_DB_ALIAS] = database
        browser = playwright.chromium.launch(executable_path=str(program), args=ARGS)
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
    """A page of a fresh profile; if `user` is signed in, `at` that address. Other options go to the context.

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

    def answered(dialog: Dialog) -> None:
        # A test that goes on elsewhere leaves what it typed; that a page asks first is tested in test_triage.py.
        if dialog.type == "beforeunload":
            dialog.accept()
            return
        complaints.append(dialog.message)
        dialog.dismiss()

    def open_one(user: User | None = None, at: str = "/insights/", **options: Any) -> Page:
        context = chromium.new_context(**{"base_url": home, "reduced_motion": "reduce", **options})
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", answered)
        page.on(
            "requestfailed", lambda sent: aborted.append(sent.url) if "ERR_ABORTED" in (sent.failure or "") else None
        )
        page.on("request", lambda sent: None if sent.url.startswith(home_too) else complaints.append(sent.url))
        if user:
            context.add_cookies([{"name": COOKIE, "value": session_of(user), "url": home}])
            page.goto(at)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert [line for line in complaints if not (aborted and LEFT.search(line))] == []
