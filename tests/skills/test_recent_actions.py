"""What is done to skills on their pages, among one's recent actions, and taking it back from there."""

import pytest
from django.test import Client

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.models import UndoableAction
from skills.models import Skill
from tests.conftest import NOW
from tests.factories import make_skill
from tests.pages import signed_in

HOME = "/skills/platform/release/"


@pytest.fixture
def page(alice_user: User) -> Client:
    return signed_in(alice_user)


def skill() -> Skill:
    return Skill.objects.all().whole().get(name="release")


def undo(page: Client) -> str:
    return page.post("/inbox/undo/", {"back": HOME}, follow=True).content.decode()


class TestPublishing:
    def test_is_listed_and_taken_back(self, page: Client, alice: Member) -> None:
        row = make_skill(alice, live=False)
        shown = page.post(f"{HOME}publish/", {"revision": row.revision}, follow=True).content.decode()
        assert "release published." in shown
        assert "data-undo-form" in shown
        assert "release published" in page.get("/actions/").content.decode()
        assert "Undone: release." in undo(page)
        row = skill()
        assert (row.status, row.live, row.ahead.number) == ("draft", None, 1)
        assert row.ahead.published_at is None

    def test_of_changes_puts_the_version_before_back(self, page: Client, alice: Member) -> None:
        row = make_skill(alice)
        page.post(f"{HOME}edit/", typed(row, instructions="Tag it twice."))
        page.post(f"{HOME}publish/", {})
        assert skill().live.number == 2
        undo(page)
        row = skill()
        assert (row.live.number, row.ahead.number, row.status) == (1, 2, "published")

    def test_is_not_taken_back_over_what_came_after(self, page: Client, alice: Member, bob: Member) -> None:
        make_skill(alice, live=False)
        page.post(f"{HOME}publish/", {})
        first = UndoableAction.objects.get().pk
        page.post(f"{HOME}edit/", typed(skill(), instructions="Tag it twice."))
        listed = page.get("/actions/").content.decode()
        assert "No undo: undo your later action on release first" in listed
        shown = page.post("/inbox/undo/", {"action": first, "back": HOME}, follow=True)
        assert "was changed since" in shown.content.decode()
        assert skill().status == "published"


class TestRetiring:
    def test_is_taken_back(self, page: Client, alice: Member) -> None:
        make_skill(alice)
        page.post(f"{HOME}retire/", {"confirmed": "yes"})
        assert skill().status == "retired"
        undo(page)
        assert skill().status == "published"


class TestAfterAnUndo:
    def test_the_acts_before_are_taken_back_one_by_one(self, page: Client, alice: Member) -> None:
        make_skill(alice, live=False)
        page.post(f"{HOME}publish/", {})
        page.post(f"{HOME}retire/", {"confirmed": "yes"})
        shown = undo(page)
        assert "Undone: release. Before that: release published." in shown
        assert "data-undo-form" in shown
        assert skill().status == "published"
        assert "Undone: release." in undo(page)
        row = skill()
        assert (row.status, row.live, row.ahead.number) == ("draft", None, 1)

    def test_the_edits_before_are_taken_back_one_by_one(self, page: Client, alice: Member) -> None:
        row = make_skill(alice)
        was = row.latest.instructions
        for text in ("Tag it twice.", "Tag it three times."):
            page.post(f"{HOME}edit/", typed(skill(), instructions=text))
        undo(page)
        assert skill().latest.instructions == "Tag it twice."
        undo(page)
        assert (skill().ahead, skill().live.instructions) == (None, was)


class TestEditing:
    def test_that_begins_a_draft_is_taken_back_by_setting_it_aside(self, page: Client, alice: Member) -> None:
        row = make_skill(alice)
        page.post(f"{HOME}edit/", typed(row, instructions="Tag it twice."))
        undo(page)
        assert skill().ahead is None
        assert skill().versions.count() == 2

    def test_of_a_draft_puts_its_text_back(self, page: Client, alice: Member) -> None:
        row = make_skill(alice, live=False)
        was = row.latest.instructions
        page.post(f"{HOME}edit/", typed(row, instructions="Tag it twice.", tags="tagging"))
        assert skill().latest.instructions == "Tag it twice."
        undo(page)
        row = skill()
        assert row.latest.instructions == was
        assert "tagging" not in row.latest.called_by.tags

    def test_that_changes_nothing_is_not_listed(self, page: Client, alice: Member) -> None:
        row = make_skill(alice)
        page.post(f"{HOME}edit/", typed(row))
        assert not UndoableAction.objects.exists()


class TestRestoring:
    def test_is_taken_back(self, page: Client, alice: Member) -> None:
        row = make_skill(alice)
        page.post(f"{HOME}edit/", typed(row, instructions="Tag it twice."))
        page.post(f"{HOME}publish/", {})
        page.post(f"{HOME}versions/1/restore/", {"why": "The old one was right."})
        assert skill().ahead.number == 3
        undo(page)
        assert (skill().ahead, skill().live.number) == (None, 2)


class TestOwning:
    def test_is_taken_back(self, page: Client, alice: Member, bob: Member) -> None:
        make_skill(alice)
        page.post(f"{HOME}owner/", {"owner": "bob"})
        assert skill().owner.username == "bob"
        undo(page)
        assert skill().owner is None


class TestWhatCannotBeUndone:
    def test_is_listed_without_a_button_and_left_out_by_the_key(self, page: Client, alice: Member) -> None:
        made = {"team": "platform", "name": "new-one", "description": "How to. Use it when.", "instructions": "Do."}
        page.post("/skills/new/", made)
        shown = page.get("/actions/").content.decode()
        assert "new-one created" in shown
        assert "Undo" not in shown.split('id="recent-actions"')[1]
        pk = UndoableAction.objects.get().pk
        assert page.post("/inbox/undo/", {"action": pk}).status_code == 409
        assert page.post("/inbox/undo/", {}).status_code == 404


def test_no_stranger_takes_it_back(page: Client, alice: Member, charlie_user: User) -> None:
    row = make_skill(alice)
    UndoableAction.objects.create(
        user=charlie_user, at=NOW, line="x", steps=[["skill state", row.pk, row.revision, row.state()]]
    )
    shown = signed_in(charlie_user).post("/inbox/undo/", {}, follow=True)
    assert shown.status_code in (200, 404)
    assert skill().revision == row.revision


def typed(row: Skill, **over: str) -> dict[str, object]:
    """What the form of a skill sends."""
    sheet = row.latest.sheet
    fields = {
        "name": sheet.name,
        "description": sheet.description,
        "instructions": sheet.instructions,
        "tags": ", ".join(sheet.triggers.tags),
        "globs": "\n".join(sheet.triggers.files),
        "error_words": "\n".join(sheet.triggers.errors),
    }
    return {"revision": row.revision, **{f"initial-{name}": value for name, value in fields.items()}, **fields, **over}
