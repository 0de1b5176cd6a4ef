"""The thread under a pair: as under a suggested edit, for those who may see both insights."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions.members import member_of
from accounts.models import LogEntry, Membership, Team, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member
from knowledge.models import Comment, Insight, Mention, Pair
from knowledge.review.actions import settle, triage
from knowledge.review.actions.forget import forget
from knowledge.review.actions.move import move
from knowledge.review.actions.quarantine import scan
from knowledge.review.proposals.actions import decide
from knowledge.review.proposals.actions.comments import CommentMissing, comment_on_pair, read_pair_mentions
from knowledge.review.proposals.actions.mention import MOST_MENTIONS_A_DAY, mentionable
from knowledge.review.rules.triage import MOST_OF_ONE, Tab
from sessions_app.actions.forget_person import forget_person
from tests.conftest import agent, person
from tests.factories import as_agent, make_insight, make_proposal
from tests.pages import Faults, signed_in

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def pair(alice: Member, now: datetime) -> Pair:
    a = make_insight(alice, title="Guard long ALTERs", body="Always run the guard before a long ALTER.")
    b = make_insight(alice, title="Skip the guard", body="Never run the guard before a long ALTER.")
    return settle.report(a=a.ref, b=b.ref, reason="One is wrong.", by=alice, now=now)


def mentions(by: Member) -> list[int]:
    return [one.pk for one in triage.pair_mentions(by=by)]


def say(pair: Pair, text: str, by: Member) -> Comment:
    return comment_on_pair(pair_id=pair.pk, text=text, by=by, now=timezone.now())


def text(answer: Any) -> str:
    page: str = answer.content.decode()
    assert Faults(page).found == []
    return page


class TestMentionsByOne:
    def test_are_so_many_a_day_and_the_words_stay(self, alice: Member, bob: Member, now: datetime) -> None:
        rows = [make_insight(alice, body=f"Shard {n} is resized by hand.") for n in range(MOST_MENTIONS_A_DAY + 3)]
        first, *others = rows
        pairs = [Pair.between(first, other, question=Pair.Question.DUPLICATE, by=alice, at=now) for other in others]
        said = [comment_on_pair(pair_id=one.pk, text="@alice, look.", by=as_agent(bob), now=now) for one in pairs]
        assert [one.names for one in said] == [["alice"]] * MOST_MENTIONS_A_DAY + [[]] * 2
        assert {one.text for one in said} == {"@alice, look."}
        assert Mention.objects.filter(user_id=alice.user_id).count() == MOST_MENTIONS_A_DAY
        later = now + timedelta(days=1, hours=1)
        assert comment_on_pair(pair_id=pairs[-1].pk, text="@alice?", by=bob, now=later).names == ["alice"]
        of_lead = [comment_on_pair(pair_id=one.pk, text="@bob?", by=alice, now=now) for one in pairs]
        assert [one.names for one in of_lead] == [["bob"]] * len(pairs)


class TestMentionsByOneOverDays:
    """Two days of mentions by one contributor, and one by another."""

    @pytest.fixture
    def pairs(self, alice: Member, bob: Member, now: datetime) -> list[Pair]:
        rows = [make_insight(alice, body=f"Shard {n} is resized by hand.") for n in range(2 * MOST_MENTIONS_A_DAY + 2)]
        first, *others = rows
        pairs = [Pair.between(first, other, question=Pair.Question.DUPLICATE, by=alice, at=now) for other in others]
        for number, one in enumerate(pairs[:-1]):
            at = now + timedelta(days=2 * (number // MOST_MENTIONS_A_DAY))
            comment_on_pair(pair_id=one.pk, text="@alice, look.", by=as_agent(bob), now=at)
        return pairs

    def test_are_one_row_beyond_a_number(self, alice: Member, platform: Team, pairs: list[Pair], now: datetime) -> None:
        dana = member_of(user=person("dana", platform))
        comment_on_pair(pair_id=pairs[-1].pk, text="@alice, mine.", by=dana, now=now + timedelta(days=3))
        assert set(mentions(alice)) == {one.pk for one in (*pairs[:MOST_OF_ONE], pairs[-1])}
        assert triage.counts(by=alice, now=now)[Tab.MENTIONS] == MOST_OF_ONE + 2
        assert triage.hidden_mentions(by=alice) == [("bob", 2 * MOST_MENTIONS_A_DAY - MOST_OF_ONE)]

    def test_are_all_opened_from_that_row(self, alice: Member, pairs: list[Pair]) -> None:
        client = signed_in(User.objects.get(username="alice"))
        page = text(client.get("/?tab=mentions"))
        more = 2 * MOST_MENTIONS_A_DAY - MOST_OF_ONE
        assert f"{more} more by bob are not shown: read these first" in page
        assert (page.count("row-pair-"), "?tab=mentions&amp;by=bob" in page) == (MOST_OF_ONE, True)
        alone = text(client.get("/?tab=mentions&by=bob"))
        assert (alone.count("row-pair-"), "Only mentions by bob" in alone) == (2 * MOST_MENTIONS_A_DAY, True)

    def test_are_nobody_elses(self, bob: Member, pairs: list[Pair]) -> None:
        client = signed_in(User.objects.get(username="bob"))
        assert "more by" not in text(client.get("/?tab=mentions&by=bob"))
        assert triage.hidden_mentions(by=bob) == []


class TestAMention:
    def test_waits_for_who_is_mentioned_until_they_answer(self, alice: Member, bob: Member, pair: Pair) -> None:
        row = say(pair, "@bob which is newer? And @alice, @nobody.", alice)
        assert (row.names, mentions(bob), mentions(alice)) == (["bob"], [pair.pk], [])
        assert triage.counts(by=bob, now=timezone.now())[Tab.MENTIONS] == 1
        say(pair, "The first, @alice.", as_agent(bob))
        assert (mentions(bob), mentions(alice)) == ([], [pair.pk])
        assert triage.counts(by=bob, now=timezone.now())[Tab.MENTIONS] == 0

    def test_is_read_by_who_settles_the_pair(self, alice: Member, bob: Member, pair: Pair) -> None:
        say(pair, "@alice the first, I think.", bob)
        settle.dismiss(pair_id=pair.pk, by=alice, now=timezone.now())
        assert mentions(alice) == []

    def test_is_marked_as_read(self, alice: Member, bob: Member, pair: Pair) -> None:
        say(pair, "@bob @bob", alice)
        read_pair_mentions(pair_id=pair.pk, by=bob, now=timezone.now())
        assert (mentions(bob), Mention.objects.count()) == ([], 1)

    def test_is_of_who_may_see_both(
        self, alice: Member, bob: Member, charlie: Member, charlie_user: User, pair: Pair
    ) -> None:
        assert say(pair, "@charlie @bob", alice).names == ["bob"]
        with pytest.raises(NotFound):
            read_pair_mentions(pair_id=pair.pk, by=charlie, now=timezone.now())
        Insight.objects.filter(pk=pair.b_id).update(team=Team.objects.get(slug="everyone"))
        apart = Pair.objects.select_related("a", "b").get(pk=pair.pk)
        assert [one.user.username for one in mentionable(apart)] == ["alice", "bob"]
        Membership.objects.filter(user__username="bob", team__slug="everyone").delete()
        assert [one.user.username for one in mentionable(apart)] == ["alice"]

    def test_goes_with_an_insight_and_with_the_person(
        self, alice: Member, bob: Member, bob_user: User, pair: Pair, now: datetime
    ) -> None:
        say(pair, "@bob, ask bob@example.org.", alice)
        forget_person(username="bob", now=now)
        row = Comment.objects.get()
        assert (row.text, row.names) == ("@somebody, ask bob@example.org.", [])
        say(pair, "@alice", as_agent(alice))
        forget(ref=pair.a.ref, why="so", by=alice, now=now)
        with pytest.raises(NotFound):
            say(pair, "Still there?", alice)


class TestAComment:
    def test_has_a_line_in_both_histories_without_its_words(self, alice: Member, bob: Member, pair: Pair) -> None:
        say(pair, "Which is newer?", bob)
        lines = LogEntry.objects.filter(verb="commented").order_by("pk")
        assert [(line.subject, line.actor, line.why) for line in lines] == [
            (pair.a.ref, "bob", ""),
            (pair.b.ref, "bob", ""),
        ]
        assert lines[0].line == f"Comment on the contradiction of {pair.a.ref} and {pair.b.ref}"

    def test_keeps_no_secret(self, alice: Member, pair: Pair, now: datetime) -> None:
        row = say(pair, f"Use {SECRET} or\u202e not.", alice)
        assert SECRET not in row.text
        assert "\u202e" not in row.text
        Comment.objects.filter(pk=row.pk).update(text=f"Use {SECRET}.")
        scan(now=now)
        assert SECRET not in Comment.objects.get().text

    def test_is_not_of_a_reader_and_not_empty(self, alice: Member, bob: Member, bob_user: User, pair: Pair) -> None:
        with pytest.raises(CommentMissing):
            say(pair, " \u200b ", alice)
        Membership.objects.filter(user=bob_user, team__slug="platform").update(level=Level.READER)
        with pytest.raises(NotAllowed):
            say(pair, "May I?", member_of(user=bob_user))

    def test_stays_in_the_team_it_was_written_in(self, alice: Member, alice_user: User, pair: Pair) -> None:
        """Both insights are moved together; who is of the new team alone reads nothing of what was said here."""
        say(pair, "Between us.", alice)
        new = Team.objects.create(slug="mobile", name="Mobile", prefix="MOB")
        Membership.objects.create(team=new, user=alice_user, level=Level.LEAD)
        eve = member_of(user=person("eve", new, Level.LEAD))
        both = member_of(user=alice_user)
        settle.resolve(pair_id=pair.pk, keep=pair.a.ref, by=both, now=timezone.now())
        move(ref=pair.a.ref, team="mobile", by=both, now=timezone.now())
        row = Pair.objects.visible_to(eve).with_sides().get(pk=pair.pk)
        assert [one.text for one in row.thread(both)] == ["Between us."]
        assert list(row.thread(eve)) == []
        assert agent(eve).get(f"/api/v1/contradictions/{pair.pk}/comments/").json() == {"results": []}


class TestThePages:
    def test_show_the_thread_and_take_a_comment(
        self, alice_user: User, bob_user: User, charlie_user: User, pair: Pair
    ) -> None:
        client, path = signed_in(alice_user), f"/pairs/{pair.pk}/comment/"
        said = '@bob <script>alert(1)</script> <img src=x onerror="alert(2)">\u202e'
        answer = client.post(path, {"text": said, "back": "/contradictions/"}, follow=True)
        page = text(answer)
        assert "Comment added." in page
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert '<a class="link" href="/insights/?author=bob">@bob</a>' in page
        assert "Enter a comment." in text(client.post(path, {"text": " ", "back": "/contradictions/"}, follow=True))
        assert "at most 4000 characters" in text(client.post(path, {"text": "x" * 4001, "back": "/"}, follow=True))
        assert signed_in(charlie_user).post(path, {"text": "Hello"}).status_code == 404
        assert signed_in(charlie_user).post(f"/pairs/{pair.pk}/mentions/read/").status_code == 404

    def test_list_pairs_and_suggested_edits_among_the_mentions(
        self, alice: Member, alice_user: User, bob: Member, bob_user: User, pair: Pair, now: datetime
    ) -> None:
        """They may have the same number: each is opened by its own name."""
        made = make_proposal(Insight.objects.get(pk=pair.a_id), bob, now)
        decide.comment(proposal_id=made.pk, text="@bob first", by=alice, now=now)
        say(pair, "@bob second", alice)
        client = signed_in(bob_user)
        page = text(client.get("/?tab=mentions"))
        assert f'id="row-proposal-{made.pk}"' in page
        assert f'id="row-pair-{pair.pk}"' in page
        assert "first" in page.partition('id="item"')[2]
        page = text(client.get(f"/?tab=mentions&at=pair-{pair.pk}")).partition('id="item"')[2]
        assert "second" in page
        assert "A lead of the team resolves it." in page
        assert 'value="keep"' not in page
        client.post(f"/pairs/{pair.pk}/mentions/read/", {"back": "/?tab=mentions"})
        assert f'id="row-pair-{pair.pk}"' not in text(client.get("/?tab=mentions"))

    def test_say_what_a_lead_may_do(self, alice_user: User, pair: Pair) -> None:
        page = text(signed_in(alice_user).get(f"/contradictions/?at={pair.pk}"))
        assert 'value="keep"' in page
        assert "A lead of the team resolves it." not in page


class TestByRest:
    def test_a_comment_is_written_and_read(self, alice: Member, bob: Member, charlie: Member, pair: Pair) -> None:
        path = f"/api/v1/contradictions/{pair.pk}/comments/"
        made = agent(bob).post(path, {"text": "@alice the first is newer."}, format="json")
        assert made.status_code == 201
        body = made.json()
        assert {name: body[name] for name in ("text", "mentions", "decision", "author")} == {
            "text": "@alice the first is newer.",
            "mentions": ["alice"],
            "decision": "",
            "author": "bob (agent)",
        }
        assert agent(alice).get(path).json() == {"results": [body]}
        assert mentions(alice) == [pair.pk]
        for answer in (agent(charlie).get(path), agent(charlie).post(path, {"text": "Hello"}, format="json")):
            assert answer.status_code == 404

    def test_what_is_wrong_is_named(self, bob: Member, pair: Pair) -> None:
        path, client = f"/api/v1/contradictions/{pair.pk}/comments/", agent(bob)
        for sent in ({}, {"text": ""}, {"text": "x" * 4001}, {"text": "\u200b"}):
            answer = client.post(path, sent, format="json")
            assert (answer.status_code, list(answer.json()["errors"])) == (400, ["text"]), sent
        answer = client.post(path, {"text": "So.", "mentions": ["alice"]}, format="json")
        assert list(answer.json()["errors"]) == ["mentions"]

    def test_on_a_suggested_edit(self, alice: Member, bob: Member, charlie: Member, now: datetime) -> None:
        row = make_insight(alice, title="Run beat once")
        made = make_proposal(row, bob, now)
        path = f"/api/v1/insights/{row.ref}/proposals/{made.pk}/comments/"
        assert agent(alice).post(path, {"text": "@bob which setting?"}, format="json").status_code == 201
        assert [one["text"] for one in agent(bob).get(path).json()["results"]] == ["@bob which setting?"]
        assert [one.pk for one in triage.mentions(by=bob)] == [made.pk]
        other = make_insight(alice, title="Another")
        elsewhere = f"/api/v1/insights/{other.ref}/proposals/{made.pk}/comments/"
        client: APIClient
        for client, place in ((agent(charlie), path), (agent(bob), elsewhere)):
            assert client.get(place).status_code == 404
            assert client.post(place, {"text": "Hello"}, format="json").status_code == 404
