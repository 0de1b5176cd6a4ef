"""Files that changed under an insight, and people who say that it still holds."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import LogEntry, Team, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member
from knowledge.lifecycle.actions.validate import Reported, StillContradicted, compare_files, validate
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions.settle import report
from tests.conftest import agent, member_of, person
from tests.database import changed, contents
from tests.factories import make_insight
from tests.knowledge.library import LESSONS
from tests.pages import signed_in

OLD, NEW = "a" * 64, "b" * 64
REPO = "acme/web"


@pytest.fixture
def row(bob: Member, now: datetime) -> Insight:
    files = [{"path": "src/beat.py", "sha256": OLD}, {"path": "src/tasks.py", "sha256": OLD}]
    return make_insight(bob, now=now, body=LESSONS["beat"], repo=REPO, provenance=files)


def found(by: Member, now: datetime, files: dict[str, str], repo: str = REPO) -> Reported:
    return compare_files(repo=repo, files=files, by=by, now=now)


def trust() -> str:
    return str(Insight.objects.get(ref="PLAT-1").trust)


class TestAReport:
    def test_of_another_hash_makes_it_stale(self, row: Insight, bob: Member, now: datetime) -> None:
        done = found(bob, now, {"src/beat.py": NEW, "src/other.py": NEW})
        assert (done.checked, done.stale, done.validated) == (1, {"PLAT-1": ["src/beat.py"]}, [])
        assert trust() == "stale"
        line = LogEntry.objects.get(verb="stale")
        assert (line.line, line.why, line.before["trust"]) == ("PLAT-1 stale", "changed: src/beat.py", "unknown")

    def test_of_a_file_that_is_gone_makes_it_stale(self, row: Insight, bob: Member, now: datetime) -> None:
        assert found(bob, now, {"src/beat.py": ""}).stale == {"PLAT-1": ["src/beat.py"]}

    def test_of_the_same_hashes_validates_it(self, row: Insight, bob: Member, now: datetime) -> None:
        assert found(bob, now, {"src/beat.py": OLD, "./src/tasks.py": OLD}).validated == ["PLAT-1"]
        assert trust() == "validated"

    def test_of_a_move_finds_it_under_the_new_path_too(self, row: Insight, bob: Member, now: datetime) -> None:
        moved = {"src/beat.py": "src/clock/beat.py", "src/other.py": "src/elsewhere.py"}
        compare_files(repo=REPO, files={"src/beat.py": OLD}, moved=moved, by=bob, now=now)
        assert list(row.anchors.filter(kind="file").values_list("value", flat=True)) == ["src/clock/beat.py"]
        assert LogEntry.objects.get(verb="compared").after["anchors"] == ["src/clock/beat.py"]
        before = contents()
        compare_files(repo=REPO, files={"src/beat.py": OLD}, moved=moved, by=bob, now=now)
        assert changed(before) == []

    def test_of_some_of_them_tells_nothing_new(self, row: Insight, bob: Member, now: datetime) -> None:
        before = contents()
        assert found(bob, now, {"src/beat.py": OLD}) == Reported(checked=1)
        assert found(bob, now, {"src/beat.py": NEW}, "acme/other") == Reported()
        assert changed(before) == []

    def test_twice_is_once(self, row: Insight, bob: Member, now: datetime) -> None:
        found(bob, now, {"src/beat.py": NEW})
        found(bob, now, {"src/beat.py": NEW})
        assert LogEntry.objects.filter(verb="stale").count() == 1

    def test_ranks_it_lower(self, row: Insight, bob: Member, now: datetime) -> None:
        def score() -> float:
            return retrieve(ask=Ask("celery beat"), by=bob, now=now).hits[0].score.total

        before = score()
        found(bob, now, {"src/beat.py": NEW})
        assert before - score() == pytest.approx(0.1 * 0.6 * 0.25, abs=0.005)

    def test_leaves_a_contradiction_to_people(self, row: Insight, alice: Member, bob: Member, now: datetime) -> None:
        other = make_insight(alice, body=LESSONS["locks"])
        report(a=row.ref, b=other.ref, reason="so", by=alice, now=now)
        found(bob, now, {"src/beat.py": NEW})
        assert trust() == "contradicted"

    def test_touches_no_other_team(self, row: Insight, charlie: Member, platform: Team, now: datetime) -> None:
        before = contents()
        rita = member_of(user=person("rita", platform, Level.READER))
        before = contents()
        for who in (charlie, rita):
            assert found(who, now, {"src/beat.py": NEW}) == Reported()
        assert changed(before) == []


class TestValidate:
    def test_takes_over_what_was_seen(self, row: Insight, bob: Member, now: datetime) -> None:
        found(bob, now, {"src/beat.py": NEW, "src/tasks.py": ""})
        done = validate(ref="PLAT-1", by=bob, now=now, why="read again")
        assert done.trust == "validated"
        assert done.provenance == [{"path": "src/beat.py", "sha256": NEW}]
        found(bob, now, {"src/beat.py": NEW})
        assert trust() == "validated"
        assert LogEntry.objects.filter(verb="validated").count() == 1

    def test_takes_the_hashes_it_is_given(self, row: Insight, bob: Member, now: datetime) -> None:
        given = [{"path": "./src/beat.py", "sha256": NEW}, {"path": "new.py", "sha256": OLD}]
        done = validate(ref="PLAT-1", by=bob, now=now, provenance=given)
        assert {item["path"]: item["sha256"] for item in done.provenance} == {
            "src/tasks.py": OLD,
            "src/beat.py": NEW,
            "new.py": OLD,
        }

    def test_is_for_its_author_or_a_lead(
        self, row: Insight, alice: Member, platform: Team, charlie: Member, now: datetime
    ) -> None:
        with pytest.raises(NotAllowed):
            validate(ref="PLAT-1", by=member_of(user=person("dora", platform)), now=now)
        with pytest.raises(NotFound):
            validate(ref="PLAT-1", by=charlie, now=now)
        assert validate(ref="PLAT-1", by=alice, now=now).trust == "validated"

    def test_is_seen_to_be_its_authors_own_word(
        self, row: Insight, alice: Member, alice_user: User, bobs_agent: APIClient
    ) -> None:
        """A lead who reads “validated” must not take it for another's review."""
        pages = [reverse(f"knowledge:{name}", kwargs={"ref": "PLAT-1"}) for name in ("insight", "item")]
        bobs_agent.post("/api/v1/insights/PLAT-1/validate/", {"reason": "It holds."})
        lead = signed_in(alice_user)
        for page in pages:
            assert "validated by bob (agent), its author" in lead.get(page, HTTP_HX_REQUEST="true").content.decode()
        validate(ref="PLAT-1", by=alice, now=timezone.now() + timedelta(minutes=1))
        for page in pages:
            assert "validated by alice<" in lead.get(page, HTTP_HX_REQUEST="true").content.decode()

    def test_settles_no_contradiction(self, row: Insight, alice: Member, now: datetime) -> None:
        other = make_insight(alice, body=LESSONS["locks"])
        report(a=row.ref, b=other.ref, reason="so", by=alice, now=now)
        with pytest.raises(StillContradicted):
            validate(ref="PLAT-1", by=alice, now=now)


