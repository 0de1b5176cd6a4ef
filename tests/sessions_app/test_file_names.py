"""Files suggested to who writes an insight: of the code index and of other insights, never of another team."""

from datetime import datetime

from accounts.models import User
from accounts.rules.rights import Member
from sessions_app.actions.index import file_names, index_code
from tests.factories import make_insight
from tests.pages import signed_in

FILES: dict[str, list[str]] = {"web/views.py": [], "web/review/views_of_pairs.py": [], "web/models.py": []}


def upload(by: Member, now: datetime) -> None:
    index_code(repo="acme/web", commit="c1", files=FILES, team="platform", by=by, now=now)


class TestFileNames:
    def test_are_those_of_the_index_and_of_other_insights(self, alice: Member, bob: Member, now: datetime) -> None:
        upload(bob, now)
        make_insight(bob, repo="acme/web", files=["ops/overview.md"])
        assert file_names(typed="view", by=alice) == ["web/views.py", "web/review/views_of_pairs.py", "ops/overview.md"]
        assert file_names(typed="WEB/mod", repo="Acme/Web", by=alice) == ["web/models.py"]
        assert file_names(typed="view", repo="acme/api", by=alice) == []
        assert file_names(typed=" v ", by=alice) == []

    def test_of_another_team_are_not_suggested(self, bob: Member, charlie: Member, now: datetime) -> None:
        upload(bob, now)
        make_insight(bob, repo="acme/web", files=["ops/overview.md"])
        assert file_names(typed="view", by=charlie) == file_names(typed="view", repo="acme/web", by=charlie) == []

    def test_are_answered_to_the_page(self, alice_user: User, charlie_user: User, bob: Member, now: datetime) -> None:
        upload(bob, now)
        sent = {"q": "models", "repo": "acme/web"}
        assert signed_in(alice_user).get("/files/", sent).json() == {"files": ["web/models.py"]}
        assert signed_in(charlie_user).get("/files/", sent).json() == {"files": []}
        assert 'data-files-url="/files/"' in signed_in(alice_user).get("/insights/new/").content.decode()
