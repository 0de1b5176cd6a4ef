"""Hostile words in every field, on every page and in the admin, in a real browser: nothing runs, nothing is fetched
from elsewhere, nothing hides, and the layout holds.
"""

import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import Insight
from tests.browser.furnished import every_page, furnish
from tests.hostile import many_tags, spoil

Open = Callable[..., Page]
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
TABLET = {"width": 768, "height": 1024}

# What would be wrong with a page: a script of theirs that ran, markup of theirs that came through, an address that
# runs. Of the dashboard's own: the parts uPlot makes, the data they draw (which never runs), and the probe of colours;
# of a list with an item beside it, how large the item is.
WRONG = """() => {
  const odd = [...document.querySelectorAll("script, iframe, object, embed, base, form, a[href], img, link, [style]")]
    .filter(e => {
      if (e.matches(".uplot [class^='u-'], script#chart-data[type='application/json']")) return false;
      if (e.matches("body > span[hidden]:empty")) return false;
      if (e.matches("html")) return !/^(--(item-top|pane): [\\d.]+(px|%|rem);? ?)*$/.test(e.getAttribute("style"));
      if (e.matches("script")) return !(e.getAttribute("src") || "").startsWith("/static/");
      if (e.matches("iframe, object, embed, base")) return true;
      if (e.matches("a")) return !["http:", "https:", "mailto:"].includes(new URL(e.href, location).protocol);
      if (e.matches("form")) return new URL(e.action, location).origin !== location.origin;
      if (e.matches("img, link")) return new URL(e.src || e.href, location).origin !== location.origin;
      return true;
    });
  const runs = (e) => [...e.attributes].some(a => a.name.startsWith("on"));
  const handlers = [...document.querySelectorAll("*")].filter(runs);
  const hit = window.hit === undefined ? [] : [`hit ${window.hit}`];
  return [...hit, ...odd.concat(handlers).map(e => e.outerHTML.slice(0, 160))];
}"""
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Directions, joiners and tags that nobody sees.
HIDING = re.compile("[\u202a-\u202e\u2066-\u2069\u200b\ufeff\U000e0000-\U000e007f]")
# Of the admin: scripts are Unfold's own, and many.
RAN = "window.hit === undefined && !document.querySelector('[onload], [onerror], [onmouseover], [onfocus], iframe')"


@pytest.fixture
def spoilt(alice: Member, bob: Member) -> Insight:
    row = furnish(alice, bob)
    many_tags(row)
    assert spoil() > 200
    row.refresh_from_db()
    return row


class TestHostileWords:
    def test_stay_words_and_burst_nothing(self, open_page: Open, alice_user: User, spoilt: Insight) -> None:
        page = open_page(alice_user, viewport=DESK)
        found: list[tuple[str, object]] = []
        for path in every_page(spoilt.ref):
            page.set_viewport_size(DESK)
            answer = page.goto(path)
            assert answer is not None
            found += [(path, answer.status)] if answer.status != 200 else []
            page.evaluate("for (const part of document.querySelectorAll('main details')) part.open = true")
            found += [(path, wrong) for wrong in page.evaluate(WRONG)]
            hidden = HIDING.search(page.evaluate("document.body.innerText"))
            found += [(path, f"hides {hidden[0]!r}")] if hidden else []
            for size in (DESK, TABLET, PHONE):
                page.set_viewport_size(size)
                wide = page.evaluate(TOO_WIDE)
                found += [(path, f"{wide} wider than {size['width']}")] if wide > 0 else []
        assert found == [], "\n".join(map(str, found))

    def test_run_nothing_in_the_admin(self, open_page: Open, root: Member, spoilt: Insight) -> None:
        page = open_page(User.objects.get(username="root"), viewport=DESK)
        found = []
        for path in admin_pages(spoilt):
            answer = page.goto(path)
            assert answer is not None
            if answer.status != 200 or not page.evaluate(RAN):
                found.append((path, answer.status))
        assert found == [], "\n".join(map(str, found))


def admin_pages(row: Insight) -> list[str]:
    """The lists of what agents write, and what is changed of an insight. The others are looked at without a browser."""
    lists = [reverse(f"admin:{name}_changelist") for name in LISTS]
    return [reverse("admin:index"), *lists, reverse("admin:knowledge_insight_change", args=[row.pk])]


LISTS = ("knowledge_insight", "knowledge_pair", "knowledge_topic", "accounts_logentry", "skills_skill")
