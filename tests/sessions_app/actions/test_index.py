"""The import graph of a repo."""

from datetime import datetime
from typing import Any

import pytest

from accounts.actions.members import member_of
from accounts.models import LogEntry, Team
from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Level, Member
from sessions_app.actions import index
from sessions_app.actions.index import Indexed, TooManyFiles, index_code
from sessions_app.models import CodeFile, CodeIndex
from tests.conftest import person

GRAPH = {"web/views.py": ["web.models", "django.http"], "web/models.py": [], "web/admin.py": ["./models"]}


def upload(by: Member, now: datetime, **over: Any) -> Indexed:
    return index_code(
        **{"repo": "acme/web", "commit": "c1", "files": GRAPH, "team": "platform", **over}, by=by, now=now
    )


def edges() -> dict[str, list[str]]:
    return dict(CodeFile.objects.values_list("path", "imports"))


class TestAnIndex:
    def test_tells_files_from_libraries(self, bob: Member, now: datetime) -> None:
        done = upload(bob, now)
        assert (done.files, done.edges) == (3, 2)
        assert edges()["web/views.py"] == ["web/models.py"]
        assert LogEntry.objects.get(verb="code indexed").line == "Code index of acme/web: 3 files, 2 imports"

    def test_comes_in_parts_of_one_commit(self, bob: Member, now: datetime) -> None:
        for path, imports in GRAPH.items():
            done = upload(bob, now, files={path: imports})
        assert (done.files, done.edges) == (3, 2)

    def test_of_another_commit_takes_its_place(self, bob: Member, now: datetime) -> None:
        upload(bob, now)
        assert upload(bob, now, commit="c2", files={"web/urls.py": ["web.views"]}).files == 1
        assert edges() == {"web/urls.py": []}
        assert CodeIndex.objects.get().commit == "c2"

    def test_writes_only_what_differs(self, bob: Member, now: datetime) -> None:
        """A repo is sent in parts, and again with each commit: rows that stay as they are stay the rows they were."""
        upload(bob, now)
        before = dict(CodeFile.objects.values_list("path", "pk"))
        upload(bob, now, commit="c2", files={**GRAPH, "web/models.py": ["./admin"], "web/urls.py": []})
        after = dict(CodeFile.objects.values_list("path", "pk"))
        assert {path for path in before if before[path] == after[path]} == {"web/views.py", "web/admin.py"}
        assert edges()["web/models.py"] == ["web/admin.py"]
        assert len(after) == 4

    def test_is_one_for_each_team(self, bob: Member, charlie: Member, now: datetime) -> None:
        upload(bob, now)
        upload(charlie, now, team="mobile")
        assert CodeIndex.objects.count() == 2

    def test_takes_a_contributor(self, platform: Team, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            upload(member_of(user=person("rita", platform, Level.READER)), now)

    def test_is_not_larger_than_memory(self, bob: Member, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(index, "MOST_FILES", 2)
        with pytest.raises(TooManyFiles):
            upload(bob, now)
        assert not CodeIndex.objects.exists()
