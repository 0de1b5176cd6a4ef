"""A skill from its first words to its last version."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.models import GuardTerm, LogEntry, Team
from accounts.rules.refused import NotAllowed, NotFound, Stale
from accounts.rules.rights import Member
from skills.actions import author
from skills.actions.author import BadSkill, NameStays, SecretInSkill, SkillNameTaken, WrongSkillStatus
from skills.models import Resource, Skill, SkillVersion
from skills.querysets import Ambiguous
from skills.rules.sheet import Triggers
from tests.database import changed, contents
from tests.factories import make_sheet, make_skill
from tests.together import together

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


def edit(by: Member, now: datetime, name: str = "release", **over: Any) -> author.Authored:
    fields = {"team": "", "revision": None, **over}
    return author.edit(name=name, by=by, now=now, **fields)


def shown(name: str = "release") -> Skill:
    return Skill.objects.all().whole().get(name=name)


def said(name: str = "release") -> list[str]:
    return list(LogEntry.objects.filter(subject=f"skill:{name}").order_by("pk").values_list("verb", flat=True))


class TestCreate:
    def test_makes_a_draft_with_its_vector_triggers_and_log_line(self, alice: Member, now: datetime) -> None:
        sheet = make_sheet(triggers=Triggers.made(tags=["Release"], files=["./release/*"], errors=["tag  exists"]))
        done = author.create(sheet=sheet, team="platform", by=alice, now=now)
        skill = shown()
        assert (done.created, skill.status, skill.live) == (True, "draft", None)
        assert skill.latest.called_by == Triggers(("release",), ("release/*",), ("tag exists",))
        assert skill.latest.embedding is not None
        assert (skill.author_id, said()) == (alice.user_id, ["written"])

    def test_answers_a_name_that_is_there_with_the_skill_it_is(self, alice: Member, now: datetime) -> None:
        first = make_skill(alice)
        before = contents()
        again = author.create(sheet=make_sheet(instructions="Something else."), team="platform", by=alice, now=now)
        assert (again.created, again.skill.pk) == (False, first.pk)
        assert changed(before) == []

    def test_made_twice_at_once_is_made_once(self, alice: Member, now: datetime, transactional_db: None) -> None:
        done = together(
            *[lambda: author.create(sheet=make_sheet(), team="platform", by=alice, now=now) for _ in range(4)]
        )
        assert sorted(one.created for one in done) == [False, False, False, True]
        assert (Skill.objects.count(), SkillVersion.objects.count()) == (1, 1)

    def test_takes_the_same_name_in_another_team(self, alice: Member, charlie: Member) -> None:
        make_skill(alice)
        make_skill(charlie, team="mobile")
        assert Skill.objects.count() == 2

    def test_takes_a_lead_to_publish_at_once(self, bob: Member, now: datetime) -> None:
        before = contents()
        with pytest.raises(NotAllowed):
            make_skill(bob)
        assert changed(before) == []
        assert make_skill(bob, team="personal").team.slug != "platform"

    @pytest.mark.parametrize(
        ("over", "field"),
        [
            ({"name": "Release It"}, "name"),
            ({"description": " "}, "description"),
            ({"instructions": "x" * 60_001}, "instructions"),
            ({"triggers": Triggers.made(files=["**"])}, "triggers.files"),
            ({"triggers": Triggers.made(tags=[str(n) for n in range(51)])}, "triggers.tags"),
            ({"extra": {"metadata": {"loam-skill": "x"}}}, "metadata"),
            ({"extra": {"license": "x" * 9_000}}, "metadata"),
            ({"extra": {"metadata": {"a\0b": "x"}}}, "metadata"),
            ({"extra": {"version": ["a\0b"]}}, "extra"),
            ({"instructions": "1. Tag.\0"}, "instructions"),
            ({"triggers": Triggers.made(errors=["denied\0"])}, "triggers.errors"),
        ],
    )
    def test_says_what_is_wrong_with_it(self, alice: Member, over: dict[str, Any], field: str) -> None:
        with pytest.raises(BadSkill) as refused:
            make_skill(alice, **over)
        assert list(refused.value.errors) == [field]
        assert not Skill.objects.exists()

    @pytest.mark.parametrize(
        "over",
        [
            {"description": f"Use {SECRET}."},
            {"instructions": f"Use {SECRET}."},
            {"instructions": f"Use {SECRET[:9]}\u200b{SECRET[9:]}."},
            {"extra": {"metadata": {"key": SECRET}}},
            {"extra": {"metadata": {SECRET: "key"}}},
            {"extra": {SECRET: "key"}},
            {"triggers": Triggers.made(errors=[f"denied for {SECRET}"])},
        ],
    )
    def test_refuses_a_secret_wherever_it_is(self, alice: Member, over: dict[str, Any]) -> None:
        with pytest.raises(SecretInSkill) as refused:
            make_skill(alice, **over)
        assert SECRET not in str(refused.value.errors)
        assert not Skill.objects.exists()

    def test_refuses_a_secret_in_a_file(self, alice: Member, now: datetime) -> None:
        files = {"scripts/run.sh": f"export KEY={SECRET}".encode()}
        with pytest.raises(SecretInSkill) as refused:
            author.create(sheet=make_sheet(), team="platform", by=alice, now=now, files=files)
        assert list(refused.value.errors) == ["scripts/run.sh"]
        with pytest.raises(SecretInSkill) as refused:
            author.create(sheet=make_sheet(), team="platform", by=alice, now=now, files={f"{SECRET}.md": b"A"})
        assert list(refused.value.errors) == ["files"]

    def test_takes_what_the_team_has_reviewed(self, alice: Member, platform: Team, now: datetime) -> None:
        GuardTerm.objects.create(team=platform, term=SECRET, added_at=now)
        assert make_skill(alice, instructions=f"The example key is {SECRET}.")

    def test_strips_what_nobody_sees(self, alice: Member, now: datetime) -> None:
        done = author.create(sheet=make_sheet(instructions="Ta\u200bg it."), team="platform", by=alice, now=now)
        assert (shown().latest.instructions, done.stripped) == ("Tag it.", {"instructions": 1})
        assert "stripped" in LogEntry.objects.get(verb="written").why

    def test_waits_for_a_vector_when_the_embedder_is_down(
        self, alice: Member, now: datetime, embedder_down: str
    ) -> None:
        done = author.create(sheet=make_sheet(), team="platform", by=alice, now=now)
        assert [part["component"] for part in done.degraded] == ["embedder"]
        assert (shown().latest.embedding, shown().latest.embedded_by) == (None, "")


class TestPropose:
    def test_makes_a_draft_that_says_who_proposed_it(self, bob: Member, alice: Member) -> None:
        skill = make_skill(bob, live=False)
        assert (skill.status, skill.live, skill.proposed, skill.is_proposal) == ("draft", None, True, True)
        assert (skill.author_id, said()) == (bob.user_id, ["proposed"])
        own = make_skill(alice, live=False, name="review")
        assert (own.proposed, said("review")) == (False, ["written"])
        assert not make_skill(bob, team="personal", live=False).proposed

    def test_is_not_served_before_a_lead_publishes_it(self, bob: Member, alice: Member, now: datetime) -> None:
        make_skill(bob, live=False)
        for act in (author.publish, author.retire):
            with pytest.raises(NotAllowed):
                act(name="release", by=bob, now=now)
        assert not SkillVersion.objects.all().served_to(bob)
        skill = author.publish(name="release", by=alice, now=now)
        assert (skill.status, skill.proposed, skill.is_proposal) == ("published", True, False)
        assert SkillVersion.objects.all().served_to(bob).count() == 1

    def test_is_ended_by_a_lead_who_declines_it(self, bob: Member, alice: Member, now: datetime) -> None:
        make_skill(bob, live=False)
        assert not author.retire(name="release", by=alice, now=now, why="too narrow").is_proposal
        with pytest.raises(NotAllowed):
            edit(bob, now, changes={"description": "Again."})

    def test_may_be_edited_by_its_author_until_it_is_published(self, bob: Member, alice: Member, now: datetime) -> None:
        make_skill(bob, live=False)
        assert edit(bob, now, changes={"description": "Mine."}).changed
        author.publish(name="release", by=alice, now=now)
        with pytest.raises(NotAllowed):
            edit(bob, now, changes={"description": "Mine again."})

    def test_changes_nothing_that_is_there(self, bob: Member, alice: Member, now: datetime) -> None:
        make_skill(alice, live=False)
        before = contents()
        done = author.create(sheet=make_sheet(instructions="Mine."), team="platform", by=bob, now=now)
        assert (done.created, done.skill.proposed) == (False, False)
        with pytest.raises(NotAllowed):
            edit(bob, now, changes={"instructions": "Mine."})
        assert changed(before) == []


class TestEdit:
    def test_changes_a_draft_in_place(self, alice: Member, now: datetime) -> None:
        make_skill(alice, live=False)
        done = edit(alice, now, changes={"description": "Another.", "triggers": Triggers.made(tags=["ship"])})
        skill = shown()
        assert (done.changed, skill.latest.description, skill.latest.called_by.tags) == (True, "Another.", ("ship",))
        assert (skill.revision, SkillVersion.objects.count()) == (2, 1)
        line = LogEntry.objects.get(verb="edited")
        assert line.before["description"].startswith("How to release")
        assert (line.after["description"], line.after["triggers"]["tags"]) == ("Another.", ["ship"])

    def test_of_a_published_one_is_ahead_of_what_agents_get(self, alice: Member, now: datetime) -> None:
        make_skill(alice)
        edit(alice, now, changes={"instructions": "New."})
        skill = shown()
        assert skill.live and skill.ahead
        assert (skill.live.instructions, skill.ahead.instructions) == (make_sheet().instructions, "New.")
        assert (skill.status, skill.ahead.number) == ("published", 2)
        assert skill.ahead.embedding is not None

    def test_twice_is_one_version_ahead(self, alice: Member, now: datetime) -> None:
        make_skill(alice)
        for text in ("New.", "Newer."):
            edit(alice, now, changes={"instructions": text})
        assert [v.number for v in SkillVersion.objects.order_by("number")] == [1, 2]

    def test_that_changes_nothing_leaves_no_trace(self, alice: Member, now: datetime) -> None:
        make_skill(alice)
        before = contents()
        assert not edit(alice, now, changes={"description": make_sheet().description, "extra": {}}).changed
        assert changed(before) == []

    def test_of_an_outdated_revision_is_stale(self, alice: Member, now: datetime) -> None:
        make_skill(alice, live=False)
        edit(alice, now, changes={"description": "Another."}, revision=1)
        with pytest.raises(Stale) as refused:
            edit(alice, now, changes={"description": "A third."}, revision=1)
        assert refused.value.extra["current_revision"] == 2
        assert shown().latest.description == "Another."

    def test_renames_what_was_never_published(self, alice: Member, now: datetime) -> None:
        make_skill(alice, live=False)
        make_skill(alice, name="other", live=False)
        with pytest.raises(SkillNameTaken):
            edit(alice, now, changes={"name": "other"})
        edit(alice, now, changes={"name": "ship"})
        assert shown("ship").revision == 2
        author.publish(name="ship", by=alice, now=now)
        with pytest.raises(NameStays):
            edit(alice, now, name="ship", changes={"name": "release"})

    def test_keeps_the_files_unless_it_brings_others(self, alice: Member, now: datetime) -> None:
        author.create(sheet=make_sheet(), team="platform", by=alice, now=now, files={"a.md": b"A"}, live=True)
        edit(alice, now, changes={"description": "Another."})
        assert list(shown().latest.files) == ["a.md"]
        edit(alice, now, changes={}, files={"b.md": b"B"})
        skill = shown()
        assert skill.live and list(skill.latest.files) == ["b.md"] and list(skill.live.files) == ["a.md"]
        assert Resource.objects.count() == 2
        edit(alice, now, changes={}, files={})
        assert Resource.objects.count() == 1

    def test_takes_a_lead(self, alice: Member, bob: Member, charlie: Member, now: datetime) -> None:
        make_skill(alice)
        with pytest.raises(NotAllowed):
            edit(bob, now, changes={"description": "Mine."})
        with pytest.raises(NotFound):
            edit(charlie, now, changes={"description": "Mine."})

    def test_asks_which_of_two(self, alice: Member, now: datetime) -> None:
        make_skill(alice)
        make_skill(alice, team="personal")
        with pytest.raises(Ambiguous) as refused:
            edit(alice, now, changes={"description": "Another."})
        assert "platform" in refused.value.errors["team"][0]
        assert edit(alice, now, team="personal", changes={"description": "Another."}).changed


class TestPublish:
    def test_puts_what_is_ahead_before_agents_and_keeps_what_was(self, alice: Member, now: datetime) -> None:
        make_skill(alice)
        edit(alice, now, changes={"instructions": "New."})
        later = now + timedelta(days=1)
        author.publish(name="release", by=alice, now=later, why="reviewed")
        skill = shown()
        assert skill.live and skill.ahead is None
        assert (skill.live.instructions, skill.live.published_at, skill.live.why) == ("New.", later, "reviewed")
        assert SkillVersion.objects.get(number=1).instructions == make_sheet().instructions
        assert said() == ["written", "published", "edited", "published"]

    def test_twice_is_once(self, alice: Member, now: datetime) -> None:
        make_skill(alice)
        before = contents()
        author.publish(name="release", by=alice, now=now)
        assert changed(before) == []

    def test_brings_a_retired_one_back(self, alice: Member, now: datetime) -> None:
        make_skill(alice)
        author.retire(name="release", by=alice, now=now, why="outdated")
        assert shown().status == "retired"
        with pytest.raises(WrongSkillStatus):
            author.retire(name="release", by=alice, now=now)
        author.publish(name="release", by=alice, now=now)
        assert (shown().status, SkillVersion.objects.count()) == ("published", 1)

    @pytest.mark.parametrize("act", [author.publish, author.retire])
    def test_takes_a_lead(self, alice: Member, bob: Member, charlie: Member, now: datetime, act: Any) -> None:
        make_skill(alice, live=False)
        with pytest.raises(NotAllowed):
            act(name="release", by=bob, now=now)
        with pytest.raises(NotFound):
            act(name="release", by=charlie, now=now)

    def test_masks_a_secret_in_the_reason(self, alice: Member, now: datetime) -> None:
        make_skill(alice, live=False)
        author.publish(name="release", by=alice, now=now, why=f"key {SECRET}")
        assert SECRET not in str(contents())
