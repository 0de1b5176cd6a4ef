"""`skills/`: what is sent, what is answered. The verbs themselves are in tests/skills/actions/."""

import io
import zipfile
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.actions.members import member_of
from accounts.models import Membership, User
from accounts.rules.rights import Level, Member, Scope
from skills.rules import skill_md
from tests.conftest import agent
from tests.database import changed, contents
from tests.endpoints import SKILL
from tests.factories import make_skill

SKILLS = "/api/v1/skills/"
QUERY = "/api/v1/query/"
FIELDS = {
    "name", "team", "status", "version", "unpublished", "description", "instructions", "triggers", "license",
    "compatibility", "metadata", "allowed_tools", "extra", "files", "sources", "author", "owner",
    "published_by", "proposed_by",
    "uses", "last_used_at", "revision", "created_at", "updated_at",
}  # fmt: skip


def create(client: APIClient, **over: Any) -> Any:
    return client.post(SKILLS, {**SKILL, "team": "platform", **over})


class TestCreating:
    def test_answers_201_with_the_skill(self, alices_agent: APIClient) -> None:
        triggers = {"tags": ["release"], "files": ["release/*"], "errors": ["tag exists"]}
        more = {"license": "MIT", "metadata": {"by": "us"}, "allowed_tools": "Read", "compatibility": "git"}
        answer = create(alices_agent, triggers=triggers, **more)
        body = answer.json()
        assert answer.status_code == 201
        assert set(body) == FIELDS | {"created", "stripped", "degraded"}
        assert {name: body[name] for name in more} == more
        assert (body["triggers"], body["status"], body["team"]) == (triggers, "draft", "platform")
        assert (body["created"], body["version"], body["unpublished"]) == (True, None, True)

    def test_again_answers_200_with_the_same(self, alices_agent: APIClient) -> None:
        create(alices_agent)
        again = create(alices_agent, description=f"  {SKILL['description']}")
        assert (again.status_code, again.json()["created"]) == (200, False)
        assert again.json()["description"] == SKILL["description"]

    @pytest.mark.parametrize("status", ["draft", "published"])
    @pytest.mark.parametrize(
        "other", [{"description": "Another."}, {"instructions": "Another."}, {"triggers": {"tags": ["other"]}}]
    )
    def test_under_a_name_that_is_taken_is_refused(
        self, status: str, other: dict[str, Any], alices_agent: APIClient, bobs_agent: APIClient
    ) -> None:
        create(alices_agent, status=status)
        before = contents()
        for client in (alices_agent, bobs_agent):
            answer = create(client, **other)
            assert (answer.status_code, answer.json()["code"]) == (409, "name_taken")
            assert answer.json()["detail"] == (
                f"platform has another skill named release ({status}); nothing was stored. Choose another "
                "name, or edit that skill."
            )
            assert list(answer.json()["errors"]) == ["name"]
        assert changed(before) == []
        assert create(bobs_agent).status_code == 200

    def test_again_is_what_agents_get_or_what_is_being_written(self, alices_agent: APIClient) -> None:
        revision = create(alices_agent, status="published").json()["revision"]
        edited = {"description": "Another."}
        alices_agent.patch(f"{SKILLS}release/", edited, headers={"If-Match": str(revision)})
        assert [create(alices_agent, **over).status_code for over in ({}, edited)] == [200, 200]

    def test_may_publish_at_once(self, alices_agent: APIClient) -> None:
        assert create(alices_agent, status="published").json()["version"] == 1

    def test_by_a_contributor_is_a_proposal(self, bob: Member, bobs_agent: APIClient, alices_agent: APIClient) -> None:
        body = create(bobs_agent).json()
        assert (body["created"], body["status"], body["proposed_by"]) == (True, "draft", "bob")
        assert create(bobs_agent, name="review", status="published").status_code == 403
        assert bobs_agent.post(f"{SKILLS}release/publish/", {}).status_code == 403
        assert alices_agent.get(f"{SKILLS}release/").json()["proposed_by"] == "bob"
        published = alices_agent.post(f"{SKILLS}release/publish/", {}).json()
        assert (published["status"], published["proposed_by"]) == ("published", None)

    def test_takes_a_contributor_and_the_scope_write(
        self, alice: Member, bob: Member, bob_user: User, charlies_agent: APIClient
    ) -> None:
        assert create(agent(bob, scopes=[Scope.READ])).status_code == 403
        assert create(charlies_agent).status_code == 400
        narrow = create(agent(alice, scopes=[Scope.READ, Scope.WRITE])).json()
        assert (narrow["status"], narrow["proposed_by"]) == ("draft", "alice")
        Membership.objects.filter(user=bob_user, team__slug="platform").update(level=Level.READER)
        assert create(agent(member_of(user=bob_user)), name="review").status_code == 403

    def test_names_the_field_with_the_fault(self, alices_agent: APIClient) -> None:
        answer = create(alices_agent, name="Release It")
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["name"])
        answer = create(alices_agent, instructions="Use AKIA" + "Z7QF3MXT9WKD2RVB")
        assert (answer.status_code, answer.json()["code"]) == (400, "secret_found")


