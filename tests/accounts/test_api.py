"""`health/` and `me/`."""

from datetime import datetime

from django.conf import settings
from django.utils.dateparse import parse_datetime
from rest_framework.test import APIClient

from accounts.models import Team, User
from accounts.rules.rights import Member
from tests.conftest import agent


class TestHealth:
    def test_needs_no_token(self, db: None) -> None:
        answer = APIClient().get("/api/v1/health/")
        body = answer.json()
        assert answer.status_code == 200
        assert (body["status"], body["service"], body["version"]) == ("ok", "loam", settings.VERSION)
        moment = parse_datetime(body["time"])
        assert moment and moment.utcoffset() is not None

    def test_does_not_mind_a_wrong_token(self, db: None) -> None:
        assert APIClient().get("/api/v1/health/", HTTP_AUTHORIZATION="Bearer nonsense").status_code == 200


class TestMe:
    def test_says_who_the_token_stands_for_where_and_with_which_scopes(self, bob: Member) -> None:
        assert agent(bob, name="laptop", scopes=["write", "read"]).get("/api/v1/me/").json() == {
            "user": "bob",
            "is_superuser": False,
            "teams": [
                {"slug": "everyone", "name": "Everyone", "prefix": "ALL", "kind": "everyone", "level": "contributor"},
                {"slug": "platform", "name": "Platform", "prefix": "PLAT", "kind": "shared", "level": "contributor"},
                {
                    "slug": f"personal-{bob.user_id}",
                    "name": "bob, personal",
                    "prefix": f"ME{bob.user_id}",
                    "kind": "personal",
                    "level": "lead",
                },
            ],
            "token": {"name": "laptop", "scopes": ["read", "write"]},
            "share_prompts": False,
            "ask_to_deposit": True,
        }

    def test_sets_whether_prompts_are_shared_if_the_token_may_write(self, bob: Member) -> None:
        path, shared = "/api/v1/me/", {"share_prompts": True}
        assert agent(bob, scopes=["read"]).patch(path, shared, format="json").status_code == 403
        assert agent(bob).patch(path, shared, format="json").json()["share_prompts"] is True
        assert agent(bob).patch(path, {}, format="json").json()["share_prompts"] is True
        assert User.objects.get(pk=bob.user_id).share_prompts == "on"

    def test_sets_whether_agents_are_asked_to_deposit(self, bob: Member) -> None:
        said = agent(bob).patch("/api/v1/me/", {"ask_to_deposit": False}, format="json").json()
        assert (said["ask_to_deposit"], said["share_prompts"]) == (False, False)
        assert agent(bob).get("/api/v1/me/").json()["ask_to_deposit"] is False

    def test_shows_a_narrowed_token_what_it_is_narrowed_to(self, alice: Member) -> None:
        body = agent(alice, team_slugs=["personal"]).get("/api/v1/me/").json()
        assert [team["kind"] for team in body["teams"]] == ["personal"]

    def test_shows_a_superuser_every_shared_team_and_no_one_elses_personal_one(
        self, root: Member, alice: Member, mobile: Team, now: datetime
    ) -> None:
        body = agent(root).get("/api/v1/me/").json()
        assert body["is_superuser"] is True
        assert {team["slug"]: team["level"] for team in body["teams"]} == {
            "everyone": "lead",
            "mobile": "lead",
            "platform": "lead",
            f"personal-{root.user_id}": "lead",
        }
