"""A statement that is compiled once gives what its queryset would give, whatever is put into its slots."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.actions.tokens import issue_token
from accounts.models import ApiToken, Membership, Team, User
from accounts.rules.rights import Member
from accounts.statements import MEMBER_PARAM, BindParam, PreparedStatement, narrowed, prepared
from tests.together import together


class TestPrepared:
    def test_gives_rows_with_what_belongs_to_them(
        self, alice: Member, bob: Member, django_assert_num_queries: Any
    ) -> None:
        rows = Membership.objects.select_related("team").order_by("team__name")
        statement = PreparedStatement(rows.filter(user_id=BindParam("user")))
        for member in (alice, bob, alice):
            with django_assert_num_queries(1):
                found = [(row.pk, row.team.name, row.level) for row in statement.run(user=member.user_id)]
            assert found == [(row.pk, row.team.name, row.level) for row in rows.filter(user_id=member.user_id)]
            assert found

    def test_gives_tuples_values_and_sums_alike(self, alice: Member, now: datetime) -> None:
        for n in range(3):
            issue_token(name=f"n{n}", scopes=["read"], by=alice, now=now + timedelta(hours=n))
        for shaped in (
            lambda rows: rows.values_list("name", "scopes"),
            lambda rows: rows.values("name", "expires_at"),
            lambda rows: rows.values_list("name", flat=True),
        ):
            statement = PreparedStatement(shaped(ApiToken.objects.order_by("name").filter(user_id=BindParam("user"))))
            assert statement.run(user=alice.user_id) == list(
                shaped(ApiToken.objects.order_by("name").filter(user_id=alice.user_id))
            )

    def test_takes_many_values_as_one(self, alice: Member, bob: Member) -> None:
        statement = PreparedStatement(User.objects.filter(pk__any=BindParam("ids")).order_by("pk"))
        ids = [alice.user_id, bob.user_id]
        assert [row.pk for row in statement.run(ids=ids)] == sorted(ids)
        assert statement.run(ids=[]) == []

    def test_keeps_hostile_values_values(self, alice: Member) -> None:
        statement = PreparedStatement(User.objects.filter(username=BindParam("name")))
        for name in ("' OR 1=1 --", "%s", "%(name)s", "\\", "a'); DROP TABLE accounts_user; --"):
            assert statement.run(name=name) == []
        assert statement.run(name="alice")

    def test_keeps_what_never_changes_as_it_was_said(self, alice: Member) -> None:
        for constant in ("100 %", "%s", "%%s", "it's", "a\\b", "%(name)s"):
            User.objects.filter(pk=alice.user_id).update(first_name=constant)
            statement = PreparedStatement(User.objects.filter(first_name=constant, pk=BindParam("pk")))
            assert [row.first_name for row in statement.run(pk=alice.user_id)] == [constant]
            assert PreparedStatement(User.objects.filter(first_name=constant)).run()

    def test_says_which_slot_was_left_empty(self, db: None) -> None:
        with pytest.raises(KeyError, match="name"):
            PreparedStatement(User.objects.filter(username=BindParam("name"))).run()

    def test_is_shared_by_threads(self, transactional_db: None, alice: Member, bob: Member) -> None:
        statement = PreparedStatement(
            User.objects.filter(username=BindParam("name")).values_list("username", flat=True)
        )
        names = ["alice", "bob"] * 5
        found = together(*[lambda name=name: statement.run(name=name) for name in names])
        assert found == [[name] for name in names]

    def test_is_built_once_for_a_key(self, db: None) -> None:
        built = []

        def build() -> Any:
            built.append(1)
            return User.objects.filter(username=BindParam("name"))

        assert prepared("test", build) is prepared("test", build)
        assert len(built) == 1


class TestPlanned:
    """The same, and the server keeps the plan."""

    def planned(self) -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%%accounts_user%%'")
            return [statement for (statement,) in cursor.fetchall()]

    def test_gives_what_its_queryset_gives_however_often(self, alice: Member, bob: Member) -> None:
        rows = Membership.objects.select_related("team", "user").order_by("team__name")
        statement = PreparedStatement(
            rows.filter(user_id=BindParam("user"), team_id__any=BindParam("teams")), planned=True
        )
        for member in (alice, bob) * 4:
            found = statement.run(user=member.user_id, teams=list(member.team_ids))
            assert found == list(rows.filter(user_id=member.user_id)) != []
            assert [row.team.name for row in found] == sorted(row.team.name for row in found)

    def test_is_planned_once(self, alice: Member, bob: Member) -> None:
        before = len(self.planned())
        statement = PreparedStatement(User.objects.filter(username=BindParam("name"), is_active=True), planned=True)
        for name in ("alice", "bob", "alice"):
            assert [row.username for row in statement.run(name=name)] == [name]
        assert len(self.planned()) == before + 1

    def test_keeps_hostile_values_values(self, alice: Member) -> None:
        statement = PreparedStatement(User.objects.filter(username=BindParam("name"), first_name="100 %"), planned=True)
        for name in ("' OR 1=1 --", "%s", "%(name)s", "$1", "\\", "{a,b}"):
            assert statement.run(name=name) == []
        User.objects.filter(pk=alice.user_id).update(first_name="100 %")
        assert statement.run(name="alice")

    def test_is_counted_and_told_with_its_values(self, alice: Member, django_assert_num_queries: Any) -> None:
        statement = PreparedStatement(User.objects.filter(username=BindParam("name")), planned=True)
        with django_assert_num_queries(1) as caught:
            statement.run(name="alice")
        assert "'alice'" in caught[0]["sql"]

    def test_is_timed_like_any_other(self, alice: Member) -> None:
        seen = []

        def listen(execute: Any, sql: Any, *others: Any) -> Any:
            seen.append(sql)
            return execute(sql, *others)

        with connection.execute_wrapper(listen):
            PreparedStatement(User.objects.filter(username=BindParam("name")), planned=True).run(name="alice")
        assert len(seen) == 1

    def test_survives_a_rollback(self, alice: Member) -> None:
        statement = PreparedStatement(User.objects.filter(username=BindParam("name")), planned=True)
        for _ in range(3):
            with pytest.raises(IntegrityError), transaction.atomic():
                assert statement.run(name="alice")
                User.objects.create(username="alice")
        assert statement.run(name="alice")


class TestVisibleTo:
    def test_passes_ones_own_teams_only(self, alice: Member, bob: Member, charlie: Member, platform: Team) -> None:
        statement = PreparedStatement(
            Membership.objects.visible_to(MEMBER_PARAM).values_list("pk", flat=True).order_by("pk")
        )
        for member in (alice, bob, charlie):
            rows = Membership.objects.visible_to(member).values_list("pk", flat=True).order_by("pk")
            assert statement.visible_to(member) == list(rows)

    def test_never_widens(self, charlie: Member, platform: Team) -> None:
        statement = PreparedStatement(Membership.objects.visible_to(MEMBER_PARAM))
        assert statement.visible_to(charlie, only=[platform.pk]) == []
        assert narrowed(charlie, [platform.pk, charlie.home_id]) == [charlie.home_id]
