"""Conversations are a member's own until they share them, repo by repo; unsharing takes effect at once."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command

from accounts.actions.members import member_of, remove_member, set_level
from accounts.models import LogEntry, Membership, Team, User
from accounts.rules.refused import NotAllowed
from accounts.rules.rights import PERSONAL, Level, Member, NoSuchTeam, Scope
from knowledge.models import Insight
from sessions_app.actions.end import SessionWords, end
from sessions_app.actions.forget_person import forget_person
from sessions_app.conversations.actions import share as sharing
from sessions_app.conversations.actions.share import preview, share, share_as_all, sharing_of, unshare
from sessions_app.conversations.actions.upkeep import drop_old_passages, place_passages
from sessions_app.models import Passage, SessionSharing
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW, person
from tests.sessions_app.conversations.talk import begin, on_day, passages, speakers, talk
from tests.together import together

pytestmark = pytest.mark.django_db
ALL, AGENT = SharedTurns.ALL, SharedTurns.AGENT


class TestShare:
    def test_without_it_nobody_else_reads_a_word(self, alice: Member, bob: Member, root: Member) -> None:
        talk(bob)
        assert len(passages(bob)) == 4
        assert passages(alice) == passages(root) == []

    def test_gives_the_team_what_the_agent_said_before_and_after(self, alice: Member, bob: Member) -> None:
        talk(bob)
        share(repo="shop", team="platform", turns=AGENT, by=bob, now=NOW)
        assert speakers(alice) == ["agent", "agent"]
        talk(bob, on_day(9))
        assert speakers(alice) == ["agent"] * 4
        assert len(passages(bob)) == 8

    def test_gives_it_the_whole_conversation_if_that_is_chosen(self, alice: Member, bob: Member) -> None:
        share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW)
        talk(bob)
        assert speakers(alice) == ["user", "agent", "user", "agent"]

    def test_takes_the_users_turns_back_when_only_the_agents_are_shared(self, alice: Member, bob: Member) -> None:
        talk(bob)
        share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW)
        share(repo="shop", team="platform", turns=AGENT, by=bob, now=NOW)
        assert speakers(alice) == ["agent", "agent"]

    def test_is_of_one_repo(self, alice: Member, bob: Member) -> None:
        talk(bob, repo="shop")
        talk(bob, repo="diary")
        share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW)
        assert {row.repo for row in passages(alice)} == {"shop"}

    def test_of_all_repos_leaves_out_the_one_kept_to_oneself(self, alice: Member, bob: Member) -> None:
        talk(bob, repo="shop")
        talk(bob, repo="diary")
        share(repo="diary", team="personal", turns=ALL, by=bob, now=NOW)
        share(repo="", team="platform", turns=ALL, by=bob, now=NOW)
        talk(bob, repo="diary")
        assert {row.repo for row in passages(alice)} == {"shop"}

    def test_keeping_one_to_oneself_takes_it_out_of_what_all_shares(self, alice: Member, bob: Member) -> None:
        talk(bob, repo="diary")
        share(repo="", team="platform", turns=ALL, by=bob, now=NOW)
        assert len(passages(alice)) == 4
        share(repo="diary", team="personal", turns=ALL, by=bob, now=NOW)
        assert passages(alice) == []

    def test_does_not_reach_a_session_begun_in_ones_own_team(self, alice: Member, bob: Member) -> None:
        talk(bob, team="personal")
        share(repo="", team="platform", turns=ALL, by=bob, now=NOW)
        talk(bob, team="personal")
        assert passages(alice) == []
        assert preview(repo="", turns=ALL, by=bob).passages == 0

    def test_what_was_decided_in_a_repo_kept_to_oneself_is_proposed_to_nobody_else(
        self, alice: Member, bob: Member
    ) -> None:
        decided = [
            Turn("user", "Which broker do we take for the importer?"),
            Turn("assistant", "We decided to use Redis for the importer's queue because RabbitMQ needs a server."),
        ]
        share(repo="diary", team=PERSONAL, turns=AGENT, by=bob, now=NOW)
        talk(bob, decided, repo="diary")
        assert [row.team.owner_id for row in Insight.objects.all()] == [bob.user_id]
        assert not Insight.objects.visible_to(alice).exists()
        talk(bob, on_day(9, [replace(turn, text=f"{turn.text} In the shop.") for turn in decided]), repo="shop")
        assert Insight.objects.visible_to(alice).count() == 1

    def test_moves_to_another_team_whole(self, alice: Member, bob: Member, bob_user: User, charlie: Member) -> None:
        Membership.objects.create(team=Team.objects.get(slug="mobile"), user=bob_user, level=Level.CONTRIBUTOR)
        bob = member_of(user=bob_user)
        talk(bob)
        share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW)
        share(repo="shop", team="mobile", turns=ALL, by=bob, now=NOW)
        assert (len(passages(alice)), len(passages(charlie))) == (0, 4)
        assert SessionSharing.objects.count() == 1

    def test_is_refused_for_a_team_one_may_not_write_to(self, alice: Member, bob: Member, bob_user: User) -> None:
        with pytest.raises(NoSuchTeam):
            share(repo="", team="mobile", turns=ALL, by=bob, now=NOW)
        set_level(team_slug="platform", username="bob", level=Level.READER, by=alice, now=NOW)
        with pytest.raises(NotAllowed):
            share(repo="", team="platform", turns=ALL, by=member_of(user=bob_user), now=NOW)

    def test_is_refused_for_a_superuser_in_a_team_that_is_not_theirs(self, alice: Member, root: Member) -> None:
        with pytest.raises(NotAllowed):
            share(repo="", team="platform", turns=ALL, by=root, now=NOW)

    def test_gives_nothing_more_once_one_is_a_reader_only(self, alice: Member, bob: Member, bob_user: User) -> None:
        share(repo="", team="platform", turns=ALL, by=bob, now=NOW)
        session = talk(bob)
        set_level(team_slug="platform", username="bob", level=Level.READER, by=alice, now=NOW)
        SessionSharing.objects.get()  # stays, for the day they write again
        assert len(passages(alice)) == 4
        assert session.team_id != bob.home_id

    def test_leaves_much_to_the_worker(self, alice: Member, bob: Member, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sharing, "MOST_AT_ONCE", 3)
        monkeypatch.setattr(sharing, "BATCH", 2)
        talk(bob)
        shared = share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW)
        assert (shared.row.waiting, shared.passages) == (True, 0)
        assert place_passages().counts == {"moved": 4}
        assert [(one.row.waiting, one.passages) for one in sharing_of(by=bob)] == [(False, 4)]

    def test_tells_the_log_who_and_which_repo_and_no_text(self, bob: Member) -> None:
        talk(bob)
        share(repo="shop", team="platform", turns=AGENT, by=bob, now=NOW)
        unshare(repo="shop", by=bob, now=NOW)
        lines = LogEntry.objects.filter(verb__in=["sessions shared", "sessions unshared"]).order_by("pk")
        assert [line.line for line in lines] == [
            "bob shares sessions of shop",
            "bob stopped sharing sessions of shop",
        ]


class TestPreview:
    def test_counts_what_would_be_shared_and_changes_nothing(self, alice: Member, bob: Member) -> None:
        talk(bob)
        seen = preview(repo="shop", turns=AGENT, by=bob)
        assert (seen.sessions, seen.passages) == (1, 2)
        assert seen.until and seen.until.isoformat() == "2026-11-20T09:05:00+00:00"
        assert seen.examples[0].line.startswith("Strip the BOM in the reader.")
        assert preview(repo="shop", turns=ALL, by=bob).passages == 4
        assert preview(repo="shop", turns=ALL, by=alice).passages == 0
        assert passages(alice) == []


class TestUnshare:
    def test_takes_effect_at_once(self, alice: Member, bob: Member) -> None:
        share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW)
        talk(bob)
        assert unshare(repo="shop", by=bob, now=NOW) == 4
        assert passages(alice) == []
        assert len(passages(bob)) == 4
        talk(bob)
        assert passages(alice) == []
        assert unshare(repo="shop", by=bob, now=NOW) == 0

    def test_takes_effect_while_the_worker_still_shares(
        self, alice: Member, bob: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sharing, "MOST_AT_ONCE", 3)
        talk(bob)
        share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW)
        unshare(repo="shop", by=bob, now=NOW)
        assert place_passages().counts == {"moved": 0}
        assert passages(alice) == []

    @pytest.mark.parametrize("own", [AGENT, ALL, None])
    def test_of_one_repo_keeps_it_to_oneself_where_all_are_shared(
        self, alice: Member, bob: Member, own: SharedTurns | None
    ) -> None:
        share(repo="", team="platform", turns=ALL, by=bob, now=NOW)
        if own:
            share(repo="shop", team="platform", turns=own, by=bob, now=NOW)
        talk(bob)
        talk(bob, on_day(21), repo="mill")
        unshare(repo="shop", by=bob, now=NOW)
        place_passages()
        talk(bob, on_day(22))
        assert {row.repo for row in passages(alice)} == {"mill"}
        assert [(one.row.repo, one.row.team_id == bob.home_id) for one in sharing_of(by=bob)] == [
            ("", False),
            ("shop", True),
        ]

    def test_twice_shares_no_more_than_once(self, alice: Member, bob: Member) -> None:
        share(repo="", team="platform", turns=ALL, by=bob, now=NOW)
        talk(bob)
        assert [unshare(repo="shop", by=bob, now=NOW) for _ in range(2)] == [4, 0]
        place_passages()
        assert passages(alice) == []

    def test_takes_a_token_that_writes(self, bob: Member) -> None:
        with pytest.raises(NotAllowed):
            unshare(repo="", by=replace(bob, scopes=frozenset({Scope.READ})), now=NOW)


class TestShareAsAll:
    def test_removes_what_kept_a_repo_to_oneself(self, alice: Member, bob: Member) -> None:
        share(repo="", team="platform", turns=AGENT, by=bob, now=NOW)
        talk(bob)
        unshare(repo="shop", by=bob, now=NOW)
        share_as_all(repo="shop", by=bob, now=NOW)
        place_passages()
        assert speakers(alice) == ["agent", "agent"]
        last = LogEntry.objects.filter(verb="sessions shared").order_by("pk").last()
        assert last and (last.line, last.team.slug) == ("bob shares sessions of shop", "platform")

    def test_leaves_what_is_shared(self, alice: Member, bob: Member) -> None:
        share(repo="shop", team="platform", turns=AGENT, by=bob, now=NOW)
        talk(bob)
        share_as_all(repo="shop", by=bob, now=NOW)
        assert speakers(alice) == ["agent", "agent"]

    @pytest.mark.parametrize("over", [{"narrowed": True}, {"scopes": frozenset({Scope.READ})}])
    def test_is_not_for_a_token_that_is_narrowed_or_only_reads(self, bob: Member, over: dict[str, Any]) -> None:
        with pytest.raises(NotAllowed):
            share_as_all(repo="shop", by=replace(bob, **over), now=NOW)


class TestLeaving:
    def test_takes_ones_conversations_along(self, alice: Member, bob: Member) -> None:
        share(repo="", team="platform", turns=ALL, by=bob, now=NOW)
        talk(bob)
        remove_member(team_slug="platform", username="bob", by=alice, now=NOW)
        assert passages(alice) == []
        assert set(Passage.objects.values_list("team_id", flat=True)) == {bob.home_id}
        assert not SessionSharing.objects.exists()

    def test_leaves_those_of_others(self, alice: Member, bob: Member) -> None:
        dora = member_of(user=person("dora", Team.objects.get(slug="platform")))
        for each in (bob, dora):
            share(repo="", team="platform", turns=ALL, by=each, now=NOW)
            talk(each)
        remove_member(team_slug="platform", username="bob", by=alice, now=NOW)
        assert {row.user_id for row in passages(alice)} == {dora.user_id}


class TestRetention:
    def test_drops_what_is_older_than_its_team_keeps(self, alice: Member, bob: Member) -> None:
        talk(bob)
        share(repo="shop", team="platform", turns=AGENT, by=bob, now=NOW)
        Team.objects.filter(slug="platform").update(conversation_days=30)
        assert drop_old_passages(now=NOW + timedelta(days=28)).counts == {"passages": 0}
        assert drop_old_passages(now=NOW + timedelta(days=40)).counts == {"passages": 2}
        assert speakers(bob) == ["user", "user"]
        call_command("sweep", "drop_old_passages")

    def test_of_a_person_who_is_forgotten_nothing_is_left(self, alice: Member, bob: Member) -> None:
        talk(bob)
        talk(alice)
        share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW)
        assert forget_person(username="bob", now=NOW).counts["passages"] == 4
        assert {row.user_id for row in Passage.objects.all()} == {alice.user_id}
        assert "bob" not in "".join(LogEntry.objects.values_list("line", flat=True))


class TestAtOnce:
    @pytest.mark.django_db(transaction=True)
    def test_what_is_being_written_is_shared_or_taken_back_with_the_rest(self, alice: Member, bob: Member) -> None:
        sessions = [begin(bob) for _ in range(4)]
        acts = [
            lambda me=me, day=day: end(name=me.session, words=SessionWords(transcript=on_day(day)), by=me, now=NOW)
            for day, me in enumerate(sessions, 1)
        ]
        done = together(*acts, lambda: share(repo="shop", team="platform", turns=ALL, by=bob, now=NOW))
        assert not [one for one in done if isinstance(one, Exception)]
        assert len(passages(alice)) == 16
        more = [begin(bob) for _ in range(4)]
        acts = [
            lambda me=me, day=day: end(name=me.session, words=SessionWords(transcript=on_day(day)), by=me, now=NOW)
            for day, me in enumerate(more, 11)
        ]
        done = together(*acts, lambda: unshare(repo="shop", by=bob, now=NOW))
        assert not [one for one in done if isinstance(one, Exception)]
        assert passages(alice) == []
        assert len(passages(bob)) == 32
