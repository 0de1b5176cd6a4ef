"""Pages of knowledge: search, one insight, editing, curating."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.actions.members import member_of
from accounts.models import LogEntry, User
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.actions import curate
from knowledge.rules.vocabulary import STANDINGS, Kind
from tests.factories import make_insight
from tests.knowledge.library import stock
from tests.pages import HTMX, Faults, signed_in

GUARD = "Run the lock_timeout guard before a long ALTER TABLE, or every reader waits behind it."
CACHE = "A cache key without the tenant's name serves one customer the data of another."


def text(response: Any) -> str:
    return response.content.decode()


def titles(page: str) -> list[str]:
    """Of the rows of the table, or of what an agent would get."""
    found = re.findall(r'<h3 class="title[^>]*>\s*<a[^>]*>(.*?)</a>|<span class="dense-title">(.*?)</span>', page, re.S)
    found = [one or other for one, other in found]
    return [unescape(title) for title in found]


def marks(page: str) -> list[str]:
    """The badges of a status."""
    found = re.findall(r'<span class="mark [^"]*">(.*?)</span>', page, re.S)
    return [mark for mark in found if mark in STANDINGS]


@pytest.fixture
def root(db: None) -> Member:
    user = User.objects.create_superuser("root", password="roots-own-password")
    return member_of(user=user)


class TestList:
    def test_asks_a_visitor_to_sign_in(self, db: None) -> None:
        assert Client().get("/insights/?q=x").url == "/accounts/login/?next=/insights/%3Fq%3Dx"

    def test_shows_the_newest_first_and_only_ones_own_teams(
        self, bob_user: User, alice: Member, charlie: Member, now: Any
    ) -> None:
        make_insight(alice, title="The older", now=now - timedelta(days=1))
        make_insight(alice, title="The newer", now=now)
        make_insight(charlie, title="Of the mobile team")
        assert titles(text(signed_in(bob_user).get("/insights/"))) == ["The newer", "The older"]

    @pytest.mark.parametrize(
        "filters",
        [
            {"kind": "PITFALL"},
            {"status": "promoted"},
            {"tag": "Locks"},
            {"repo": "acme/web"},
            {"team": "everyone"},
            {"kind": "PITFALL", "tag": "locks", "repo": "acme/web"},
        ],
    )
    def test_narrows_to_what_the_address_says(
        self, filters: dict[str, str], alice_user: User, alice: Member, root: Member
    ) -> None:
        make_insight(alice, title="Another", body=CACHE)
        wanted = make_insight(
            root, title="Wanted", body=GUARD, kind=Kind.PITFALL, tags=["locks"], repo="acme/web", team="everyone"
        )
        curate.promote(ref=wanted.ref, by=root, now=timezone.now())
        client = signed_in(alice_user)
        assert titles(text(client.get("/insights/", filters))) == ["Wanted"]
        searched = client.get("/insights/", {**filters, "q": "what waits behind a long ALTER TABLE", "rank": "agent"})
        assert titles(text(searched)) == ["Wanted"]

    def test_tells_what_gave_way_from_what_is_promoted(self, alice_user: User, alice: Member) -> None:
        old, new = make_insight(alice, title="Then"), make_insight(alice, title="Now", body=CACHE)
        for row in (old, new):
            curate.promote(ref=row.ref, by=alice, now=timezone.now())
        Insight.objects.filter(pk=old.pk).update(superseded_by=new)
        client = signed_in(alice_user)
        page = text(client.get("/insights/?status=superseded"))
        assert "is not one of the available choices" not in page
        assert titles(page) == ["Then"]
        assert set(marks(page)) == {"superseded"}
        assert marks(text(client.get(f"/insights/{old.ref}/"))) == ["superseded"]
        assert titles(text(client.get("/insights/?status=promoted"))) == ["Now"]
        answer = client.post(
            "/filters/", {"page": "insights", "query": "status=superseded", "name": "Gone", "team": "personal"}
        )
        assert answer.url.startswith("/insights/?status=superseded&saved=")

    def test_offers_to_take_each_filter_away(self, alice_user: User, alice: Member) -> None:
        page = text(signed_in(alice_user).get("/insights/?kind=PITFALL&tag=a%26b&q=locks"))
        assert 'href="/insights/?q=locks&amp;tag=a%26b"' in page
        assert 'href="/insights/?q=locks&amp;kind=PITFALL"' in page

    @pytest.mark.parametrize("query", ["kind=SONG", "status=gone", "team=mobile", "tag=" + "x" * 61, "q=" + "x" * 2001])
    def test_says_what_it_cannot_narrow_to(self, query: str, alice_user: User, alice: Member) -> None:
        make_insight(alice, title="Never shown")
        page = text(signed_in(alice_user).get(f"/insights/?{query}"))
        assert "Invalid search" in page
        assert titles(page) == []

    def test_leafs_to_older_ones_and_back(self, alice_user: User, alice: Member, now: Any) -> None:
        for number in range(53):
            make_insight(alice, title=f"Note {number}", repo="acme/web", now=now + timedelta(minutes=number))
        client = signed_in(alice_user)
        first = text(client.get("/insights/?repo=acme/web"))
        assert titles(first)[0] == "Note 52"
        assert len(titles(first)) == 50
        assert "53 insights" in first
        older = re.search(r'href="([^"]+)"\s+rel="next"', first)
        assert older and "repo=acme" in older[1]
        second = text(client.get("/insights/" + unescape(older[1])))
        assert titles(second) == ["Note 2", "Note 1", "Note 0"]
        assert 'rel="prev"' in second
        assert 'rel="next"' not in second

    def test_is_sorted_by_its_columns_and_shows_those_that_are_chosen(
        self, alice_user: User, bob: Member, alice: Member, now: Any
    ) -> None:
        make_insight(alice, title="Beta", now=now)
        make_insight(bob, title="Alpha", now=now + timedelta(minutes=1), tags=["db"])
        client = signed_in(alice_user)
        page = text(client.get("/insights/?ordering=-title&cols=author&cols=tags"))
        assert titles(page) == ["Beta", "Alpha"]
        assert 'aria-sort="descending"' in page and "ordering=title" in page
        assert re.findall(r"<td>\s*(\w+)\s*</td>", page) == ["alice", "db", "bob"]
        assert titles(text(client.get("/insights/?ordering=nonsense"))) == ["Alpha", "Beta"]

    def test_finds_part_of_a_word_whatever_its_strength(self, alice_user: User, alice: Member, charlie: Member) -> None:
        one = make_insight(alice, title="Timeouts", body="Set proxy_read_timeout in nginx.conf for long uploads.")
        other = make_insight(alice, title="NGINX caches DNS answers", body=CACHE, tags=["dns"])
        make_insight(charlie, title="nginx of the mobile team")
        client = signed_in(alice_user)
        assert titles(text(client.get("/insights/?q=nginx"))) == ["NGINX caches DNS answers", "Timeouts"]
        assert titles(text(client.get("/insights/?q=ginx+upload"))) == ["Timeouts"]
        assert titles(text(client.get('/insights/?q="caches DNS"'))) == ["NGINX caches DNS answers"]
        assert titles(text(client.get(f"/insights/?q={one.ref}"))) == ["Timeouts"]
        assert titles(text(client.get("/insights/?q=dns"))) == [other.title]
        assert titles(text(client.get("/insights/?q=100%25"))) == []

    def test_finds_drafts_that_nobody_has_reviewed(self, alice_user: User, alice: Member) -> None:
        seen, gone = make_insight(alice, title="Seen"), make_insight(alice, title="Gone", body=CACHE)
        make_insight(alice, title="New", body="Beat runs once.")
        curate.leave(ref=seen.ref, by=alice, now=timezone.now())
        curate.deprecate(ref=gone.ref, by=alice, now=timezone.now())
        client = signed_in(alice_user)
        assert titles(text(client.get("/insights/?reviewed=never"))) == ["New"]
        assert titles(text(client.get("/insights/?reviewed=yes"))) == ["Seen"]

    def test_teaches_when_there_is_nothing(self, charlie_user: User) -> None:
        page = text(signed_in(charlie_user).get("/insights/"))
        assert "Connect an agent" in page
        assert "/insights/import/" in page

    def test_needs_no_more_statements_for_more_rows(
        self, alice_user: User, alice: Member, django_assert_max_num_queries: Any
    ) -> None:
        for number in range(12):
            make_insight(alice, title=f"Note {number}", tags=["a", f"b{number}"])
        client = signed_in(alice_user)
        client.get("/insights/")
        with django_assert_max_num_queries(19):
            client.get("/insights/")


class TestSearch:
    def test_finds_and_explains(self, alice_user: User, alice: Member) -> None:
        make_insight(alice, title="Guard before ALTER", body=GUARD)
        make_insight(alice, title="Tenant in the key", body=CACHE)
        page = text(signed_in(alice_user).get("/insights/?rank=agent&q=why+do+readers+wait+during+a+migration+ALTER"))
        assert titles(page)[0] == "Guard before ALTER"
        assert "Why this rank" in page
        assert "similarity" in page
        assert re.search(r"meaning 0\.\d\d", page)
        assert '<rect class="svg-fill"' in page

    def test_finds_nothing_of_another_team(self, charlie_user: User, alice: Member) -> None:
        make_insight(alice, title="Guard before ALTER", body=GUARD)
        page = text(signed_in(charlie_user).get("/insights/?rank=agent&q=lock_timeout+guard&nearest=1"))
        assert titles(page) == []

    def test_says_so_when_nothing_is_relevant_and_shows_the_nearest_on_demand(
        self, alice_user: User, alice: Member
    ) -> None:
        make_insight(alice, title="Guard before ALTER", body=GUARD)
        client = signed_in(alice_user)
        page = text(client.get("/insights/?rank=agent&q=recipe+for+apple+pie"))
        assert titles(page) == []
        assert "An agent asking this would get no insights" in page
        anyway = re.search(r'href="(\?[^"]*nearest=1[^"]*)"', page)
        assert anyway
        assert titles(text(client.get("/insights/" + unescape(anyway[1])))) == ["Guard before ALTER"]

    def test_says_what_an_agent_would_be_told_of_what_is_probably_no_answer(
        self, alice_user: User, alice: Member
    ) -> None:
        stock(alice, timezone.now())
        client = signed_in(alice_user)
        weak = text(client.get("/insights/?rank=agent&q=which+driver+do+we+use+for+the+database"))
        assert "Probably no answer." in weak and len(titles(weak)) == 1
        own = text(client.get("/insights/?rank=agent&q=prepared+statements+with+PgBouncer+in+transaction+mode"))
        assert "Probably no answer." not in own and len(titles(own)) == 1

    def test_answers_htmx_with_the_results_alone(self, alice_user: User, alice: Member) -> None:
        make_insight(alice, body=GUARD)
        client = signed_in(alice_user)
        part = client.get("/insights/?q=lock_timeout+guard", **HTMX)
        assert text(part).lstrip().startswith('<div id="insight-results"')
        assert "HX-Request" in part["Vary"]
        whole = client.get("/insights/?q=lock_timeout+guard", **HTMX, HTTP_HX_HISTORY_RESTORE_REQUEST="true")
        assert "<html" in text(whole)

    def test_shows_what_was_asked_as_text(self, alice_user: User, alice: Member) -> None:
        page = text(signed_in(alice_user).get("/insights/", {"q": '"><script>alert(1)</script>'}))
        assert "<script>alert" not in page
        assert Faults(page).found == []


class TestInsight:
    def test_shows_what_is_known_of_it(self, bob_user: User, alice: Member) -> None:
        row = make_insight(
            alice,
            title="Guard before ALTER",
            body="Run **first**:\n\n```sql\nSET lock_timeout = '3s';\n```",
            reasoning="A waiting ALTER blocks *everybody*.",
            tags=["locks"],
            files=["db/migrate.py"],
            symbols=["run_guard"],
            repo="acme/web",
            source_url="https://example.org/incident/7",
            provenance=[{"path": "db/migrate.py", "sha256": "ab" * 32}],
        )
        page = text(signed_in(bob_user).get(f"/insights/{row.ref}/"))
        for words in ("<strong>first</strong>", "<em>everybody</em>", "db/migrate.py", "run_guard", "abababab"):
            assert words in page
        assert f"{row.ref} deposited" in page
        assert "Half-life of draft insights: 14 days" in page
        assert 'rel="nofollow noopener noreferrer"' in page

    @pytest.mark.parametrize("path", ["", "edit/"])
    def test_does_not_exist_for_a_stranger(self, path: str, charlie_user: User, alice: Member) -> None:
        row = make_insight(alice)
        client = signed_in(charlie_user)
        assert client.get(f"/insights/{row.ref}/{path}").status_code == 404
        assert client.get(f"/insights/NOPE-1/{path}").status_code == 404

    def test_names_its_successor(self, alice_user: User, alice: Member) -> None:
        old, new = make_insight(alice, title="Then"), make_insight(alice, title="Now", body=CACHE)
        Insight.objects.filter(pk=old.pk).update(superseded_by=new)
        client = signed_in(alice_user)
        assert "Superseded by <a" in text(client.get(f"/insights/{old.ref}/"))
        assert f'href="/insights/{old.ref}/"' in text(client.get(f"/insights/{new.ref}/"))

    def test_keeps_hostile_words_words(self, alice_user: User, alice: Member) -> None:
        evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
        row = make_insight(
            alice,
            title=f"{evil}"[:200],
            body=f"{evil}\n\n[click](javascript:alert(1)) ![pixel](https://evil.example/p.png)\n\n" + "x" * 10_000,
            reasoning=evil,
            tags=[f"<b>{n}" for n in range(40)],
            repo="https://evil.example/<svg/onload=alert(1)>",
        )
        client = signed_in(alice_user)
        for path in (f"/insights/{row.ref}/", "/insights/", f"/insights/{row.ref}/edit/", "/insights/?q=script+alert"):
            page = text(client.get(path))
            assert Faults(page).found == []
            assert "<script>alert" not in page
            assert "onerror" not in re.sub(r"&lt;img src=x onerror", "", page)
            assert 'src="https://evil' not in page

    def test_bears_thousands_of_tags(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice, tags=[f"tag-{n}" for n in range(5_000)])
        client = signed_in(alice_user)
        page = text(client.get(f"/insights/{row.ref}/"))
        assert "and 4970 more" in page
        assert len(text(client.get("/insights/"))) < 50_000


class TestCurating:
    def test_is_offered_to_leads_only(self, alice_user: User, bob_user: User, alice: Member) -> None:
        path = f"/insights/{make_insight(alice).ref}/"
        assert "Promote" in text(signed_in(alice_user).get(path))
        assert "formaction" not in text(signed_in(bob_user).get(path))

    @pytest.mark.parametrize(
        ("before", "verb", "after"),
        [
            ("draft", "promote", {"status": "promoted"}),
            ("draft", "deprecate", {"status": "deprecated"}),
            ("deprecated", "restore", {"status": "draft"}),
            ("draft", "pin", {"pinned": True}),
        ],
    )
    def test_does_it_and_says_so_and_why(
        self, before: str, verb: str, after: dict[str, Any], alice_user: User, alice: Member
    ) -> None:
        row = make_insight(alice)
        Insight.objects.filter(pk=row.pk).update(status=before)
        form = {"why": "It held up."}
        page = text(signed_in(alice_user).post(f"/insights/{row.ref}/{verb}/", form, follow=True))
        row.refresh_from_db()
        assert {name: getattr(row, name) for name in after} == after
        assert 'class="note note-success' in page
        assert "It held up." in page and "“It held up.”" not in page
        assert LogEntry.objects.get(subject=row.ref, why="It held up.").user == alice_user

    def test_refuses_what_the_status_does_not_allow(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice)
        response = signed_in(alice_user).post(f"/insights/{row.ref}/restore/")
        assert response.status_code == 409
        assert "cannot be restored" in text(response)

    def test_refuses_contributors_and_does_not_know_strangers(
        self, bob_user: User, charlie_user: User, alice: Member
    ) -> None:
        row = make_insight(alice)
        assert signed_in(bob_user).post(f"/insights/{row.ref}/promote/").status_code == 403
        assert signed_in(charlie_user).post(f"/insights/{row.ref}/promote/").status_code == 404
        row.refresh_from_db()
        assert row.status == "draft"

    def test_is_never_done_by_a_link_or_from_another_site(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice)
        assert signed_in(alice_user).get(f"/insights/{row.ref}/promote/").status_code == 405
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(alice_user)
        assert strict.post(f"/insights/{row.ref}/promote/").status_code == 403


def typed(page: str, **over: str) -> dict[str, str]:
    """What the edit form on the page would send, with `over` typed into it."""
    form: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", page):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and "csrf" not in name[1]:
            form[name[1]] = unescape(value[1]) if value else ""
    for name, value in re.findall(r'<textarea[^>]*name="([^"]*)"[^>]*>\r?\n?(.*?)</textarea>', page, re.S):
        form[name] = unescape(value)
    for name, options in re.findall(r'<select[^>]*name="([^"]*)".*?>(.*?)</select>', page, re.S):
        chosen = re.search(r'value="([^"]*)" selected', options)
        form[name] = chosen[1] if chosen else ""
    return {name: value.replace("\n", "\r\n") for name, value in {**form, **over}.items()}


class TestEdit:
    def test_saves_what_was_changed_and_nothing_else(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice, body="First line.\n\nSecond line.", tags=["a", "b"], files=["x.py", "y.py"])
        client = signed_in(alice_user)
        path = f"/insights/{row.ref}/edit/"
        form = typed(text(client.get(path)), title="A better title", tags="b, c", why="Clearer.")
        assert client.post(path, form).url == f"/insights/{row.ref}/"
        row = Insight.objects.get(pk=row.pk)
        assert (row.title, row.tags, row.files) == ("A better title", ["b", "c"], ["x.py", "y.py"])
        assert row.body == "First line.\n\nSecond line."
        line = LogEntry.objects.get(subject=row.ref, verb="edited")
        assert set(line.after) == {"title", "tags"}
        assert line.why == "Clearer."

    def test_keeps_what_two_leads_wrote_in_different_paragraphs(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice, body="One.\n\nTwo.\n\nThree.", tags=["a", "b"])
        client = signed_in(alice_user)
        path = f"/insights/{row.ref}/edit/"
        form = typed(text(client.get(path)), body="One.\n\nTwo.\n\nThree, mine.", tags="a, b, mine")
        changes = {"body": "One, theirs.\n\nTwo.\n\nThree.", "tags": ["a", "theirs"]}
        curate.edit(ref=row.ref, changes=changes, revision=1, by=alice, now=timezone.now())
        told = text(client.post(path, form))
        assert "Save merged version" in told and "Both changed the same part" not in told
        assert client.post(path, typed(told)).status_code == 302
        row = Insight.objects.get(pk=row.pk)
        assert row.body == "One, theirs.\n\nTwo.\n\nThree, mine."
        assert row.tags == ["a", "mine", "theirs"]

    def test_tells_of_another_change_and_loses_no_typing(self, alice_user: User, alice: Member) -> None:
        row = make_insight(alice, title="Old title", body="Old body.")
        client = signed_in(alice_user)
        path = f"/insights/{row.ref}/edit/"
        form = typed(text(client.get(path)), body="My own body.", why="Because.")
        changes = {"body": "Their other body.", "title": "Their title"}
        curate.edit(ref=row.ref, changes=changes, revision=1, by=alice, now=timezone.now())
        told = text(client.post(path, form))
        assert "changed it while you were editing" in told
        assert "<del>Their other</del>" in told
        assert "<ins>My own</ins>" in told
        again = typed(told)
        assert "Both changed the same part" in told
        assert again["body"].replace("\r", "") == "Their other body.\n\nMy own body."
        assert again["title"] == "Their title"
        assert again["why"] == "Because."
        assert client.post(path, {**again, "body": "My own body."}).status_code == 302
        row.refresh_from_db()
        assert (row.title, row.body) == ("Their title", "My own body.")

    @pytest.mark.parametrize(
        ("over", "fault"),
        [
            ({"title": ""}, "This field is required"),
            ({"kind": "DECISION"}, "A DECISION requires reasoning"),
            ({"kind": "SONG"}, "SONG is not one of the available choices"),
            ({"revision": "x"}, "whole number"),
            ({"tags": "x" * 61}, "at most 60 characters"),
            ({"files": "x" * 401}, "at most 400 characters"),
            ({"symbols": "\n".join("abcdefghijklmnopqrstuvwxyz" * 2)}, "At most 50"),
            ({"body": "x" * 20_001}, "at most 20000 characters"),
            ({"body": "The key is AKIAIOSFODNN7REALKEY and it works."}, "line 1"),
        ],
    )
    def test_gives_faults_back_with_the_typing(
        self, over: dict[str, str], fault: str, alice_user: User, alice: Member
    ) -> None:
        row = make_insight(alice)
        client = signed_in(alice_user)
        path = f"/insights/{row.ref}/edit/"
        form = typed(text(client.get(path)), reasoning="", **{"repo": "acme/typed", **over})
        page = text(client.post(path, form))
        assert fault in page
        assert 'value="acme/typed"' in page
        row.refresh_from_db()
        assert row.revision == 1

    def test_is_open_to_the_author_of_a_draft_and_closed_to_others(
        self, bob_user: User, alice: Member, bob: Member
    ) -> None:
        own, other = make_insight(bob), make_insight(alice, body=CACHE)
        client = signed_in(bob_user)
        assert "/edit/" in text(client.get(f"/insights/{own.ref}/"))
        assert "/edit/" not in text(client.get(f"/insights/{other.ref}/"))
        path = f"/insights/{other.ref}/edit/"
        form = typed(text(client.get(path)), title="Mine now")
        assert client.post(path, form).status_code == 403
        other.refresh_from_db()
        assert other.title != "Mine now"


class TestEveryPage:
    def test_keeps_the_content_security_policy(self, alice_user: User, alice: Member) -> None:
        ref = make_insight(alice, body=GUARD).ref
        client = signed_in(alice_user)
        paths = ["/insights/", "/insights/?q=lock_timeout+guard", f"/insights/{ref}/", f"/insights/{ref}/edit/"]
        paths += ["/tokens/", "/teams/", "/teams/platform/", "/connect/", "/accounts/password/change/", "/nope/"]
        paths += ["/accounts/2fa/", "/accounts/logout/"]
        for path in paths:
            response = client.get(path)
            assert Faults(text(response)).found == [], path
            assert "script-src 'self';" in response["Content-Security-Policy"] + ";"
            assert "unsafe" not in response["Content-Security-Policy"]
        visitor = Client().get("/accounts/login/")
        assert Faults(text(visitor)).found == []
