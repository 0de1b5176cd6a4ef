"""The task: it makes the vectors that are missing, and its run is recorded."""

from datetime import datetime

import pytest
from django.core.management import call_command

from accounts.models import JobRun
from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from skills import tasks
from skills.actions.sweeps import SWEEPS
from skills.models import SkillVersion
from tests.factories import make_skill


class TestTheSweep:
    def test_gives_vectors_to_those_that_wait(self, alice: Member) -> None:
        make_skill(alice)
        kept = SkillVersion.objects.get().embedding
        SkillVersion.objects.update(embedding=None, embedded_by="")
        tasks.embed_skills()
        version = SkillVersion.objects.get()
        assert (version.embedded_by, version.embedding) == (current().name, kept)
        assert JobRun.objects.get().counts == {"changed": 1}
        tasks.embed_skills()
        assert JobRun.objects.order_by("-pk")[0].counts == {"changed": 0}

    def test_says_what_was_down(self, alice: Member, embedder_down: str) -> None:
        make_skill(alice)
        tasks.embed_skills()
        assert JobRun.objects.get().detail == embedder_down

    def test_leaves_versions_of_the_past_alone(self, alice: Member, now: datetime) -> None:
        skill = make_skill(alice)
        SkillVersion.objects.create(skill=skill, number=7, description="x", instructions="x", written_at=now)
        tasks.embed_skills()
        assert JobRun.objects.get().counts == {"changed": 0}

    @pytest.mark.parametrize("name", SWEEPS)
    def test_can_be_run_by_hand(self, db: None, name: str) -> None:
        call_command("sweep", name)
        assert JobRun.objects.get().outcome == "done"