class TestReadingAndEditing:
    def test_gives_the_skill_with_its_revision(self, alice: Member, bobs_agent: APIClient) -> None:
        make_skill(alice)
        answer = bobs_agent.get(f"{SKILLS}release/")
        assert set(answer.json()) == FIELDS
        assert answer["ETag"] == f'"{answer.json()["revision"]}"'

    def test_shows_what_is_being_written_unless_asked_for_what_agents_get(
        self, alice: Member, alices_agent: APIClient
    ) -> None:
        skill = make_skill(alice)
        done = alices_agent.patch(f"{SKILLS}release/", {"instructions": "New."}, HTTP_IF_MATCH=str(skill.revision))
        assert (done.status_code, done.json()["instructions"], done.json()["unpublished"]) == (200, "New.", True)
        assert alices_agent.get(f"{SKILLS}release/").json()["instructions"] == "New."
        served = alices_agent.get(f"{SKILLS}release/", {"published": "true"}).json()
        assert ("smoke test" in served["instructions"], served["unpublished"]) == (True, False)

    def test_of_a_draft_there_is_nothing_agents_get(self, alice: Member, alices_agent: APIClient) -> None:
        make_skill(alice, live=False)
        assert alices_agent.get(f"{SKILLS}release/", {"published": "true"}).status_code == 404

    def test_needs_the_revision_that_was_read(self, alice: Member, alices_agent: APIClient) -> None:
        make_skill(alice, live=False)
        assert alices_agent.patch(f"{SKILLS}release/", {"description": "x"}).status_code == 428
        stale = alices_agent.patch(f"{SKILLS}release/", {"description": "x"}, HTTP_IF_MATCH="7")
        assert (stale.status_code, stale.json()["current_revision"]) == (412, 1)

    def test_leaves_what_is_not_named(self, alices_agent: APIClient) -> None:
        create(alices_agent, triggers={"tags": ["a"], "files": ["b/*"]}, license="MIT", metadata={"c": "d"})
        change = {"triggers": {"tags": ["z"]}, "allowed_tools": "Read"}
        body = alices_agent.patch(f"{SKILLS}release/", change, HTTP_IF_MATCH='"1"').json()
        assert body["triggers"] == {"tags": ["z"], "files": ["b/*"], "errors": []}
        assert (body["license"], body["metadata"], body["allowed_tools"]) == ("MIT", {"c": "d"}, "Read")
        assert (body["description"], body["revision"]) == (SKILL["description"], 2)

    def test_asks_which_team_where_two_have_the_name(self, alice: Member, alices_agent: APIClient) -> None:
        make_skill(alice)
        make_skill(alice, team="personal", description="Mine.")
        for address in ("release/", "release/versions/", "release/export/"):
            answer = alices_agent.get(f"{SKILLS}{address}")
            assert (answer.status_code, answer.json()["code"]) == (409, "ambiguous")
        assert alices_agent.get(f"{SKILLS}release/", {"team": "personal"}).json()["description"] == "Mine."
        assert alices_agent.post(f"{SKILLS}release/retire/?team=platform", {}).status_code == 200
        assert alices_agent.get(f"{SKILLS}release/", {"team": "personal"}).json()["status"] == "published"

    def test_is_not_there_for_a_stranger(self, alice: Member, charlies_agent: APIClient) -> None:
        make_skill(alice)
        assert charlies_agent.get(f"{SKILLS}release/").status_code == 404


