"""What people see of a conversation: reading it, forgetting it, and an insight made of what was said in it."""

from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from accounts.actions.members import member_of, remove_member
from accounts.models import Membership, User
from accounts.rules.rights import Level, Member
from knowledge.models import Insight, Query
from sessions_app.conversations.actions.share import share, unshare
from sessions_app.conversations.actions.write import keep_conversation
from sessions_app.models import AgentSession, Passage, Quotation, ServedPassage
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW, person
from tests.factories import make_insight
from tests.pages import HTMX, Faults, signed_in
from tests.sessions_app.conversations.talk import TALK, talk

pytestmark = pytest.mark.django_db
ALL, AGENT = SharedTurns.ALL, SharedTurns.AGENT
HOSTILE = '<script>alert(1)</script>"><svg onload=x> [x](javascript:alert(1)) {{ 7|add:1 }} \u202eevil\u200b'


def text(response: Any) -> str:
    return unescape(response.content.decode())


def shared(bob: Member, turns: SharedTurns = ALL, said: tuple[Turn, ...] = TALK) -> AgentSession:
    """A session of Bob's on `shop`, shared with the platform team."""
    share(repo="shop", team="platform", turns=turns, by=bob, now=NOW)
    return talk(bob, said)


class TestCopy:
    """A transcript that its person has in another session already is not stored again."""

    def test_says_why_it_is_empty_and_where_it_is(self, alice_user: User, bob_user: User, bob: Member) -> None:
        first = shared(bob)
        copy = talk(bob)
        assert not Passage.objects.filter(session=copy).exists()
        for address in (f"/sessions/{copy.ref}/", f"/sessions/{copy.ref}/conversation/"):
            page = " ".join(text(signed_in(bob_user).get(address)).split())
            assert f'Stored with <a class="link" href="/sessions/{first.ref}/conversation/">{first.ref}</a>' in page
            assert "No conversation." not in page
            assert "Stored with" not in text(signed_in(alice_user).get(address)), "who else reads it is told of none"
        assert signed_in(bob_user).get(f"/sessions/{first.ref}/conversation/").status_code == 200

    def test_says_nothing_of_one_that_is_gone(self, bob_user: User, bob: Member) -> None:
        first, copy = shared(bob), talk(bob)
        Passage.objects.filter(session=first).delete()
        page = text(signed_in(bob_user).get(f"/sessions/{copy.ref}/"))
        assert first.ref not in page and "No conversation." in page

    def test_has_its_own_once_more_is_said_in_it(self, bob_user: User, bob: Member) -> None:
        shared(bob)
        longer = [*TALK, Turn("user", "And 2,000 on Sundays, when the mirror runs.", "2026-11-20T10:00:00Z")]
        copy = talk(bob)
        keep_conversation(session=copy, turns=longer, now=NOW)
        copy.refresh_from_db()
        assert copy.conversation_in_id is None
        assert "And 2,000 on Sundays" in text(signed_in(bob_user).get(f"/sessions/{copy.ref}/"))


