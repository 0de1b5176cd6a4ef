"""Backlinks: references in texts are links for who may see what they name, and an insight says what names it."""

from django.utils import timezone

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.retrieval.actions.backlinks import insights_naming, visible_references
from knowledge.review.actions.forget import forget
from knowledge.review.actions.move import move
from knowledge.templatetags.markdown import linked_markdown
from skills.actions.backlinks import skills_naming
from tests.factories import make_insight, make_skill
from tests.knowledge.test_inbox import EVIL, text
from tests.pages import Faults, signed_in


class TestAReferenceInAText:
    def test_is_a_link_for_who_may_see_it_and_text_for_others(self, alice: Member, charlie: Member) -> None:
        row = make_insight(alice)
        said = f"See **{row.ref}**, {row.ref}1 and UTF-8."
        html = linked_markdown(said, alice)
        assert f'<strong><a href="/insights/{row.ref}/"' in html
        assert html.count("<a ") == 1
        assert "<a " not in linked_markdown(said, charlie)
        assert row.ref in linked_markdown(said, charlie)

    def test_stays_as_it_is_in_code_and_in_links(self, alice: Member) -> None:
        ref = make_insight(alice).ref
        said = f"`{ref}` [{ref}](https://example.org/{ref}) <https://example.org/x>\n\n    {ref}\n"
        assert f'href="/insights/{ref}/"' not in linked_markdown(said, alice)

    def test_makes_no_hostile_text_alive(self, alice: Member) -> None:
        ref = make_insight(alice).ref
        html = linked_markdown(f"{EVIL} {ref} [x](javascript:alert) \u202e{ref}", alice)
        assert "<script" not in html
        assert "<img" not in html
        assert "javascript:" not in html.replace("[x](javascript:alert)", "")
        assert html.count(f'href="/insights/{ref}/"') == 2

    def test_to_what_is_forgotten_is_text(self, alice: Member) -> None:
        ref = make_insight(alice).ref
        forget(ref=ref, why="so", by=alice, now=timezone.now())
        assert visible_references([ref], by=alice) == set()


class TestBacklinks:
    def test_are_the_insights_and_skills_that_name_it(self, alice: Member, bob: Member, charlie: Member) -> None:
        row = make_insight(alice, body="Run beat once, or jobs fire twice.")
        one = make_insight(bob, body=f"As {row.ref} says, beat is one process.")
        make_insight(bob, body=f"The port of {row.ref}99 is another thing altogether.")
        make_insight(bob, body=f"Vacuum tables at night; {row.ref}-x names none.")
        skill = make_skill(alice, instructions=f"1. Read {row.ref}.")
        make_skill(alice, name="other", instructions=f"1. Read {row.ref}0.")
        assert [found.pk for found in insights_naming(row, by=alice)] == [one.pk]
        assert [found.pk for found in skills_naming([row.ref], by=alice)] == [skill.pk]
        assert insights_naming(row, by=charlie) == []
        assert skills_naming([row.ref], by=charlie) == []

    def test_know_the_reference_it_had(self, alice: Member) -> None:
        row = make_insight(alice, body="Run beat once, or jobs fire twice.")
        one = make_insight(alice, body=f"As {row.ref} says, beat is one process.")
        moved = move(ref=row.ref, team="personal", by=alice, now=timezone.now())
        assert [found.pk for found in insights_naming(moved, by=alice)] == [one.pk]

    def test_stand_on_its_page(self, alice_user: User, bob_user: User, alice: Member, bob: Member) -> None:
        row = make_insight(alice, body="Run beat once, or jobs fire twice.")
        one = make_insight(bob, title="One process", body=f"As {row.ref} says, beat is one process.")
        hidden = make_insight(alice, team="personal", body=f"My own note on {row.ref}, for nobody else.")
        make_skill(alice, instructions=f"1. Read {row.ref}.")
        page = text(signed_in(bob_user).get(f"/insights/{row.ref}/"))
        assert "Mentioned in" in page
        assert f"{one.ref} One process" in page
        assert "/skills/platform/release/" in page
        assert hidden.ref not in page
        assert Faults(page).found == []
        assert hidden.ref in text(signed_in(alice_user).get(f"/insights/{row.ref}/"))
        assert f'href="/insights/{row.ref}/"' in text(signed_in(bob_user).get(f"/insights/{one.ref}/"))
        page = text(signed_in(bob_user).get("/skills/platform/release/"))
        assert f'<a href="/insights/{row.ref}/"' in page
        assert "Mentioned in" not in text(signed_in(bob_user).get(f"/insights/{one.ref}/"))