class TestTheList:
    def test_has_no_instructions_and_can_be_narrowed(self, alice: Member, bobs_agent: APIClient) -> None:
        make_skill(alice)
        make_skill(alice, name="review", description="How to review.", live=False)

        def found(**query: Any) -> list[str]:
            rows = bobs_agent.get(SKILLS, query).json()["results"]
            assert all("instructions" not in row for row in rows)
            return [row["name"] for row in rows]

        assert found() == ["review", "release"]
        assert found(status="published") == ["release"]
        assert found(q="how review") == ["review"]
        assert found(team="mobile") == []
        assert found(limit=1) == ["review"]


class TestVersions:
    def test_tell_what_changed_and_who_said_so(self, alice: Member, alices_agent: APIClient) -> None:
        make_skill(alice)
        alices_agent.patch(f"{SKILLS}release/", {"instructions": "1. Tag."}, HTTP_IF_MATCH="2")
        alices_agent.post(f"{SKILLS}release/publish/", {"reason": "shorter"})
        new, old = alices_agent.get(f"{SKILLS}release/versions/").json()["results"]
        assert (new["number"], new["live"], new["why"], new["published_by"]) == (2, True, "shorter", "alice")
        assert "-2. Run the smoke test.\n" in new["diff"] and "+1. Tag." in new["diff"]
        assert (old["number"], old["live"]) == (1, False)
        between = alices_agent.get(f"{SKILLS}release/versions/", {"from": 2, "to": 1}).json()
        assert (between["from"], between["to"]) == (2, 1)
        assert "+2. Run the smoke test.\n" in between["diff"]


class TestExport:
    def test_is_a_folder_that_imports_to_the_same(self, alice: Member, bobs_agent: APIClient) -> None:
        make_skill(alice)
        answer = bobs_agent.get(f"{SKILLS}release/export/")
        assert answer["Content-Type"] == "application/zip"
        assert answer["Content-Disposition"] == 'attachment; filename="release.zip"'
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert archive.namelist() == ["release/SKILL.md"]
            sheet = skill_md.read(archive.read("release/SKILL.md").decode())
        assert (sheet.name, sheet.instructions) == ("release", "1. Freeze.\n2. Run the smoke test.\n3. Tag.")


class TestInTheAnswerToAQuestion:
    @pytest.fixture
    def ask(self, bobs_agent: APIClient) -> Any:
        return lambda **over: bobs_agent.post(QUERY, {"query": "how do I tag and publish the importer", **over}).json()

    def test_comes_with_its_instructions_in_full(self, alice: Member, ask: Any) -> None:
        make_skill(alice, instructions="Step. " * 5_000)
        [skill] = ask()["skills"]
        assert skill["instructions"] == ("Step. " * 5_000).strip()
        assert (skill["name"], skill["team"], skill["version"]) == ("release", "platform", 1)
        assert skill["score"] == pytest.approx(0.6 * skill["similarity"] + 0.4 * skill["overlap"], abs=1e-3)

    def test_stands_above_the_insights_in_the_text(self, alice: Member, ask: Any, alices_agent: APIClient) -> None:
        make_skill(alice)
        lesson = {"kind": "PITFALL", "body": "Publish the importer only after you tag it.", "team": "platform"}
        alices_agent.post("/api/v1/insights/", lesson)
        text = ask()["text"]
        assert text.index("[skill release]") < text.index("smoke test") < text.index("[PLAT-1]")
        assert "outranks" in text

    def test_is_left_out_when_not_asked_for(self, alice: Member, ask: Any) -> None:
        make_skill(alice)
        assert ask(include=["insights"])["skills"] == []
        assert "smoke test" not in ask(include=["insights"])["text"]
