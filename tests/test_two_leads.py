"""Two leads at one thing at once: the second is told, with the difference, and what they typed is still in the form."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any, ClassVar

import pytest
from django.test import Client
from django.utils import timezone

from accounts.actions import preferences
from accounts.models import Preference, Team, User
from accounts.rules.rights import Level, Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Pair, Topic
from knowledge.review.actions import combine, curate, settle
from knowledge.topics.actions import topics
from skills.actions import author
from skills.models import Skill
from tests.conftest import person
from tests.factories import as_agent, make_insight, make_skill
from tests.pages import HTMX, Faults, signed_in


@pytest.fixture
def dora_user(platform: Team) -> User:
    """The other lead of "platform"."""
    return person("dora", platform, Level.LEAD)


@pytest.fixture
def dora(dora_user: User) -> Client:
    return signed_in(dora_user)


@pytest.fixture
def row(alice: Member, bob: Member) -> Insight:
    """A draft that waits in the queue."""
    row = make_insight(alice, title="Guard long ALTERs", body="Run the guard first.")
    rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=as_agent(bob), now=timezone.now())
    return row


@pytest.fixture
def pair(alice: Member) -> Pair:
    a = make_insight(alice, body="Always run the guard before a long ALTER.")
    b = make_insight(alice, body="Never run the guard before a long ALTER.")
    return settle.report(a=a.ref, b=b.ref, reason="One is wrong.", by=alice, now=timezone.now())


def text(answer: Any) -> str:
    page: str = answer.content.decode()
    assert Faults(page).found == []
    return page


def seen(page: str) -> list[str]:
    """What the forms of a page say of how a thing was seen."""
    return [unescape(found) for found in re.findall(r'name="seen"\s+value="([^"]+)"', page)]


def field(page: str, name: str) -> str:
    found = re.search(rf'<input(?=[^>]*name="{name}")[^>]*?value="([^"]*)"', page)
    return unescape(found[1]) if found else ""


class Filled(HTMLParser):
    """What the form `skill-form` of a page would send."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sent: dict[str, str] = {}
        self.inside, self.area = False, ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = given.get("id") == "skill-form"
        if self.inside and tag == "input" and given.get("name"):
            self.sent[given["name"]] = given.get("value", "")
        if self.inside and tag == "textarea":
            self.area = given["name"]
            self.sent[self.area] = ""

    def handle_endtag(self, tag: str) -> None:
        self.area = "" if tag == "textarea" else self.area

    def handle_data(self, data: str) -> None:
        if self.area:
            self.sent[self.area] += data.removeprefix("\n")


def filled(page: str) -> dict[str, str]:
    return Filled(page).sent


