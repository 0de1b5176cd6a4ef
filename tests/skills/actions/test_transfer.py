"""Skills as folders and archives, in and out."""

from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.rules.archive import pack
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member, NoSuchTeam
from skills.actions import author, transfer
from skills.actions.transfer import BadArchive, NoSkills
from skills.models import Skill, SkillVersion
from skills.rules import skill_md
from skills.rules.sheet import Sheet, Triggers
from tests.database import changed, contents
from tests.factories import make_sheet, make_skill

GOOD = b"---\nname: release\ndescription: How to release.\nlicense: MIT\n---\n\n1. Tag.\n"
BAD = b"# No front matter"
SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


def arrive(by: Member, now: datetime, files: dict[str, bytes], **over: Any) -> list[tuple[str, str]]:
    done = transfer.import_zip(data=pack(files), team="platform", by=by, now=now, **over)
    return [(one.name or one.path, one.outcome) for one in done]


def shown(name: str = "release") -> Skill:
    return Skill.objects.all().whole().get(name=name)


class TestImport:
    def test_takes_every_folder_with_its_files(self, alice: Member, now: datetime) -> None:
        other = GOOD.replace(b"name: release", b"name: review")
        files = {
            "skills/release/SKILL.md": GOOD,
            "skills/release/scripts/run.sh": b"#!/bin/sh\n",
            "skills/release/assets/logo.png": b"\x89PNG\x00",
            "skills/review/SKILL.md": other,
            "README.md": b"not part of it",
        }
        assert arrive(alice, now, files) == [("release", "created"), ("review", "created")]
        skill = shown()
        assert (skill.status, skill.latest.extra) == ("draft", {"license": "MIT"})
        assert sorted(skill.latest.files) == ["assets/logo.png", "scripts/run.sh"]

    def test_takes_a_skill_at_the_root(self, alice: Member, now: datetime) -> None:
        assert arrive(alice, now, {"SKILL.md": GOOD, "a.md": b"A"}) == [("release", "created")]

    def test_changes_what_has_changed_and_leaves_no_trace_of_what_has_not(self, alice: Member, now: datetime) -> None:
        arrive(alice, now, {"release/SKILL.md": GOOD}, live=True)
        before = contents()
        assert arrive(alice, now, {"release/SKILL.md": GOOD}, live=True) == [("release", "unchanged")]
        assert changed(before) == []
        new = GOOD.replace(b"1. Tag.", b"1. Sign and tag.")
        assert arrive(alice, now, {"release/SKILL.md": new}) == [("release", "changed")]
        skill = shown()
        assert skill.live and skill.live.instructions == "1. Tag."
        assert arrive(alice, now, {"release/SKILL.md": new}, live=True) == [("release", "unchanged")]
        assert shown().served.instructions == "1. Sign and tag."

    def test_tells_of_a_bad_one_and_takes_the_others(self, alice: Member, now: datetime) -> None:
        secret = GOOD.replace(b"release", b"leak").replace(b"1. Tag.", SECRET.encode())
        data = pack({"a/SKILL.md": BAD, "b/SKILL.md": GOOD, "c/SKILL.md": secret, "d/SKILL.md": b"\xff\xfe"})
        done = transfer.import_zip(data=data, team="platform", by=alice, now=now)
        assert [one.outcome for one in done] == ["refused", "created", "refused", "refused"]
        assert "front matter" in done[0].why and "AWS" in done[2].why and "UTF-8" in done[3].why
        assert not any(SECRET in one.why for one in done)
        assert done[1].why == "its folder is called b"

    def test_takes_the_others_when_it_fails_on_one(
        self, alice: Member, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In reading, and in storing."""
        names = ("in-reading", "in-storing", "release")
        files = {f"{name}/SKILL.md": GOOD.replace(b"release", name.encode()) for name in names}
        read, create = skill_md.read, author.create

        def reads(text: str) -> Sheet:
            return read(text) if "in-reading" not in text else read(None)  # type: ignore[arg-type]

        def stores(*, sheet: Sheet, **more: Any) -> Any:
            return create(sheet=sheet, **more) if sheet.name != "in-storing" else create()

        monkeypatch.setattr(skill_md, "read", reads)
        monkeypatch.setattr(author, "create", stores)
        done = transfer.import_zip(data=pack(files), team="platform", by=alice, now=now)
        assert [(one.path, one.outcome) for one in done] == [
            ("in-reading", "refused"), ("in-storing", "refused"), ("release", "created"),
        ]  # fmt: skip
        assert "AttributeError" in done[0].why
        assert "internal error; it was logged" in done[1].why

    def test_stores_nothing_of_a_hostile_archive(self, alice: Member, now: datetime) -> None:
        before = contents()
        with pytest.raises(BadArchive) as refused:
            arrive(alice, now, {"release/SKILL.md": GOOD, "../evil": b"x"})
        assert "outside its folder" in refused.value.errors["file"][0]
        assert changed(before) == []

    def test_takes_a_lead_of_the_team(self, bob: Member, charlie: Member, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            arrive(bob, now, {"SKILL.md": GOOD})
        with pytest.raises(NoSuchTeam):
            arrive(charlie, now, {"SKILL.md": GOOD})

    def test_needs_a_skill(self, alice: Member, now: datetime, tmp_path: Path) -> None:
        with pytest.raises(NoSkills):
            arrive(alice, now, {"README.md": b"x"})
        with pytest.raises(NoSkills):
            transfer.import_path(path=tmp_path / "nothing", team="platform", by=alice, now=now)

    def test_of_a_folder_follows_no_links(self, alice: Member, now: datetime, tmp_path: Path) -> None:
        (tmp_path / "outside.md").write_text(f"key {SECRET}")
        folder = tmp_path / "skills" / "release"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(GOOD)
        (folder / "inside.md").symlink_to(tmp_path / "outside.md")
        (folder / "around").symlink_to(tmp_path)
        done = transfer.import_path(path=tmp_path / "skills", team="platform", by=alice, now=now)
        assert [one.outcome for one in done] == ["created"]
        assert shown().latest.files == {}


class TestExport:
    def test_and_import_give_the_same_skill(self, alice: Member, charlie: Member, now: datetime) -> None:
        sheet = make_sheet(
            triggers=Triggers.made(tags=["ship, it"], files=["release/**"], errors=["tag * exists"]),
            extra={"license": "MIT", "metadata": {"author": "us"}, "allowed-tools": "Bash(git:*)", "version": "1.10"},
            sources=("PLAT-1",),
        )
        files = {"scripts/run.sh": b"#!/bin/sh\n", "logo.png": b"\x89PNG\x00"}
        author.create(sheet=sheet, team="platform", by=alice, now=now, files=files, live=True)
        name, data = transfer.export_zip(name="release", by=alice)
        assert name == "release"
        transfer.import_zip(data=data, team="mobile", by=charlie, now=now)
        ours, theirs = (Skill.objects.all().whole().get(team__slug=slug) for slug in ("platform", "mobile"))
        assert ours.latest.sheet == theirs.latest.sheet == sheet
        assert ours.latest.files == theirs.latest.files
        assert transfer.import_zip(data=data, team="platform", by=alice, now=now)[0].outcome == "unchanged"

    def test_gives_what_agents_get(self, alice: Member, now: datetime, tmp_path: Path) -> None:
        make_skill(alice)
        make_skill(alice, name="unfinished", live=False)
        author.edit(name="release", team="", changes={"instructions": "New."}, revision=None, by=alice, now=now)
        done = transfer.export_folder(path=tmp_path, team="platform", by=alice)
        assert done.written == ["release"]
        assert "smoke test" in (tmp_path / "release" / "SKILL.md").read_text()
        assert transfer.export_folder(path=tmp_path, team="platform", by=alice, drafts=True).written[-1] == "unfinished"

    def test_says_whether_it_was_reviewed(self, alice: Member, tmp_path: Path) -> None:
        make_skill(alice)
        make_skill(alice, name="unfinished", live=False)
        transfer.export_folder(path=tmp_path, team="platform", by=alice, drafts=True)
        written = {name: (tmp_path / name / "SKILL.md").read_text() for name in ("release", "unfinished")}
        assert "loam-status: published" in written["release"]
        assert "loam-status: draft, not reviewed" in written["unfinished"]
        assert not skill_md.read(written["unfinished"]).extra

    def test_keeps_what_was_edited_there(self, alice: Member, now: datetime, tmp_path: Path) -> None:
        make_skill(alice)
        transfer.export_folder(path=tmp_path, team="platform", by=alice)
        file = tmp_path / "release" / "SKILL.md"
        file.write_text(file.read_text().replace("Freeze", "Thaw"))
        assert transfer.export_folder(path=tmp_path, team="platform", by=alice).kept == ["release"]
        transfer.import_path(path=tmp_path, team="platform", by=alice, now=now, live=True)
        assert transfer.export_folder(path=tmp_path, team="platform", by=alice).written == ["release"]
        file.write_text("something else")
        assert transfer.export_folder(path=tmp_path, team="platform", by=alice, force=True).kept == []

    def test_writes_through_no_link(self, alice: Member, tmp_path: Path) -> None:
        make_skill(alice)
        (tmp_path / "release").mkdir()
        (tmp_path / "release" / "SKILL.md").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(NoSkills):
            transfer.export_folder(path=tmp_path, team="platform", by=alice)

    def test_of_nothing_says_so(self, alice: Member, charlie: Member, tmp_path: Path) -> None:
        with pytest.raises(NotFound):
            transfer.export_folder(path=tmp_path, team="platform", by=alice)
        make_skill(alice)
        with pytest.raises(NotFound):
            transfer.export_zip(name="release", by=charlie)


class TestTheCommands:
    def test_go_there_and_back(self, alice: Member, charlie: Member, tmp_path: Path) -> None:
        make_skill(alice)
        for form in ("skills", "agents", "claude", "cursor"):
            out = StringIO()
            call_command("export_skills", tmp_path, team="platform", form=form, stdout=out)
            assert out.getvalue() == "1 written, 0 kept.\n"
        out = StringIO()
        call_command("import_skills", tmp_path, team="mobile", publish=True, stdout=out)
        assert out.getvalue() == "1 created.\n"
        assert SkillVersion.objects.filter(skill__team__slug="mobile", published_at__isnull=False).count() == 1
        for form in ("agents", "claude", "cursor"):
            out = StringIO()
            call_command("import_skills", tmp_path, team="platform", form=form, stdout=out)
            assert out.getvalue() == "1 unchanged.\n"

    @pytest.mark.parametrize(
        "over", [{"team": "nonsense"}, {"user": "nobody", "team": "platform"}, {"path": "/nowhere", "team": "platform"}]
    )
    def test_fail_in_one_line(self, alice: Member, over: dict[str, Any], tmp_path: Path) -> None:
        with pytest.raises(CommandError) as failed:
            call_command("import_skills", over.pop("path", tmp_path), **over)
        assert "\n" not in str(failed.value)

    def test_fail_when_nothing_was_taken(self, alice: Member, tmp_path: Path) -> None:
        (tmp_path / "SKILL.md").write_bytes(BAD)
        with pytest.raises(CommandError, match="No skill was imported"):
            call_command("import_skills", tmp_path, team="platform", stdout=StringIO())
