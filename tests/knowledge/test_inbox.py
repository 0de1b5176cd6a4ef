"""The inbox: queues, acts, undo, pairs; by plain requests, as a browser without a script sends them."""

import re
from datetime import datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import LogEntry, Membership, User
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Pair
from knowledge.review.actions import curate, settle
from knowledge.review.rules.triage import MOST_OF_ONE, Tab
from tests.factories import as_agent, make_insight
from tests.pages import HTMX, Faults, signed_in

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\u202e"


def text(response: Any) -> str:
    return response.content.decode()


def draft(by: Member, voice: Member, **over: Any) -> Insight:
    """One that waits in the queue."""
    row = make_insight(by, **over)
    rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=as_agent(voice, f"agent of {row.ref}"), now=timezone.now())
    return row


def pair(by: Member, question: str = "contradiction") -> Pair:
    a = make_insight(by, body="Always run the guard before a long ALTER.")
    b = make_insight(by, body="Never run the guard before a long ALTER.")
    if question == "contradiction":
        return settle.report(a=a.ref, b=b.ref, reason="One of them is wrong.", by=by, now=timezone.now())
    return Pair.between(a, b, question=question, reason="alike", by=by, at=timezone.now())


def propose(old: Insight, new: Insight, *, by: Member, at: datetime) -> Pair:
    """A pair of which one is proposed to replace the other, as an agent leaves it."""
    made = Pair.between(old, new, question="supersession", by=by, at=at, relation="supersedes")
    made.successor_side = "a" if made.a_id == new.pk else "b"
    made.save(update_fields=["successor_side"])
    return made


def undo_of(page: str) -> str:
    """The number of the last act that a page offers to undo."""
    found = re.search(r'name="action" value="([^"]+)"', page)
    assert found
    return unescape(found[1])


class TestInbox:
    def test_is_the_start_and_asks_a_visitor_to_sign_in(self, client: Any, db: None) -> None:
        assert client.get("/").url == "/accounts/login/?next=/"

    def test_opens_the_first_queue_in_which_something_waits(self, alice_user: User, alice: Member) -> None:
        pair(alice)
        page = text(signed_in(alice_user).get("/"))
        assert re.search(r'aria-current="page">\s*Contradictions', page)
        assert "One of them is wrong." in page

    def test_shows_why_each_waits_and_counts_all(self, alice_user: User, alice: Member, bob: Member) -> None:
        row = draft(alice, bob)
        page = text(signed_in(alice_user).get("/?tab=new"))
        assert row.ref in page
        assert "2/3 people in support, including the author" in page
        assert 'tab-count-some">1<' in page

    def test_teaches_when_nothing_waits(self, alice_user: User) -> None:
        page = text(signed_in(alice_user).get("/"))
        assert "Inbox zero" in page
        assert "A draft appears here when" in page
        assert "You lead" in page

    def test_shows_nobody_what_they_cannot_decide(
        self, bob_user: User, charlie_user: User, alice: Member, bob: Member
    ) -> None:
        row = draft(alice, bob)
        for user in (bob_user, charlie_user):
            assert row.ref not in text(signed_in(user).get("/?tab=new"))

    def test_is_narrowed_by_its_address(self, alice_user: User, alice: Member, bob: Member) -> None:
        one, other = draft(alice, bob, tags=["db"]), draft(alice, bob, body="Beat must run once only.", tags=["ops"])
        page = text(signed_in(alice_user).get("/?tab=new&tag=db"))
        assert f'id="row-{one.ref}"' in page
        assert f'id="row-{other.ref}"' not in page
        assert "No results" in text(signed_in(alice_user).get("/?tab=new&tag=none"))

    @pytest.mark.parametrize("query", ["tab=nonsense", "page=0", "page=x", "team=<b>", "tab=new&kind=SONG"])
    def test_bears_any_address(self, query: str, alice_user: User) -> None:
        assert signed_in(alice_user).get(f"/?{query}").status_code == 200

    def test_says_of_each_empty_queue_what_would_be_in_it(self, alice_user: User) -> None:
        client, said = signed_in(alice_user), {}
        for tab in Tab:
            page = text(client.get(f"/?tab={tab}"))
            said[tab] = page.partition("max-w-prose")[2].partition(">")[2].partition("</p>")[0].strip()
        assert len(set(said.values())) == len(Tab)
        assert [tab for tab, words in said.items() if "secret" in words] == [Tab.QUARANTINED]

    def test_needs_no_more_statements_for_more_rows(
        self, alice_user: User, alice: Member, bob: Member, django_assert_max_num_queries: Any
    ) -> None:
        for number in range(55):
            draft(alice, bob, body=f"Lesson number {number} is of its own kind.", tags=["a", f"b{number}"])
        client = signed_in(alice_user)
        client.get("/")
        with django_assert_max_num_queries(24):
            page = text(client.get("/?tab=new&by=bob"))
        assert page.count(" data-row ") == 50
        assert text(client.get("/?tab=new&by=bob&page=2")).count(" data-row ") == 5
        assert len(page) < 150_000

    def test_answers_htmx_with_the_queue_alone(self, alice_user: User, alice: Member, bob: Member) -> None:
        draft(alice, bob)
        part = text(signed_in(alice_user).get("/?tab=new", **HTMX))
        assert "<html" not in part
        assert 'id="inbox-queue"' in part


