from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from accounts.actions.members import member_of
from accounts.models import LogEntry, Team, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member
from knowledge.evidence.actions import sources
from knowledge.evidence.actions.sources import BadSource, change, check, register
from knowledge.evidence.models import Source
from tests.factories import as_agent


class TestRegister:
    def test_makes_a_folder_searchable_and_looks_at_it(self, books: Source) -> None:
        assert books.health == {"state": "ok", "files": 5, "bytes": books.health["bytes"], "skipped": {}, "why": ""}
        assert LogEntry.objects.filter(subject="source:books", verb="registered").count() == 1

    def test_is_a_superusers_act_and_no_agents(
        self, files: Path, platform: Team, alice: Member, root: Member, now: datetime
    ) -> None:
        for by in (alice, as_agent(root)):
            with pytest.raises(NotAllowed):
                register(slug="books", team_slug="platform", path="books", by=by, now=now)
        assert not Source.objects.exists()

    @pytest.mark.parametrize(
        ("over", "field"),
        [
            ({"path": "../books"}, "path"),
            ({"path": "/etc"}, "path"),
            ({"team_slug": "nowhere"}, "team"),
            ({"include": ["x" * 500]}, "include"),
            ({"exclude": ["a"] * 51}, "exclude"),
            ({"largest_file": 0}, "largest_file"),
            ({"largest_file": 10**12}, "largest_file"),
        ],
    )
    def test_names_the_field_at_fault(
        self, files: Path, platform: Team, root: Member, now: datetime, over: dict[str, Any], field: str
    ) -> None:
        with pytest.raises(BadSource) as refused:
            register(**{"slug": "s", "team_slug": "platform", "path": "books", "by": root, "now": now, **over})
        assert list(refused.value.errors) == [field]

    def test_refuses_a_name_twice_and_a_personal_team(self, books: Source, root: Member, now: datetime) -> None:
        with pytest.raises(BadSource):
            register(slug="books", team_slug="platform", path="books", by=root, now=now)
        personal = Team.objects.get(owner_id=root.user_id).slug
        with pytest.raises(BadSource):
            register(slug="mine", team_slug=personal, path="books", by=root, now=now)


class TestChange:
    def test_keeps_before_and_after_in_the_log(self, books: Source, root: Member, now: datetime) -> None:
        change(slug="books", changes={"exclude": ["git/**"]}, by=root, now=now)
        assert check(slug="books", now=now).health["files"] == 3
        line = LogEntry.objects.get(subject="source:books", verb="changed")
        assert (line.before, line.after) == ({"exclude": []}, {"exclude": ["git/**"]})

    def test_is_for_nobody_else(self, books: Source, alice: Member, root: Member, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            change(slug="books", changes={"active": False}, by=alice, now=now)
        with pytest.raises(NotFound):
            change(slug="none", changes={}, by=root, now=now)


class TestHealth:
    def test_says_what_is_wrong_in_words(self, books: Source, files: Path, now: datetime) -> None:
        files.rename(files.with_name("moved"))
        assert check(slug="books", now=now).health["why"] == "Its folder is missing."
        files.mkdir()
        assert check(slug="books", now=now).health["state"] == "empty"
        assert sources.check_all(now=now).counts == {"unwell": 1}

    def test_of_a_folder_that_became_a_link_is_gone(self, books: Source, files: Path, now: datetime) -> None:
        files.rename(files.with_name("moved"))
        files.symlink_to(files.parents[1])
        assert check(slug="books", now=now).health == {
            "state": "gone", "files": 0, "bytes": 0, "skipped": {}, "why": "Its folder is not a folder, or a link.",
        }  # fmt: skip


class TestAdmin:
    def test_registers_through_the_action(self, files: Path, platform: Team, root: Member, client: Any) -> None:
        client.force_login(User.objects.get(pk=root.user_id))
        page = "/admin/evidence/source/add/"
        fields = {
            "slug": "books", "team": platform.pk, "name": "Books", "path": "books", "include": "", "exclude": "",
            "largest_file": 1_000_000, "most_files": 100, "active": "on",
        }  # fmt: skip
        assert client.get(page).status_code == 200
        answer = client.post(page, fields)
        assert answer.status_code == 302, answer.content.decode()[:2000]
        assert Source.objects.get().health["files"] == 5
        bad = client.post(page, {**fields, "slug": "other", "path": "../x"})
        assert "may not go up" in bad.content.decode()

    def test_shows_clusters_and_searches(self, books: Source, root: Member, client: Any) -> None:
        client.force_login(User.objects.get(pk=root.user_id))
        for name in ("source", "knowledgecluster", "search", "modelcall", "document"):
            assert client.get(f"/admin/evidence/{name}/").status_code == 200


def test_a_superuser_sees_sources_of_their_teams_alone(books: Source, root: Member) -> None:
    member = member_of(user=User.objects.get(pk=root.user_id))
    assert set(Source.objects.visible_to(member)) == ({books} if member.access(books.team_id) else set())
