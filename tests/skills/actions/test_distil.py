"""From a topic's promoted insights to the draft of a skill."""

from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest

from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member
from knowledge.models import Insight, Topic
from knowledge.rules.vocabulary import Kind
from skills.actions import author
from skills.actions.distil import TooLittle, distil
from skills.models import Skill
from skills.rules.distilling import name_of
from tests.cases import cases
from tests.factories import make_insight

LESSONS: list[dict[str, Any]] = [
    {"kind": Kind.PITFALL, "body": "Two celery beat processes fire every job twice.", "tags": ["beat", "ops"]},
    {"kind": Kind.WORKFLOW, "body": "Deploy the celery beat process before its workers.", "tags": ["beat"]},
    {
        "kind": Kind.DECISION,
        "body": "We run celery beat in a pod of its own.",
        "reasoning": "It must be one.",
        "files": ["ops/beat/pod.yaml"],
    },
    {"kind": Kind.CONTEXT, "body": "Celery beat reads its table once a minute.", "files": ["ops/beat/table.py"]},
]


@pytest.fixture
def topic(alice: Member, now: datetime) -> Topic:
    rows = [make_insight(alice, **lesson) for lesson in LESSONS]
    found = rows[0].topic
    assert found
    Topic.objects.filter(pk=found.pk).update(label="Celery beat", terms=["celery", "beat"])
    Insight.objects.update(topic=found, status="promoted")
    Insight.objects.filter(pk=rows[3].pk).update(status="draft")
    return Topic.objects.get(pk=found.pk)


class TestDistil:
    def test_drafts_a_skill_that_says_what_was_promoted(self, topic: Topic, alice: Member, now: datetime) -> None:
        done = distil(topic_id=topic.pk, by=alice, now=now)
        skill = Skill.objects.all().whole().get()
        text = skill.latest.instructions
        assert (done.created, skill.name, skill.status) == (True, "celery-beat", "draft")
        assert skill.sources == ["PLAT-1", "PLAT-2", "PLAT-3"]
        assert text.index("## Decided") < text.index("## How it is done") < text.index("## Do not")
        assert "Why: It must be one." in text and "(PLAT-3)" in text
        assert "once a minute" not in text
        assert "Use when working on celery, beat" in skill.latest.description
        assert skill.latest.called_by.tags == ("beat",)

    def test_takes_globs_of_folders_that_several_share(self, topic: Topic, alice: Member, now: datetime) -> None:
        Insight.objects.update(status="promoted")
        distil(topic_id=topic.pk, by=alice, now=now)
        assert Skill.objects.all().whole().get().latest.called_by.files == ("ops/beat/**",)

    def test_twice_is_the_same_skill_as_a_lead_has_edited_it(self, topic: Topic, alice: Member, now: datetime) -> None:
        distil(topic_id=topic.pk, by=alice, now=now)
        author.edit(name="celery-beat", team="", changes={"instructions": "Mine."}, revision=None, by=alice, now=now)
        again = distil(topic_id=topic.pk, by=alice, now=now)
        assert not again.created
        assert Skill.objects.all().whole().get().latest.instructions == "Mine."

    def test_takes_a_name_of_the_lead_s(self, topic: Topic, alice: Member, now: datetime) -> None:
        assert distil(topic_id=topic.pk, by=alice, now=now, name="beat").skill.name == "beat"

    def test_needs_several_promoted_ones(self, topic: Topic, alice: Member, now: datetime) -> None:
        Insight.objects.filter(ref="PLAT-1").update(status="draft")
        with pytest.raises(TooLittle):
            distil(topic_id=topic.pk, by=alice, now=now)
        assert not Skill.objects.exists()

    def test_takes_a_lead(self, topic: Topic, bob: Member, charlie: Member, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            distil(topic_id=topic.pk, by=bob, now=now)
        for unknown in (topic.pk, uuid4()):
            with pytest.raises(NotFound):
                distil(topic_id=unknown, by=charlie, now=now)

    def test_leaves_out_what_no_query_would_return(self, topic: Topic, alice: Member, now: datetime) -> None:
        Insight.objects.filter(ref="PLAT-4").update(status="promoted", quarantined_at=now)
        distil(topic_id=topic.pk, by=alice, now=now)
        assert "PLAT-4" not in Skill.objects.get().sources


class TestTheName:
    @cases(
        ("label", "name"),
        [
            ("Celery beat & workers", "celery-beat-workers"),
            ("Über die Größe", "uber-die-groe"),
            ("???", "distilled-skill"),
            ("a" * 63 + " b", "a" * 63),
        ],
    )
    def test_is_made_of_the_label(self, label: str, name: str) -> None:
        assert name_of(label) == name