class TestActing:
    def test_promotes_goes_back_and_offers_the_way_back(self, alice_user: User, alice: Member, bob: Member) -> None:
        row, client = draft(alice, bob), signed_in(alice_user)
        form = {"verb": "promote", "ref": row.ref, "back": "/?tab=new", "next": "row-PLAT-9"}
        assert client.post("/inbox/act/", form).url == "/?tab=new#row-PLAT-9"
        page = text(client.get("/?tab=new"))
        assert f"{row.ref} promoted." in page
        client.post("/inbox/undo/", {"action": undo_of(page), "back": "/?tab=new"})
        row.refresh_from_db()
        assert row.status == "draft"
        assert f'id="row-{row.ref}"' in text(client.get("/?tab=new"))

    def test_previews_then_does_many_in_one_batch(self, alice_user: User, alice: Member, bob: Member) -> None:
        rows = [draft(alice, bob, body=body) for body in ("Guard long ALTERs.", "Beat runs once.")]
        client = signed_in(alice_user)
        query = "&".join(f"ref={row.ref}" for row in rows)
        page = text(client.get(f"/inbox/plan/?verb=promote&back=/&{query}"))
        assert "Promote 2 insights?" in page
        assert Insight.objects.filter(status="promoted").count() == 0
        client.post("/inbox/act/", {"verb": "promote", "ref": [row.ref for row in rows], "why": "Good.", "back": "/"})
        assert {line.why for line in LogEntry.objects.filter(verb="promoted")} == {"Good. (one of 2 in a bulk action)"}

    def test_chooses_all_that_match(self, alice_user: User, alice: Member, bob: Member) -> None:
        for number in range(22):
            draft(alice, bob, body=f"Lesson number {number} is of its own kind.", tags=["a" if number else "b"])
        page = text(
            signed_in(alice_user).get("/inbox/plan/?verb=promote&all=1&back=/%3Ftab%3Dnew%26tag%3Da%26by%3Dbob")
        )
        assert "Promote 21 insights?" in page

    def test_forgets_with_a_reason_only(self, alice_user: User, alice: Member) -> None:
        row, client = make_insight(alice), signed_in(alice_user)
        assert "required" in text(client.get(f"/inbox/plan/?verb=forget&ref={row.ref}"))
        assert client.post("/inbox/act/", {"verb": "forget", "ref": row.ref}).status_code == 400
        client.post("/inbox/act/", {"verb": "forget", "ref": row.ref, "why": "Not ours."})
        assert client.get(f"/insights/{row.ref}/").status_code == 404

    def test_tells_htmx_of_a_refusal_where_messages_are(self, bob_user: User, alice: Member) -> None:
        row = make_insight(alice)
        answer = signed_in(bob_user).post("/inbox/act/", {"verb": "promote", "ref": row.ref}, **HTMX)
        assert (answer.status_code, answer["HX-Retarget"]) == (403, "#messages")
        assert "This requires a lead" in text(answer)

    @pytest.mark.parametrize(
        "back", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
    )
    def test_never_leads_elsewhere(self, back: str, alice_user: User, alice: Member) -> None:
        row = make_insight(alice)
        assert signed_in(alice_user).post("/inbox/act/", {"verb": "pin", "ref": row.ref, "back": back}).url == "/"

    def test_takes_no_made_up_undo(self, alice_user: User, alice: Member) -> None:
        client = signed_in(alice_user)
        for action in ("made-up", "12345", "9" * 40):
            assert client.post("/inbox/undo/", {"action": action, "back": "/"}).status_code == 404

    @pytest.mark.parametrize("path", ["/inbox/act/", "/inbox/undo/", "/pairs/1/"])
    def test_is_never_done_by_a_link(self, path: str, alice_user: User) -> None:
        assert signed_in(alice_user).get(path).status_code == 405

    def test_knows_nothing_of_strangers(self, charlie_user: User, alice: Member) -> None:
        row, of_two = make_insight(alice, body="Beat runs once."), pair(alice)
        client = signed_in(charlie_user)
        assert client.post("/inbox/act/", {"verb": "promote", "ref": row.ref}).status_code == 404
        assert client.get(f"/inbox/plan/?verb=promote&ref={row.ref}").status_code == 404
        assert client.get(f"/insights/{row.ref}/near/").status_code == 404
        assert client.post(f"/pairs/{of_two.pk}/", {"how": "dismiss"}).status_code == 404


