"""The pages of skills."""

import io
import zipfile
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from skills.actions import author
from skills.models import Skill
from skills.rules.sheet import Triggers
from tests.conftest import NOW
from tests.factories import make_skill
from tests.pages import HTMX, Faults, signed_in

FORM = {
    "team": "platform",
    "name": "release",
    "description": "How to release. Use when tagging.",
    "instructions": "1. Freeze.\r\n2. Tag.",
    "tags": "release, ci",
    "globs": "importer/**",
    "error_words": "",
}
HOSTILE = '<script>alert(1)</script>"><svg onload=x>\u202e'
RELEASE = "/skills/platform/release/"


def text(response: Any) -> str:
    return unescape(response.content.decode())


class TestList:
    def test_shows_skills_of_ones_teams_with_their_uses(self, alice_user: User, alice: Member, charlie: Member) -> None:
        make_skill(alice)
        make_skill(charlie, team="mobile", name="ship-the-app")
        page = text(signed_in(alice_user).get("/skills/"))
        assert "release" in page
        assert "0 times" in page
        assert "ship-the-app" not in page

    def test_marks_a_proposal_for_a_lead_to_publish_or_decline(
        self, alice_user: User, bob_user: User, bob: Member
    ) -> None:
        make_skill(bob, live=False)
        client = signed_in(alice_user)
        for page in (client.get("/skills/"), client.get(RELEASE)):
            assert "proposed by bob" in text(page)
        assert "Decline" in text(client.get(RELEASE))
        assert "Decline" not in text(signed_in(bob_user).get(RELEASE))
        sent = {"revision": Skill.objects.get().revision}
        assert "Decline the skill release?" in text(client.post(f"{RELEASE}retire/", sent))
        assert Skill.objects.get().status != "retired"
        client.post(f"{RELEASE}retire/", {**sent, "confirmed": "1"})
        assert "proposed by bob" not in text(client.get("/skills/"))
        assert Skill.objects.get().status == "retired"

    def test_says_what_fills_it_when_empty(self, alice_user: User) -> None:
        assert "New skill" in text(signed_in(alice_user).get("/skills/"))

    def test_narrows(self, alice_user: User, alice: Member) -> None:
        make_skill(alice)
        client = signed_in(alice_user)
        assert "No results" in text(client.get("/skills/?status=retired"))
        assert RELEASE in text(client.get("/skills/?q=release"))

    def test_asks_a_bounded_number_of_questions(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        for n in range(12):
            make_skill(alice, name=f"skill-{n}")
        client = signed_in(alice_user)
        with django_assert_max_num_queries(11):
            client.get("/skills/")


class TestPage:
    def test_shows_what_publishing_would_change(self, alice_user: User, alice: Member) -> None:
        make_skill(alice)
        author.edit(
            name="release", team="platform", changes={"instructions": "Tag first."}, revision=None, by=alice, now=NOW
        )
        page = text(signed_in(alice_user).get(RELEASE))
        assert "Unpublished changes" in page
        assert '<ins class="diff-line">Tag first.</ins>' in page

    def test_publishes_and_retires(self, alice_user: User, alice: Member) -> None:
        make_skill(alice, live=False)
        client = signed_in(alice_user)
        assert "release published" in text(client.post(f"{RELEASE}publish/", {"why": "tried it"}, follow=True))
        assert Skill.objects.get().status == "published"
        asked = text(client.post(f"{RELEASE}retire/", {"why": "Too old."}))
        assert "Retire the skill release?" in asked and 'value="Too old."' in asked
        assert Skill.objects.get().status == "published"
        told = text(client.post(f"{RELEASE}retire/", {"why": "Too old.", "confirmed": "1"}, follow=True))
        assert "release retired" in told
        assert Skill.objects.get().status == "retired"
        assert "live version" not in told and "agents get this version" not in told
        assert ">live<" not in told and "last published version 1" in told

    def test_offers_a_contributor_no_act_and_refuses_it(self, bob_user: User, alice: Member) -> None:
        make_skill(alice)
        client = signed_in(bob_user)
        assert "Retire" not in text(client.get(RELEASE))
        assert client.post(f"{RELEASE}retire/").status_code == 403
        assert client.get(f"{RELEASE}edit/").status_code == 403
        assert client.post("/skills/new/", FORM).status_code in (200, 403)
        assert Skill.objects.get().status == "published"

    def test_does_not_exist_for_a_stranger(self, charlie_user: User, alice: Member) -> None:
        make_skill(alice)
        client = signed_in(charlie_user)
        for path in ("", "edit/", "export/"):
            assert client.get(f"{RELEASE}{path}").status_code == 404
        for verb in ("publish", "retire"):
            assert client.post(f"{RELEASE}{verb}/").status_code == 404

    def test_shows_hostile_words_as_words(self, alice_user: User, alice: Member) -> None:
        make_skill(
            alice,
            description=HOSTILE,
            instructions=f"# {HOSTILE}\n\n[x](javascript:alert(1)) ![y](https://evil.example/z.png)",
            triggers=Triggers.made(tags=["<b>x"], errors=[HOSTILE]),
        )
        for path in ("/skills/", RELEASE, f"{RELEASE}edit/"):
            page = signed_in(alice_user).get(path).content.decode()
            assert Faults(page).found == [], path
            assert "<script>alert" not in page, path
            assert "<svg onload" not in page, path
            assert "<img" not in page, path

    def test_asks_a_bounded_number_of_questions(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        make_skill(alice)
        for n in range(8):
            change = {"instructions": f"Version {n}"}
            author.edit(name="release", team="platform", changes=change, revision=None, by=alice, now=NOW)
            author.publish(name="release", by=alice, now=NOW)
        client = signed_in(alice_user)
        with django_assert_max_num_queries(12):
            client.get(RELEASE)

    def test_gives_a_zip(self, alice_user: User, alice: Member) -> None:
        make_skill(alice)
        answer = signed_in(alice_user).get(f"{RELEASE}export/")
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert archive.namelist() == ["release/SKILL.md"]


class TestEditor:
    def test_writes_a_draft(self, alice_user: User) -> None:
        page = text(signed_in(alice_user).post("/skills/new/", FORM, follow=True))
        assert "Agents get it when you publish it" in page
        skill = Skill.objects.get()
        assert skill.latest.instructions == "1. Freeze.\n2. Tag."
        assert skill.latest.called_by.tags == ("release", "ci")
        assert skill.status == "draft"

    def test_keeps_the_typing_when_it_is_at_fault(self, alice_user: User) -> None:
        form = {**FORM, "name": "Not A Name", "tags": "x" * 61}
        page = text(signed_in(alice_user).post("/skills/new/", form))
        assert "Lower-case letters" in page
        assert "longer than 60" in page
        assert "1. Freeze." in page
        assert not Skill.objects.exists()

    def test_tells_who_comes_second_and_loses_nothing(self, alice_user: User, alice: Member) -> None:
        skill = make_skill(alice)
        hers = {"instructions": "Hers."}
        author.edit(name="release", team="platform", changes=hers, revision=None, by=alice, now=NOW)
        client = signed_in(alice_user)
        form = {**FORM, "instructions": "Mine.", "revision": skill.revision}
        page = text(client.post(f"{RELEASE}edit/", form))
        assert "alice changed it while you were editing" in page
        assert '<del class="diff-line">Hers.</del>' in page
        assert '<ins class="diff-line">Mine.</ins>' in page
        skill.refresh_from_db()
        assert skill.latest.instructions == "Hers."
        assert f'name="revision" value="{skill.revision}"' in page
        client.post(f"{RELEASE}edit/", {**form, "revision": skill.revision})
        skill.refresh_from_db()
        assert skill.latest.instructions == "Mine."

    def test_previews_without_storing(self, alice_user: User) -> None:
        client = signed_in(alice_user)
        form = {**FORM, "instructions": "**bold** <script>", "act": "preview"}
        part = client.post("/skills/new/", form, **HTMX).content.decode()
        assert "<strong>bold</strong> &lt;script&gt;" in part
        assert "<html" not in part
        whole = client.post("/skills/new/", form).content.decode()
        assert "<strong>bold</strong>" in whole
        assert "<form" in whole
        assert not Skill.objects.exists()

    def test_tries_its_triggers_on_ones_own_questions(
        self, alice_user: User, alice: Member, bob: Member, bob_user: User
    ) -> None:
        retrieve(ask=Ask("how do we tag a release of the importer"), by=alice, now=NOW)
        retrieve(ask=Ask("tagging a release, in bobs words"), by=bob, now=NOW)
        retrieve(ask=Ask("which wine goes with fish"), by=alice, now=NOW - timedelta(days=1))
        form = {**FORM, "description": "How to tag a release of the importer.", "act": "try", "question": "tag it"}
        part = text(signed_in(alice_user).post("/skills/new/", form, **HTMX))
        assert "1 of your last 2 different questions" in part
        assert part.index("how do we tag a release") < part.index("which wine")
        assert "test question" in part
        assert "in bobs words" not in part

    def test_tries_without_an_embedder(self, alice_user: User, alice: Member, embedder_down: str) -> None:
        part = text(signed_in(alice_user).post("/skills/new/", {**FORM, "act": "try"}, **HTMX))
        assert embedder_down in part


class TestImport:
    def test_says_what_became_of_each(self, alice_user: User, alice: Member) -> None:
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            archive.writestr("good/SKILL.md", "---\nname: good\ndescription: What is good.\n---\nBe good.\n")
            archive.writestr("bad/SKILL.md", "no front matter")
        file = SimpleUploadedFile("skills.zip", data.getvalue(), "application/zip")
        page = text(signed_in(alice_user).post("/skills/import/", {"file": file, "team": "platform"}))
        assert "created" in page
        assert "refused" in page
        assert [skill.name for skill in Skill.objects.all()] == ["good"]

    @pytest.mark.parametrize("content", [b"no zip", b"PK\x03\x04broken"])
    def test_refuses_what_is_no_archive_beside_the_field(self, content: bytes, alice_user: User) -> None:
        file = SimpleUploadedFile("skills.zip", content, "application/zip")
        page = text(signed_in(alice_user).post("/skills/import/", {"file": file, "team": "platform"}))
        assert "not a readable zip archive" in page

    def test_is_for_leads(self, bob_user: User) -> None:
        file = SimpleUploadedFile("skills.zip", b"PK", "application/zip")
        page = text(signed_in(bob_user).post("/skills/import/", {"file": file, "team": "platform"}))
        assert "not one of the available choices" in page
