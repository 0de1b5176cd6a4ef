"""The thread under a suggested edit: who is mentioned finds it, until they answer, decide or mark it as read."""

from datetime import datetime

import pytest

from accounts.models import LogEntry, Membership, User
from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.models import Comment, EditProposal, Insight, Mention
from knowledge.review.actions import triage
from knowledge.review.actions.forget import forget
from knowledge.review.proposals.actions import decide
from knowledge.review.rules.triage import Tab
from sessions_app.actions.forget_person import forget_person
from tests.factories import as_agent, make_insight, make_proposal
from tests.pages import signed_in


@pytest.fixture
def proposal(alice: Member, bob: Member, now: datetime) -> EditProposal:
    return make_proposal(make_insight(alice, title="Run beat once"), bob, now)


def mentions(by: Member) -> list[int]:
    return [one.pk for one in triage.mentions(by=by)]


def say(proposal: EditProposal, text: str, by: Member, now: datetime) -> Comment:
    return decide.comment(proposal_id=proposal.pk, text=text, by=by, now=now)


class TestAMention:
    def test_waits_for_who_is_mentioned_until_they_answer(
        self, alice: Member, bob: Member, proposal: EditProposal, now: datetime
    ) -> None:
        row = say(proposal, "@bob which setting? And @alice, @nobody.", alice, now)
        assert (row.names, mentions(bob), mentions(alice)) == (["bob"], [proposal.pk], [])
        assert triage.counts(by=bob, now=now)[Tab.MENTIONS] == 1
        say(proposal, "beat_max_loop_interval, @alice.", as_agent(bob), now)
        assert (mentions(bob), mentions(alice)) == ([], [proposal.pk])
        decide.approve(proposal_id=proposal.pk, by=alice, now=now)
        assert mentions(alice) == []

    def test_is_marked_as_read(self, alice: Member, bob: Member, proposal: EditProposal, now: datetime) -> None:
        say(proposal, "@bob @bob", alice, now)
        decide.read_mentions(proposal_id=proposal.pk, by=bob, now=now)
        assert mentions(bob) == []
        assert Mention.objects.count() == 1

    def test_is_of_members_only_and_seen_by_nobody_else(
        self, alice: Member, bob: Member, charlie: Member, proposal: EditProposal, now: datetime
    ) -> None:
        assert say(proposal, "@charlie @bob", alice, now).names == ["bob"]
        with pytest.raises(NotFound):
            decide.read_mentions(proposal_id=proposal.pk, by=charlie, now=now)
        Membership.objects.filter(user__username="bob", team__slug="platform").delete()
        left = Member(**{**bob.__dict__, "teams": tuple(team for team in bob.teams if team.slug != "platform")})
        assert mentions(left) == []

    def test_goes_with_its_insight(self, alice: Member, bob: Member, proposal: EditProposal, now: datetime) -> None:
        say(proposal, "@bob", alice, now)
        forget(ref=Insight.objects.get().ref, why="so", by=alice, now=now)
        assert mentions(bob) == []
        assert triage.counts(by=bob, now=now)[Tab.MENTIONS] == 0

    def test_goes_with_the_person(
        self, alice: Member, bob: Member, bob_user: User, proposal: EditProposal, now: datetime
    ) -> None:
        say(proposal, "@bob, ask bob@example.org, or @bobby.", alice, now)
        forget_person(username="bob", now=now)
        row = Comment.objects.get()
        assert (row.text, row.names) == ("@somebody, ask bob@example.org, or @bobby.", [])


class TestAComment:
    def test_has_a_line_in_the_history_without_its_words(
        self, alice: Member, bob: Member, proposal: EditProposal, now: datetime
    ) -> None:
        say(proposal, "Which setting?", bob, now)
        line = LogEntry.objects.get(verb="commented")
        assert (line.subject, line.actor, line.why) == (proposal.insight.ref, "bob", "")
        assert line.line == f"Comment on the suggested edit of {proposal.insight.ref}"

    def test_keeps_no_secret(self, alice: Member, proposal: EditProposal, now: datetime) -> None:
        secret = "ghp_" + "a1B2" * 9
        assert secret not in say(proposal, f"Use {secret} or\u202e not.", alice, now).text

    def test_is_the_reason_of_each_decision(
        self, alice: Member, bob: Member, proposal: EditProposal, now: datetime
    ) -> None:
        decide.request_changes(proposal_id=proposal.pk, why="@bob, name it.", by=alice, now=now)
        decide.reopen(proposal_id=proposal.pk, by=alice, now=now)
        decide.reject(proposal_id=proposal.pk, by=alice, now=now)
        decide.reopen(proposal_id=proposal.pk, by=alice, now=now)
        decide.approve(proposal_id=proposal.pk, why="Good.", by=alice, now=now)
        said = list(Comment.objects.order_by("pk").values_list("decision", "text"))
        assert said == [("changes requested", "@bob, name it."), ("approved", "Good.")]
        assert mentions(bob) == [proposal.pk]


class TestTheNoteOfASuggestion:
    def test_mentions_as_a_comment_does(self, alice: Member, bob: Member, charlie: Member, now: datetime) -> None:
        made = make_proposal(make_insight(alice), bob, note="@alice please look; @charlie and @bob are not meant.")
        assert mentions(alice) == [made.pk]
        assert mentions(bob) == mentions(charlie) == []
        decide.comment(proposal_id=made.pk, text="Fine.", by=alice, now=now)
        assert mentions(alice) == []

    def test_that_is_revised_mentions_who_was_not_before(self, alice: Member, bob: Member, now: datetime) -> None:
        row = make_insight(alice)
        made = make_proposal(row, bob, note="@alice please look.")
        decide.read_mentions(proposal_id=made.pk, by=alice, now=now)
        make_proposal(row, bob, title="Yet another title", note="@alice please look again.")
        assert mentions(alice) == []
        assert made.comments.count() == 1

    def test_is_shown_once_with_its_mention_as_a_link(self, alice_user: User, alice: Member, bob: Member) -> None:
        made = make_proposal(make_insight(alice), bob, note="<b>@alice</b> look")
        page = signed_in(alice_user).get(f"/proposals/{made.pk}/").content.decode()
        assert page.count("look”") == 1
        assert '&lt;b&gt;<a class="link" href="/insights/?author=alice">@alice</a>&lt;/b&gt; look”' in page
        assert "Mark mention as read" in page