class TestReading:
    def test_is_the_users_own_until_they_share_it(self, alice_user: User, bob_user: User, bob: Member) -> None:
        session = talk(bob)
        assert "Keep the limit at 5,000 rows" in text(signed_in(bob_user).get(f"/sessions/{session.ref}/"))
        teammate = signed_in(alice_user)
        for address in (f"/sessions/{session.ref}/", f"/sessions/{session.ref}/conversation/?q=limit"):
            page = text(teammate.get(address))
            assert "Keep the limit" not in page
            assert "Not shared with you" in page
        share(repo="shop", team="platform", turns=AGENT, by=bob, now=NOW)
        page = text(teammate.get(f"/sessions/{session.ref}/"))
        assert "Strip the BOM" in page
        assert "Keep the limit" not in page
        unshare(repo="shop", by=bob, now=NOW)
        # What the agent left in its handoff is the team's; the passages are not any more.
        assert 'id="passage-' not in text(teammate.get(f"/sessions/{session.ref}/"))

    def test_of_another_teams_session_shows_the_passages_and_not_the_session(
        self, bob: Member, bob_user: User, charlie_user: User, mobile: Any
    ) -> None:
        Membership.objects.create(team=mobile, user=bob_user, level=Level.CONTRIBUTOR)
        bob = member_of(user=bob_user)
        session = talk(bob)
        share(repo="shop", team="mobile", turns=ALL, by=bob, now=NOW)
        stranger = signed_in(charlie_user)
        assert stranger.get(f"/sessions/{session.ref}/").status_code == 404
        page = text(stranger.get(f"/sessions/{session.ref}/conversation/"))
        assert "Keep the limit" in page
        assert f'href="/sessions/{session.ref}/"' not in page

    def test_is_searched_and_leafed_through(self, bob: Member, bob_user: User) -> None:
        said = tuple(
            Turn("user" if n % 2 else "assistant", f"Turn {n} is about the {'kestrel' if n == 140 else 'importer'}.")
            for n in range(150)
        )
        session = talk(bob, said)
        page = signed_in(bob_user)
        address = f"/sessions/{session.ref}/conversation/"
        first = text(page.get(address))
        assert "Page 1 of 3" in first
        assert "kestrel" not in first
        found = text(page.get(f"{address}?q=kestrel", **HTMX))
        assert "Turn 140 is" in found
        assert "1 of 150 passages match “kestrel”" in found
        assert "<html" not in found
        position = Passage.objects.get(text__contains="kestrel").position
        assert f'id="passage-{position}"' in text(page.get(f"{address}?at={position}"))
        assert "No results" in text(page.get(f"{address}?q=ostrich"))
        assert "Page 3 of 3" in text(page.get(f"{address}?page=999"))

    def test_shows_hostile_words_as_words(self, bob: Member, bob_user: User) -> None:
        session = talk(bob, (Turn("user", f"Look: {HOSTILE}"), Turn("assistant", f"# {HOSTILE}\n**not bold**")))
        for address in (f"/sessions/{session.ref}/", f"/sessions/{session.ref}/conversation/?q=evil"):
            answer = signed_in(bob_user).get(address)
            html = answer.content.decode()
            assert Faults(html).found == []
            assert "<script>alert" not in html
            assert "\u202e" not in html
            assert "**not bold**" in html
        address = f"/sessions/{session.ref}/conversation/insight/?passage=0&passage=1"
        assert Faults(signed_in(bob_user).get(address).content.decode()).found == []

    def test_marks_what_was_decided_and_links_what_quotes_it(
        self, alice: Member, alice_user: User, bob: Member, bob_user: User
    ) -> None:
        decision = "We decided to keep SQLite for the cache because the data fits in memory."
        session = shared(bob, said=(Turn("user", "Which store?"), Turn("assistant", f"Fine. **{decision}** Done.")))
        page = text(signed_in(alice_user).get(f"/sessions/{session.ref}/conversation/"))
        assert page.count('<span class="mark text-accent">decision</span>') == 1
        insight = make_insight(alice, body="Caches use SQLite.")
        Quotation.objects.create(insight=insight, session=session, passage=Passage.objects.get(position=0), at=NOW)
        page = text(signed_in(alice_user).get(f"/sessions/{session.ref}/conversation/"))
        assert page.count(insight.ref) >= 2

    def test_marks_what_says_the_most_of_a_long_one(self, bob: Member, bob_user: User) -> None:
        said = (
            "morning, the printer is dead again",
            "It was out of paper.",
            "nice. now the uploads, how large may they be",
            "At most 25 MB each, 40 a day, and never as `text/html`; the gateway drops larger ones.",
            "fine, and the colour of the button",
            "As the others have it.",
            "ok. lunch",
            "Enjoy.",
        )
        session = talk(bob, [Turn(("user", "assistant")[number % 2], words) for number, words in enumerate(said)])
        page = text(signed_in(bob_user).get(f"/sessions/{session.ref}/conversation/"))
        marked = [part for part in page.split("<li id=") if ">key</span>" in part]
        assert any("25 MB" in part for part in marked)
        assert not any("paper" in part or "Enjoy" in part for part in marked)

    def test_says_where_it_was_served_and_not_what_was_asked(
        self, alice: Member, alice_user: User, bob: Member, bob_user: User
    ) -> None:
        session = shared(bob)
        row = Passage.objects.filter(session=session).first()
        for member in (alice, alice, bob):
            asked = Query.objects.create(
                team_id=member.home_id, user_id=member.user_id, at=timezone.now(), text="the kestrel question"
            )
            ServedPassage.objects.create(query=asked, passage=row)
        page = text(signed_in(bob_user).get(f"/sessions/{session.ref}/conversation/"))
        assert "Served 3 times to you and 1 other person" in " ".join(page.split())
        assert "kestrel" not in page
        User.objects.filter(pk=alice.user_id).update(share_prompts="on")
        page = text(signed_in(bob_user).get(f"/sessions/{session.ref}/conversation/"))
        assert "to you and alice" in " ".join(page.split())