class TestAnActOfTheInbox:
    def test_is_not_done_to_what_was_promoted_meanwhile(self, dora: Client, alice: Member, row: Insight) -> None:
        form = {"verb": "deprecate", "ref": row.ref, "seen": seen(text(dora.get("/?tab=new"))), "back": "/?tab=new"}
        curate.promote(ref=row.ref, by=alice, now=timezone.now(), why="Held up twice.")
        told = text(dora.post("/inbox/act/", form, follow=True))
        assert f"{row.ref} not deprecated: it has changed" in told
        assert f"alice: {row.ref} promoted (status: “draft” → “promoted”)" in told
        row.refresh_from_db()
        assert row.status == "promoted"

    def test_is_not_done_to_what_says_something_else_now(self, dora: Client, alice: Member, row: Insight) -> None:
        form = {"verb": "promote", "ref": row.ref, "seen": seen(text(dora.get("/?tab=new"))), "back": "/?tab=new"}
        curate.edit(ref=row.ref, changes={"body": "Never mind it."}, revision=1, by=alice, now=timezone.now())
        told = text(dora.post("/inbox/act/", form, follow=True, **HTMX))
        assert "body: “Run the guard first.” → “Never mind it.”" in told
        row.refresh_from_db()
        assert row.status == "draft"
        again = {**form, "seen": seen(told)}
        assert "promoted." in text(dora.post("/inbox/act/", again, follow=True))

    def test_is_not_done_to_what_something_else_has_replaced(self, dora: Client, alice: Member, row: Insight) -> None:
        form = {"verb": "promote", "ref": row.ref, "seen": seen(text(dora.get("/?tab=new"))), "back": "/?tab=new"}
        heir = make_insight(alice, body="Quite another thing.")
        combine.supersede(ref=row.ref, by_ref=heir.ref, by=alice, now=timezone.now())
        told = text(dora.post("/inbox/act/", form, follow=True))
        assert f"{row.ref} superseded by {heir.ref}" in told
        row.refresh_from_db()
        assert row.status == "draft"

    def test_of_many_does_the_others_and_asks_again_with_the_reason(
        self, dora: Client, alice: Member, bob: Member, row: Insight
    ) -> None:
        other = make_insight(alice, body="Beat runs once.")
        page = text(dora.get(f"/inbox/plan/?verb=promote&ref={row.ref}&ref={other.ref}&back=/"))
        form = {"verb": "promote", "ref": [row.ref, other.ref], "seen": seen(page), "planned": "1", "back": "/"}
        curate.edit(ref=row.ref, changes={"title": "Never mind"}, revision=1, by=alice, now=timezone.now())
        told = text(dora.post("/inbox/act/", {**form, "why": "Both are good."}, follow=True))
        assert f"{other.ref} promoted." in told
        assert "Changed by somebody else" in told
        assert "<ins>Never" in told
        assert "Promote 1 insight?" in told
        assert field(told, "why") == "Both are good."
        again = {**form, "ref": [row.ref], "seen": seen(told), "why": field(told, "why")}
        assert f"{row.ref} promoted." in text(dora.post("/inbox/act/", again, follow=True))

    def test_from_the_page_of_one_asks_again_with_the_reason(self, dora: Client, alice: Member, row: Insight) -> None:
        (mark,) = seen(text(dora.get(f"/insights/{row.ref}/")))
        curate.promote(ref=row.ref, by=alice, now=timezone.now())
        form = {"why": "It never worked for me.", "seen": mark}
        told = text(dora.post(f"/insights/{row.ref}/deprecate/", form, follow=True))
        assert "Changed by somebody else" in told
        assert field(told, "why") == "It never worked for me."
        row.refresh_from_db()
        assert row.status == "promoted"

    def test_tells_when_there_is_nothing_left_to_do(self, dora: Client, alice: Member, row: Insight) -> None:
        (mark,) = seen(text(dora.get(f"/insights/{row.ref}/")))
        curate.promote(ref=row.ref, by=alice, now=timezone.now())
        told = text(dora.post(f"/insights/{row.ref}/promote/", {"why": "Good <b>", "seen": mark}, follow=True))
        assert "skipped: it is promoted" in told
        assert "Your reason: “Good &lt;b&gt;”" in told

    @pytest.mark.parametrize("mark", ["nonsense", "1.0.x", "1.0.99999999999999999999", "\x00", "1.0.²"])
    def test_bears_a_mark_that_is_none(self, mark: str, dora: Client, row: Insight) -> None:
        form = {"verb": "promote", "ref": row.ref, "seen": f"{row.ref} {mark}", "back": "/"}
        assert dora.post("/inbox/act/", form).status_code in (302, 400)
        row.refresh_from_db()
        assert row.status == "draft"

    def test_is_not_hindered_by_what_agents_say_of_it(self, dora: Client, bob: Member, row: Insight) -> None:
        form = {"verb": "promote", "ref": row.ref, "seen": seen(text(dora.get("/?tab=new"))), "back": "/"}
        rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=as_agent(bob, "another"), now=timezone.now())
        dora.post("/inbox/act/", form)
        row.refresh_from_db()
        assert row.status == "promoted"


