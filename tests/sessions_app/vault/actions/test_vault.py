import os
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Team, User
from accounts.rules.rights import SYSTEM, Member
from knowledge.models import Insight
from knowledge.review.actions.move import move
from sessions_app.vault.actions.vault import VaultRefused, export, import_vault
from tests.conftest import NOW
from tests.factories import make_insight
from tests.sessions_app.vaults import lose_everything, tree


class TestExport:
    @pytest.mark.parametrize(("shared", "personal"), [("a", "a/mine"), ("a/b", "a"), ("a", "a"), ("a", "link/mine")])
    def test_keeps_what_is_personal_out_of_the_shared_folder(
        self, tmp_path: Path, alice: Member, shared: str, personal: str
    ) -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "a")
        with pytest.raises(VaultRefused, match="must not contain each other"):
            export(shared=tmp_path / shared, personal=tmp_path / personal)
        assert tree(tmp_path) == {}

    def test_touches_only_what_has_changed(self, tmp_path: Path, alice: Member) -> None:
        make_insight(alice, body="One lesson of ours.", team="platform")
        export(shared=tmp_path / "a")
        again = export(shared=tmp_path / "a")
        assert (again.written, again.removed) == (0, 0)

    def test_leaves_what_says_the_same_as_it_lies_there(self, tmp_path: Path, alice: Member) -> None:
        """For git, a backup or a watcher of the folder, a file that was written again is a file that changed."""
        make_insight(alice, body="One lesson of ours.", team="platform")
        export(shared=tmp_path)
        pages = [path for path in tmp_path.rglob("*") if path.is_file()]
        for path in pages:
            os.utime(path, (1, 1))
        export(shared=tmp_path)
        assert [path for path in pages if path.stat().st_mtime != 1 and path.name != "lock"] == []
        make_insight(alice, body="The night's backup needs twice its size free.", team="platform")
        assert export(shared=tmp_path).written
        assert (tmp_path / "platform/insights/PLAT-1.md").stat().st_mtime == 1
        assert (tmp_path / "platform/insights/PLAT-2.md").stat().st_mtime != 1

    def test_does_not_write_over_an_edit(self, tmp_path: Path, alice: Member) -> None:
        row = make_insight(alice, body="One lesson of ours.", team="platform")
        export(shared=tmp_path / "a")
        file = tmp_path / "a" / "platform" / "insights" / f"{row.ref}.md"
        file.write_text(file.read_text().replace("One lesson", "Two lessons"))
        with pytest.raises(VaultRefused, match="was edited"):
            export(shared=tmp_path / "a")
        assert "Two lessons" in file.read_text()
        export(shared=tmp_path / "a", overwrite=True)
        assert "One lesson" in file.read_text()

    def test_takes_away_the_file_of_what_was_moved(self, tmp_path: Path, bob: Member) -> None:
        row = make_insight(bob, body="The proxy of staging listens on 8443.", team="personal")
        export(shared=tmp_path / "a", personal=tmp_path / "mine")
        moved = move(ref=row.ref, team="platform", by=bob, now=NOW)
        export(shared=tmp_path / "a", personal=tmp_path / "mine")
        files = [*tree(tmp_path / "a"), *tree(tmp_path / "mine")]
        assert f"platform/insights/{moved.ref}.md" in files
        assert not [name for name in files if row.ref in name]

    def test_follows_no_link_out_of_the_vault(self, tmp_path: Path, alice: Member) -> None:
        make_insight(alice, body="One lesson of ours.", team="platform")
        (tmp_path / "a").mkdir()
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "a" / "platform").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(VaultRefused, match="a link"):
            export(shared=tmp_path / "a")
        assert tree(tmp_path / "elsewhere") == {}


class TestImport:
    @pytest.fixture
    def vault(self, tmp_path: Path, alice: Member) -> Path:
        make_insight(alice, body="One lesson of ours.", team="platform")
        export(shared=tmp_path / "a")
        return tmp_path / "a"

    def test_may_be_run_again(self, vault: Path) -> None:
        done = import_vault(shared=vault, by=SYSTEM, now=NOW)
        assert (done.teams, done.insights) == (1, 0)  # `everyone`, which is empty
        assert done.unchanged == 1

    def test_refuses_a_team_that_has_something_else_in_it(self, vault: Path, bob: Member) -> None:
        make_insight(bob, body="Another lesson.", team="platform")
        with pytest.raises(VaultRefused, match="platform is not empty"):
            import_vault(shared=vault, by=SYSTEM, now=NOW)

    def test_writes_all_or_nothing(self, vault: Path) -> None:
        lose_everything()
        (vault / "platform" / "insights" / "PLAT-1.md").write_text("no page")
        with pytest.raises(VaultRefused, match=r"PLAT-1\.md: it does not start with front matter"):
            import_vault(shared=vault, by=SYSTEM, now=NOW)
        assert not Team.objects.filter(slug="platform").exists()

    @pytest.mark.parametrize(
        ("old", "new", "why"),
        [
            ('ref: "PLAT-1"', 'ref: "PLAT-2"', "its reference"),
            ("kind: SOLUTION", "kind: NONSENSE", "kind"),
            ("strength: ", "strength: 5000", "strength"),
            ("strength: ", "strength: many", "strength"),
            ("stability: stable", 'superseded_by: "[[PLAT-99]]"', "PLAT-99"),
            ('author: "alice"', 'author: "mallory"', "mallory"),
            ("tags: []", "tags: &a [*a]", "PLAT-1.md"),
            ('topic: "', 'topic: "x', "id"),
            ('author: "alice"', 'author: ["alice"]', "alice"),
            ("kind: SOLUTION", 'kind: {"a": 1}', "kind"),
            (
                '{"vector": {',
                '{"signal": {"kind": "helpful", "at": "2026-01-01T00:00:00Z", "query": [1]}}\n{"vector": {',
                "",
            ),
            ('{"vector": {', '{"said": {"draft": {"anchors": 7}}}\n{"vector": {', ""),
            ('{"vector": {', '{"signal": 1}\n{"vector": {', "signal"),
            ("revision: 1", "revision: 99999999999999999999", ""),
        ],
    )
    def test_refuses_a_page_that_cannot_be_true(self, vault: Path, old: str, new: str, why: str) -> None:
        lose_everything()
        page = vault / "platform" / "insights" / "PLAT-1.md"
        assert old in page.read_text()
        page.write_text(page.read_text().replace(old, new))
        with pytest.raises(VaultRefused, match=why):
            import_vault(shared=vault, by=SYSTEM, now=NOW)
        assert not Insight.objects.exists()

    def test_follows_no_link(self, vault: Path, tmp_path: Path) -> None:
        lose_everything()
        (tmp_path / "secret.md").write_text("---\na: 1\n---\n")
        (vault / "platform" / "insights" / "PLAT-2.md").symlink_to(tmp_path / "secret.md")
        with pytest.raises(VaultRefused, match="is a link"):
            import_vault(shared=vault, by=SYSTEM, now=NOW)

    def test_makes_no_superuser_and_no_usable_token(self, vault: Path) -> None:
        lose_everything()
        import_vault(shared=vault, by=SYSTEM, now=NOW)
        alice = User.objects.get(username="alice")
        assert not alice.is_superuser and not alice.is_staff and not alice.has_usable_password()

    def test_says_what_is_wrong_in_one_line(self, tmp_path: Path, db: None) -> None:
        with pytest.raises(CommandError, match="is not a vault"):
            call_command("vault", "import", str(tmp_path / "nowhere"))
