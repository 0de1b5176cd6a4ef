"""What leaves Loam with hostile words in it: JSON that is no page, archives that land where they say, Markdown whose
frame holds.
"""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from accounts.actions.members import member_of
from accounts.models import User
from accounts.rules.rights import Level, Member
from knowledge.models import Insight
from sessions_app.vault.actions.vault import export
from tests.browser.furnished import every_page, furnish
from tests.conftest import agent, make_platform, person
from tests.hostile import ALIVE, UNSEEN, many_tags, spoil
from tests.pages import Faults, signed_in

Scene = tuple[User, Insight]


@pytest.fixture(scope="module")
def scene(module_db: None) -> Scene:
    """Alice, and what she and Bob have, with hostile words in all of it; for the whole module."""
    platform = make_platform()
    alice_user, bob_user = person("alice", platform, Level.LEAD), person("bob", platform)
    row = furnish(member_of(user=alice_user), member_of(user=bob_user))
    many_tags(row)
    spoil()
    row.refresh_from_db()
    return alice_user, row


@pytest.fixture
def alice_user(scene: Scene, db: None) -> User:
    return scene[0]


@pytest.fixture
def spoilt(scene: Scene, db: None) -> Insight:
    return scene[1]


JSON = ("insights/", "insights/{ref}/", "skills/", "sessions/", "topics/", "preferences/", "contradictions/")


class TestJson:
    def test_is_never_taken_for_a_page(self, alice: Member, spoilt: Insight) -> None:
        client = agent(alice)
        for path in JSON:
            answer = client.get(f"/api/v1/{path.format(ref=spoilt.ref)}")
            assert (answer.status_code, answer["Content-Type"]) == (200, "application/json"), path
            assert answer["X-Content-Type-Options"] == "nosniff", path


class TestAnArchive:
    def test_of_a_skill_is_a_download_of_files_that_stay_where_they_are(
        self, alice_user: User, spoilt: Insight
    ) -> None:
        answer = signed_in(alice_user).get("/skills/platform/release/export/")
        assert answer["Content-Disposition"] == 'attachment; filename="release.zip"'
        assert answer["X-Content-Type-Options"] == "nosniff"
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert all(name.startswith("release/") and ".." not in name for name in archive.namelist())


class TestAVault:
    def test_has_files_of_plain_names(self, tmp_path: Path, spoilt: Insight) -> None:
        export(shared=tmp_path / "vault")
        pages = list((tmp_path / "vault").rglob("*.md"))
        assert pages
        for page in pages:
            assert len(page.name) < 200
            assert not set(page.name) & set('<>"|*?\\' + UNSEEN), page.name


class TestPages:
    def test_bear_it_without_a_browser(self, alice_user: User, spoilt: Insight) -> None:
        client, found = signed_in(alice_user), []
        for path in every_page(spoilt.ref):
            page = client.get(path).content.decode()
            found += [(path, fault) for fault in Faults(page).found]
            found += [(path, words) for words in ALIVE if words in page]
            found += [(path, f"{len(page)} characters")] if len(page) > 1_000_000 else []
        assert found == []


OURS = {"accounts", "knowledge", "skills", "sessions_app"}


class TestTheAdmin:
    def test_writes_it_as_words(self, root: Member, spoilt: Insight) -> None:
        client = signed_in(User.objects.get(username="root"))
        ours = [model._meta for model in admin.site._registry if model.__module__.split(".")[0] in OURS]
        for meta in ours:
            page = text(client, reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist"))
            assert not [alive for alive in ALIVE if alive in page], meta.label
        page = text(client, f"/admin/knowledge/insight/{spoilt.pk}/change/")
        assert not [alive for alive in ALIVE if alive in page]
        assert page.count("anchors-") < 2_000


def text(client: Client, path: str) -> str:
    answer: Any = client.get(path)
    assert answer.status_code == 200, path
    return str(answer.content.decode())