class TestSessionList:
    def test_is_narrowed_to_those_with_a_conversation(self, alice_user: User, bob: Member, bob_user: User) -> None:
        kept = talk(bob)
        empty = talk(bob, ())
        page = text(signed_in(bob_user).get("/sessions/?conversation=kept"))
        assert f"/sessions/{kept.ref}/" in page
        assert f"/sessions/{empty.ref}/" not in page
        assert f"/sessions/{kept.ref}/" not in text(signed_in(alice_user).get("/sessions/?conversation=kept"))


class TestForgetting:
    def test_says_what_goes_and_deletes_it(self, bob: Member, bob_user: User) -> None:
        session = talk(bob)
        page = signed_in(bob_user)
        address = f"/sessions/{session.ref}/conversation/forget/"
        assert "4 passages" in text(page.get(address))
        assert Passage.objects.count() == 4
        page.post(address, {"why": "a customer's name"})
        assert Passage.objects.count() == 0
        assert "Forgotten" in text(page.get(f"/sessions/{session.ref}/"))

    def test_is_a_leads_of_what_is_shared_with_their_team(
        self, alice_user: User, bob: Member, platform: Any, mobile: Any
    ) -> None:
        session = shared(bob, AGENT)
        carol = person("carol", platform)
        assert signed_in(carol).get(f"/sessions/{session.ref}/conversation/forget/").status_code == 403
        assert signed_in(carol).post(f"/sessions/{session.ref}/conversation/forget/").status_code == 403
        assert "2 passages" in text(signed_in(alice_user).get(f"/sessions/{session.ref}/conversation/forget/"))
        signed_in(alice_user).post(f"/sessions/{session.ref}/conversation/forget/")
        assert Passage.objects.visible_to(replace(bob)).count() == 2


