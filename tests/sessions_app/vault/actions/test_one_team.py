"""The vault of one team, as it goes to another cell: nothing of others, and refused where it could become theirs."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.actions.members import member_of
from accounts.actions.moving import CannotMove, mark_moved, stop_writes
from accounts.models import Membership, Team, User
from accounts.rules.rights import SYSTEM, Level, Member
from knowledge.jobs.actions.audit import audit
from knowledge.models import Insight, Pair
from sessions_app.vault.actions.delete_moved import delete_moved, left_behind
from sessions_app.vault.actions.vault import VaultRefused, export, import_vault
from tests.conftest import NOW, person
from tests.database import changed, contents
from tests.factories import make_insight
from tests.sessions_app import vaults
from tests.sessions_app.vaults import answers, lose_everything, member, tree

LATER = timedelta(days=1)
laid_out, world, platform = vaults.laid_out, vaults.world, vaults.platform
alice_user, bob_user = vaults.alice_user, vaults.bob_user


class TestTheVaultOfOneTeam:
    def test_has_it_alone_and_gives_the_same_answers(self, tmp_path: Path, world: datetime) -> None:
        export(shared=tmp_path / "a", team="platform")
        files = tree(tmp_path / "a")
        assert {name.split("/")[0] for name in files if "/" in name and not name.startswith(".")} == {"platform"}
        assert b"charlie" not in b"".join(files.values()).lower()
        told = {name: answers(member(name), world) for name in ("alice", "bob")}
        lose_everything()
        done = import_vault(shared=tmp_path / "a", by=SYSTEM, now=world + LATER, team="platform")
        assert (done.teams, done.loose) == (1, 1)  # the insight that was Bob's own before has no former reference here
        assert audit(now=world) == []
        # Bob's personal insights are not in it, and were in his answers.
        shown = {row.ref for row in Insight.objects.all()}
        for name, before in told.items():
            kept = [[hit for hit in some if hit[0] in shown] for some in before]
            assert [[hit[0] for hit in some] for some in answers(member(name), world)] == [
                [hit[0] for hit in some] for some in kept
            ]

    def test_goes_into_no_folder_of_other_teams(self, tmp_path: Path, world: datetime) -> None:
        export(shared=tmp_path)
        before = tree(tmp_path)
        with pytest.raises(VaultRefused, match="other teams"):
            export(shared=tmp_path, team="platform")
        assert tree(tmp_path) == before
        with pytest.raises(VaultRefused, match="no personal teams"):
            export(shared=tmp_path / "a", personal=tmp_path / "b", team="platform")
        for nobodys in ("personal-1", "everyone", "nothing"):
            with pytest.raises(VaultRefused, match="no shared team"):
                export(shared=tmp_path / "c", team=nobodys)

    def test_refers_to_no_row_of_another_team_with_the_same_reference(
        self, tmp_path: Path, world: datetime, alice: Member, bob: Member
    ) -> None:
        theirs = make_insight(alice, body="Everybody's builds run on the shared runner.", team="everyone")
        ours = Insight.objects.filter(team__slug="platform", forgotten_at=None).order_by("pk").first()
        assert ours is not None
        pairs = Pair.objects.count()
        across = Pair.objects.order_by("pk").last()
        assert across is not None
        across.pk, across.a, across.b = None, ours, theirs
        across.save(force_insert=True)
        Insight.objects.filter(pk=ours.pk).update(superseded_by=theirs)
        export(shared=tmp_path, team="platform")
        lose_everything()
        stranger = member_of(user=person("dora", None))
        other = make_insight(stranger, body="The canteen closes at three.", team="everyone")
        assert other.ref == theirs.ref
        done = import_vault(shared=tmp_path, by=SYSTEM, now=world + LATER, team="platform")
        assert done.loose == 3
        row = Insight.objects.get(ref=ours.ref)
        assert (row.superseded_by, row.status) == (None, "deprecated")
        assert Pair.objects.count() == pairs
        assert not Pair.objects.filter(b=other).exists()

    @pytest.mark.parametrize(
        ("there", "why"),
        [
            ({"slug": "platform", "prefix": "XYZ"}, "its members would be members"),
            ({"slug": "other", "prefix": "PLAT"}, "[Pp]refix"),
        ],
    )
    def test_is_refused_where_its_name_or_prefix_is_taken(
        self, tmp_path: Path, world: datetime, there: dict[str, str], why: str
    ) -> None:
        export(shared=tmp_path, team="platform")
        lose_everything()
        team = Team.objects.create(name="Another", **there)
        Membership.objects.create(team=team, user=person("dora", None), level=Level.READER)
        before = contents()
        with pytest.raises(VaultRefused, match=why):
            import_vault(shared=tmp_path, by=SYSTEM, now=world, team="platform")
        assert changed(before) == []

    def test_is_refused_where_somebody_has_the_name_of_its_people(self, tmp_path: Path, world: datetime) -> None:
        export(shared=tmp_path, team="platform")
        lose_everything()
        person("bob", None)
        before = contents()
        with pytest.raises(CommandError, match="same names: bob"):
            call_command("vault", "import", tmp_path, team="platform")
        assert changed(before) == []
        call_command("vault", "import", tmp_path, team="platform", same_people=True)
        assert Membership.objects.filter(team__slug="platform", user__username="bob").exists()

    def test_is_refused_in_the_cell_it_comes_from(self, tmp_path: Path, world: datetime) -> None:
        stop_writes(slug="platform", by=SYSTEM, now=world)
        export(shared=tmp_path, team="platform")
        with pytest.raises(VaultRefused, match="moves from"):
            import_vault(shared=tmp_path, by=SYSTEM, now=world, team="platform", same_people=True)

    def test_is_rehearsed_without_a_trace(self, tmp_path: Path, world: datetime) -> None:
        export(shared=tmp_path, team="platform")
        lose_everything()
        before = contents()
        done = import_vault(shared=tmp_path, by=SYSTEM, now=world, team="platform", rehearse=True)
        assert done.insights
        assert changed(before) == []


class TestDeleting:
    def test_takes_the_team_alone(self, world: datetime, alice: Member) -> None:
        with pytest.raises(CannotMove):
            delete_moved(slug="platform", by=SYSTEM, now=NOW)
        assert left_behind("platform")["sessions"]
        others = Insight.objects.exclude(team__slug="platform").count()
        stop_writes(slug="platform", by=SYSTEM, now=NOW)
        mark_moved(slug="platform", address="https://eu1.loam.example.org", by=SYSTEM, now=NOW)
        assert delete_moved(slug="platform", by=SYSTEM, now=NOW)
        assert not Team.objects.filter(slug="platform").exists()
        assert Insight.objects.count() == others + 1  # the number of the one that was Bob's own
        assert audit(now=world) == []
        assert member_of(user=User.objects.get(username="alice")).moved == ()
