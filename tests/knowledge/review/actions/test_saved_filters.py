"""Filters kept under a name, for oneself or a team."""

from datetime import datetime
from typing import Any

import pytest

from accounts.actions.guard_terms import allow_term
from accounts.models import LogEntry, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member, NoSuchTeam
from knowledge.models import SavedFilter
from knowledge.review.actions.clear_author import clear_author
from knowledge.review.actions.saved_filters import MOST, BadFilter, SecretInFilter, delete_filter, save_filter
from knowledge.review.rules.saved_filters import Listing
from tests.together import together

KEY = "AKIA" + "Z7QF3MXT9WKD2RVB"


def save(by: Member, now: datetime, **over: Any) -> SavedFilter:
    fields = {"listing": Listing.INSIGHTS, "name": "Pitfalls", "given": {"kind": "PITFALL"}, "team": "personal", **over}
    return save_filter(**fields, by=by, now=now)


def seen(by: Member) -> list[str]:
    return [row.name for row in SavedFilter.objects.visible_to(by).of_list(Listing.INSIGHTS)]


class TestSave:
    def test_is_ones_own_until_it_is_a_teams(
        self, alice: Member, bob: Member, charlie: Member, root: Member, now: datetime
    ) -> None:
        save(alice, now)
        assert [seen(who) for who in (alice, bob, charlie, root)] == [["Pitfalls"], [], [], []]
        save(alice, now, name="Ours", team="platform")
        assert [seen(who) for who in (alice, bob, charlie)] == [["Ours", "Pitfalls"], ["Ours"], []]

    def test_takes_over_what_has_the_name_whatever_its_capitals(self, alice: Member, now: datetime) -> None:
        first = save(alice, now)
        again = save(alice, now, name=" pitfalls\u200b ", given={"tag": "ci"})
        assert (again.pk, again.name, again.wanted) == (first.pk, "pitfalls", {"tag": "ci"})
        save(alice, now, listing=Listing.INBOX)
        assert SavedFilter.objects.count() == 2
        verbs = LogEntry.objects.filter(verb__startswith="filter").order_by("pk").values_list("verb", flat=True)
        assert list(verbs) == ["filter saved", "filter changed", "filter saved"]

    def test_leaves_a_line_without_what_was_searched_for(self, alice: Member, now: datetime) -> None:
        save(alice, now, given={"q": "why did the kestrel fail"}, team="platform")
        line = LogEntry.objects.get(verb="filter saved")
        assert line.line == "Filter “Pitfalls” of the insights saved"
        assert "kestrel" not in f"{line.line} {line.before} {line.after}"

    def test_for_a_team_is_a_leads_act(self, bob: Member, charlie: Member, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            save(bob, now, team="platform")
        with pytest.raises(NoSuchTeam):
            save(charlie, now, team="platform")
        assert not SavedFilter.objects.exists()

    @pytest.mark.parametrize(
        ("over", "field"),
        [
            ({"name": ""}, "name"),
            ({"name": " \u200b\u202e"}, "name"),
            ({"name": "x" * 61}, "name"),
            ({"given": {}}, "query"),
            ({"given": {"page": "3", "nearest": "1"}}, "query"),
            ({"team": "platform", "given": {"team": "mobile"}}, "team"),
        ],
    )
    def test_refuses_what_is_none(self, over: dict[str, Any], field: str, alice: Member, now: datetime) -> None:
        with pytest.raises(BadFilter) as refused:
            save(alice, now, **over)
        assert list(refused.value.errors) == [field]

    def test_refuses_a_secret_wherever_it_stands(self, alice: Member, now: datetime) -> None:
        for over in ({"name": KEY}, {"given": {"q": KEY}}, {"given": {"tag": KEY}}):
            with pytest.raises(SecretInFilter) as refused:
                save(alice, now, **over)
            assert KEY not in str(refused.value.errors)
        allow_term(team="platform", term=KEY, reason="revoked", by=alice, now=now)
        save(alice, now, given={"q": KEY}, team="platform")

    def test_has_an_end(self, alice: Member, now: datetime) -> None:
        for n in range(MOST):
            save(alice, now, name=f"{n}")
        with pytest.raises(BadFilter):
            save(alice, now, name="one more")
        save(alice, now, name="7", given={"tag": "ci"})
        save(alice, now, name="one more", listing=Listing.INBOX)

    def test_of_two_with_one_name_at_one_moment_is_one(
        self, transactional_db: None, alice: Member, now: datetime
    ) -> None:
        done = together(*(lambda: save(alice, now, team="platform") for _ in range(3)))
        assert [one for one in done if isinstance(one, Exception)] == []
        assert SavedFilter.objects.count() == 1


class TestDelete:
    def test_is_the_owners_or_a_leads(
        self, alice: Member, bob: Member, charlie: Member, root: Member, now: datetime
    ) -> None:
        own, ours = save(bob, now), save(alice, now, team="platform")
        for by, row, refused in (
            (alice, own, NotFound), (root, own, NotFound), (charlie, ours, NotFound), (bob, ours, NotAllowed),
        ):  # fmt: skip
            with pytest.raises(refused):
                delete_filter(filter_id=row.pk, by=by, now=now)
        delete_filter(filter_id=own.pk, by=bob, now=now)
        delete_filter(filter_id=ours.pk, by=root, now=now)
        assert not SavedFilter.objects.exists()
        assert LogEntry.objects.filter(verb="filter deleted").count() == 2


class TestForgettingAPerson:
    def test_takes_their_name_off_what_the_team_keeps(
        self, alice: Member, alice_user: User, bob: Member, now: datetime
    ) -> None:
        save(alice, now, team="platform")
        save(bob, now, given={"author": "alice"})
        clear_author(user=alice_user, sessions={})
        assert [(row.owner_id, row.wanted) for row in SavedFilter.objects.all()] == [(None, {"kind": "PITFALL"})]
