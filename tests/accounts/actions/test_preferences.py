"""What is preferred: stated, changed, confirmed, forgotten, and learnt."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.actions.members import member_of
from accounts.actions.preferences import (
    MOST,
    BadPreference,
    SecretInPreference,
    change,
    confirm,
    effective,
    forget,
    learn,
    state,
)
from accounts.models import GuardTerm, LogEntry, Preference, Team
from accounts.rules.preferences import Category, Inferred, Stated, Support
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member, NoSuchTeam, Scope
from tests.conftest import person
from tests.database import changed, contents
from tests.together import together

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


def say(by: Member, now: datetime, **over: Any) -> Stated:
    fields = {"key": "test_runner", "value": "jest", "category": "approach", **over}
    return state(**fields, by=by, now=now)[0]


def found(key: str = "primary_language", value: str = "Python", confidence: float = 0.8) -> Inferred:
    support = Support("9 of 10", 9, 10, ("PLAT-1", "PLAT-2"))
    return Inferred(key, value, Category.DOMAIN, f"Works mainly in {value}.", confidence, support)


def held(by: Member, **over: Any) -> dict[str, str]:
    return {one.stated.key: one.stated.value for one in effective(by=by, **over)}


class TestStating:
    def test_is_for_oneself_unless_a_team_is_named(self, alice: Member, bob: Member, now: datetime) -> None:
        assert say(bob, now).team.id == bob.home_id
        assert held(bob) == {"test_runner": "jest"}
        assert held(alice) == {}

    def test_for_a_team_holds_for_its_people(self, alice: Member, bob: Member, charlie: Member, now: datetime) -> None:
        say(alice, now, team="platform")
        assert held(alice) == held(bob) == {"test_runner": "jest"}
        assert held(charlie) == {}

    def test_for_everyone_holds_for_all(self, root: Member, alice: Member, charlie: Member, now: datetime) -> None:
        say(root, now, team="everyone", scope="team")
        assert held(alice) == held(charlie) == {"test_runner": "jest"}

    def test_again_changes_it(self, bob: Member, now: datetime) -> None:
        first = say(bob, now)
        row, new = state(key="Test-Runner", value="vitest", category="approach", by=bob, now=now)
        assert (row.id, row.value, new) == (first.id, "vitest", False)
        assert Preference.objects.count() == 1

    def test_the_same_again_writes_nothing(self, bob: Member, now: datetime) -> None:
        say(bob, now)
        before = contents()
        say(bob, now + timedelta(days=1))
        assert changed(before) == []

    def test_leaves_a_line_in_the_log_of_the_team(self, alice: Member, platform: Team, now: datetime) -> None:
        say(alice, now, team="platform")
        line = LogEntry.objects.get()
        assert (line.team_id, line.line) == (platform.pk, "Preference stated: test_runner = jest")
        assert line.after["value"] == "jest"

    def test_takes_out_what_cannot_be_seen(self, bob: Member, now: datetime) -> None:
        assert say(bob, now, value="je\u200bst ", statement="\u202eplainly").value == "jest"
        assert "\u202e" not in Preference.objects.get().statement

    def test_at_the_same_moment_is_one_row(self, transactional_db: None, bob: Member, now: datetime) -> None:
        together(*[lambda value=value: say(bob, now, value=value) for value in ("jest", "vitest", "mocha")])
        assert Preference.objects.count() == 1


class TestWhatIsRefused:
    @pytest.mark.parametrize("over", [{"team": "platform"}, {"scope": "team", "team": "platform"}, {"scope": "team"}])
    def test_is_a_contributors_word_for_the_team(self, bob: Member, now: datetime, over: dict[str, str]) -> None:
        before = contents()
        with pytest.raises(NotAllowed):
            say(bob, now, **over)
        assert changed(before) == []

    def test_is_a_leads_word_without_the_scope(self, alice: Member, now: datetime) -> None:
        weak = member_of(user=_user(alice), scopes=frozenset({Scope.READ, Scope.WRITE}))
        with pytest.raises(NotAllowed):
            say(weak, now, team="platform")
        assert say(weak, now)

    def test_is_ones_own_word_without_the_scope_to_write(self, bob: Member, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            say(member_of(user=_user(bob), scopes=frozenset({Scope.READ})), now)

    @pytest.mark.parametrize("team", ["mobile", "nonsense"])
    def test_is_a_team_one_is_not_of(self, alice: Member, mobile: Team, now: datetime, team: str) -> None:
        with pytest.raises(NoSuchTeam):
            say(alice, now, team=team)

    @pytest.mark.parametrize(
        ("over", "field"),
        [
            ({"scope": "personal", "team": "platform"}, "team"),
            ({"scope": "team", "team": "personal"}, "team"),
            ({"key": "…"}, "key"),
            ({"value": " \u200b"}, "value"),
        ],
    )
    def test_is_told_by_its_field(self, alice: Member, now: datetime, over: dict[str, str], field: str) -> None:
        with pytest.raises(BadPreference) as refused:
            say(alice, now, **over)
        assert list(refused.value.errors) == [field]

    def test_is_ones_own_by_a_token_that_does_not_reach_it(self, alice: Member, platform: Team, now: datetime) -> None:
        narrowed = member_of(user=_user(alice), only=frozenset({platform.pk}))
        with pytest.raises(BadPreference):
            say(narrowed, now)
        assert say(narrowed, now, team="platform")

    @pytest.mark.parametrize("field", ["key", "value", "statement"])
    def test_is_a_secret(self, bob: Member, now: datetime, field: str) -> None:
        before = contents()
        with pytest.raises(SecretInPreference) as refused:
            say(bob, now, **{field: f"use {SECRET[:9]}\u200b{SECRET[9:]}"})
        assert list(refused.value.errors) == [field]
        assert SECRET not in str(refused.value.errors)
        assert changed(before) == []

    def test_is_no_term_the_team_has_reviewed(self, alice: Member, platform: Team, now: datetime) -> None:
        GuardTerm.objects.create(team=platform, term=SECRET, added_at=now)
        assert say(alice, now, team="platform", value=SECRET).value == SECRET
        with pytest.raises(SecretInPreference):
            say(alice, now, value=SECRET)

    def test_is_one_more_than_anybody_can_follow(self, bob: Member, now: datetime) -> None:
        rows = [Preference(team_id=bob.home_id, key=f"k{n}", value="x", source="explicit", changed_at=now)
                for n in range(MOST)]  # fmt: skip
        Preference.objects.bulk_create(rows)
        with pytest.raises(BadPreference):
            say(bob, now)
        assert say(bob, now, key="k7", value="y").value == "y"


class TestChanging:
    def test_edits_what_is_named(self, bob: Member, now: datetime) -> None:
        row = say(bob, now, statement="We use jest.")
        done = change(preference_id=row.id, changes={"value": "vitest"}, by=bob, now=now + timedelta(days=1))
        assert (done.value, done.statement, done.changed_at) == ("vitest", "We use jest.", now + timedelta(days=1))

    def test_of_a_teams_is_its_leads(self, alice: Member, bob: Member, now: datetime) -> None:
        row = say(alice, now, team="platform")
        for act in (lambda: change(preference_id=row.id, changes={"value": "x"}, by=bob, now=now),
                    lambda: forget(preference_id=row.id, by=bob, now=now)):  # fmt: skip
            with pytest.raises(NotAllowed):
                act()
        assert held(bob) == {"test_runner": "jest"}

    def test_of_anothers_own_finds_nothing(self, alice: Member, bob: Member, root: Member, now: datetime) -> None:
        row = say(bob, now)
        for other in (alice, root):
            with pytest.raises(NotFound):
                change(preference_id=row.id, changes={"value": "x"}, by=other, now=now)
            with pytest.raises(NotFound):
                forget(preference_id=row.id, by=other, now=now)

    def test_to_a_secret_is_refused(self, bob: Member, now: datetime) -> None:
        row = say(bob, now)
        before = contents()
        with pytest.raises(SecretInPreference):
            change(preference_id=row.id, changes={"value": SECRET}, by=bob, now=now)
        assert changed(before) == []


class TestLearning:
    def test_is_stored_with_what_it_stands_on(self, bob: Member, now: datetime) -> None:
        assert learn(home_id=bob.home_id, found=[found()], now=now) == Counter(inferred=1)
        row = Preference.objects.get()
        assert (row.team_id, row.source, row.confidence) == (bob.home_id, "inferred", 0.8)
        assert row.support == {"why": "9 of 10", "signals": 9, "of": 10, "refs": ["PLAT-1", "PLAT-2"]}
        assert LogEntry.objects.get().actor == "loam"

    def test_again_writes_only_what_is_news(self, bob: Member, now: datetime) -> None:
        learn(home_id=bob.home_id, found=[found()], now=now)
        before = contents()
        assert not learn(home_id=bob.home_id, found=[found(confidence=0.84)], now=now)
        assert changed(before) == []
        assert learn(home_id=bob.home_id, found=[found(confidence=0.86)], now=now) == Counter(inferred=1)
        assert learn(home_id=bob.home_id, found=[found(value="Rust", confidence=0.86)], now=now)

    def test_withdraws_what_is_not_found_any_more(self, bob: Member, now: datetime) -> None:
        learn(home_id=bob.home_id, found=[found()], now=now)
        assert learn(home_id=bob.home_id, found=[], now=now) == Counter(withdrawn=1)
        assert not Preference.objects.exists()
        assert learn(home_id=bob.home_id, found=[found()], now=now) == Counter(inferred=1)

    def test_never_touches_what_was_said(self, bob: Member, now: datetime) -> None:
        say(bob, now, key="primary_language", value="Rust")
        for what in ([found()], []):
            assert not learn(home_id=bob.home_id, found=what, now=now)
        assert held(bob) == {"primary_language": "Rust"}

    def test_never_touches_another_team(self, alice: Member, bob: Member, now: datetime) -> None:
        say(alice, now, team="platform")
        learn(home_id=alice.home_id, found=[found()], now=now)
        before = contents()
        learn(home_id=bob.home_id, found=[], now=now)
        assert changed(before) == []


class TestWhatWasInferred:
    @pytest.fixture
    def row(self, bob: Member, now: datetime) -> Preference:
        learn(home_id=bob.home_id, found=[found()], now=now)
        return Preference.objects.get()

    def test_is_beaten_by_whatever_was_said(self, row: Preference, alice: Member, bob: Member, now: datetime) -> None:
        say(alice, now, key="primary_language", value="Go", team="platform")
        assert held(bob) == {"primary_language": "Go"}

    def test_is_explicit_once_confirmed_and_keeps_what_it_stood_on(
        self, row: Preference, bob: Member, now: datetime
    ) -> None:
        done = confirm(preference_id=row.pk, by=bob, now=now)
        assert (done.source, done.confidence, done.value) == ("explicit", 1, "Python")
        assert done.support["signals"] == 9
        assert LogEntry.objects.latest("pk").verb == "preference confirmed"
        assert not learn(home_id=bob.home_id, found=[found(value="Rust")], now=now)

    def test_is_explicit_once_edited(self, row: Preference, bob: Member, now: datetime) -> None:
        assert change(preference_id=row.pk, changes={"value": "Go"}, by=bob, now=now).source == "explicit"

    def test_gives_way_to_what_is_stated(self, row: Preference, bob: Member, now: datetime) -> None:
        assert say(bob, now, key="primary_language", value="Go").source == "explicit"
        assert Preference.objects.count() == 1

    def test_does_not_come_back_once_forgotten(self, row: Preference, bob: Member, now: datetime) -> None:
        forget(preference_id=row.pk, by=bob, now=now)
        assert held(bob) == {}
        for value in ("Python", "Rust"):
            assert not learn(home_id=bob.home_id, found=[found(value=value, confidence=0.99)], now=now)
        assert held(bob) == {}


class TestForgetting:
    def test_leaves_the_key_alone(self, bob: Member, now: datetime) -> None:
        row = say(bob, now, statement="We use jest.")
        forget(preference_id=row.id, by=bob, now=now)
        left = Preference.objects.get()
        assert (left.key, left.value, left.statement, left.forgotten_at) == ("test_runner", "", "", now)
        assert LogEntry.objects.latest("pk").line == "Preference forgotten: test_runner = jest"

    def test_twice_finds_nothing(self, bob: Member, now: datetime) -> None:
        row = say(bob, now)
        forget(preference_id=row.id, by=bob, now=now)
        with pytest.raises(NotFound):
            forget(preference_id=row.id, by=bob, now=now)
        with pytest.raises(NotFound):
            confirm(preference_id=row.id, by=bob, now=now)

    def test_lets_the_wider_hold_again(self, alice: Member, bob: Member, now: datetime) -> None:
        say(alice, now, team="platform")
        row = say(bob, now, value="vitest")
        forget(preference_id=row.id, by=bob, now=now)
        assert held(bob) == {"test_runner": "jest"}

    def test_is_undone_by_stating_it_anew(self, bob: Member, now: datetime) -> None:
        row = say(bob, now)
        forget(preference_id=row.id, by=bob, now=now)
        again, new = state(key="test_runner", value="jest", category="approach", by=bob, now=now)
        assert (again.id, new, held(bob)) == (row.id, True, {"test_runner": "jest"})


class TestWhatHolds:
    def test_is_narrowed_with_the_teams_one_asks(
        self, alice: Member, platform: Team, mobile: Team, now: datetime
    ) -> None:
        both = person("dora", platform, Level.LEAD)
        mobile.memberships.create(user=both, level=Level.LEAD)
        dora = member_of(user=both)
        say(dora, now, team="platform", value="jest")
        say(dora, now + timedelta(days=1), team="mobile", value="mocha")
        assert held(dora) == held(dora, team_slugs=["mobile"]) == {"test_runner": "mocha"}
        assert held(dora, team_slugs=["platform"]) == {"test_runner": "jest"}
        say(dora, now, value="vitest")
        assert held(dora, team_slugs=["platform"]) == {"test_runner": "vitest"}

    def test_is_read_in_one_statement(
        self, alice: Member, bob: Member, now: datetime, django_assert_num_queries: Any
    ) -> None:
        say(alice, now, team="platform")
        say(bob, now, value="vitest")
        with django_assert_num_queries(1):
            assert held(bob) == {"test_runner": "vitest"}


class TestTheRow:
    @pytest.mark.parametrize(
        "over", [{"confidence": 0.5}, {"confidence": 0}, {"source": "inferred", "confidence": 1.1},
                 {"forgotten_at": datetime(2026, 1, 1).astimezone()}]
    )  # fmt: skip
    def test_is_never_half_one_thing(self, bob: Member, now: datetime, over: dict[str, Any]) -> None:
        say(bob, now)
        with pytest.raises(IntegrityError), transaction.atomic():
            Preference.objects.update(**over)


def _user(member: Member) -> Any:
    return Team.objects.get(pk=member.home_id).owner
