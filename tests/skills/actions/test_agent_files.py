"""Skills in a repository's AGENTS.md, CLAUDE.md and Cursor's rules, and edits made there."""

from datetime import datetime
from pathlib import Path

import pytest

from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member
from skills.actions import author
from skills.actions.agent_files import BadFile, Form, export_to, import_from
from skills.models import Skill
from tests.database import changed, contents
from tests.factories import make_skill

FILE = {Form.AGENTS: "AGENTS.md", Form.CLAUDE: "CLAUDE.md", Form.CURSOR: ".cursor/rules/release.mdc"}
EVERY = pytest.mark.parametrize("form", list(Form))


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def outcomes(path: Path, form: Form, by: Member, now: datetime) -> list[str]:
    return [one.outcome for one in import_from(path=path, form=form, team="platform", by=by, now=now)]


class TestAnEditMadeThere:
    @EVERY
    def test_becomes_an_edit_of_the_skill(self, alice: Member, now: datetime, tmp_path: Path, form: Form) -> None:
        make_skill(alice)
        export_to(path=tmp_path, form=form, team="platform", by=alice)
        before = contents()
        assert outcomes(tmp_path, form, alice, now) == ["unchanged"]
        assert changed(before) == []
        edit(tmp_path / FILE[form], "Run the smoke test.", "Run every test.")
        assert outcomes(tmp_path, form, alice, now) == ["changed"]
        skill = Skill.objects.all().whole().get()
        assert skill.live and "smoke test" in skill.live.instructions
        assert skill.latest.instructions == "1. Freeze.\n2. Run every test.\n3. Tag."
        assert outcomes(tmp_path, form, alice, now) == ["unchanged"]

    @EVERY
    def test_is_kept_by_the_next_export_until_it_is_taken(
        self, alice: Member, now: datetime, tmp_path: Path, form: Form
    ) -> None:
        make_skill(alice)
        export_to(path=tmp_path, form=form, team="platform", by=alice)
        edit(tmp_path / FILE[form], "Run the smoke test.", "Run every test.")
        assert export_to(path=tmp_path, form=form, team="platform", by=alice).kept == ["release"]
        assert "every test" in (tmp_path / FILE[form]).read_text()
        assert export_to(path=tmp_path, form=form, team="platform", by=alice, force=True).kept == []
        assert "every test" not in (tmp_path / FILE[form]).read_text()

    def test_of_a_skill_that_has_changed_since_is_refused(self, alice: Member, now: datetime, tmp_path: Path) -> None:
        make_skill(alice)
        export_to(path=tmp_path, form=Form.AGENTS, team="platform", by=alice)
        edit(tmp_path / "AGENTS.md", "Run the smoke test.", "Run every test.")
        author.edit(name="release", team="", changes={"instructions": "New."}, revision=None, by=alice, now=now)
        assert outcomes(tmp_path, Form.AGENTS, alice, now) == ["refused"]
        author.publish(name="release", by=alice, now=now)
        assert outcomes(tmp_path, Form.AGENTS, alice, now) == ["refused"]
        assert Skill.objects.all().whole().get().latest.instructions == "New."

    def test_with_a_secret_in_it_is_refused(self, alice: Member, now: datetime, tmp_path: Path) -> None:
        make_skill(alice)
        export_to(path=tmp_path, form=Form.AGENTS, team="platform", by=alice)
        edit(tmp_path / "AGENTS.md", "Run the smoke test.", "AKIA" + "Z7QF3MXT9WKD2RVB")
        assert outcomes(tmp_path, Form.AGENTS, alice, now) == ["refused"]

    def test_takes_a_lead(self, alice: Member, bob: Member, now: datetime, tmp_path: Path) -> None:
        make_skill(alice)
        export_to(path=tmp_path, form=Form.AGENTS, team="platform", by=bob)
        with pytest.raises(NotAllowed):
            outcomes(tmp_path, Form.AGENTS, bob, now)


class TestAnExport:
    def test_leaves_what_people_wrote(self, alice: Member, now: datetime, tmp_path: Path) -> None:
        make_skill(alice)
        (tmp_path / "CLAUDE.md").write_text("# Ours\n")
        export_to(path=tmp_path, form=Form.CLAUDE, team="platform", by=alice)
        make_skill(alice, name="another")
        author.retire(name="release", by=alice, now=now)
        export_to(path=tmp_path, form=Form.CLAUDE, team="platform", by=alice)
        text = (tmp_path / "CLAUDE.md").read_text()
        assert text.startswith("# Ours\n") and "## another" in text and "## release" not in text

    def test_takes_rules_away_that_hold_no_more(self, alice: Member, now: datetime, tmp_path: Path) -> None:
        for name in ("one", "two", "three"):
            make_skill(alice, name=name)
        export_to(path=tmp_path, form=Form.CURSOR, team="platform", by=alice)
        rules = tmp_path / ".cursor" / "rules"
        (rules / "ours.mdc").write_text("---\ndescription: Ours\n---\nOurs.\n")
        edit(rules / "two.mdc", "Run the smoke test.", "Run every test.")
        for name in ("one", "two"):
            author.retire(name=name, by=alice, now=now)
        export_to(path=tmp_path, form=Form.CURSOR, team="platform", by=alice)
        assert sorted(file.name for file in rules.iterdir()) == ["ours.mdc", "three.mdc", "two.mdc"]

    def test_keeps_a_rule_of_the_same_name_that_is_somebody_s(self, alice: Member, tmp_path: Path) -> None:
        make_skill(alice)
        rule = tmp_path / ".cursor" / "rules" / "release.mdc"
        rule.parent.mkdir(parents=True)
        rule.write_text("Ours.\n")
        assert export_to(path=tmp_path, form=Form.CURSOR, team="platform", by=alice).kept == ["release"]
        assert rule.read_text() == "Ours.\n"

    def test_goes_through_no_link(self, alice: Member, tmp_path: Path) -> None:
        make_skill(alice)
        (tmp_path / "elsewhere").write_text("x")
        (tmp_path / "AGENTS.md").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(BadFile):
            export_to(path=tmp_path, form=Form.AGENTS, team="platform", by=alice)
        assert (tmp_path / "elsewhere").read_text() == "x"

    def test_of_nothing_says_so(self, alice: Member, tmp_path: Path) -> None:
        make_skill(alice, live=False)
        with pytest.raises(NotFound):
            export_to(path=tmp_path, form=Form.AGENTS, team="platform", by=alice)
