"""A vault of a small world with everything in it, there and back."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from accounts.rules.rights import SYSTEM, Member
from knowledge.jobs.actions.audit import audit
from knowledge.models import SavedFilter
from sessions_app.vault.actions.vault import VaultRefused, export, import_vault
from tests.sessions_app import vaults
from tests.sessions_app.vaults import answers, lose_everything, member, tree

laid_out, world, platform = vaults.laid_out, vaults.world, vaults.platform
alice_user, bob_user = vaults.alice_user, vaults.bob_user


class TestRoundTrip:
    def test_gives_the_same_files_and_the_same_answers(self, tmp_path: Path, world: datetime) -> None:
        before = {name: answers(member(name), world) for name in ("alice", "bob", "charlie")}
        assert any(before["bob"])
        export(shared=tmp_path / "a", personal=tmp_path / "mine")
        lose_everything()
        import_vault(shared=tmp_path / "a", personal=tmp_path / "mine", by=SYSTEM, now=world + timedelta(days=1))
        assert {name: answers(member(name), world) for name in before} == before
        assert audit(now=world) == []
        export(shared=tmp_path / "b", personal=tmp_path / "mine again")
        assert tree(tmp_path / "b") == tree(tmp_path / "a")
        assert tree(tmp_path / "mine again") == tree(tmp_path / "mine")

    def test_tells_nothing_of_what_was_forgotten_nor_a_secret(self, tmp_path: Path, world: datetime) -> None:
        export(shared=tmp_path / "a", personal=tmp_path / "mine")
        everything = b"".join([*tree(tmp_path / "a").values(), *tree(tmp_path / "mine").values()])
        assert b"Grandmother" not in everything
        assert b"AKIAIOSFODNN7EXAMPLQ" not in everything
        assert b"loam_" in everything  # what is public of a token
        assert b"short commit messages" not in b"".join(tree(tmp_path / "a").values())


class TestFilters:
    def test_of_a_team_go_with_it_and_ones_own_with_what_is_personal(
        self, tmp_path: Path, world: datetime, alice: Member
    ) -> None:
        export(shared=tmp_path / "a", personal=tmp_path / "mine")
        shared = (tmp_path / "a" / "platform" / "filters.md").read_text()
        assert "- Traps (insights)" in shared
        assert "Mine" not in shared
        lose_everything()
        import_vault(shared=tmp_path / "a", personal=tmp_path / "mine", by=SYSTEM, now=world + timedelta(days=1))
        back = {
            row.name: row for row in SavedFilter.objects.visible_to(member("alice")).select_related("team", "owner")
        }
        assert {name: (row.team.kind, row.owner.username) for name, row in back.items()} == {
            "Traps": ("shared", "alice"),
            "Mine": ("personal", "alice"),
        }
        assert back["Traps"].wanted["kind"] == "PITFALL"

    def test_that_are_spoiled_are_refused(self, tmp_path: Path, world: datetime) -> None:
        export(shared=tmp_path / "a")
        page = tmp_path / "a" / "platform" / "filters.md"
        lose_everything()
        page.write_text(page.read_text().replace("insights", "nonsense"))
        with pytest.raises(VaultRefused, match=r"filters\.md"):
            import_vault(shared=tmp_path / "a", by=SYSTEM, now=world)
        assert not SavedFilter.objects.exists()
