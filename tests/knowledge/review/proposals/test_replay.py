"""The effect of a suggested edit on the questions of the last month: ranked twice, nothing written, nothing told of
others' questions but their number.
"""

import time
from datetime import datetime, timedelta

import pytest

from accounts.models import LogEntry, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member
from knowledge.jobs.actions.background import ask_replay, stop
from knowledge.jobs.actions.run_background import work
from knowledge.models import BackgroundJob, EditProposal, Insight
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.review.proposals.actions import decide
from knowledge.review.proposals.actions import replay as replaying
from knowledge.review.proposals.actions.propose import propose
from knowledge.review.proposals.actions.replay import LOOKED_BACK, replay
from tests.database import changed, contents
from tests.factories import make_insight, make_proposal
from tests.knowledge.test_inbox import EVIL, text
from tests.pages import HTMX, signed_in

QUESTION = "how do we rotate the signing keys of the gateway"
ROTATE = "Rotate the signing keys of the gateway with `keyctl rotate`, then restart the gateway."


@pytest.fixture
def beat(alice: Member) -> Insight:
    return make_insight(alice, title="Run beat once", body="Celery beat must run as one process, or jobs fire twice.")


@pytest.fixture
def proposal(bob: Member, beat: Insight, now: datetime) -> EditProposal:
    return make_proposal(beat, bob, now, title="Rotate the signing keys of the gateway", body=ROTATE)


def asked(by: Member, now: datetime, question: str = QUESTION) -> list[str]:
    """The references of the answer to a recorded question."""
    return [hit.insight.ref for hit in retrieve(ask=Ask(question), by=by, now=now).hits]


