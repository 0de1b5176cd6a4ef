"""Moderation in the admin."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.rules.rights import Member
from skills.models import Skill
from skills.rules.sheet import Triggers
from tests.factories import make_skill, make_skill_use

LISTS = ("skill", "skillversion", "trigger", "resource", "skilluse")
LIST = "admin:skills_skill_changelist"


@pytest.fixture
def admin(client: Client, db: None) -> Client:
    client.force_login(User.objects.create_superuser("root", "root@example.com", "roots-own-password"))
    return client


class TestAdmin:
    @pytest.mark.parametrize("name", LISTS)
    def test_lists_with_search(self, admin: Client, alice: Member, name: str) -> None:
        make_skill_use(make_skill(alice, triggers=Triggers.made(tags=["ship"])), alice)
        address = reverse(f"admin:skills_{name}_changelist")
        assert admin.get(address).status_code == 200
        assert admin.get(address, {"q": "release"}).status_code == 200

    def test_shows_a_skill_with_its_versions(self, admin: Client, alice: Member) -> None:
        skill = make_skill(alice)
        assert "How to release" in admin.get(reverse("admin:skills_skill_change", args=[skill.pk])).content.decode()

    def test_shows_nobody_s_own(self, admin: Client, alice: Member) -> None:
        make_skill(alice, team="personal", name="mine")
        assert "mine" not in admin.get(reverse(LIST)).content.decode()

    def test_retires_through_the_action(self, admin: Client, alice: Member) -> None:
        skill = make_skill(alice)
        admin.post(reverse(LIST), {"action": "retire", "_selected_action": [skill.pk]})
        assert Skill.objects.get().status == "retired"
        admin.post(reverse(LIST), {"action": "publish", "_selected_action": [skill.pk]})
        assert Skill.objects.get().status == "published"
