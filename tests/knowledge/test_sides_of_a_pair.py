"""What the two sides of a pair look like next to each other: what differs is marked, and code is shown as code."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import Insight, Pair
from knowledge.templatetags.diff import only_here
from knowledge.views.item import MOST_COMPLEMENTING
from tests.conftest import NOW
from tests.factories import make_insight
from tests.pages import signed_in


def page_for(member: Member) -> Client:
    return signed_in(User.objects.get(pk=member.user_id))


def make_pair(a: Insight, b: Insight, **over: Any) -> Pair:
    return Pair.objects.create(a=a, b=b, **{"question": "duplicate", "raised_at": NOW, **over})


class TestOneSide:
    @pytest.mark.parametrize(
        ("other", "this", "shown"),
        [
            ("Run `make a` first.", "Run `make a` last.", "Run <code>make a</code> <ins>last</ins>."),
            ("Run `make a` first.", "Run `make b` first.", "Run <code>make <ins>b</ins></code> first."),
            ("Quite another text.", "Run `ls <dir>` to see it", "Run <code>ls &lt;dir&gt;</code> to see it"),
            ("A tick ` alone and so on.", "A tick ` alone and so forth.", "A tick ` alone and so <ins>forth</ins>."),
            ("Two `ticks` here.", "Two ``ticks`` here.", "Two `<ins>`</ins>ticks<ins>`</ins>` here."),
            ("As it `was before now.", "As it `was before` now.", "As it `was before<ins>`</ins> now."),
        ],
        ids=["code stays", "in code", "tags in code", "one tick", "two ticks", "half of it came"],
    )
    def test_marks_words_and_shows_code(self, other: str, this: str, shown: str) -> None:
        assert only_here(other, this, "ins") == shown


class TestOnThePageOfAnInsight:
    """What agents read beside an insight is said on its page: what it is close to, and what it belongs to."""

    def test_names_what_is_close_to_it_and_leads_to_where_that_is_settled(self, alice: Member, bob: Member) -> None:
        older = make_insight(alice, NOW - timedelta(days=9), body="Reports have 900 s.")
        newer = make_insight(bob, body="Reports get 1800 s.")
        pair = make_pair(older, newer)
        page = page_for(alice).get(f"/insights/{older.ref}/").content.decode()
        assert "Related insights" in page and f'href="/insights/{newer.ref}/"' in page
        assert "Newer and close to this: it may replace this,\n" in page
        assert f'href="/duplicates/?at={pair.pk}#pair-{pair.pk}"' in page
        for_bob = page_for(bob).get(f"/insights/{newer.ref}/").content.decode()
        assert "Older and close to this: this may replace it" in for_bob
        assert "/duplicates/?at=" not in for_bob

    def test_names_what_was_said_to_belong_to_it(self, alice: Member, bob: Member) -> None:
        advice, warning = (
            make_insight(alice, body="Warm the cache."),
            make_insight(bob, body="bin/warm fells the base."),
        )
        pair = make_pair(advice, warning, raised_by="bob")
        Pair.objects.filter(pk=pair.pk).update(state="resolved", relation="complements")
        page = page_for(alice).get(f"/insights/{advice.ref}/").content.decode()
        assert f'href="/insights/{warning.ref}/"' in page
        assert "See also, according to bob, not reviewed." in page

    def test_loses_no_open_proposal_among_what_somebody_says_to_belong_to_it(self, alice: Member, bob: Member) -> None:
        here, newer = make_insight(alice, body="Reports have 900 s."), make_insight(bob, body="Reports get 1800 s.")
        make_pair(here, newer, question="supersession", successor_side="b", raised_at=NOW - timedelta(days=9))
        for number in range(MOST_COMPLEMENTING + 5):
            other = make_insight(bob, body=f"Aside number {number} of the reports.")
            make_pair(here, other, state="resolved", relation="complements", raised_by="bob")
        page = page_for(alice).get(f"/insights/{here.ref}/").content.decode()
        assert "proposes to supersede this with" in page and newer.ref in page
        assert f"And {MOST_COMPLEMENTING - 10} more." in page

    def test_says_nothing_of_what_was_settled_or_is_hidden(self, alice: Member, bob: Member) -> None:
        here, settled, hidden = (make_insight(alice, body=f"Text number {number}.") for number in range(3))
        Pair.objects.filter(pk=make_pair(here, settled).pk).update(state="dismissed")
        make_pair(here, hidden)
        Insight.objects.filter(pk=hidden.pk).update(quarantined_at=NOW)
        page = page_for(alice).get(f"/insights/{here.ref}/").content.decode()
        assert "Related insights" not in page
        assert settled.ref not in page and hidden.ref not in page
