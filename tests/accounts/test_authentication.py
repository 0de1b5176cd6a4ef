"""From what a request carries to who it is."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions.tokens import issue_token, revoke_token
from accounts.authentication import BAD_TOKENS, MAX_DEPTH
from accounts.models import ApiToken, User
from accounts.rules.rights import Member
from tests.conftest import agent

ME = "/api/v1/me/"


def call(authorization: str | None, path: str = ME) -> Any:
    headers = {} if authorization is None else {"HTTP_AUTHORIZATION": authorization}
    return APIClient().get(path, **headers)


@pytest.fixture
def secret(alice: Member, now: datetime) -> str:
    return issue_token(name="laptop", scopes=["read"], by=alice, now=now).secret


class TestTheHeader:
    @pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
    def test_lets_a_token_in(self, secret: str, scheme: str) -> None:
        assert call(f"{scheme} {secret}").json()["user"] == "alice"

    @pytest.mark.parametrize(
        "header",
        [
            None,
            "",
            "Bearer",
            "Bearer ",
            "Bearer {0} {0}",
            "Bearer {0}x",
            "Bearer loam_00000000_0000000000000000000000000000000000000000000",
            "Basic {0}",
            "Token {0}",
            "{0}",
            "Bearer é\x80ÿ",
            "Bearer " + "x" * 20_000,
        ],
    )
    def test_of_any_other_shape_is_401_and_says_how(self, secret: str, header: str | None) -> None:
        answer = call(header.format(secret) if header is not None else None)
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"] == 'Bearer realm="loam"'
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] == "not_authenticated"
        assert secret not in answer.content.decode()

    def test_is_all_that_counts(self, alice_user: User, bob: Member, now: datetime) -> None:
        """A page's session opens no API: a browser that was lured there brings its cookies along."""
        client = APIClient()
        client.force_login(alice_user)
        assert client.get(ME).status_code == 401

    def test_is_read_anew_at_every_call(self, alice: Member, now: datetime) -> None:
        issued = issue_token(name="laptop", scopes=["read"], by=alice, now=now)
        assert call(f"Bearer {issued.secret}").status_code == 200
        revoke_token(token_id=issued.token.pk, by=alice, now=now)
        assert call(f"Bearer {issued.secret}").status_code == 401


class TestUnusableTokens:
    def test_do_not_tell_why_they_are_unusable(self, alice: Member, now: datetime) -> None:
        """Unknown, expired, revoked and of a closed account look alike."""
        answers = [call("Bearer loam_00000000_nothing").json()]
        for change in ({"expires_at": timezone.now() - timedelta(days=1)}, {"revoked_at": timezone.now()}):
            issued = issue_token(name="laptop", scopes=["read"], by=alice, now=now)
            ApiToken.objects.filter(pk=issued.token.pk).update(**change)
            answers.append(call(f"Bearer {issued.secret}").json())
        issued = issue_token(name="laptop", scopes=["read"], by=alice, now=now)
        User.objects.filter(pk=alice.user_id).update(is_active=False)
        answers.append(call(f"Bearer {issued.secret}").json())
        assert all(answer == answers[0] for answer in answers)
        assert answers[0]["status"] == 401


class TestScopes:
    @pytest.mark.parametrize("scopes", [["write"], ["curate"], ["curate", "write"]])
    def test_without_read_open_nothing(self, alice: Member, scopes: list[str]) -> None:
        answer = agent(alice, scopes=scopes).get(ME)
        assert answer.status_code == 403
        assert answer.json()["code"] == "not_allowed"


class TestLastUse:
    def test_is_kept_with_the_address(self, secret: str) -> None:
        APIClient().get(ME, HTTP_AUTHORIZATION=f"Bearer {secret}", REMOTE_ADDR="192.0.2.7")
        token = ApiToken.objects.get()
        assert token.last_used_from == "192.0.2.7"
        assert timezone.now() - token.last_used_at < timedelta(minutes=1)

    def test_needs_no_address(self, secret: str) -> None:
        assert APIClient().get(ME, HTTP_AUTHORIZATION=f"Bearer {secret}", REMOTE_ADDR="").status_code == 200

    def test_takes_no_ones_word_for_the_address(self, secret: str) -> None:
        APIClient().get(ME, HTTP_AUTHORIZATION=f"Bearer {secret}", HTTP_X_FORWARDED_FOR="203.0.113.9")
        assert ApiToken.objects.get().last_used_from == "127.0.0.1"


class TestStrictJson:
    """What every endpoint's body goes through; the sweep over all of them is in tests/test_bad_input.py."""

    def send(self, client: APIClient, body: str | bytes) -> Any:
        return client.generic("POST", "/api/v1/query/", body, content_type="application/json")

    def nested(self, depth: int) -> str:
        return '{"query": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"

    def test_bears_the_deepest_that_is_allowed_and_refuses_the_next(self, alices_agent: APIClient) -> None:
        at, over = (self.send(alices_agent, self.nested(depth)).json() for depth in (MAX_DEPTH, MAX_DEPTH + 1))
        assert at["errors"] == {"query": ["Not a string."]}
        assert "nested deeper" in over["detail"]

    def test_names_the_key_that_is_there_twice(self, alices_agent: APIClient) -> None:
        answer = self.send(alices_agent, '{"query": "a", "limit": 1, "query": "b"}')
        assert answer.status_code == 400
        assert "'query' occurs twice" in answer.json()["detail"]

    def test_finds_a_key_twice_in_the_depth(self, alices_agent: APIClient) -> None:
        assert "twice" in self.send(alices_agent, '{"query": {"a": [{"b": 1, "b": 1}]}}').json()["detail"]

    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
    def test_knows_no_number_that_json_does_not(self, alices_agent: APIClient, number: str) -> None:
        answer = self.send(alices_agent, f'{{"query": "a", "min_score": {number}}}')
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")

    def test_reads_a_charset_only_if_it_is_utf_8(self, alices_agent: APIClient) -> None:
        body = '{"query": "Grüße aus dem Speicher"}'.encode("utf-16")
        answer = alices_agent.generic("POST", "/api/v1/query/", body, content_type="application/json; charset=utf-16")
        assert answer.status_code == 400

    def test_answers_in_json_whatever_was_asked_for(self, alices_agent: APIClient) -> None:
        for accept in ("text/html", "application/xml", "*/*", "nonsense", ""):
            assert alices_agent.get(ME, HTTP_ACCEPT=accept)["Content-Type"] == "application/json"
        assert alices_agent.get(f"{ME}?format=xml").status_code == 200


class TestBadTokens:
    def test_are_throttled_by_address_and_good_ones_from_there_are_not(self, secret: str, one_minute: None) -> None:
        def bad(address: str) -> Any:
            return APIClient().get(ME, HTTP_AUTHORIZATION="Bearer loam_guess", REMOTE_ADDR=address)

        answers = [bad("203.0.113.9").status_code for _ in range(BAD_TOKENS + 5)]
        assert answers == [401] * BAD_TOKENS + [429] * 5
        throttled = bad("203.0.113.9")
        assert (throttled.status_code, throttled.json()["code"]) == (429, "rate_limited")
        assert 1 <= int(throttled["Retry-After"]) <= 60
        assert bad("198.51.100.7").status_code == 401
        assert APIClient().get(ME, HTTP_AUTHORIZATION=f"Bearer {secret}", REMOTE_ADDR="203.0.113.9").status_code == 200
