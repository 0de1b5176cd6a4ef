from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts.actions.members import acting
from accounts.models import LogEntry
from accounts.rules.rights import Member
from knowledge.models import Conflict, Insight
from knowledge.review.actions import curate, vault_conflicts
from sessions_app.vault.actions import sync as module
from sessions_app.vault.actions.sync import Synced, sync
from sessions_app.vault.actions.vault import VaultRefused, export
from sessions_app.vault.adapters.folder import VaultFolder
from tests.conftest import NOW
from tests.factories import make_insight
from tests.sessions_app.vaults import tree


def _who(team: str) -> Member:
    return acting(team=team)


def _sync(vault: Path) -> Synced:
    return sync(shared=vault, by=_who, now=NOW)


@pytest.fixture
def row(alice: Member) -> Insight:
    return make_insight(alice, body="One lesson of ours.", title="A lesson", tags=["a", "b"], team="platform")


@pytest.fixture
def vault(tmp_path: Path, row: Insight) -> Path:
    export(shared=tmp_path)
    return tmp_path


@pytest.fixture
def file(vault: Path, row: Insight) -> Path:
    return vault / "platform" / "insights" / f"{row.ref}.md"


def _rewrite(file: Path, old: str, new: str) -> None:
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


class TestSync:
    def test_does_nothing_when_nothing_has_changed(self, vault: Path) -> None:
        before = tree(vault)
        done = _sync(vault)
        assert (done.edited, done.conflicts, done.out.written) == ([], [], 0)
        assert tree(vault) == before

    def test_takes_an_edit_in_with_its_line_in_the_log(self, vault: Path, file: Path, row: Insight) -> None:
        _rewrite(file, "One lesson of ours.", "Two lessons of ours.")
        _rewrite(file, 'tags: ["a", "b"]', "tags:\n  - b\n  - c")
        assert _sync(vault).edited == [row.ref]
        row = Insight.objects.get(pk=row.pk)
        assert (row.body, row.tags, row.revision) == ("Two lessons of ours.", ["b", "c"], 2)
        line = LogEntry.objects.get(subject=row.ref, verb="edited")
        assert (line.actor, line.why) == ("alice", "edited in the vault")
        assert _sync(vault).edited == []
        assert "revision: 2" in file.read_text()

    def test_writes_out_what_has_changed_in_loam(self, vault: Path, file: Path, row: Insight, alice: Member) -> None:
        curate.edit(ref=row.ref, changes={"body": "Changed here."}, revision=1, by=alice, now=NOW)
        assert _sync(vault).conflicts == []
        assert "Changed here." in file.read_text()

    def test_joins_edits_of_both_sides(self, vault: Path, file: Path, row: Insight, alice: Member) -> None:
        curate.edit(ref=row.ref, changes={"body": "Changed here."}, revision=1, by=alice, now=NOW)
        _rewrite(file, "A lesson", "A better title")
        assert _sync(vault).edited == [row.ref]
        row = Insight.objects.get(pk=row.pk)
        assert (row.title, row.body) == ("A better title", "Changed here.")

    def test_keeps_what_contradicts_beside_the_page(self, vault: Path, file: Path, row: Insight, alice: Member) -> None:
        curate.edit(ref=row.ref, changes={"body": "Changed here."}, revision=1, by=alice, now=NOW)
        _rewrite(file, "One lesson of ours.", "Changed there.")
        edited = file.read_bytes()
        done = _sync(vault)
        kept = f"platform/insights/{row.ref}.conflict.md"
        assert done.conflicts == [(kept, "changed on both sides: body")]
        assert (vault / kept).read_bytes() == edited
        assert "Changed here." in file.read_text()
        assert Insight.objects.get(pk=row.pk).body == "Changed here."
        assert _sync(vault).conflicts == []
        assert (vault / kept).read_bytes() == edited

    @pytest.mark.parametrize(
        ("old", "new", "why"),
        [
            ('status: "draft"', 'status: "promoted"', "can be edited in a file"),
            ("One lesson of ours.", "The key is AKIAIOSFODNN7EXAMPLQ.", "secret"),
            ("One lesson of ours.", "", "empty"),
            ("kind: SOLUTION", "kind: NONSENSE", "NONSENSE"),
            ("kind: SOLUTION", "kind: DECISION", "DECISION"),
            ("tags: [", "tags: &x [*x, ", "cannot be read"),
        ],
    )
    def test_takes_no_edit_that_may_not_be(
        self, vault: Path, file: Path, row: Insight, old: str, new: str, why: str
    ) -> None:
        before = file.read_text()
        _rewrite(file, old, new)
        edited = file.read_bytes()
        ((kept, said),) = _sync(vault).conflicts
        assert why in said
        assert (vault / kept).read_bytes() == edited
        assert file.read_text() == before
        assert Insight.objects.get(pk=row.pk).revision == 1

    def test_puts_what_contradicts_before_the_leads_once(
        self, vault: Path, file: Path, row: Insight, alice: Member
    ) -> None:
        _rewrite(file, "One lesson of ours.", "Two lessons of ours.")
        curate.edit(ref=row.ref, changes={"body": "No lesson."}, revision=row.revision, by=alice, now=NOW)
        mine = file.read_bytes()
        for _ in range(2):
            _sync(vault)
            file.write_bytes(mine)
        waits = Conflict.objects.get()
        assert (waits.insight, waits.state, waits.theirs) == (row, "open", {"body": "Two lessons of ours."})
        assert waits.kept_as == f"platform/insights/{row.ref}.conflict.md"
        assert "changed on both sides" in waits.reason

    def test_takes_the_file_of_a_settled_conflict_away(
        self, vault: Path, file: Path, row: Insight, alice: Member
    ) -> None:
        _rewrite(file, "One lesson of ours.", "Two lessons of ours.")
        curate.edit(ref=row.ref, changes={"body": "No lesson."}, revision=row.revision, by=alice, now=NOW)
        _sync(vault)
        kept = file.with_name(f"{row.ref}.conflict.md")
        _sync(vault)
        assert kept.exists()
        now = Insight.objects.get(pk=row.pk)
        vault_conflicts.take(conflict_id=Conflict.objects.get().pk, revision=now.revision, by=alice, now=NOW)
        _sync(vault)
        assert not kept.exists()
        assert "Two lessons of ours." in file.read_text()

    def test_puts_before_the_leads_what_is_no_edit_of_an_insight(self, vault: Path, alice: Member) -> None:
        team = vault / "platform" / "team.md"
        team.write_text(team.read_text().replace("Platform", "Plattform"))
        _sync(vault)
        waits = Conflict.objects.get()
        assert (waits.page, waits.insight, waits.theirs) == ("platform/team.md", None, {})

    def test_takes_no_edit_of_who_may_not(self, vault: Path, file: Path, bob: Member) -> None:
        _rewrite(file, "A lesson", "A better title")
        done = sync(shared=vault, by=lambda team: bob, now=NOW)
        assert [why for _, why in done.conflicts] == ["This requires a lead of the team."]

    def test_writes_a_deleted_page_again(self, vault: Path, file: Path) -> None:
        file.unlink()
        assert _sync(vault).missing == [f"platform/insights/{file.name}"]
        assert file.exists()

    def test_keeps_an_edit_that_it_fails_on_and_takes_the_others(
        self, vault: Path, file: Path, alice: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = make_insight(alice, body="A second lesson.", title="Another", team="platform")
        export(shared=vault)
        _rewrite(file, "One lesson of ours.", "A poisonous lesson.")
        _rewrite(vault / "platform" / "insights" / f"{other.ref}.md", "A second lesson.", "A second lesson, edited.")
        usual = module.edit

        def fails(**given: Any) -> Insight:
            if "poison" in str(given["changes"]):
                raise ZeroDivisionError
            return usual(**given)

        monkeypatch.setattr(module, "edit", fails)
        done = _sync(vault)
        assert done.edited == [other.ref]
        ((kept, why),) = done.conflicts
        assert "internal error (ZeroDivisionError)" in why
        assert "A poisonous lesson." in (vault / kept).read_text()

    def test_deposits_a_new_note_once(self, vault: Path) -> None:
        note = vault / "platform" / "insights" / "Payment webhooks.md"
        note.write_text("---\ntags: [payments]\n---\n# Payment webhooks\n\nThey retry for three days.\n")
        assert _sync(vault).added == 1
        assert Insight.objects.filter(body__contains="retry for three days").count() == 1
        assert _sync(vault).added == 0
        assert note.exists()

    def test_is_alone_at_its_work(self, vault: Path) -> None:
        with VaultFolder(vault).lock(), pytest.raises(VaultRefused, match="is running"):
            _sync(vault)

    def test_says_what_it_did(self, vault: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        _rewrite(file, "A lesson", "A better title")
        call_command("vault", "sync", str(vault))
        assert capsys.readouterr().out == "1 edits and 0 notes imported, 2 pages written, 0 conflicts.\n"
