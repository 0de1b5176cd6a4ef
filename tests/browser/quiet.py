"""When a page has nothing left to fetch. Playwright's own "networkidle" waits for half a second on every page."""

import time

from playwright.sync_api import Page, Request

# Milliseconds without a request after which nothing more is coming: scripts ask as soon as the page is there.
QUIET = 80
LONGEST = 10_000


class Requests:
    """Those of a page that are under way, from now on."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._open: set[Request] = set()
        self._since = time.monotonic()
        page.on("request", self._begins)
        page.on("requestfinished", self._ends)
        page.on("requestfailed", self._ends)

    def wait(self) -> None:
        """Until there is none. Raises AssertionError where they do not end."""
        self._page.wait_for_load_state()
        self._since = time.monotonic()
        ends = self._since + LONGEST / 1000
        while self._open or time.monotonic() < self._since + QUIET / 1000:
            assert time.monotonic() < ends, [one.url for one in self._open]
            self._page.wait_for_timeout(10)

    def _begins(self, request: Request) -> None:
        self._open.add(request)

    def _ends(self, request: Request) -> None:
        self._open.discard(request)
        self._since = time.monotonic()