class TestPromoting:
    """In the team of everyone a superuser promotes; a lead of it is offered what they may do, and no more."""

    @pytest.fixture
    def row(self, alice_user: User, alice: Member, bob: Member) -> Insight:
        Membership.objects.filter(user=alice_user, team__kind=TeamKind.EVERYONE).update(level=Level.LEAD)
        return draft(bob, alice, team="everyone")

    def test_is_not_offered_to_its_lead(self, alice_user: User, row: Insight) -> None:
        client = signed_in(alice_user)
        queue, page = text(client.get("/?tab=new")), text(client.get(f"/insights/{row.ref}/"))
        inline = text(client.get(f"/insights/{row.ref}/inline/", headers=HTMX))
        assert f'id="row-{row.ref}"' in queue and 'value="deprecate"' in queue
        assert 'value="promote"' not in queue and 'data-key="p"' not in queue
        assert f"/insights/{row.ref}/deprecate/" in page and f"/insights/{row.ref}/promote/" not in page
        assert 'value="deprecate"' in inline and 'value="promote"' not in inline
        plan = text(client.get(f"/inbox/plan/?verb=promote&back=/&ref={row.ref}"))
        assert "in its team only a superuser can promote" in plan
        client.post("/inbox/act/", {"verb": "promote", "ref": row.ref, "back": "/"})
        row.refresh_from_db()
        assert row.status == "draft"

    def test_is_offered_beside_it_for_what_they_may_promote(
        self, alice_user: User, alice: Member, bob: Member, row: Insight
    ) -> None:
        own = draft(alice, bob, body="Guard long ALTERs.")
        queue = text(signed_in(alice_user).get("/?tab=new"))
        rows = dict(re.findall(r'id="row-([A-Z]+-\d+)".*?data-acts="([^"]*)"', queue, re.S))
        assert "promote" in rows[own.ref].split() and "promote" not in rows[row.ref].split()

    def test_is_offered_to_a_superuser(self, root: Member, row: Insight) -> None:
        client = signed_in(User.objects.get(pk=root.user_id))
        assert 'data-key="p"' in text(client.get("/?tab=new"))
        assert f"/insights/{row.ref}/promote/" in text(client.get(f"/insights/{row.ref}/"))


