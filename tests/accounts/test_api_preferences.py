"""`preferences/`: stated, listed with where each came from, edited, confirmed, forgotten."""

from datetime import datetime
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.actions.preferences import learn
from accounts.models import Preference
from accounts.rules.preferences import Category, Inferred, Support
from accounts.rules.rights import Member

AT = "/api/v1/preferences/"
SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


def say(client: APIClient, **over: Any) -> Any:
    return client.post(AT, {"category": "general", "key": "test_runner", "value": "jest", **over})


def listed(client: APIClient, **query: str) -> list[dict[str, Any]]:
    answer = client.get(AT, query)
    assert answer.status_code == 200
    return list(answer.json()["results"])


class TestStating:
    def test_answers_with_the_row(self, bobs_agent: APIClient, bob: Member) -> None:
        answer = say(bobs_agent, statement="Always use jest.")
        body = answer.json()
        assert answer.status_code == 201
        assert {name: body[name] for name in ("key", "value", "statement", "category", "scope", "team", "source")} == {
            "key": "test_runner",
            "value": "jest",
            "statement": "Always use jest.",
            "category": "general",
            "scope": "personal",
            "team": f"personal-{bob.user_id}",
            "source": "explicit",
        }
        assert body["confidence"] == 1

    def test_again_answers_200(self, bobs_agent: APIClient) -> None:
        first = say(bobs_agent).json()
        again = say(bobs_agent, value="vitest")
        assert (again.status_code, again.json()["id"]) == (200, first["id"])

    @pytest.mark.parametrize(("sent", "kept"), [(True, "true"), (4, "4"), (1.5, "1.5"), ("4", "4")])
    def test_takes_plain_values_as_text(self, bobs_agent: APIClient, sent: Any, kept: str) -> None:
        assert say(bobs_agent, value=sent).json()["value"] == kept

    def test_for_a_team_takes_its_lead(self, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        assert say(bobs_agent, scope="team", team="platform").status_code == 403
        assert say(alices_agent, scope="team", team="platform").json()["scope"] == "team"

    @pytest.mark.parametrize(
        "over",
        [
            {"scope": "world"},
            {"category": "taste"},
            {"value": ""},
            {"value": "x".ljust(9_000)},
            {"key": ""},
            {"colour": "red"},
        ],
    )
    def test_names_the_field_that_is_wrong(self, bobs_agent: APIClient, over: dict[str, str]) -> None:
        answer = say(bobs_agent, **over)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, list(over))

    def test_refuses_a_secret(self, bobs_agent: APIClient) -> None:
        answer = say(bobs_agent, value=SECRET)
        assert (answer.status_code, answer.json()["code"]) == (400, "secret_found")
        assert SECRET not in answer.content.decode()


class TestTheList:
    def test_has_what_holds_why_and_what_it_holds_over(self, alices_agent: APIClient, bobs_agent: APIClient) -> None:
        say(alices_agent, scope="team", team="platform")
        say(bobs_agent, value="vitest")
        [one] = listed(bobs_agent)
        assert (one["value"], one["scope"]) == ("vitest", "personal")
        assert one["why"] == "Set by you; the narrower scope overrides the wider (“jest”, platform)."
        assert [(over["value"], over["team"]) for over in one["over"]] == [("jest", "platform")]
        [other] = listed(alices_agent)
        assert (other["value"], other["over"]) == ("jest", [])

    def test_is_narrowed(self, alices_agent: APIClient) -> None:
        say(alices_agent, scope="team", team="platform")
        say(alices_agent, key="tone", value="brief", category="communication")
        assert [one["key"] for one in listed(alices_agent, category="communication")] == ["tone"]
        assert len(listed(alices_agent, team="platform")) == 2
        assert alices_agent.get(AT, {"team": "mobile"}).status_code == 400
        assert alices_agent.get(AT, {"colour": "red"}).status_code == 400


class TestOne:
    @pytest.fixture
    def inferred(self, bob: Member, now: datetime) -> str:
        support = Support("9 of 10", 9, 10, ("PLAT-1",))
        one = Inferred("primary_language", "Python", Category.DOMAIN, "Works mainly in Python.", 0.8, support)
        learn(home_id=bob.home_id, found=[one], now=now)
        return f"{AT}{Preference.objects.get().pk}/"

    def test_shows_what_it_stands_on(self, inferred: str, bobs_agent: APIClient) -> None:
        [one] = listed(bobs_agent)
        assert (one["source"], one["confidence"], one["support"]["signals"]) == ("inferred", 0.8, 9)

    def test_is_confirmed(self, inferred: str, bobs_agent: APIClient) -> None:
        answer = bobs_agent.patch(inferred, {"source": "explicit"})
        assert (answer.status_code, answer.json()["source"], answer.json()["confidence"]) == (200, "explicit", 1)

    def test_is_edited(self, inferred: str, bobs_agent: APIClient) -> None:
        assert bobs_agent.patch(inferred, {"value": "Go"}).json()["value"] == "Go"

    @pytest.mark.parametrize("body", [{}, {"source": "inferred"}, {"key": "other"}])
    def test_refuses_what_is_no_change(self, inferred: str, bobs_agent: APIClient, body: dict[str, str]) -> None:
        assert bobs_agent.patch(inferred, body).status_code == 400

    def test_is_forgotten(self, inferred: str, bobs_agent: APIClient) -> None:
        assert bobs_agent.delete(inferred).status_code == 204
        assert listed(bobs_agent) == []
        assert bobs_agent.delete(inferred).status_code == 404

    def test_is_nobody_elses(self, inferred: str, alices_agent: APIClient, charlies_agent: APIClient) -> None:
        for client in (alices_agent, charlies_agent):
            assert client.patch(inferred, {"value": "Go"}).status_code == 404
            assert client.delete(inferred).status_code == 404
