"""The pages of preferences and settings."""

from html import unescape
from typing import Any

import pytest

from accounts.actions import preferences
from accounts.actions.members import member_of
from accounts.models import Preference, User
from accounts.rules.preferences import Category, Inferred, Support
from accounts.rules.rights import Member
from sessions_app.answers.actions.coach import coach
from sessions_app.answers.rules.coaching import LESSONS, CoachingMoment, Concept
from tests.conftest import NOW
from tests.pages import Faults, signed_in

STATED = {"key": "test_runner", "value": "pytest", "category": "approach", "statement": "", "team": "personal"}
CHOSEN = {
    "theme": "dark",
    "density": "compact",
    "keys": "off",
    "machinery": "silent",
    "share_prompts": "on",
    "ask_to_deposit": "off",
}
HOSTILE = '<script>alert(1)</script>"><svg onload=x>'


def text(response: Any) -> str:
    return unescape(response.content.decode())


def infer(alice: Member) -> Preference:
    stands = Support("files end in .py", 41, 50, ("PLAT-1",))
    found = Inferred("primary_language", "python", Category.DOMAIN, "Mostly Python.", 0.82, stands)
    preferences.learn(home_id=alice.home_id, found=[found], now=NOW)
    return Preference.objects.get(key="primary_language")


class TestPreferences:
    def test_are_stated_for_oneself(self, alice_user: User, alice: Member) -> None:
        page = text(signed_in(alice_user).post("/preferences/", STATED, follow=True))
        assert "test_runner is pytest" in page
        assert Preference.objects.get(key="test_runner").team_id == alice.home_id

    def test_are_stated_for_a_team_by_its_lead_alone(self, alice_user: User, bob_user: User) -> None:
        form = {**STATED, "team": "platform"}
        assert "not one of the available choices" in text(signed_in(bob_user).post("/preferences/", form))
        signed_in(alice_user).post("/preferences/", form)
        assert Preference.objects.get().team.slug == "platform"
        page = text(signed_in(bob_user).get("/preferences/"))
        assert "test_runner" in page
        assert "Set for team Platform." in page
        assert "Forget" not in page

    def test_show_what_an_inferred_one_stands_on(self, alice_user: User, alice: Member) -> None:
        found, client = infer(alice), signed_in(alice_user)
        page = text(client.get("/preferences/"))
        assert "inferred, 82 % confidence" in page
        assert "files end in .py</span>, including" in page
        assert 'href="/insights/PLAT-1/"' in page
        Preference.objects.filter(pk=found.pk).update(support={**found.support, "why": ""})
        assert "41 of 50 deposits and ratings" in text(client.get("/preferences/"))

    def test_are_confirmed_edited_and_forgotten(self, alice_user: User, alice: Member) -> None:
        row = infer(alice)
        client = signed_in(alice_user)
        client.post(f"/preferences/{row.pk}/confirm/")
        row.refresh_from_db()
        assert row.source == "explicit"
        client.post(f"/preferences/{row.pk}/", {"value": "rust", "category": "domain", "statement": ""})
        row.refresh_from_db()
        assert row.value == "rust"
        assert "Delete the preference" in text(client.post(f"/preferences/{row.pk}/forget/"))
        row.refresh_from_db()
        assert row.forgotten_at is None
        client.post(f"/preferences/{row.pk}/forget/", {"confirmed": "1"})
        row.refresh_from_db()
        assert row.forgotten_at is not None

    def test_are_nobody_elses(self, alice: Member, bob_user: User) -> None:
        row = infer(alice)
        client = signed_in(bob_user)
        assert "primary_language" not in text(client.get("/preferences/"))
        assert client.get(f"/preferences/{row.pk}/").status_code == 404
        for act in ("confirm", "forget"):
            assert client.post(f"/preferences/{row.pk}/{act}/").status_code == 404

    def test_refuse_a_secret_beside_its_field_and_keep_the_typing(self, alice_user: User) -> None:
        form = {**STATED, "value": "AKIA" + "Z7QF3MXT9WKD2RVB"}
        page = text(signed_in(alice_user).post("/preferences/", form))
        assert "test_runner" in page
        assert not Preference.objects.exists()

    def test_show_hostile_words_as_words(self, alice_user: User) -> None:
        client = signed_in(alice_user)
        client.post("/preferences/", {**STATED, "value": HOSTILE, "statement": HOSTILE})
        page = client.get("/preferences/").content.decode()
        assert Faults(page).found == []
        assert "<script>alert" not in page
        assert "<svg onload" not in page

    def test_ask_a_bounded_number_of_questions(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        for n in range(20):
            preferences.state(key=f"key_{n}", value="x", category="general", by=alice, now=NOW)
        client = signed_in(alice_user)
        with django_assert_max_num_queries(6):
            client.get("/preferences/")


class TestSettings:
    def test_say_their_default_and_why(self, alice_user: User) -> None:
        page = text(signed_in(alice_user).get("/settings/"))
        assert page.count("Default:") == 6
        assert Faults(page).found == []

    def test_are_kept_and_are_on_every_page(self, alice_user: User) -> None:
        client = signed_in(alice_user)
        page = client.post("/settings/", CHOSEN, follow=True).content.decode()
        assert 'data-theme="loam-night"' in page
        assert 'data-density="compact"' in page
        assert 'data-keys="off"' in page
        alice_user.refresh_from_db()
        assert alice_user.machinery == "silent"

    @pytest.mark.parametrize("name", list(CHOSEN))
    def test_refuse_what_there_is_not(self, name: str, alice_user: User) -> None:
        page = text(signed_in(alice_user).post("/settings/", {**CHOSEN, name: "loud"}))
        assert "not one of the available choices" in page

    @pytest.mark.parametrize(
        ("machinery", "times"),
        [("silent", ["", ""]), ("brief", ["line", "line"]), ("full", ["full", "line"]), ("teaching", ["full", "full"])],
    )
    def test_decide_how_much_an_agent_is_explained(
        self, machinery: str, times: list[str], alice_user: User, alice: Member
    ) -> None:
        alice_user.machinery = machinery
        alice_user.save()
        by = member_of(user=alice_user)
        told = [coach(moment=CoachingMoment.NOTHING_KNOWN, by=by, now=NOW) for _ in times]
        lessons = [getattr(LESSONS[Concept.DEPOSITING], time) if time else "" for time in times]
        assert told == [lesson.format(deposit="POST insights/") for lesson in lessons]
