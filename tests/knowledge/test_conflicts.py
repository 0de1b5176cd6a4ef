"""Edits in the vault that could not be taken in: how they wait for a lead, and what a lead does with them."""

from datetime import datetime
from typing import Any

import pytest

from accounts.models import LogEntry, User
from accounts.rules.refused import NotFound, Stale
from accounts.rules.rights import Member
from knowledge.models import Conflict, Insight
from knowledge.review.actions import curate, vault_conflicts
from knowledge.review.actions.clear_author import clear_author
from knowledge.review.actions.forget import erase, forget
from knowledge.review.actions.quarantine import scan
from tests.factories import make_conflict, make_insight
from tests.knowledge.test_inbox import EVIL, text, undo_of
from tests.pages import HTMX, Faults, signed_in

QUEUE = "/?tab=vault"
SECRET = "AKIA" + "IOSFODNN7ABCDEFG"


@pytest.fixture
def row(alice: Member) -> Insight:
    return make_insight(alice, body="Warm the cache by hand.", title="Cache", tags=["cache"], team="platform")


@pytest.fixture
def conflict(row: Insight, bob: Member) -> Conflict:
    return make_conflict(row, bob, body="The cache warms itself.", tags=["cache", "redis"])


def now_of(row: Insight) -> Insight:
    return Insight.objects.whole().get(pk=row.pk)


class TestAConflict:
    def test_waits_once_however_often_it_is_found(self, row: Insight, conflict: Conflict, bob: Member) -> None:
        again = make_conflict(row, bob, body="The cache warms itself.", tags=["cache", "redis"])
        assert again.pk == conflict.pk
        assert LogEntry.objects.filter(subject=row.ref, verb="conflict").count() == 1

    def test_keeps_no_secret_of_the_file(self, row: Insight, bob: Member) -> None:
        kept = make_conflict(row, bob, body=f"Use {SECRET}.", tags=[SECRET])
        assert SECRET not in str((kept.theirs, kept.reason))

    def test_is_masked_by_a_later_scan(self, row: Insight, conflict: Conflict, now: datetime) -> None:
        Conflict.objects.update(theirs={"body": f"Use {SECRET}.", "tags": [SECRET]})
        scan(now=now)
        assert SECRET not in str(Conflict.objects.get().theirs)

    def test_names_nobody_who_was_forgotten(
        self, conflict: Conflict, bob_user: User, alice: Member, now: datetime
    ) -> None:
        clear_author(user=bob_user, sessions={})
        assert Conflict.objects.get().raised_by is None

    def test_goes_for_good_with_its_insight(
        self, row: Insight, conflict: Conflict, alice: Member, root: Member, now: datetime
    ) -> None:
        forget(ref=row.ref, why="private", by=alice, now=now)
        with pytest.raises(NotFound):
            vault_conflicts.one(conflict_id=conflict.pk, by=alice)
        erase(ref=row.ref, by=root, now=now)
        assert not Conflict.objects.exists()


class TestTaking:
    def test_edits_the_insight_and_can_be_undone(
        self, row: Insight, conflict: Conflict, alice: Member, now: datetime
    ) -> None:
        vault_conflicts.take(conflict_id=conflict.pk, revision=row.revision, by=alice, now=now)
        taken = now_of(row)
        assert (taken.body, taken.tags, taken.title) == ("The cache warms itself.", ["cache", "redis"], "Cache")
        assert list(LogEntry.objects.filter(subject=row.ref).order_by("pk").values_list("verb", flat=True))[-2:] == [
            "edited",
            "taken",
        ]
        vault_conflicts.reopen(conflict_id=conflict.pk, by=alice, now=now)
        back = now_of(row)
        assert (back.body, back.tags) == ("Warm the cache by hand.", ["cache"])
        assert Conflict.objects.get().state == Conflict.State.OPEN

    def test_takes_nothing_over_what_was_changed_since(
        self, row: Insight, conflict: Conflict, alice: Member, now: datetime
    ) -> None:
        curate.edit(ref=row.ref, changes={"title": "Caches"}, revision=row.revision, by=alice, now=now)
        with pytest.raises(Stale):
            vault_conflicts.take(conflict_id=conflict.pk, revision=row.revision, by=alice, now=now)
        assert Conflict.objects.get().state == Conflict.State.OPEN

    def test_is_not_undone_over_a_later_edit(
        self, row: Insight, conflict: Conflict, alice: Member, now: datetime
    ) -> None:
        vault_conflicts.take(conflict_id=conflict.pk, revision=row.revision, by=alice, now=now)
        curate.edit(ref=row.ref, changes={"title": "Caches"}, revision=now_of(row).revision, by=alice, now=now)
        with pytest.raises(Stale):
            vault_conflicts.reopen(conflict_id=conflict.pk, by=alice, now=now)
        assert now_of(row).body == "The cache warms itself."