class TestAPair:
    def test_that_is_settled_tells_how_and_can_be_decided_anew(self, dora: Client, alice: Member, pair: Pair) -> None:
        (mark, *_) = seen(text(dora.get("/contradictions/")))
        settle.resolve(pair_id=pair.pk, keep=pair.a.ref, by=alice, now=timezone.now())
        form = {"how": "scope", "scope": "one on <servers>", "seen": mark, "back": "/contradictions/"}
        answer = dora.post(f"/pairs/{pair.pk}/", form)
        told = text(answer)
        assert answer.status_code == 409
        assert f"kept {pair.a.ref}" in told and "alice" in told
        assert f"{pair.b.ref} superseded by {pair.a.ref}" in told
        assert field(told, "scope") == "one on <servers>"
        opened = text(dora.post(f"/pairs/{pair.pk}/", {**form, "how": "reopen", "seen": seen(told)[0]}))
        assert field(opened, "scope") == "one on <servers>"
        dora.post(f"/pairs/{pair.pk}/", {**form, "seen": seen(opened)[0]})
        pair.refresh_from_db()
        assert (pair.state, pair.scope) == ("resolved", "one on <servers>")

    def test_whose_side_says_something_else_now_is_not_settled(self, dora: Client, alice: Member, pair: Pair) -> None:
        (mark, *_) = seen(text(dora.get("/contradictions/")))
        now_says = {"body": "Run the guard, but in tests."}
        curate.edit(ref=pair.a.ref, changes=now_says, revision=2, by=alice, now=timezone.now())
        answer = dora.post(f"/pairs/{pair.pk}/", {"how": "scope", "scope": "one in tests", "seen": mark}, **HTMX)
        told = text(answer)
        assert (answer.status_code, answer["HX-Retarget"]) == (412, "#item")
        assert f"{pair.a.ref} edited: body" in told
        assert "<ins>Run</ins>" in told or "<ins>Run " in told
        assert field(told, "scope") == "one in tests"
        pair.refresh_from_db()
        assert pair.state == "open"

    def test_is_nothing_to_strangers(self, charlie_user: User, alice: Member, pair: Pair) -> None:
        settle.dismiss(pair_id=pair.pk, by=alice, now=timezone.now())
        for how in ("reopen", "dismiss"):
            assert signed_in(charlie_user).post(f"/pairs/{pair.pk}/", {"how": how}).status_code == 404