class TestPairs:
    @pytest.mark.parametrize("question", ["contradiction", "duplicate"])
    def test_shows_both_sides_with_what_differs(self, question: str, alice_user: User, alice: Member) -> None:
        pair(alice, question)
        page = text(signed_in(alice_user).get(f"/{question}s/"))
        assert "<del>Always</del>" in page
        assert "<ins>Never</ins>" in page
        assert Faults(page).found == []

    @pytest.mark.parametrize(
        ("form", "state", "words"),
        [
            ({"how": "keep"}, "resolved", " kept; PLAT-2 is superseded"),
            ({"how": "merge"}, "resolved", "kept; PLAT-2 was merged into it"),
            ({"how": "scope", "scope": "one on servers"}, "resolved", "each in its scope"),
            ({"how": "dismiss"}, "dismissed", ": dismissed."),
        ],
    )
    def test_settles_and_takes_it_back(
        self, form: dict[str, str], state: str, words: str, alice_user: User, alice: Member
    ) -> None:
        one, client = pair(alice), signed_in(alice_user)
        client.post(f"/pairs/{one.pk}/", {**form, "keep": one.a.ref, "back": "/contradictions/"})
        one.refresh_from_db()
        assert one.state == state
        page = text(client.get("/contradictions/"))
        assert words in page
        client.post("/inbox/undo/", {"action": undo_of(page)})
        one.refresh_from_db()
        assert one.state == "open"
        for side in (one.a, one.b):
            assert (side.superseded_by_id, side.trust, side.corroboration_count) == (None, "contradicted", 1)

    def test_merging_keeps_the_words_of_both(self, alice_user: User, alice: Member) -> None:
        one = pair(alice, "duplicate")
        signed_in(alice_user).post(f"/pairs/{one.pk}/", {"how": "merge", "keep": one.b.ref})
        kept, gone = Insight.objects.get(pk=one.b_id), Insight.objects.get(pk=one.a_id)
        assert kept.corroborations.get().body == gone.body
        assert gone.superseded_by == kept

    def test_several_are_dismissed_by_one_act_and_one_undo(
        self, alice_user: User, alice: Member, charlie_user: User
    ) -> None:
        made, client = [pair(alice, "duplicate") for _ in range(4)], signed_in(alice_user)
        seen = [f"{one.pk} {settle.marks_of(one)}" for one in made]
        settle.dismiss(pair_id=made[3].pk, by=alice, now=timezone.now())
        form = {"how": "dismiss", "ref": [one.pk for one in made], "seen": seen, "part": "1"}
        signed_in(charlie_user).post("/pairs/settle/", form)
        assert Pair.objects.filter(state="open").count() == 3
        answer = client.post("/pairs/settle/", form, **HTMX)
        assert answer["X-Rows-Kept"] == str(made[3].pk)
        page = text(answer)
        assert "3 pairs dismissed." in page and "1 skipped. This pair is already resolved." in page
        assert not Pair.objects.filter(state="open").exists()
        client.post("/inbox/undo/", {"action": undo_of(page)})
        assert {one.pk for one in Pair.objects.filter(state="open")} == {one.pk for one in made[:3]}

    def test_is_settled_once(self, alice_user: User, alice: Member) -> None:
        one, client = pair(alice), signed_in(alice_user)
        client.post(f"/pairs/{one.pk}/", {"how": "dismiss"})
        assert client.post(f"/pairs/{one.pk}/", {"how": "dismiss"}).status_code == 409

    def test_needs_no_more_statements_for_more_pairs(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        for _ in range(4):
            pair(alice)
        client = signed_in(alice_user)
        client.get("/contradictions/")
        with django_assert_max_num_queries(11):
            client.get("/contradictions/")


class TestProposed:
    """An agent says that its note replaces what the team confirmed: a lead reads both, and when each was learned."""

    @pytest.fixture
    def notes(self, alice: Member, bob: Member) -> tuple[Insight, Insight]:
        now = timezone.now()
        old = make_insight(alice, body="Search runs on Elasticsearch 7.17.", source_date=now - timedelta(days=60))
        curate.promote(ref=old.ref, by=alice, now=now, why="checked")
        new = make_insight(as_agent(bob, "one"), body="Elasticsearch 8.13 serves the search.", source_date=now)
        relate(ref=new.ref, statements=[Statement(old.ref, Relation.SUPERSEDES, EVIL)], by=bob, now=now)
        return old, new

    def test_is_read_with_what_each_choice_does(self, notes: tuple[Insight, Insight], alice_user: User) -> None:
        old, new = notes
        page = " ".join(unescape(text(signed_in(alice_user).get("/?tab=proposed"))).split())
        assert f"{new.ref} is proposed to supersede {old.ref}." in page
        assert "Proposed supersessions of promoted or pinned insights, and of drafts" in page
        assert "According to the depositing agent. Different numbers: 7.17 and 8.13." in page
        assert f"Supersede {old.ref}" in page and f"Reject, keep {old.ref}" in page
        assert "learned" in page and "2 months ago" in page
        assert "<script>alert" not in text(signed_in(alice_user).get("/?tab=proposed"))

    def test_of_one_contributor_beyond_a_few_is_said_and_reached(
        self, alice: Member, bob: Member, alice_user: User
    ) -> None:
        """The newest claim against a promoted note is listed before older ones about drafts."""
        now = timezone.now()
        for number in range(MOST_OF_ONE + 2):
            a = make_insight(alice, body=f"Queue {number} drains into shard {number}.")
            b = make_insight(bob, body=f"Queue {number} drains into a lake.")
            propose(a, b, by=bob, at=now - timedelta(days=2))
        old = make_insight(alice, body="Search runs on Elasticsearch 7.17.")
        curate.promote(ref=old.ref, by=alice, now=now, why="checked")
        new = make_insight(bob, body="Elasticsearch 8.13 serves the search.")
        newest = propose(old, new, by=bob, at=now)
        client = signed_in(alice_user)
        page = text(client.get("/?tab=proposed"))
        rows = re.findall(r'<li id="row-pair-(\d+)"', page)
        assert (len(rows), rows[0]) == (MOST_OF_ONE, str(newest.pk))
        assert "3 more by bob are not shown: resolve these first, or" in " ".join(page.split())
        # Those, and one for the other three.
        assert str(MOST_OF_ONE + 1) in re.sub(r"<[^>]*>", "", page.split('id="count-proposed"')[1][:200])
        everything = text(client.get("/?tab=proposed&by=bob"))
        assert len(re.findall(r'<li id="row-pair-', everything)) == MOST_OF_ONE + 3
        assert "not shown" not in everything and Faults(everything).found == []
        assert "No results" in text(client.get("/?tab=proposed&by=nobody%00"))

    def test_opens_the_pair_that_the_insight_links_to(
        self, notes: tuple[Insight, Insight], alice: Member, bob: Member, alice_user: User
    ) -> None:
        """Also where it is none of the rows that are listed, or settled meanwhile; never another one."""
        old, new = notes
        wanted = Pair.objects.get()
        for number in range(MOST_OF_ONE + 2):
            a = make_insight(alice, body=f"Queue {number} drains into shard {number}.")
            curate.promote(ref=a.ref, by=alice, now=timezone.now(), why="checked")
            propose(a, make_insight(bob, body=f"Queue {number} drains into a lake."), by=bob, at=timezone.now())
        client = signed_in(alice_user)
        link = re.search(r'href="([^"]+)">Resolve', text(client.get(f"/insights/{old.ref}/")))
        assert link
        address = unescape(link[1]).partition("#")[0]
        page = text(client.get(address))
        assert f'data-item-of="{wanted.pk}"' in page and f"{new.ref} is proposed to supersede {old.ref}." in page
        settle.dismiss(pair_id=wanted.pk, by=alice, now=timezone.now(), why="")
        page = text(client.get(address))
        assert f'data-item-of="{wanted.pk}"' in page and 'value="dismiss"' not in page
        page = text(client.get("/?tab=proposed&at=999999999"))
        assert "data-item-of=" not in page and "This pair is not here" in page and Faults(page).found == []

    def test_is_told_on_the_page_of_either(self, notes: tuple[Insight, Insight], alice_user: User) -> None:
        old, new = notes
        client = signed_in(alice_user)
        page = text(client.get(f"/insights/{old.ref}/"))
        assert "proposes to supersede this with" in page and f"/insights/{new.ref}/" in page
        assert "Resolve" in page and "<script>alert" not in page
        assert "Proposed to supersede" in text(client.get(f"/insights/{new.ref}/"))

    def test_stands_aside_for_the_insight_where_there_are_many(
        self, notes: tuple[Insight, Insight], alice: Member, bob: Member, alice_user: User
    ) -> None:
        old, _ = notes
        for number in range(3):
            other = make_insight(bob, body=f"The queue of printer {number} drains on its own.")
            propose(old, other, by=bob, at=timezone.now())
        page = text(signed_in(alice_user).get(f"/insights/{old.ref}/"))
        shown, _, folded = page.partition("2 more proposed")
        assert shown.count("proposes to supersede this with") == folded.count("proposes to supersede this with") == 2

    def test_is_settled_by_either_button(self, notes: tuple[Insight, Insight], alice_user: User) -> None:
        old, new = notes
        one = Pair.objects.get(question="supersession")
        signed_in(alice_user).post(f"/pairs/{one.pk}/", {"how": "keep", "keep": new.ref, "back": "/"})
        old.refresh_from_db()
        assert old.superseded_by_id == new.pk


class TestNear:
    def test_shows_the_difference_and_merges(self, alice_user: User, alice: Member) -> None:
        one = make_insight(alice, body="Run the guard before a long ALTER.")
        other = make_insight(alice, body="Run the guard before any long ALTER.")
        client = signed_in(alice_user)
        page = text(client.get(f"/insights/{one.ref}/near/?back=/"))
        assert other.ref in page
        assert "<del>any</del>" in page
        assert Faults(page).found == []
        assert client.post(f"/insights/{one.ref}/merge/", {"other": other.ref, "back": "/"}).url == "/"
        client.post("/inbox/undo/", {"action": undo_of(text(client.get("/")))})
        one.refresh_from_db()
        assert one.superseded_by is None


class TestHostileWords:
    def test_stay_words_on_every_page(self, alice_user: User, alice: Member, bob: Member) -> None:
        evil = {"title": EVIL[:200], "body": f"{EVIL} [x](javascript:alert(1)) {'y' * 9_000}", "tags": ["<b>"]}
        one, other = draft(alice, bob, **evil), make_insight(alice, **{**evil, "body": f"not {evil['body']}"})
        settle.report(a=one.ref, b=other.ref, reason=EVIL, by=alice, now=timezone.now() + timedelta(seconds=1))
        client = signed_in(alice_user)
        for path in (
            "/?tab=new",
            "/contradictions/",
            f"/inbox/plan/?verb=promote&ref={one.ref}",
            f"/insights/{one.ref}/near/",
        ):
            page = text(client.get(path))
            assert Faults(page).found == [], path
            assert "<script>alert" not in page, path
            assert "\u202e" not in page, path


class TestEditingFromAQueue:
    def test_comes_back_to_the_row(self, alice_user: User, alice: Member, bob: Member) -> None:
        row = draft(alice, bob)
        client = signed_in(alice_user)
        queue = text(client.get("/?tab=new&kind="))
        link = re.search(rf'href="(/insights/{row.ref}/edit/\?back=[^"]+)"', queue)
        assert link
        page = text(client.get(unescape(link[1])))
        assert "Save and continue" in page
        assert 'name="back" value="/?tab=new&amp;kind="' in page
        hidden = dict(re.findall(r'name="(initial-\w+|revision|back)" value="([^"]*)"', page))
        typed = {"title": "Quite new", "body": row.body, "kind": row.kind, "stability": row.stability}
        answer = client.post(f"/insights/{row.ref}/edit/", {k: unescape(v) for k, v in hidden.items()} | typed)
        assert answer.url == f"/?tab=new&kind=#row-{row.ref}"

    @pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\evil"])
    def test_never_leaves_for_elsewhere(self, back: str, alice_user: User, alice: Member, bob: Member) -> None:
        row = draft(alice, bob)
        client = signed_in(alice_user)
        page = text(client.get(f"/insights/{row.ref}/edit/", {"back": back}))
        assert 'href="https://evil' not in page and 'href="//evil' not in page and 'href="javascript' not in page
        form = {
            "title": "New",
            "body": row.body,
            "kind": row.kind,
            "stability": row.stability,
            "revision": row.revision,
        }
        answer = client.post(f"/insights/{row.ref}/edit/", form | {"back": back})
        assert answer.url.startswith(f"/insights/{row.ref}/")
