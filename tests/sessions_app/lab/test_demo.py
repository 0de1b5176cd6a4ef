"""The demo: people who can come in, and something worth finding."""

import json
import stat
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions.jobs import Work
from accounts.actions.members import member_of
from accounts.actions.preferences import forget
from accounts.models import ApiToken, Membership, Preference, Team, User
from accounts.rules.rights import Level, Member
from knowledge.lifecycle.actions.fade import fade
from knowledge.models import Insight, Query, Signal
from knowledge.review.actions.triage import counts, standing_of, waiting_pairs
from knowledge.review.rules.triage import Tab
from knowledge.rules.vocabulary import Kind
from sessions_app.lab.demo.demo import NotEmpty, make_demo, people_of
from sessions_app.models import AgentSession
from skills.actions.author import retire
from skills.models import Skill
from tests.conftest import NOW
from tests.database import changed, contents
from tests.knowledge.library import counted, recounted
from tests.pages import signed_in

URL = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def made(module_db: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The demo, made once for the whole module."""
    file = tmp_path_factory.mktemp("var") / "deep" / "demo.json"
    return file, make_demo(file=file, url=URL, now=NOW)


@pytest.fixture
def demo(made: tuple[Path, dict[str, Any]], db: None) -> dict[str, Any]:
    return made[1]


@pytest.fixture
def file(made: tuple[Path, dict[str, Any]]) -> Path:
    return made[0]


def client(demo: dict[str, Any], name: str) -> APIClient:
    agent = APIClient()
    agent.credentials(HTTP_AUTHORIZATION=f"Bearer {demo['people'][name]['token']}")
    return agent


def ask(demo: dict[str, Any], name: str, query: str, **over: Any) -> dict[str, Any]:
    return client(demo, name).post("/api/v1/query/", {"query": query, **over}).json()


class TestPeople:
    def test_are_a_lead_a_contributor_and_one_of_another_team(self, demo: dict[str, Any]) -> None:
        rows = Membership.objects.filter(team__slug__in=["platform", "mobile"], user__is_superuser=False)
        assert set(rows.values_list("user__username", "team__slug", "level")) == {
            ("alice", "platform", Level.LEAD),
            ("bob", "platform", Level.CONTRIBUTOR),
            ("charlie", "mobile", Level.LEAD),
        }

    @pytest.mark.parametrize(
        ("name", "scopes"),
        [("alice", ["curate", "read", "write"]), ("bob", ["read", "write"]), ("charlie", ["curate", "read", "write"])],
    )
    def test_come_in_by_token_with_every_scope_they_have(
        self, demo: dict[str, Any], name: str, scopes: list[str]
    ) -> None:
        body = client(demo, name).get("/api/v1/me/").json()
        assert (body["user"], body["token"]["scopes"]) == (name, scopes)

    @pytest.mark.parametrize("name", ["admin", "alice", "bob", "charlie"])
    def test_come_in_by_password(self, demo: dict[str, Any], name: str) -> None:
        user = User.objects.get(username=name)
        assert user.check_password(demo["people"][name]["password"])
        assert (user.is_superuser, user.is_staff) == (name == "admin", name == "admin")

    def test_have_no_password_that_can_be_guessed(self, demo: dict[str, Any]) -> None:
        passwords = [person["password"] for person in demo["people"].values()]
        assert len(set(passwords)) == 4
        assert all(len(password) >= 12 for password in passwords)


class TestInsights:
    def test_are_eighty_or_more_of_every_kind(self, demo: dict[str, Any]) -> None:
        rows = Insight.objects.filter(team__slug__in=["platform", "mobile"])
        assert rows.count() >= 80
        assert set(rows.values_list("kind", flat=True)) == {kind.value for kind in Kind}
        assert not rows.filter(embedding=None).exists()
        assert rows.filter(status="promoted").exists() and rows.filter(pinned=True).exists()

    def test_were_deposited_before_now(self, demo: dict[str, Any]) -> None:
        assert not Insight.objects.filter(created_at__gt=NOW).exists()

    def test_are_all_kept_by_the_first_nights_sweeps(self, demo: dict[str, Any]) -> None:
        for nights in range(4):
            assert fade(now=NOW + timedelta(days=nights)) == Work()

    def test_are_found_by_meaning(self, demo: dict[str, Any]) -> None:
        body = ask(demo, "bob", "scheduled jobs run two times")
        assert body["insights"], "the line that `manage.py demo` prints must answer with something"

    def test_say_nothing_to_a_question_of_another_world(self, demo: dict[str, Any]) -> None:
        for question in ("how do I bake sourdough bread", "who won the football match last night"):
            assert ask(demo, "bob", question)["abstained"] is True

    def test_of_one_team_are_not_found_from_the_other(self, demo: dict[str, Any]) -> None:
        seen = {
            name: {row["team"] for row in ask(demo, name, "tests", trim=False, limit=50)["insights"]}
            for name in ("bob", "charlie")
        }
        assert seen == {"bob": {"platform"}, "charlie": {"mobile"}}

    def test_are_counted_right(self, demo: dict[str, Any]) -> None:
        for team in Team.objects.filter(slug__in=["platform", "mobile"]):
            assert counted(team.pk) == recounted(team.pk)


class TestStory:
    def test_leaves_drafts_and_pairs_for_a_lead(self, demo: dict[str, Any]) -> None:
        waiting = counts(by=person("alice"), now=NOW)
        assert waiting[Tab.NEW] >= 8
        pairs = {tab: both(tab) for tab in (Tab.CONTRADICTIONS, Tab.DUPLICATES)}
        assert pairs[Tab.CONTRADICTIONS] == [
            "Retry a supplier's order call on a timeout / A supplier's order call that timed out may have gone through"
        ]
        assert (
            "Report workers get 900 seconds to finish / Report workers get 1800 seconds to finish"
            in pairs[Tab.DUPLICATES]
        )
        # Its authors have said of the others what they are to each other, as agents do that were asked.
        assert len(pairs[Tab.DUPLICATES]) == 1
        # What Charlie found helpful is his own note: nobody else has spoken for it.
        assert counts(by=person("charlie"), now=NOW)[Tab.NEW] == 0

    def test_has_two_weeks_of_questions_of_which_two_found_nothing(self, demo: dict[str, Any]) -> None:
        asked = Query.objects.filter(at__lte=NOW)
        assert asked.count() == Query.objects.count() >= 12
        assert asked.filter(abstained=True).count() == 2
        days = sorted({query.at.date() for query in asked})
        assert len(days) >= 10
        assert (days[-1] - days[0]).days >= 10

    def test_calls_no_note_outdated_that_is_about_another_thing(self, demo: dict[str, Any]) -> None:
        text = client(demo, "bob").post("/api/v1/query/", {"query": "drop a model field safely"}, "json").data["text"]
        assert "Remove a model field in two deploys" in text
        assert "on the same subject" not in text

    def test_answers_with_what_had_been_deposited(self, demo: dict[str, Any]) -> None:
        deposited = dict(Insight.objects.values_list("ref", "created_at"))
        assert [query.text for query in Query.objects.all() if any(deposited[r] > query.at for r in query.shown)] == []

    def test_rates_what_had_been_answered(self, demo: dict[str, Any]) -> None:
        ratings = Signal.objects.ratings().select_related("insight")
        shown = dict(Query.objects.values_list("pk", "shown"))
        assert ratings.count() >= 12
        assert set(ratings.values_list("kind", flat=True)) == {"helpful", "unhelpful"}
        assert all(one.insight.ref in shown[one.query] for one in ratings)

    def test_leaves_what_helped_a_colleague_to_the_lead(self, demo: dict[str, Any]) -> None:
        """Its author's rating promoted it once; of the two people of this team it takes the lead (decision 0020)."""
        insight = Insight.objects.get(title__startswith="Short jobs stuck behind long ones")
        assert insight.status == "draft"
        assert str(standing_of(insight)) == "2/3 people in support, including the author"
        assert Signal.objects.ratings().filter(insight=insight).values("session_key").distinct().count() == 2

    def test_has_a_skill_in_use_and_one_that_waits(self, demo: dict[str, Any]) -> None:
        assert dict(Skill.objects.values_list("name", "status")) == {
            "safe-migration": "published",
            "red-build": "draft",
        }

    def test_has_sessions_that_ended_were_recovered_and_run(self, demo: dict[str, Any]) -> None:
        rows = AgentSession.objects.order_by("started_at").values_list("state", "handoff__state", "repo")
        assert list(rows) == [
            ("ended", "clean", "acme/platform"),
            ("abandoned", "recovered", "acme/platform"),
            ("live", None, "acme/platform"),
        ]
        assert Insight.objects.filter(kind="DECISION", source_type="transcript", body__contains="key order").exists()

    def test_has_preferences_of_a_team_of_a_person_and_inferred(self, demo: dict[str, Any]) -> None:
        found = set(Preference.objects.values_list("team__kind", "source"))
        assert found == {("shared", "explicit"), ("personal", "explicit"), ("personal", "inferred")}

    @pytest.mark.parametrize(
        ("path", "words"),
        [
            ("/sessions/", "importer-locks"),
            ("/skills/", "safe-migration"),
            ("/contradictions/", "may have gone through"),
            ("/duplicates/", "1800 seconds"),
            ("/preferences/", "commit_title"),
            ("/", "visibility_timeout"),
        ],
    )
    def test_is_on_the_pages(self, demo: dict[str, Any], path: str, words: str) -> None:
        page = signed_in(User.objects.get(username="alice")).get(path)
        assert words in page.content.decode()

    def test_that_was_broken_off_goes_on_where_it_stopped(self, demo: dict[str, Any], file: Path) -> None:
        AgentSession.objects.filter(state="live").delete()
        before = contents()
        break_off(file)
        make_demo(file=file, url=URL, now=NOW)
        assert {name for name in changed(before) if "session" not in name} <= {"accounts_logentry"}
        assert AgentSession.objects.filter(state="live").count() == 1

    def test_leaves_what_was_changed_since(self, demo: dict[str, Any], file: Path) -> None:
        retire(name="safe-migration", by=person("alice"), now=NOW)
        forget(preference_id=Preference.objects.get(key="commit_title").pk, by=person("alice"), now=NOW)
        before = contents()
        break_off(file)
        make_demo(file=file, url=URL, now=NOW + timedelta(days=3))
        assert changed(before) == []


def break_off(file: Path) -> None:
    """As if the run had ended before the demo was whole."""
    file.write_text(json.dumps({**json.loads(file.read_text()), "made": False}))


def person(name: str) -> Member:
    return member_of(user=User.objects.get(username=name))


def both(tab: Tab) -> list[str]:
    return [f"{pair.a.title} / {pair.b.title}" for pair in waiting_pairs(tab, by=person("alice"), now=timezone.now())]


class TestADatabaseThatIsBehind:
    def test_is_told_what_to_run_first(self, db: None) -> None:
        (newest,) = MigrationLoader(connection).graph.leaf_nodes("knowledge")
        MigrationRecorder(connection).record_unapplied(*newest)
        with pytest.raises(CommandError, match=r"Run `manage\.py migrate` first"):
            call_command("demo")


class TestTheFile:
    def test_is_for_its_owner_alone(self, demo: dict[str, Any], file: Path) -> None:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert json.loads(file.read_text()) == {**demo, "made": True}
        assert {path.name for path in file.parent.iterdir()} == {"demo.json", "demo.lock"}

    def test_is_the_only_place_of_a_secret(self, demo: dict[str, Any]) -> None:
        everything = str(contents())
        for person in demo["people"].values():
            assert person["password"] not in everything
            assert not person["token"] or person["token"] not in everything


class TestAgain:
    def test_changes_nothing(self, demo: dict[str, Any], file: Path) -> None:
        before, kept = contents(), file.read_text()
        assert make_demo(file=file, url=URL, now=NOW) == demo
        assert changed(before) == []
        assert file.read_text() == kept

    def test_lets_nobody_in_again_who_was_dismissed(self, demo: dict[str, Any], file: Path) -> None:
        """Out of the team, token revoked, password changed, account closed: so it stays after any start."""
        ApiToken.objects.filter(user__username="alice").update(revoked_at=NOW)
        Membership.objects.filter(user__username="bob", team__slug="platform").delete()
        charlie = User.objects.get(username="charlie")
        charlie.set_password("quite-another-one")
        charlie.is_active = False
        charlie.save()
        before = contents()
        again = make_demo(file=file, url=URL, now=NOW + timedelta(days=1))
        assert changed(before) == []
        assert client(again, "alice").get("/api/v1/me/").status_code == 401
        assert client(again, "charlie").get("/api/v1/me/").status_code == 401
        assert not ask(again, "bob", "scheduled jobs run two times").get("insights")

    def test_is_refused_where_there_are_accounts(self, demo: dict[str, Any], tmp_path: Path) -> None:
        before = contents()
        with pytest.raises(NotEmpty):
            make_demo(file=tmp_path / "demo.json", url=URL, now=NOW)
        assert changed(before) == []
        assert not (tmp_path / "demo.json").exists()

    def test_tells_how_far_it_is(self, demo: dict[str, Any], file: Path) -> None:
        steps: list[tuple[int, int]] = []
        break_off(file)
        make_demo(file=file, url=URL, now=NOW, progress=lambda done, total: steps.append((done, total)))
        total = len(steps)
        assert steps == [(done, total) for done in range(1, total + 1)]


class TestTheCommand:
    @pytest.fixture(autouse=True)
    def _var(self, demo: dict[str, Any], file: Path, settings: Any) -> None:
        settings.VAR = file.parent

    def run(self, *arguments: str) -> str:
        out = StringIO()
        call_command("demo", *arguments, stdout=out)
        return out.getvalue()

    def test_prints_what_scripts_need(self, demo: dict[str, Any]) -> None:
        assert json.loads(self.run("--json", "--url", URL)) == demo

    @pytest.mark.parametrize("once", [[], ["--once"]])
    def test_prints_lines_that_can_be_pasted(self, demo: dict[str, Any], once: list[str]) -> None:
        printed = self.run("--url", "http://loam.example", *once)
        for name, person in demo["people"].items():
            assert f"{name:<8} password {person['password']}" in printed
        assert (
            f"curl -s http://loam.example/api/v1/insights/ -H 'Authorization: Bearer {token(demo, 'alice')}'" in printed
        )
        assert f"curl -s http://loam.example/api/v1/query/ -H 'Authorization: Bearer {token(demo, 'bob')}'" in printed

    def test_names_nobody_before_they_can_come_in(self, demo: dict[str, Any], file: Path) -> None:
        """`serve` makes the demo in a process of its own: the file is there before the accounts are."""
        whole = file.read_text()
        file.write_text(json.dumps({"people": {"admin": {"username": "admin", "token": ""}}, "made": False}))
        assert people_of(file) == {}
        file.write_text(whole)
        assert people_of(file) == demo["people"]


def token(demo: dict[str, Any], name: str) -> str:
    return str(demo["people"][name]["token"])