class TestQuoting:
    ADDRESS = "/sessions/{}/conversation/insight/"

    def test_makes_an_insight_that_links_back(self, alice_user: User, bob: Member) -> None:
        session = shared(bob)
        page = signed_in(alice_user)
        address = self.ADDRESS.format(session.ref)
        form = text(page.get(f"{address}?passage=2&passage=3"))
        assert "Keep the limit at 5,000 rows a batch." in form
        assert "No similar insights" in form
        sent = {"passage": ["2", "3"], "team": "platform", "kind": "DECISION", "title": "Batches of 5,000 rows",
                "body": "Import in batches of 5,000 rows.", "reasoning": "Bob asked for it."}  # fmt: skip
        done = page.post(address, {**sent, "save": "1"}, follow=True)
        insight = Insight.objects.get()
        assert (insight.source_type, insight.repo, insight.team.slug) == ("human", "shop", "platform")
        assert Quotation.objects.filter(insight=insight, user=alice_user).count() == 2
        assert f"/sessions/{session.ref}/conversation/?at=2#passage-2" in text(done)
        unshare(repo="shop", by=bob, now=NOW)
        assert "Keep the limit at 5,000" not in text(page.get(f"/insights/{insight.ref}/"))

    def test_shows_what_the_team_knows_before_it_is_saved(self, alice: Member, alice_user: User, bob: Member) -> None:
        known = make_insight(alice, body="Import in batches of 5,000 rows.", kind="CONTEXT")
        session = shared(bob)
        sent = {"passage": "2", "team": "platform", "kind": "CONTEXT", "title": "Batches",
                "body": "Import in batches of 5,000 rows.", "check": "1"}  # fmt: skip
        page = text(signed_in(alice_user).post(self.ADDRESS.format(session.ref), sent))
        assert known.ref in page
        assert Insight.objects.count() == 1

    def test_tells_the_faults_of_what_was_typed(self, alice_user: User, bob: Member) -> None:
        session = shared(bob)
        sent = {"passage": "2", "team": "platform", "kind": "DECISION", "title": "T", "body": "Batches.", "save": "1"}
        page = text(signed_in(alice_user).post(self.ADDRESS.format(session.ref), sent))
        assert "A DECISION requires reasoning." in page
        assert not Insight.objects.exists()

    def test_says_that_a_decision_needs_its_reason_and_other_kinds_do_not(self, alice_user: User, bob: Member) -> None:
        address = self.ADDRESS.format(shared(bob).ref)
        page, sent = (
            signed_in(alice_user),
            {"passage": "2", "team": "platform", "title": "T", "body": "B", "check": "1"},
        )
        for shown in (page.get(f"{address}?passage=2"), page.post(address, {**sent, "kind": "DECISION"})):
            label, _, field = (
                text(shown).partition('for="id_reasoning"')[2].partition("</textarea>")[0].partition("</label>")
            )
            assert "Reasoning" in label and "optional" not in label
            # The kind may be changed on the page: the browser does not ask for it.
            assert " required" not in field
        other = text(page.post(address, {**sent, "kind": "CONTEXT"}))
        assert "(optional)" in other.partition('for="id_reasoning"')[2].partition("</label>")[0]

    def test_takes_others_words_to_no_other_team(self, alice_user: User, bob: Member) -> None:
        session = shared(bob)
        sent = {"passage": "2", "kind": "CONTEXT", "title": "T", "body": "Batches of 5,000.", "save": "1"}
        for team in ("everyone", "personal"):
            signed_in(alice_user).post(self.ADDRESS.format(session.ref), {**sent, "team": team})
        assert not Insight.objects.exists()

    def test_takes_nothing_that_one_may_not_read(self, alice_user: User, bob: Member) -> None:
        session = shared(bob, AGENT)
        answer = signed_in(alice_user).get(f"{self.ADDRESS.format(session.ref)}?passage=0&passage=2")
        assert answer.status_code == 400
        assert "Keep the limit" not in text(answer)

    def test_is_not_offered_to_who_only_reads(self, bob: Member, platform: Any) -> None:
        session = shared(bob)
        reader = signed_in(person("rita", platform, Level.READER))
        assert 'name="passage"' not in text(reader.get(f"/sessions/{session.ref}/conversation/"))
        assert reader.get(f"{self.ADDRESS.format(session.ref)}?passage=0").status_code == 400


class TestSearching:
    SAID = (
        Turn("user", "The importer drops rows when the file has a BOM. What do we do about the byte order mark?"),
        Turn("assistant", "We strip the BOM in reader.py with utf-8-sig, because Excel writes one in every export."),
    )
    ADDRESS = "/insights/?rank=agent&q=importer drops rows byte order mark BOM"

    def test_shows_conversations_below_the_insights(self, alice_user: User, bob: Member, bob_user: User) -> None:
        session = talk(bob, self.SAID)
        link = f"/sessions/{session.ref}/conversation/?at="
        page = text(signed_in(bob_user).get(self.ADDRESS))
        assert "utf-8-sig" in page
        assert link in page
        assert not ServedPassage.objects.filter(query__user=bob_user).exists(), "a person who looks asks nothing"
        teammate = signed_in(alice_user)
        assert link not in text(teammate.get(self.ADDRESS))
        share(repo="shop", team="platform", turns=AGENT, by=bob, now=NOW)
        page = text(teammate.get(self.ADDRESS, **HTMX))
        assert "utf-8-sig" in page
        assert "What do we do about" not in page
        assert link not in text(teammate.get(f"{self.ADDRESS}&kind=DECISION"))


