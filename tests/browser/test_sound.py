"""The check of every page (tests/browser/sound.py): it passes over what it has seen, and over nothing else."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.sound import sound

STYLE = """
  body { color: #111; background: #fff; } .pale { color: #767676; } .faint { color: #ddd; }
  @media (prefers-color-scheme: dark) { body { color: #eee; background: #111; } .pale { color: #333; } }
"""


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def shown(page: Page, main: str) -> Page:
    page.set_content(
        f"<!doctype html><html lang=en><title>A page</title><style>{STYLE}</style><main><h1>A page</h1>{main}</main>"
    )
    return page


class TestColours:
    def test_are_looked_at_once_for_each_look(self, page: Page) -> None:
        known: set[int] = set()
        sound(shown(page, "<p>One</p>"), "one", known)
        before = set(known)
        assert before
        sound(shown(page, "<p>Two</p><p>Three</p>"), "two", known)
        assert known == before
        sound(shown(page, "<p><b>Four</b></p>"), "three", known)
        assert known > before

    @pytest.mark.parametrize(("name", "theme"), [("faint", "light"), ("pale", "dark")])
    @pytest.mark.parametrize("main", ["<p class=%s>Two</p>", "<div class=%s><p>Two</p></div>"])
    def test_that_are_new_on_a_page_are_looked_at_in_both_themes(
        self, page: Page, name: str, theme: str, main: str
    ) -> None:
        known: set[int] = set()
        sound(shown(page, "<p>One</p>"), "one", known)
        with pytest.raises(AssertionError, match=f"two, {theme}"):
            sound(shown(page, main % name), "two", known)


def test_everything_else_is_looked_at_on_each_page(page: Page) -> None:
    known: set[int] = set()
    sound(shown(page, "<p>One</p>"), "one", known)
    with pytest.raises(AssertionError, match="image-alt"):
        sound(shown(page, "<p>One</p><img src='data:,'>"), "two", known)