class TestAnEdit:
    def test_of_an_insight_names_who_and_shows_both_changes(self, dora: Client, alice: Member, row: Insight) -> None:
        path = f"/insights/{row.ref}/edit/"
        page = text(dora.get(path))
        hidden = dict(re.findall(r'name="(initial-\w+|revision)" value="([^"]*)"', page))
        typed = {"title": "Guard long ALTERs", "body": "My own words.", "kind": row.kind, "stability": row.stability}
        form = {**{k: unescape(v) for k, v in hidden.items()}, **typed, "initial-body": "Run the guard first."}
        curate.edit(ref=row.ref, changes={"title": "Their title"}, revision=1, by=alice, now=timezone.now())
        told = text(dora.post(path, form))
        assert "alice changed it while you were editing" in told
        assert "<ins>Their" in told and "<ins>My" in told
        assert "My own words.</textarea>" in told
        row.refresh_from_db()
        assert (row.title, row.body) == ("Their title", "Run the guard first.")

    def test_of_a_preference_is_told_and_kept(self, dora: Client, alice: Member) -> None:
        said = {"key": "test_runner", "category": "approach", "team": "platform", "scope": "team"}
        one, _ = preferences.state(**said, value="pytest", by=alice, now=timezone.now())
        path = f"/preferences/{one.id}/"
        read_at = field(text(dora.get(path)), "read_at")
        preferences.change(preference_id=one.id, changes={"value": "nose"}, by=alice, now=timezone.now())
        form = {"value": "unittest", "category": "approach", "statement": "As ever.", "read_at": read_at}
        told = text(dora.post(path, form))
        assert "alice changed it while you were editing" in told
        assert "<del>nose</del><ins>unittest</ins>" in told
        assert "As ever.</textarea>" in told
        assert Preference.objects.get().value == "nose"
        again = {**form, "read_at": field(told, "read_at")}
        assert dora.post(path, again).status_code == 302
        assert Preference.objects.get().value == "unittest"

    def test_of_a_preference_that_is_forgotten_meanwhile_can_be_stated_anew(self, dora: Client, alice: Member) -> None:
        said = {"key": "test_runner", "category": "approach", "team": "platform", "scope": "team"}
        one, _ = preferences.state(**said, value="pytest", by=alice, now=timezone.now())
        preferences.forget(preference_id=one.id, by=alice, now=timezone.now())
        form = {"value": "unittest", "category": "approach", "statement": "As ever."}
        told = text(dora.post(f"/preferences/{one.id}/", form))
        assert "alice deleted test_runner while you were editing" in told
        assert "As ever.</textarea>" in told
        assert (field(told, "key"), field(told, "value")) == ("test_runner", "unittest")

    def test_of_a_skill_names_who_and_keeps_what_was_not_touched_as_it_is_now(
        self, dora: Client, alice: Member
    ) -> None:
        make_skill(alice, live=False, description="How we release.", instructions="Freeze.")
        page = text(dora.get("/skills/platform/release/edit/"))
        form = filled(page) | {"description": "How and when we release."}
        hers = {"instructions": "Freeze, then tag."}
        author.edit(name="release", team="platform", changes=hers, revision=None, by=alice, now=timezone.now())
        told = text(dora.post("/skills/platform/release/edit/", form))
        assert "alice changed it while you were editing" in told
        assert "How and when we release.</textarea>" in told
        assert "Freeze, then tag.</textarea>" in told
        assert dora.post("/skills/platform/release/edit/", filled(told)).status_code == 302
        sheet = Skill.objects.get().latest.sheet
        assert (sheet.description, sheet.instructions.strip()) == ("How and when we release.", "Freeze, then tag.")

    def test_of_a_skill_that_another_has_written_first_loses_nothing(self, dora: Client, alice: Member) -> None:
        make_skill(alice, live=False, description="How we release.", instructions="Freeze.")
        typed = {"description": "Mine.", "instructions": "Just <b>push</b>.", "team": "platform", "name": "release"}
        told = text(dora.post("/skills/new/", typed))
        assert "The team already has a skill release" in told
        assert "Just &lt;b&gt;push&lt;/b&gt;.</textarea>" in told
        assert "Freeze." in told
        assert Skill.objects.get().latest.sheet.instructions.strip() == "Freeze."


class TestAPreference:
    SAID: ClassVar[dict[str, str]] = {"key": "test_runner", "category": "approach", "team": "platform"}

    @pytest.fixture
    def one(self, alice: Member) -> Preference:
        preferences.state(**self.SAID, scope="team", value="pytest", by=alice, now=timezone.now())
        return Preference.objects.get()

    def test_stated_over_anothers_is_asked_about_first(self, dora: Client, one: Preference) -> None:
        form = {**self.SAID, "value": "nose", "statement": "As <b>ever</b>."}
        told = text(dora.post("/preferences/", form))
        assert "alice has already set test_runner" in told
        assert "<del>pytest</del><ins>nose</ins>" in told
        assert "As &lt;b&gt;ever&lt;/b&gt;.</textarea>" in told
        one.refresh_from_db()
        assert one.value == "pytest"
        done = text(dora.post("/preferences/", {**form, "read_at": field(told, "read_at")}, follow=True))
        assert "test_runner is nose now, previously pytest." in done

    def test_stated_over_ones_own_is_not(self, alice_user: User, one: Preference) -> None:
        told = text(signed_in(alice_user).post("/preferences/", {**self.SAID, "value": "nose"}, follow=True))
        assert "test_runner is nose now, previously pytest." in told

    @pytest.mark.parametrize("act", ["forget", "confirm"])
    def test_is_neither_forgotten_nor_confirmed_as_nobody_saw_it(
        self, act: str, dora: Client, alice: Member, one: Preference
    ) -> None:
        form = {"read_at": field(text(dora.get("/preferences/")), "read_at")}
        preferences.change(preference_id=one.pk, changes={"value": "nose"}, by=alice, now=timezone.now())
        told = text(dora.post(f"/preferences/{one.pk}/{act}/", form, follow=True))
        assert "Not saved: alice changed test_runner to nose, previously pytest." in told
        one.refresh_from_db()
        assert (one.value, one.forgotten_at) == ("nose", None)