class TestTheQueue:
    def test_shows_both_sides_and_why(self, conflict: Conflict, row: Insight, alice_user: User) -> None:
        page = text(signed_in(alice_user).get(QUEUE))
        assert "changed on both sides: body" in page
        assert "<del>" in page
        assert "<ins>" in page
        assert row.ref in page
        assert Faults(page).found == []

    def test_is_nothing_to_whoever_leads_not(self, conflict: Conflict, bob_user: User, charlie_user: User) -> None:
        for user, status in ((bob_user, 403), (charlie_user, 404)):
            client = signed_in(user)
            assert "changed on both sides" not in text(client.get(QUEUE))
            assert client.post(f"/conflicts/{conflict.pk}/", {"how": "keep"}).status_code == status
            assert client.get(f"/conflicts/{conflict.pk}/edit/").status_code == status
        assert Conflict.objects.get().state == Conflict.State.OPEN

    def test_shows_hostile_words_as_words(self, row: Insight, bob: Member, alice_user: User) -> None:
        waits = make_conflict(row, bob, title=EVIL, body=EVIL, kind="SONG")
        client = signed_in(alice_user)
        for page in (text(client.get(QUEUE)), text(client.get(f"/conflicts/{waits.pk}/edit/"))):
            assert "<script>alert" not in page
            assert "<img src=x" not in page

    @pytest.mark.parametrize("headers", [{}, HTMX])
    def test_keeps_ours_and_says_how_to_take_it_back(
        self, conflict: Conflict, row: Insight, alice_user: User, headers: dict[str, Any]
    ) -> None:
        client = signed_in(alice_user)
        page = text(client.post(f"/conflicts/{conflict.pk}/", {"how": "keep", "back": QUEUE}, follow=True, **headers))
        assert f"{row.ref} kept; vault edit rejected." in page
        assert Conflict.objects.get().state == Conflict.State.KEPT
        client.post("/inbox/undo/", {"action": undo_of(page), "back": QUEUE})
        assert Conflict.objects.get().state == Conflict.State.OPEN

    def test_takes_theirs_and_can_be_undone(self, conflict: Conflict, row: Insight, alice_user: User) -> None:
        client = signed_in(alice_user)
        sent = {"how": "take", "revision": row.revision, "back": QUEUE}
        page = text(client.post(f"/conflicts/{conflict.pk}/", sent, follow=True))
        assert now_of(row).body == "The cache warms itself."
        client.post("/inbox/undo/", {"action": undo_of(page), "back": QUEUE})
        assert now_of(row).body == "Warm the cache by hand."

    def test_tells_who_comes_second(self, conflict: Conflict, alice: Member, alice_user: User, now: datetime) -> None:
        vault_conflicts.keep(conflict_id=conflict.pk, by=alice, now=now)
        page = text(signed_in(alice_user).post(f"/conflicts/{conflict.pk}/", {"how": "keep"}, follow=True))
        assert "This conflict is already resolved." in page

    def test_of_a_page_that_is_no_insight_can_only_be_kept(
        self, row: Insight, alice: Member, alice_user: User, now: datetime
    ) -> None:
        said = {"page": "platform/team.md", "kept_as": "platform/team.conflict.md", "digest": "1" * 64}
        waits = vault_conflicts.note(
            team="platform", ref="", **said, reason="only insights", theirs={}, by=alice, now=now
        )
        client = signed_in(alice_user)
        page = text(client.get(QUEUE))
        assert "platform/team.md" in page
        assert 'value="take"' not in page
        assert client.get(f"/conflicts/{waits.pk}/edit/").status_code == 404
        client.post(f"/conflicts/{waits.pk}/", {"how": "keep"})
        assert Conflict.objects.get().state == Conflict.State.KEPT


class TestEditingFirst:
    def test_has_the_files_words_and_takes_what_is_made_of_them(
        self, conflict: Conflict, row: Insight, alice_user: User
    ) -> None:
        client = signed_in(alice_user)
        page = client.get(f"/conflicts/{conflict.pk}/edit/")
        assert "The cache warms itself." in text(page)
        form = page.context["form"]
        sent = {form.add_initial_prefix(name): form.data[f"initial-{name}"] for name in form.written}
        sent |= {name: form.data[name] for name in form.written}
        sent |= {"revision": row.revision, "body": "The cache warms itself since release 12.", "why": "measured"}
        page = text(client.post(f"/conflicts/{conflict.pk}/edit/", sent, follow=True))
        taken = now_of(row)
        assert (taken.body, taken.tags) == ("The cache warms itself since release 12.", ["cache", "redis"])
        assert Conflict.objects.get().state == Conflict.State.TAKEN
        client.post("/inbox/undo/", {"action": undo_of(page), "back": QUEUE})
        assert now_of(row).body == "Warm the cache by hand."

    def test_loses_no_typing_when_somebody_was_quicker(
        self, conflict: Conflict, row: Insight, alice: Member, alice_user: User, now: datetime
    ) -> None:
        client = signed_in(alice_user)
        form = client.get(f"/conflicts/{conflict.pk}/edit/").context["form"]
        sent = {form.add_initial_prefix(name): form.data[f"initial-{name}"] for name in form.written}
        sent |= {name: form.data[name] for name in form.written} | {"revision": row.revision, "body": "Mine."}
        curate.edit(ref=row.ref, changes={"title": "Caches"}, revision=row.revision, by=alice, now=now)
        page = text(client.post(f"/conflicts/{conflict.pk}/edit/", sent))
        assert "Somebody changed it while you were editing" in page
        assert "Mine." in page
        assert now_of(row).body == "Warm the cache by hand."
