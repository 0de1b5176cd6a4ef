"""Which skills an agent gets with the answer to a question."""

from datetime import datetime
from typing import Any

import pytest

from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.retrieval.rules.ask import Ask
from skills.actions import author
from skills.actions.match import Applicable, applicable
from skills.models import Skill, SkillUse, SkillVersion
from skills.rules.sheet import Triggers
from tests.factories import make_skill

QUESTION = "How do I tag and publish the importer?"
ANOTHER = "Why does the sourdough bread not rise?"


def asked(by: Member, now: datetime, text: str = QUESTION, *, down: bool = False, **over: Any) -> list[Applicable]:
    vector = None if down else current().embed([text])[0]
    return applicable(ask=Ask(text, **over), vector=vector, by=by, now=now)


def names(found: list[Applicable]) -> list[str]:
    return [one.version.skill.name for one in found]


class TestASkill:
    def test_applies_by_its_meaning(self, alice: Member, bob: Member, now: datetime) -> None:
        make_skill(alice)
        assert names(asked(bob, now)) == ["release"]
        assert asked(bob, now, ANOTHER) == []

    def test_applies_by_what_calls_for_it(self, alice: Member, bob: Member, now: datetime) -> None:
        make_skill(alice, triggers=Triggers.made(files=["ops/**"]))
        weak = "What comes before a new version of our software?"
        assert names(asked(bob, now, weak)) == []
        [found] = asked(bob, now, weak, files=["ops/deploy/a.sh"])
        assert found.match.overlap == 1
        assert asked(bob, now, ANOTHER, files=["ops/deploy/a.sh"]) == []

    @pytest.mark.parametrize("status", ["draft", "retired"])
    def test_that_is_not_published_is_not_served(self, alice: Member, now: datetime, status: str) -> None:
        make_skill(alice, live=status == "retired")
        if status == "retired":
            author.retire(name="release", by=alice, now=now)
        assert asked(alice, now) == []

    def test_is_served_as_published_not_as_edited_since(self, alice: Member, bob: Member, now: datetime) -> None:
        make_skill(alice)
        change = {"instructions": "Half-done.", "description": "About bread."}
        author.edit(name="release", team="", changes=change, revision=None, by=alice, now=now)
        [found] = asked(bob, now)
        assert "smoke test" in found.version.instructions

    def test_of_another_team_is_not_served(self, alice: Member, charlie: Member, now: datetime) -> None:
        make_skill(alice)
        assert asked(charlie, now) == []

    def test_is_served_from_the_teams_that_were_asked(self, alice: Member, now: datetime) -> None:
        make_skill(alice)
        assert asked(alice, now, teams=["personal"]) == []
        assert names(asked(alice, now, teams=["platform"])) == ["release"]

    def test_of_one_s_own_stands_before_the_team_s_of_that_name(self, alice: Member, now: datetime) -> None:
        make_skill(alice)
        make_skill(alice, team="personal", instructions="My way.")
        assert [one.version.instructions for one in asked(alice, now)] == ["My way."]

    def test_applies_by_triggers_alone_when_the_embedder_is_down(self, alice: Member, now: datetime) -> None:
        make_skill(alice, triggers=Triggers.made(tags=["release"]))
        assert names(asked(alice, now, down=True, tags=["release"])) == ["release"]
        assert asked(alice, now, down=True) == []

    def test_without_a_vector_of_its_own_is_called_by_triggers(self, alice: Member, now: datetime) -> None:
        make_skill(alice, triggers=Triggers.made(tags=["release"]))
        SkillVersion.objects.update(embedding=None, embedded_by="")
        assert asked(alice, now) == []


class TestUses:
    def test_are_counted_from_what_was_served(self, alice: Member, bob: Member, now: datetime) -> None:
        make_skill(alice)
        for _ in range(2):
            asked(bob, now)
        asked(bob, now, ANOTHER)
        row = Skill.objects.all().counted(SkillUse.objects.all()).get()
        assert (row.use_count, row.last_used_at) == (2, now)

    def test_say_nothing_of_the_question(self, alice: Member, bob: Member, now: datetime) -> None:
        make_skill(alice)
        asked(bob, now)
        assert not any(isinstance(v, str) and QUESTION in v for v in SkillUse.objects.values().get().values())