class TestATopic:
    def test_that_another_has_named_is_not_renamed_unseen(self, dora: Client, alice: Member, row: Insight) -> None:
        path = f"/topics/{row.topic_id}/"
        was = field(text(dora.get(path)), "was")
        topics.rename(topic_id=row.topic_id, label="Locks", by=alice, now=timezone.now())
        answer = dora.post(f"{path}rename/", {"label": "Migrations", "was": was})
        told = text(answer)
        assert answer.status_code == 412
        assert "alice changed this topic" in told and "to “Locks”" in told
        assert "<del>Locks</del><ins>Migrations</ins>" in told
        assert (field(told, "label"), field(told, "was")) == ("Migrations", "Locks")
        assert Topic.objects.get(pk=row.topic_id).label == "Locks"
        dora.post(f"{path}rename/", {"label": "Migrations", "was": "Locks"})
        assert Topic.objects.get(pk=row.topic_id).label == "Migrations"

    def test_that_a_night_has_named_anew_is_renamed_all_the_same(self, dora: Client, row: Insight) -> None:
        Topic.objects.update(label="of a night")
        form = {"label": "Locks", "was": "of another night"}
        assert dora.post(f"/topics/{row.topic_id}/rename/", form).status_code == 302

    def test_that_another_has_merged_is_neither_renamed_nor_merged_unseen(
        self, dora: Client, alice: Member, row: Insight
    ) -> None:
        other = make_insight(alice, body="Apples keep best in a dark cellar.")
        third = make_insight(alice, body="The app store's key lives on the build machine.")
        was = Topic.objects.get(pk=row.topic_id).label
        topics.merge(topic_id=row.topic_id, into=other.topic_id, by=alice, now=timezone.now())
        for act, typed in (("rename", {"label": "Locks"}), ("merge", {"into": str(third.topic_id)})):
            answer = dora.post(f"/topics/{row.topic_id}/{act}/", {**typed, "was": was})
            assert answer.status_code == 412
            assert "was merged into this one" in text(answer)
        assert Topic.objects.get(pk=other.topic_id).named is False
        assert Topic.objects.get(pk=other.topic_id).merged_into_id is None


class TestPublishingASkill:
    def test_does_not_publish_what_was_not_read(self, dora: Client, alice: Member) -> None:
        skill = make_skill(alice, live=False)
        page = text(dora.get("/skills/platform/release/"))
        hers = {"instructions": "Just push."}
        author.edit(name="release", team="platform", changes=hers, revision=None, by=alice, now=timezone.now())
        form = {"revision": field(page, "revision"), "why": "Read <twice>."}
        answer = dora.post("/skills/platform/release/publish/", form)
        told = text(answer)
        assert answer.status_code == 412
        assert "Changed since you opened the page" in told
        assert "Skill release edited: instructions" in told
        assert "Just push." in told
        assert field(told, "why") == "Read <twice>."
        assert Skill.objects.get(pk=skill.pk).status == "draft"
        dora.post("/skills/platform/release/publish/", {**form, "revision": field(told, "revision")})
        assert Skill.objects.get(pk=skill.pk).status == "published"
