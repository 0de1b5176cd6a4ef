"""A vault carries conversations if it is told to, in a folder of their own, and brings them back."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts.actions.members import member_of
from accounts.models import User
from accounts.rules.rights import SYSTEM, Member
from sessions_app.conversations.actions.share import share, sharing_of
from sessions_app.conversations.actions.upkeep import embed_passages
from sessions_app.models import Passage
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.vault.actions.vault import export, import_vault
from tests.conftest import NOW
from tests.sessions_app.conversations.talk import talk
from tests.sessions_app.vaults import lose_everything, tree

pytestmark = pytest.mark.django_db


@pytest.fixture
def spoken(alice: Member, bob: Member) -> None:
    """Bob shares what his agent says of the shop; the rest, and all of Alice's, is their own."""
    share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
    talk(bob)
    talk(bob, repo="diary", team="personal")
    talk(alice)


def rows() -> list[Any]:
    fields = ("user__username", "team__slug", "session__team__slug", "repo", "speaker", "position", "text", "files")
    more = ("said_at", "first_turn", "last_turn", "lexemes", "length")
    return list(Passage.objects.order_by("session__started_at", "session_id", "position").values_list(*fields, *more))


class TestExport:
    def test_leaves_them_out_unless_told(self, tmp_path: Path, spoken: None) -> None:
        export(shared=tmp_path / "a", personal=tmp_path / "mine")
        everything = b"".join([*tree(tmp_path / "a").values(), *tree(tmp_path / "mine").values()])
        assert b"Keep the limit" not in everything
        assert not list(tmp_path.glob("*/*/conversations"))

    def test_writes_what_is_shared_for_the_team_and_the_rest_apart(self, tmp_path: Path, spoken: None) -> None:
        export(shared=tmp_path / "a", personal=tmp_path / "mine", conversations=True)
        shared = b"".join(tree(tmp_path / "a").values())
        assert b"Strip the BOM in the reader." in shared
        assert b"Keep the limit" not in shared
        assert b"Keep the limit" in b"".join(tree(tmp_path / "mine").values())

    def test_comes_back_as_it_was(self, tmp_path: Path, spoken: None) -> None:
        before = rows()
        export(shared=tmp_path / "a", personal=tmp_path / "mine", conversations=True)
        lose_everything()
        assert not Passage.objects.exists()
        later = NOW + timedelta(days=1)
        done = import_vault(shared=tmp_path / "a", personal=tmp_path / "mine", by=SYSTEM, now=later)
        assert (done.conversations, rows()) == (3, before)
        bob = member_of(user=User.objects.get(username="bob"))
        assert [(one.row.repo, one.row.team.slug, one.passages) for one in sharing_of(by=bob)] == [
            ("shop", "platform", 2)
        ]
        assert embed_passages().counts == {"embedded": 12}
        export(shared=tmp_path / "b", personal=tmp_path / "mine again", conversations=True)
        assert tree(tmp_path / "b") == tree(tmp_path / "a")
        assert tree(tmp_path / "mine again") == tree(tmp_path / "mine")

    def test_is_an_option_of_the_command(self, tmp_path: Path, spoken: None) -> None:
        call_command("vault", "export", str(tmp_path / "a"), "--conversations")
        assert list(tmp_path.glob("a/platform/conversations/S-*.md"))
        call_command("vault", "export", str(tmp_path / "a"))
        assert not list(tmp_path.glob("a/platform/conversations/S-*.md"))
