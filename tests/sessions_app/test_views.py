"""The start page and connect-an-agent."""

import json
import re
import shlex
from html import unescape
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from accounts.actions.tokens import issue_token, note_use
from accounts.models import ApiToken, User
from accounts.rules.rights import Member
from sessions_app.client.src.install.agents import AFTER, PLANS
from sessions_app.views.connect import INSTALLED
from tests.cases import cases
from tests.pages import HTMX, Faults, signed_in

TOKEN = {"name": "laptop", "scopes": ["read", "write"], "expires": "90"}


def text(response: object) -> str:
    return response.content.decode()  # type: ignore[attr-defined]


def line(page: str, name: str) -> str:
    found = re.search(rf'<code id="curl-{name}">(.*?)</code>', page, re.S)
    assert found
    return unescape(found[1])


class TestConnect:
    def test_fills_the_new_token_into_lines_that_work(self, alice_user: User, alice: Member) -> None:
        page = text(signed_in(alice_user).post("/connect/", TOKEN))
        words = shlex.split(line(page, "deposit").replace("\\\n", " "))
        headers = dict(h.split(": ", 1) for h in words if re.match(r"[A-Z][\w-]+: ", h))
        answer = Client().post(
            words[2].removeprefix("http://testserver"),
            words[-1],
            content_type=headers["Content-Type"],
            headers={"Authorization": headers["Authorization"]},
        )
        assert answer.status_code == 201
        assert answer.json()["insight"]["team"] == "platform"
        asked = shlex.split(line(page, "query").replace("\\\n", " "))
        found = Client().post(
            asked[2].removeprefix("http://testserver"),
            asked[-1],
            content_type="application/json",
            headers={"Authorization": headers["Authorization"]},
        )
        assert [hit["ref"] for hit in found.json()["insights"]] == [answer.json()["insight"]["ref"]]
        assert json.loads(words[-1])["kind"] == "SOLUTION"

    def test_deposits_where_a_narrowed_token_may(self, alice_user: User, alice: Member) -> None:
        slug = alice.personal.slug  # type: ignore[union-attr]
        page = text(signed_in(alice_user).post("/connect/", {**TOKEN, "team_slugs": [slug]}))
        assert '"team": "personal"' in line(page, "deposit")

    def test_shows_no_secret_before_there_is_one(self, alice_user: User) -> None:
        page = text(signed_in(alice_user).get("/connect/"))
        assert "Bearer loam_…" in line(page, "query")

    def test_shows_the_secret_in_that_answer_only(self, alice_user: User) -> None:
        client = signed_in(alice_user)
        response = client.post("/connect/", TOKEN)
        token = ApiToken.objects.get()
        assert f"{token.prefix}_" in text(response)
        assert "no-store" in response["Cache-Control"]
        assert f"{token.prefix}_" not in text(client.get(f"/connect/?token={token.pk}"))

    def test_has_three_steps_for_each_agent_that_the_client_knows(self, alice_user: User, alice: Member) -> None:
        page = text(signed_in(alice_user).post("/connect/", {**TOKEN, "agent": "codex"}))
        assert sorted(agent.slug for agent in INSTALLED) == sorted(PLANS)
        token = ApiToken.objects.get()
        for agent in INSTALLED:
            assert agent.after == AFTER[agent.slug]
            panel = page.split(f'<code id="{agent.slug}-get">')[1].split("</details>")[0]
            get, install = (unescape(part) for part in re.split(r'<code id="[a-z-]+-install">', panel))
            assert f"login http://testserver --token {token.prefix}_" in get
            assert install.startswith(f"python3 loam.py install {agent.slug}</code>")
            assert '<b class="font-semibold">3.</b>' in install
        assert Faults(page).found == []

    def test_writes_what_it_says_it_writes(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        for name in ("HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        for agent in INSTALLED:
            written = [str(path).replace(str(tmp_path), "~") for path, _ in PLANS[agent.slug](False)]
            assert all(path.endswith(said) for path, said in zip(written, agent.written, strict=True)), written

    @pytest.mark.parametrize(
        ("sent", "opened"),
        [
            ({}, "claude-code"),
            ({"agent": "cursor"}, "cursor"),
            ({"agent": "<b>"}, "claude-code"),
            ({"agent": "\0"}, "claude-code"),
        ],
    )
    def test_opens_the_steps_of_the_agent_that_was_named(
        self, sent: dict[str, str], opened: str, alice_user: User, alice: Member
    ) -> None:
        page = text(signed_in(alice_user).get("/connect/", sent))
        panels = re.findall(r'<details[^>]*name="steps"\s+open>(.*?)</details>', page, re.S)
        assert [f'id="{opened}-get"' in panel for panel in panels] == [True]

    def test_keeps_what_was_typed_when_it_is_at_fault(self, alice_user: User) -> None:
        page = text(signed_in(alice_user).post("/connect/", {"name": "my agent"}))
        assert 'value="my agent"' in page
        assert not ApiToken.objects.exists()


class TestLight:
    def test_waits_and_then_says_that_a_call_came(self, alice_user: User, alice: Member) -> None:
        client = signed_in(alice_user)
        token = issue_token(name="laptop", scopes=["read"], by=alice, now=timezone.now()).token
        waiting = text(client.get(f"/connect/?token={token.pk}", **HTMX))
        assert "Waiting" in waiting
        assert "data-looks" in waiting
        assert "<html" not in waiting
        note_use(token=token, address="10.0.0.7", now=timezone.now())
        seen = text(client.get(f"/connect/?token={token.pk}", **HTMX))
        assert "Connected." in seen
        assert "10.0.0.7" in seen
        assert "hx-trigger" not in seen

    def test_works_by_a_reload_too(self, alice_user: User, alice: Member) -> None:
        token = issue_token(name="laptop", scopes=["read"], by=alice, now=timezone.now()).token
        page = text(signed_in(alice_user).get(f"/connect/?token={token.pk}"))
        assert f'href="/connect/?token={token.pk}#connect-light"' in page

    def test_never_watches_somebody_elses_token(self, bob_user: User, alice: Member) -> None:
        token = issue_token(name="alices-own", scopes=["read"], by=alice, now=timezone.now()).token
        note_use(token=token, address="10.0.0.7", now=timezone.now())
        page = text(signed_in(bob_user).get(f"/connect/?token={token.pk}"))
        assert "alices-own" not in page
        assert "10.0.0.7" not in page

    def test_takes_nonsense_for_nothing(self, alice_user: User) -> None:
        client = signed_in(alice_user)
        for wanted in ("x", "-1", "9" * 30, "1 OR 1", "٣"):
            assert client.get("/connect/", {"token": wanted}).status_code == 200


class TestErrorPages:
    @pytest.mark.parametrize("who", ["visitor", "member"])
    def test_stand_for_what_does_not_exist(self, who: str, alice_user: User) -> None:
        client = signed_in(alice_user) if who == "member" else Client()
        response = client.get("/nope/")
        assert response.status_code == 404
        assert "Page not found" in text(response)
        assert Faults(text(response)).found == []

    def test_stand_for_a_form_of_another_site(self, alice_user: User) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(alice_user)
        response = client.post("/tokens/", TOKEN)
        assert response.status_code == 403
        assert "Page expired" in text(response)
        assert not ApiToken.objects.exists()

    @cases("template", ["400.html", "403.html", "404.html", "429.html", "500.html", "503.html"])
    def test_need_nothing_to_be_shown(self, template: str) -> None:
        page = render_to_string(template)
        assert "<h1" in page
        assert Faults(page).found == []

    def test_ask_for_patience_after_too_many_logins(self, alice_user: User) -> None:
        client = Client()
        form = {"login": "alice", "password": "guess"}
        statuses = [client.post("/accounts/login/", form).status_code for _ in range(31)]
        assert statuses[-1] == 429
        assert "Too many requests" in text(client.post("/accounts/login/", form))