class TestSettings:
    def test_have_a_row_for_each_repository(self, bob: Member, bob_user: User) -> None:
        talk(bob)
        talk(bob, repo="diary")
        page = signed_in(bob_user)
        settings = " ".join(text(page.get("/settings/")).split())
        assert 'shop</p> <p class="muted text-sm"> Not shared. 1 session, 4 passages.' in settings
        assert 'All repositories</p> <p class="muted text-sm"> No setting. 2 sessions, 8 passages.' in settings
        preview = text(page.get("/settings/sharing/?repo=shop&team=platform&turns=agent"))
        assert "Strip the BOM" in preview
        assert "The importer drops rows" not in preview
        assert Passage.objects.exclude(team_id=bob.home_id).count() == 0
        page.post("/settings/sharing/", {"repo": "", "team": "platform", "turns": "all"})
        settings = " ".join(text(page.get("/settings/")).split())
        assert (
            "Shared with Platform: the whole conversation, as for all repositories. 1 session, 4 passages, 4 of"
            in settings
        )
        page.post("/settings/sharing/stop/", {"repo": ""})
        assert "of them shared" not in text(page.get("/settings/"))
        assert Passage.objects.exclude(team_id=bob.home_id).count() == 0

    def test_show_a_repository_as_it_is_called(self, bob: Member, bob_user: User) -> None:
        talk(bob, repo=HOSTILE[:60])
        html = signed_in(bob_user).get("/settings/").content.decode()
        assert Faults(html).found == []
        assert "<script>alert" not in html


class TestWhatIsNotShared:
    """A word of each of Bob's turns is on no page of a colleague, however they ask for it."""

    TYPED = (
        ("The quagga export stalls at night when the queue is full.", "export stalls at night", "quagga"),
        ("We chose the zebrafinch queue because okapi brokers lost messages.", "brokers lost messages", "zebrafinch"),
        ("I edited src/tapir/limits.py to raise the limit of uploads.", "raise the limit of uploads", "tapir"),
    )

    def pages(self, reader: User, session: AgentSession) -> str:
        page = signed_in(reader)
        base = f"/sessions/{session.ref}/"
        addresses = [
            *("/", "/?tab=quoted", "/sessions/", "/sessions/?conversation=kept", "/settings/", base),
            *(f"{base}conversation/", f"{base}conversation/?at=0", f"{base}conversation/forget/"),
            *(f"{base}conversation/insight/?passage={number}" for number in range(8)),
            "/settings/sharing/?repo=shop&team=platform&turns=all",
        ]
        for _, asked, _ in self.TYPED:
            addresses += [f"/insights/?q={asked}", f"/insights/?q={asked}&nearest=1", f"{base}conversation/?q={asked}"]
        addresses += [f"/insights/{ref}/" for ref in Insight.objects.values_list("ref", flat=True)]
        return "".join(page.get(address).content.decode() for address in addresses)

    def found(self, reader: User, session: AgentSession) -> list[str]:
        told = self.pages(reader, session)
        return [word for _, _, word in self.TYPED if word in told]

    def test_before_and_after_sharing_unsharing_and_leaving(
        self, alice: Member, alice_user: User, bob: Member, bob_user: User, charlie_user: User, platform: Any
    ) -> None:
        words = [word for _, _, word in self.TYPED]
        rita = person("rita", platform, Level.READER)
        session = talk(bob, tuple(Turn(role, said) for text, _, _ in self.TYPED for role, said in (
            ("user", text), ("assistant", "Understood, that stays as it is for now.")
        )))  # fmt: skip
        assert self.found(bob_user, session) == words
        for reader in (alice_user, rita, charlie_user):
            assert self.found(reader, session) == []
        share(repo="shop", team="platform", turns=AGENT, by=bob, now=NOW)
        assert self.found(alice_user, session) == []
        share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW)
        assert self.found(alice_user, session) == self.found(rita, session) == words
        assert self.found(charlie_user, session) == []
        unshare(repo="shop", by=bob, now=NOW)
        assert self.found(alice_user, session) == []
        share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW)
        remove_member(team_slug="platform", username="bob", by=alice, now=NOW)
        assert self.found(alice_user, session) == []
        assert self.found(bob_user, session) == words

    def test_moves_with_the_sharing_to_another_team(
        self, alice_user: User, bob_user: User, charlie_user: User, mobile: Any, bob: Member
    ) -> None:
        Membership.objects.create(team=mobile, user=bob_user, level=Level.CONTRIBUTOR)
        bob = member_of(user=bob_user)
        session = talk(bob, (Turn("user", self.TYPED[0][0]), Turn("assistant", "Understood.")))
        share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW)
        share(repo="shop", team="mobile", turns=ALL, by=bob, now=NOW)
        assert (self.found(alice_user, session), self.found(charlie_user, session)) == ([], ["quagga"])