class TestTheDoors:
    def test_report_and_confirm(self, row: Insight, bobs_agent: APIClient) -> None:
        def send(digest: str) -> Any:
            files = [{"path": "src/beat.py", "sha256": digest}, {"path": "src/tasks.py", "sha256": OLD}]
            return bobs_agent.post("/api/v1/provenance/", {"repo": REPO, "files": files}).json()

        assert send(NEW) == {
            "checked": 1,
            "stale": [{"ref": "PLAT-1", "files": ["src/beat.py"]}],
            "validated": [],
            "left_for_later": 0,
        }
        listed = bobs_agent.get("/api/v1/insights/", {"stale": "true"}).json()["results"]
        assert [item["ref"] for item in listed] == ["PLAT-1"]
        body = {"reason": "read again", "provenance": [{"path": "src/beat.py", "sha256": NEW}]}
        assert bobs_agent.post("/api/v1/insights/PLAT-1/validate/", body).json()["trust"] == "validated"
        assert send(NEW)["validated"] == ["PLAT-1"]

    def test_refuse_a_token_that_may_not_write(self, row: Insight, bob: Member) -> None:
        files = [{"path": "src/beat.py", "sha256": NEW}]
        answer = agent(bob, scopes=["read"]).post("/api/v1/provenance/", {"repo": REPO, "files": files})
        assert answer.status_code == 403