class TestReplay:
    def test_counts_the_questions_of_all_and_names_ones_own(
        self, alice: Member, bob: Member, charlie: Member, proposal: EditProposal, now: datetime
    ) -> None:
        for by in (alice, bob, bob, charlie):
            assert asked(by, now) == []
        assert asked(alice, now, "why do celery jobs fire twice") == [proposal.insight.ref]
        before = contents()
        found = replay(proposal_id=proposal.pk, by=alice, now=now)
        assert changed(before) == []
        # Hers, Bob's two, and her other one, which the changed text does not answer any more.
        assert (found.recorded, found.replayed, found.changed) == (4, 4, 4)
        assert sorted(answers for _, *answers in found.own) == [["", proposal.insight.ref], [proposal.insight.ref, ""]]

    def test_agrees_with_what_is_answered_once_it_is_approved(
        self, alice: Member, bob: Member, beat: Insight, now: datetime
    ) -> None:
        other = make_insight(alice, title="Rotate keys", body="Keys of the gateway are rotated in May, by hand.")
        questions = [QUESTION, "celery beat jobs twice", "gateway keys in May", "restart the gateway", "pasta"]
        before = [asked(alice, now, question)[:1] for question in questions]
        made = make_proposal(beat, bob, now, title="Rotate the signing keys", body=ROTATE, tags=["keys"])
        found = replay(proposal_id=made.pk, by=alice, now=now)
        decide.approve(proposal_id=made.pk, by=alice, now=now)
        after = [asked(alice, now, question)[:1] for question in questions]
        differing = sum(one != two for one, two in zip(before, after, strict=True))
        assert other.ref in {ref for refs in before for ref in refs}
        assert (found.replayed, found.changed) == (5, differing)
        assert differing >= 1

    def test_looks_back_a_month_and_at_what_can_still_be_asked(
        self, alice: Member, proposal: EditProposal, now: datetime
    ) -> None:
        asked(alice, now - LOOKED_BACK - timedelta(days=1))
        retrieve(ask=Ask(QUESTION, teams=["platform"]), by=alice, now=now)
        found = replay(proposal_id=proposal.pk, by=alice, now=now)
        assert (found.recorded, found.replayed, found.changed) == (1, 1, 1)

    def test_merges_what_was_changed_since(self, alice: Member, bob: Member, beat: Insight, now: datetime) -> None:
        made = propose(ref=beat.ref, changes={"tags": ["x"]}, by=bob, now=now)[0]
        curate.edit(ref=beat.ref, changes={"body": ROTATE}, revision=1, by=alice, now=now)
        assert asked(alice, now) == [beat.ref]
        assert replay(proposal_id=made.pk, by=alice, now=now).changed == 0

    def test_of_two_hundred_questions_takes_seconds(self, alice: Member, proposal: EditProposal, now: datetime) -> None:
        for number in range(60):
            make_insight(alice, body=f"Queue {number} drains into shard {number} of the ledger.")
        for number in range(205):
            asked(alice, now + timedelta(seconds=number), f"which shard does queue {number} of the ledger drain into")
        began = time.perf_counter()
        found = replay(proposal_id=proposal.pk, by=alice, now=now + timedelta(hours=1))
        took = time.perf_counter() - began
        assert (found.recorded, found.replayed) == (205, 200)
        # 5 s is what is promised; a busy machine of tests gets three times as long.
        assert took < 15, took

    def test_finds_the_same_without_looking_at_what_the_texts_do_not_reach(
        self, alice: Member, bob: Member, beat: Insight, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(12):
            make_insight(alice, body=f"The ledger of shard {number} is read by the nightly report {number}.")
        make_insight(alice, title="Rotate keys", body="Keys of the gateway are rotated in May, by hand.")
        for question in (
            QUESTION,
            "who reads the ledger",
            "report of the night",
            "pasta with salt",
            "twice fired work",
        ):
            asked(alice, now, question)
        made = make_proposal(beat, bob, now, title="Rotate the signing keys", body=ROTATE)
        searches = []
        real = replaying.search_for
        monkeypatch.setattr(replaying, "search_for", lambda *some, **more: searches.append(some) or real(*some, **more))
        found = replay(proposal_id=made.pk, by=alice, now=now)
        few = len(searches)
        # A reach that is not known looks at all.
        monkeypatch.setattr(replaying._Reach, "evidence", lambda *_: None)
        whole = replay(proposal_id=made.pk, by=alice, now=now)
        assert found == whole
        assert few < len(searches) - few == whole.replayed


class TestAsAJob:
    def test_is_for_who_decides_and_asked_once(
        self, alice: Member, bob: Member, charlie: Member, proposal: EditProposal, now: datetime
    ) -> None:
        with pytest.raises(NotAllowed):
            ask_replay(proposal_id=proposal.pk, by=bob, now=now)
        with pytest.raises(NotFound):
            ask_replay(proposal_id=proposal.pk, by=charlie, now=now)
        one, again = (ask_replay(proposal_id=proposal.pk, by=alice, now=now) for _ in range(2))
        assert one.pk == again.pk

    def test_tells_what_changes_on_the_page(
        self, alice_user: User, alice: Member, bob: Member, proposal: EditProposal, now: datetime
    ) -> None:
        asked(alice, now, f"{QUESTION} <b>really</b>")
        asked(bob, now, f"{QUESTION} says bob")
        client = signed_in(alice_user)
        page = f"/proposals/{proposal.pk}/"
        assert client.post(f"{page}replay/").url == f"{page}#replay"
        assert "queued" in text(client.get(page))
        assert work(clock=lambda: now).counts == {"replay": 1}
        shown = text(client.get(page))
        assert "2 of 2 questions get another first answer." in shown
        assert "&lt;b&gt;really&lt;/b&gt;" in shown
        assert "no answer" in shown
        assert "(as suggested)" in shown
        assert "says bob" not in shown
        assert "The others are questions of other members." in shown
        job = BackgroundJob.objects.get()
        assert "2 of 2" in text(client.get(f"/jobs/{job.pk}/", **HTMX))
        assert len(job.results) == 1
        line = LogEntry.objects.get(verb="replay done")
        assert (line.line, line.after["changed"]) == (
            f"Suggested edit of {proposal.insight.ref} replayed: 2 of 2 questions",
            2,
        )

    def test_shows_how_the_text_changes_for_what_it_answers_already(
        self, alice_user: User, alice: Member, bob: Member, beat: Insight, now: datetime
    ) -> None:
        """It stays first, with its text ruined: the question is listed once, with what is lost for it."""
        for _ in range(3):
            assert asked(alice, now, "why do celery jobs fire twice") == [beat.ref]
        asked(bob, now, "celery beat says bob")
        made = make_proposal(beat, bob, now, body="Celery beat jobs fire.")
        ask_replay(proposal_id=made.pk, by=alice, now=now)
        work(clock=lambda: now)
        shown = text(signed_in(alice_user).get(f"/proposals/{made.pk}/"))
        assert "0 of 4 questions get another first answer." in shown
        assert f"{beat.ref} is the first answer to 4 questions today." in shown
        assert shown.count("why do celery jobs fire twice") == 1 and "asked 3 times" in shown
        assert "stays first, other text" in shown and "<del>" in shown
        assert "says bob" not in shown and "The others are questions of other members." in shown

    def test_shows_another_lead_no_question(
        self, root: Member, alice: Member, proposal: EditProposal, now: datetime
    ) -> None:
        asked(alice, now, f"{QUESTION} {EVIL}")
        job = ask_replay(proposal_id=proposal.pk, by=alice, now=now)
        work(clock=lambda: now)
        shown = text(signed_in(User.objects.get(pk=root.user_id)).get(f"/jobs/{job.pk}/", **HTMX))
        assert "1 of 1 question" in shown
        assert "signing keys of the gateway" not in shown

    def test_is_stopped(self, alice: Member, proposal: EditProposal, now: datetime) -> None:
        job = ask_replay(proposal_id=proposal.pk, by=alice, now=now)
        stop(job_id=job.pk, by=alice, now=now)
        assert work(clock=lambda: now).counts == {}
        assert BackgroundJob.objects.get().state == "stopped"
