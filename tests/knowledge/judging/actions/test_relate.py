"""Relate: an agent says what its note is to others, and how far its word goes."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.actions.members import member_of
from accounts.models import LogEntry, Team
from accounts.rules.refused import NotAllowed, NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.judging.actions.deposit import NoSuchNeighbour, deposit, deposit_many
from knowledge.judging.actions.record import Deposited
from knowledge.judging.actions.relate import NoSuchInsight, NothingStated, relate
from knowledge.judging.actions.successions import MOST_A_DAY
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Corroboration, Insight, Pair
from knowledge.retrieval.actions.beside import chain
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import combine, curate, settle
from knowledge.review.actions.forget import forget
from knowledge.rules.vocabulary import Kind, Source, Status, Trust
from tests.conftest import person
from tests.factories import as_agent, make_draft, make_insight

BEAT = "Celery beat must run as one single process, or every scheduled job fires twice."
SAME_BEAT = "Keep celery beat to a single process; otherwise every scheduled job fires twice."
TEN = "Requests to the payment gateway time out after 10 seconds."
THIRTY = "Requests to the payment gateway time out after 30 seconds."
# Differs from TEN in more than a value.
SANDBOX = "In the sandbox of our partners requests to the payment gateway time out after 30 seconds."
ELSEWHERE = "The preflight OPTIONS request carries cookies in none of our browsers."
DAY = timedelta(days=1)

Say = Callable[..., Insight]


@pytest.fixture
def dana(platform: Team) -> Member:
    """Another contributor."""
    return as_agent(member_of(user=person("dana", platform)))


@pytest.fixture
def bobs(bob: Member) -> Member:
    return as_agent(bob)


def said(body: str, by: Member, at: datetime, **over: Any) -> Insight:
    """A row of its own, dated as it was deposited."""
    return make_insight(by, now=at, body=body, **{"kind": Kind.CONTEXT, **over})


def tell(row: Insight, relation: str, other: Insight, by: Member, at: datetime, note: str = "") -> Deposited:
    return relate(ref=row.ref, statements=[Statement(other.ref, Relation(relation), note)], by=by, now=at)


def became(done: Deposited) -> tuple[str, str]:
    [one] = done.related
    return one["state"], one["reason"]


def fresh(row: Insight) -> Insight:
    return Insight.objects.get(pk=row.pk)


def served(question: str, by: Member, at: datetime) -> list[str]:
    return [hit.insight.ref for hit in retrieve(ask=Ask(question), by=by, now=at).hits]


class TestDuplicates:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("Support for Costmary ends in June.", "Costmary is supported until the end of September."),
            (
                "Before a smew release, ask QA for the green stamp.",
                "Before a smew release, ask QA for the green stamp. It isn't needed for hotfixes.",
            ),
        ],
    )
    def test_that_differ_a_little_leave_the_date(
        self, bobs: Member, dana: Member, now: datetime, before: str, after: str
    ) -> None:
        """Which of the two is right nobody has said; what was known does not become today's word by a mistake."""
        old, new = said(before, dana, now), said(after, bobs, now + DAY, source_date=now + DAY)
        date = fresh(old).source_date
        tell(new, "duplicates", old, bobs, now + DAY)
        assert (fresh(new).superseded_by, fresh(old).source_date) == (old, date)

    def test_are_merged_and_both_texts_kept(self, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(BEAT, dana, now), said(SAME_BEAT, bobs, now + DAY)
        done = tell(new, "duplicates", old, bobs, now + DAY)
        assert (done.outcome, done.insight.ref, became(done)) == ("merged", old.ref, ("done", "stated"))
        assert fresh(new).superseded_by == old
        kept = Corroboration.objects.get()
        assert (kept.body, kept.user_id, kept.judged_by) == (SAME_BEAT, bobs.user_id, "agent")
        assert (fresh(old).body, fresh(old).corroboration_count) == (BEAT, 2)
        pair = Pair.objects.get()
        assert (pair.state, pair.relation, pair.stated_by_user_id) == ("resolved", "duplicates", bobs.user_id)

    def test_are_none_of_what_a_note_supersedes(self, bobs: Member, dana: Member, now: datetime) -> None:
        """The page lists what was merged among the corroborations."""
        old, new = said(BEAT, dana, now), said(SAME_BEAT, bobs, now + DAY)
        tell(new, "duplicates", old, bobs, now + DAY)
        assert chain(old, by=bobs) == []

    def test_leave_together_what_was_merged_before(self, bobs: Member, dana: Member, now: datetime) -> None:
        """Three that say the same. Before the third is answered the second has become part of the first: that the third
        is `unrelated` to the second says nothing of the first and the second.
        """
        first, second = said(BEAT, dana, now), said(SAME_BEAT, bobs, now)
        third = said("Run one celery beat process, no more, or every scheduled job fires twice.", bobs, now)
        tell(second, "duplicates", first, bobs, now)
        statements = [Statement(first.ref, Relation.DUPLICATES), Statement(second.ref, Relation.UNRELATED)]
        done = relate(ref=third.ref, statements=statements, by=bobs, now=now)
        became_of = [(one["state"], one["reason"]) for one in done.related]
        assert became_of == [("done", "stated"), ("refused", "not_current")]
        assert fresh(second).superseded_by == fresh(third).superseded_by == first
        assert done.insight.corroboration_count == fresh(first).corroboration_count == 3

    @pytest.mark.parametrize(
        ("old", "new", "cue"),
        [
            (TEN, THIRTY, {"kind": "number", "first": ["10 seconds"], "second": ["30 seconds"]}),
            (
                "Always rebase before merging a branch.",
                "Never rebase before merging a branch.",
                {"kind": "negation", "first": [], "second": ["branch", "merging", "rebase"]},
            ),
            (
                "Shared code of the shop is in packages/legacy.",
                "Shared code of the shop is in packages/core.",
                {"kind": "path", "first": ["packages/legacy"], "second": ["packages/core"]},
            ),
            (
                "Turn connection pooling on for the reporting jobs.",
                "Turn connection pooling off for the reporting jobs.",
                {"kind": "word", "first": ["on"], "second": ["off"]},
            ),
            (
                "Every schema change needs one review from the data squad before it is merged.",
                "Every schema change needs one review from anyone before it is merged, the data squad is not asked.",
                {"kind": "negation", "first": [], "second": ["data", "squad"]},
            ),
            (
                "Every schema change needs one review from the data squad before it is merged.",
                "Every schema change needs one review from the data squad before it is merged, unless the author is in "
                "a hurry.",
                {"kind": "negation", "first": [], "second": ["unless"]},
            ),
        ],
    )
    def test_are_refused_over_a_difference_which_is_named_and_asked_again(
        self, old: str, new: str, cue: dict[str, Any], bobs: Member, dana: Member, now: datetime
    ) -> None:
        one, other = said(old, dana, now), said(new, bobs, now + DAY)
        done = tell(other, "duplicates", one, bobs, now + DAY)
        assert became(done) == ("refused", "differs")
        assert cue in done.related[0]["cues"]
        assert all(asked["similarity"] > 0.5 for asked in done.asking)
        assert done.asking[0]["ref"] == one.ref
        assert fresh(other).superseded_by is None

    @pytest.mark.parametrize(
        ("over", "reason"),
        [
            ({"kind": Kind.PITFALL}, "other_kind"),
            ({"kind": Kind.DECISION, "reasoning": "so we agreed"}, "other_kind"),
            ({"repo": "acme/app"}, "other_repo"),
            ({"body": ELSEWHERE}, "not_alike"),
        ],
    )
    def test_are_refused_for_another_kind_or_repository_or_what_is_not_alike(
        self, over: dict[str, Any], reason: str, bobs: Member, dana: Member, now: datetime
    ) -> None:
        old = said(BEAT, dana, now, repo="acme/web")
        new = make_insight(bobs, now=now, **{"body": SAME_BEAT, "kind": Kind.CONTEXT, "repo": "acme/web", **over})
        done = tell(new, "duplicates", old, bobs, now)
        assert became(done) == ("refused", reason)
        assert done.asking == ()
        assert (fresh(new).superseded_by, Pair.objects.count()) == (None, 0)


class TestSupersedes:
    def test_ones_own_note_though_it_is_promoted(self, alice: Member, bobs: Member, now: datetime) -> None:
        old, new = said(TEN, bobs, now), said(THIRTY, bobs, now + DAY)
        curate.promote(ref=old.ref, by=alice, now=now)
        done = tell(new, "supersedes", old, bobs, now + DAY)
        assert (done.outcome, done.superseded, became(done)) == ("superseding", (old.ref,), ("done", "stated"))
        assert fresh(old).superseded_by == new
        assert served("how long until the payment gateway times out", bobs, now + DAY) == [new.ref]

    def test_a_colleagues_agents_draft(self, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(TEN, dana, now), said(THIRTY, bobs, now + DAY)
        assert became(tell(new, "supersedes", old, bobs, now + DAY)) == ("done", "stated")
        line = LogEntry.objects.get(verb="superseded", subject=old.ref)
        assert line.after["verdict"]["judge"] == "agent"

    @pytest.mark.parametrize("protection", ["promoted", "pinned", "by a person"])
    def test_is_only_proposed_against_what_the_team_stands_behind(
        self, protection: str, alice: Member, bobs: Member, dana: Member, now: datetime
    ) -> None:
        in_person = protection == "by a person"
        writer = replace(dana, token_id=None, token_name="") if in_person else dana
        source = Source.HUMAN if in_person else Source.AGENT
        old, new = said(TEN, writer, now, source_type=source), said(THIRTY, bobs, now + DAY)
        if protection == "promoted":
            curate.promote(ref=old.ref, by=alice, now=now)
        if protection == "pinned":
            curate.pin(ref=old.ref, by=alice, now=now)
        done = tell(new, "supersedes", old, bobs, now + DAY, note="the contract changed")
        assert (done.outcome, done.superseded, became(done)) == ("proposed", (), ("proposed", "protected"))
        assert fresh(old).superseded_by is None
        pair = Pair.objects.get()
        assert (pair.proposed, pair.successor, pair.reason) == (True, new, "the contract changed")
        assert set(LogEntry.objects.filter(verb="proposed").values_list("subject", flat=True)) == {old.ref, new.ref}

    def test_above_a_few_a_day_is_only_proposed(self, bobs: Member, dana: Member, now: datetime) -> None:
        new = said(THIRTY, bobs, now + DAY)
        rows = [said(f"{TEN} Case {at}.", dana, now) for at in range(MOST_A_DAY + 2)]
        states = [became(tell(new, "supersedes", old, bobs, now + DAY)) for old in rows]
        assert states == [("done", "stated")] * MOST_A_DAY + [("proposed", "daily_limit")] * 2
        later = said(f"{TEN} One more.", dana, now)
        assert became(tell(new, "supersedes", later, bobs, now + 3 * DAY)) == ("done", "stated")

    def test_counts_only_what_is_of_others(self, bobs: Member, now: datetime) -> None:
        new = said(THIRTY, bobs, now + DAY)
        rows = [said(f"{TEN} Case {at}.", bobs, now) for at in range(MOST_A_DAY + 1)]
        assert {became(tell(new, "supersedes", old, bobs, now + DAY))[0] for old in rows} == {"done"}

    def test_counts_what_was_replaced_and_not_what_was_taken_over(
        self, bobs: Member, dana: Member, now: datetime
    ) -> None:
        """One of one's own in the place of another takes over what that was proposed to replace."""
        first, second = said(THIRTY, bobs, now + DAY), said(THIRTY.replace("30", "45"), bobs, now + 2 * DAY)
        rows = [said(f"{TEN} Case {at}.", dana, now) for at in range(MOST_A_DAY)]
        Insight.objects.filter(pk__in=[row.pk for row in rows]).update(status=Status.PROMOTED)
        for row in rows:
            assert became(tell(first, "supersedes", fresh(row), bobs, now + 2 * DAY)) == ("proposed", "protected")
        assert became(tell(second, "supersedes", first, bobs, now + 2 * DAY)) == ("done", "stated")
        draft = said(f"{TEN} A draft.", dana, now)
        assert became(tell(second, "supersedes", draft, bobs, now + 2 * DAY)) == ("done", "stated")

    def test_is_refused_to_what_was_learned_before(self, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(THIRTY, dana, now), said(TEN, bobs, now + DAY, source_date=now - DAY)
        assert became(tell(new, "supersedes", old, bobs, now + DAY)) == ("refused", "older")
        assert fresh(old).superseded_by is None

    def test_is_only_proposed_in_another_repository_but_for_ones_own(
        self, bobs: Member, dana: Member, now: datetime
    ) -> None:
        new = said(THIRTY, bobs, now + DAY, repo="acme/app")
        theirs, own = (said(TEN, whose, now, repo="acme/web") for whose in (dana, bobs))
        assert became(tell(new, "supersedes", theirs, bobs, now + DAY)) == ("proposed", "other_repo")
        assert became(tell(new, "supersedes", own, bobs, now + DAY)) == ("done", "stated")

    def test_is_only_proposed_to_what_hardly_reads_alike(self, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(BEAT, dana, now), said(f"{ELSEWHERE} Celery has no part in it.", bobs, now + DAY)
        assert became(tell(new, "supersedes", old, bobs, now + DAY)) == ("proposed", "not_alike")
        assert fresh(old).superseded_by is None

    def test_of_ones_own_may_be_about_anything(self, bobs: Member, now: datetime) -> None:
        old, new = said(BEAT, bobs, now), said(ELSEWHERE, bobs, now + DAY)
        assert became(tell(new, "supersedes", old, bobs, now + DAY))[0] != "refused"

    def test_takes_over_what_the_replaced_one_was_proposed_to_replace(
        self, alice: Member, bobs: Member, now: datetime
    ) -> None:
        old, new = said(TEN, alice, now), said(THIRTY, bobs, now + DAY)
        Insight.objects.filter(pk=old.pk).update(status=Status.PROMOTED)
        tell(new, "supersedes", fresh(old), bobs, now + DAY)
        newest = said(THIRTY.replace("30", "45"), bobs, now + 2 * DAY)
        assert became(tell(newest, "supersedes", new, bobs, now + 2 * DAY)) == ("done", "stated")
        [proposal] = Pair.objects.filter(state="open")
        assert (proposal.question, proposal.successor, proposal.a) == ("supersession", newest, old)

    def test_keeps_no_address_of_anybody_in_its_note(self, alice: Member, bobs: Member, now: datetime) -> None:
        old, new = said(TEN, alice, now), said(THIRTY, bobs, now + DAY)
        statement = Statement(old.ref, Relation.CONTRADICTS, "ask joe.bloggs@acme-corp.com")
        relate(ref=new.ref, statements=[statement], by=bobs, now=now + DAY)
        assert Pair.objects.get().reason == "ask [EMAIL]"
        assert not LogEntry.objects.filter(why__contains="joe").exists()


class TestContradicts:
    def test_opens_a_pair_and_marks_both(self, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(TEN, dana, now), said(THIRTY, bobs, now + DAY)
        done = tell(new, "contradicts", old, bobs, now + DAY)
        assert (done.outcome, became(done)) == ("queued", ("open", "stated"))
        pair = Pair.objects.get()
        assert (pair.question, pair.state, pair.relation) == ("contradiction", "open", "contradicts")
        assert fresh(old).trust == fresh(new).trust == Trust.CONTRADICTED

    def test_across_repositories_too(self, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(TEN, dana, now, repo="acme/web"), said(THIRTY, bobs, now, repo="acme/app")
        assert became(tell(new, "contradicts", old, bobs, now)) == ("open", "stated")


class TestComplements:
    def test_links_the_two_which_are_served_beside_each_other(self, bobs: Member, dana: Member, now: datetime) -> None:
        old = said(TEN, dana, now)
        body = "The payment gateway charges twice on retries: send an idempotency key."
        new = said(body, bobs, now, kind=Kind.PITFALL)
        assert became(tell(new, "complements", old, bobs, now)) == ("done", "stated")
        assert (Pair.objects.get().state, Pair.objects.get().relation) == ("resolved", "complements")
        refs = served("after how many seconds do requests to the payment gateway time out", bobs, now)
        assert refs[:2] == [old.ref, new.ref]


class TestUnrelated:
    def test_settles_it_and_is_not_asked_again(self, bobs: Member, dana: Member, now: datetime) -> None:
        old = said(TEN, dana, now)
        done = deposit(draft=make_draft(body=SANDBOX, kind=Kind.CONTEXT), by=bobs, now=now + DAY)
        assert [one["ref"] for one in done.asking] == [old.ref]
        assert Pair.objects.get().is_open
        answered = tell(done.insight, "unrelated", old, bobs, now + DAY)
        assert (became(answered), answered.asking) == (("done", "stated"), ())
        assert (Pair.objects.get().state, Pair.objects.get().relation) == ("dismissed", "unrelated")
        assert tell(done.insight, "unrelated", old, bobs, now + DAY).asking == ()


class TestTheHistories:
    """Tell each statement once, with its note."""

    def lines(self, row: Insight) -> list[tuple[str, str]]:
        told = LogEntry.objects.filter(subject=row.ref).exclude(verb="deposited").order_by("pk")
        return list(told.values_list("line", "why"))

    @pytest.mark.parametrize("relation", ["complements", "unrelated"])
    def test_have_the_note_of_what_settles_the_two(
        self, relation: str, bobs: Member, dana: Member, now: datetime
    ) -> None:
        one, other = said(TEN, dana, now), said(SANDBOX, bobs, now + DAY)
        tell(other, relation, one, bobs, now + DAY, note="one of the client, one of the server")
        for row in (one, other):
            [(line, why)] = self.lines(row)
            assert "reported as" in line and why == "one of the client, one of the server"

    def test_say_which_replaces_which(self, bobs: Member, dana: Member, now: datetime) -> None:
        one, other = said(TEN, dana, now), said(THIRTY, bobs, now + DAY)
        tell(other, "supersedes", one, bobs, now + DAY, note="the new contract")
        assert (f"{other.ref} reported to supersede {one.ref}", "the new contract") in self.lines(other)

    def test_have_one_line_of_an_answer_that_settles_what_was_open(
        self, bobs: Member, dana: Member, now: datetime
    ) -> None:
        one, other = said(TEN, dana, now), said(SANDBOX, bobs, now + DAY)
        tell(other, "contradicts", one, bobs, now + DAY)
        before = len(self.lines(one))
        tell(other, "unrelated", one, bobs, now + 2 * DAY, note="two gateways")
        after = self.lines(one)[before:]
        assert [why for line, why in after if "unrelated" in line] == ["two gateways"]
        assert not [line for line, _ in after if "as contradicting" in line]


class TestSaidAgain:
    @pytest.mark.parametrize("relation", [*Relation], ids=lambda relation: relation.value)
    def test_changes_nothing(self, relation: Relation, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(BEAT, dana, now), said(SAME_BEAT, bobs, now + DAY)
        first = tell(new, relation.value, old, bobs, now + DAY)
        kept = (list(Pair.objects.values()), LogEntry.objects.count(), Corroboration.objects.count())
        again = tell(new, relation.value, old, bobs, now + 2 * DAY)
        assert (list(Pair.objects.values()), LogEntry.objects.count(), Corroboration.objects.count()) == kept
        assert became(again) == became(first)

    @pytest.mark.parametrize("between", ["unrelated", "complements", "contradicts"])
    @pytest.mark.parametrize("relation", ["supersedes", "contradicts", "complements", "unrelated"])
    def test_after_something_else_is_done_again(
        self, relation: str, between: str, bobs: Member, dana: Member, now: datetime
    ) -> None:
        old, new = said(BEAT, dana, now), said(SAME_BEAT, bobs, now + DAY)
        for days, one in enumerate((relation, between, relation), start=1):
            done = tell(new, one, fresh(old), bobs, now + days * DAY)
        state = "open" if relation == "contradicts" else "done"
        assert became(done) == (state, "stated")
        assert fresh(old).superseded_by == (new if relation == "supersedes" else None)
        opened = Pair.objects.filter(state="open")
        assert [pair.question for pair in opened] == (["contradiction"] if relation == "contradicts" else [])

    def test_after_a_lead_turned_it_down_is_refused(
        self, alice: Member, bobs: Member, dana: Member, now: datetime
    ) -> None:
        old, new = said(TEN, dana, now), said(THIRTY, bobs, now + DAY)
        Insight.objects.filter(pk=old.pk).update(status=Status.PROMOTED)
        tell(new, "supersedes", fresh(old), bobs, now + DAY)
        settle.dismiss(pair_id=Pair.objects.get().pk, by=alice, now=now + DAY, why="no")
        assert became(tell(new, "supersedes", fresh(old), bobs, now + 2 * DAY)) == ("refused", "settled")

    @pytest.mark.parametrize("before", ["supersedes", ""])
    @pytest.mark.parametrize("verb", ["old gives way", "new gives way", "new is merged"])
    def test_nothing_undoes_what_a_lead_did_by_hand(
        self, verb: str, before: str, alice: Member, bobs: Member, dana: Member, now: datetime
    ) -> None:
        old, new = said(BEAT, dana, now), said(SAME_BEAT, bobs, now + DAY)
        Insight.objects.filter(pk=old.pk).update(status=Status.PROMOTED)
        if before:
            tell(new, before, fresh(old), bobs, now + DAY)
        if verb == "old gives way":
            combine.supersede(ref=old.ref, by_ref=new.ref, by=alice, now=now + DAY)
        elif verb == "new gives way":
            combine.supersede(ref=new.ref, by_ref=old.ref, by=alice, now=now + DAY)
        else:
            combine.merge(ref=new.ref, into=old.ref, by=alice, now=now + DAY)
        stood = (fresh(old).superseded_by, fresh(new).superseded_by, fresh(old).corroboration_count)
        assert not Pair.objects.filter(state="open").exists()
        for relation in ("unrelated", "complements", "contradicts"):
            assert became(tell(fresh(new), relation, fresh(old), bobs, now + 2 * DAY)) == ("refused", "settled")
        assert (fresh(old).superseded_by, fresh(new).superseded_by, fresh(old).corroboration_count) == stood

    def test_waits_for_a_lead_for_the_same_reason(self, alice: Member, bobs: Member, now: datetime) -> None:
        old, new = said(TEN, alice, now), said(THIRTY, bobs, now + DAY)
        Insight.objects.filter(pk=old.pk).update(status=Status.PROMOTED)
        first = tell(new, "supersedes", fresh(old), bobs, now + DAY)
        assert became(first) == became(tell(new, "supersedes", old, bobs, now + DAY)) == ("proposed", "protected")

    @pytest.mark.parametrize("relation", ["supersedes", "contradicts", "complements", "unrelated"])
    @pytest.mark.parametrize("before", ["duplicates", "supersedes", "contradicts", "complements", "unrelated"])
    def test_otherwise_replaces_what_was_said_before(
        self, before: str, relation: str, bobs: Member, dana: Member, now: datetime
    ) -> None:
        old, new = said(BEAT, dana, now), said(SAME_BEAT, bobs, now + DAY)
        tell(new, before, old, bobs, now + DAY)
        tell(new, relation, old, bobs, now + 2 * DAY)
        assert fresh(new).superseded_by is None
        assert fresh(old).superseded_by == (new if relation == "supersedes" else None)
        opened = Pair.objects.filter(state="open")
        assert [pair.question for pair in opened] == (["contradiction"] if relation == "contradicts" else [])
        trust = Trust.CONTRADICTED if relation == "contradicts" else Trust.UNKNOWN
        assert (fresh(old).trust, fresh(new).trust) == (trust, trust)
        assert fresh(old).corroboration_count == 1

    def test_after_a_lead_has_settled_it_is_refused(
        self, alice: Member, bobs: Member, dana: Member, now: datetime
    ) -> None:
        old, new = said(TEN, dana, now), said(THIRTY, bobs, now + DAY)
        tell(new, "contradicts", old, bobs, now + DAY)
        settle.dismiss(pair_id=Pair.objects.get().pk, by=alice, now=now + DAY, why="two gateways")
        for relation in ("supersedes", "complements", "unrelated"):
            assert became(tell(new, relation, old, bobs, now + 2 * DAY)) == ("refused", "settled")
        assert fresh(old).superseded_by is None

    def test_is_not_taken_from_what_somebody_else_reported(self, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(TEN, dana, now), said(THIRTY, bobs, now + DAY)
        settle.report(a=old.ref, b=new.ref, reason="cannot both be", by=dana, now=now + DAY)
        tell(new, "unrelated", old, bobs, now + DAY)
        pair = Pair.objects.get(question="contradiction")
        assert (pair.state, pair.reason, fresh(old).trust) == ("open", "cannot both be", Trust.CONTRADICTED)


class TestUndone:
    """What a lead has undone, the agent's repeated word does not do again."""

    def test_a_supersession(self, alice: Member, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(TEN, dana, now), said(THIRTY, bobs, now + DAY)
        tell(new, "supersedes", old, bobs, now + DAY)
        combine.reinstate(ref=old.ref, by=alice, now=now + DAY)
        assert became(tell(new, "supersedes", old, bobs, now + 2 * DAY)) == ("refused", "settled")
        assert fresh(old).superseded_by is None

    def test_a_merge(self, alice: Member, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(BEAT, dana, now), said(SAME_BEAT, bobs, now + DAY)
        tell(new, "duplicates", old, bobs, now + DAY)
        said_again = Corroboration.objects.get()
        combine.unmerge(ref=old.ref, corroboration=said_again.pk, by=alice, now=now + DAY)
        assert (fresh(new).superseded_by, fresh(old).corroboration_count) == (None, 1)
        assert became(tell(new, "duplicates", old, bobs, now + 2 * DAY)) == ("refused", "settled")
        assert fresh(new).superseded_by is None

    def test_by_opening_the_pair_again(self, alice: Member, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(TEN, dana, now), said(THIRTY, bobs, now + DAY)
        tell(new, "supersedes", old, bobs, now + DAY)
        settle.reopen(pair_id=Pair.objects.get().pk, by=alice, now=now + DAY)
        assert fresh(old).superseded_by is None
        assert Pair.objects.get().proposed
        tell(new, "supersedes", old, bobs, now + 2 * DAY)
        assert fresh(old).superseded_by is None


class TestTakenBack:
    def test_a_merge_gives_back_its_date_and_its_anchors(self, bobs: Member, dana: Member, now: datetime) -> None:
        old = said(BEAT, dana, now, tags=["beat"])
        new = said(SAME_BEAT, bobs, now + DAY, tags=["beat", "celery"], source_date=now + DAY)
        before = (fresh(old).source_date, sorted(old.anchors.values_list("value", flat=True)))
        tell(new, "duplicates", old, bobs, now + DAY)
        assert fresh(old).source_date == now + DAY
        tell(fresh(new), "unrelated", fresh(old), bobs, now + 2 * DAY)
        row = fresh(old)
        assert (row.source_date, sorted(row.anchors.values_list("value", flat=True))) == before
        assert row.last_corroborated_at is None

    def test_what_is_about_to_be_replaced_gets_no_newer_by_being_said_again(
        self, alice: Member, bobs: Member, dana: Member, now: datetime
    ) -> None:
        old, new = said(TEN, alice, now), said(THIRTY, bobs, now + DAY)
        Insight.objects.filter(pk=old.pk).update(status=Status.PROMOTED)
        tell(new, "supersedes", fresh(old), bobs, now + DAY)
        draft = make_draft(body=TEN, kind=Kind.CONTEXT, source_date=now + 3 * DAY)
        assert deposit(draft=draft, by=dana, now=now + 3 * DAY).insight == old
        assert fresh(old).learned_at < new.learned_at

    def test_what_gave_way_to_a_forgotten_note_stands_again(
        self, alice: Member, bobs: Member, dana: Member, now: datetime
    ) -> None:
        old, new = said(TEN, dana, now), said(THIRTY, bobs, now + DAY)
        tell(new, "supersedes", old, bobs, now + DAY)
        forget(ref=new.ref, why="wrong", by=bobs, now=now + 2 * DAY)
        assert fresh(old).superseded_by is None
        assert LogEntry.objects.filter(subject=old.ref, why=f"{new.ref} was forgotten").exists()


class TestWhose:
    def test_not_ones_own_is_refused(self, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(TEN, bobs, now), said(THIRTY, dana, now + DAY)
        with pytest.raises(NotAllowed):
            tell(new, "supersedes", old, bobs, now + DAY)
        assert Pair.objects.count() == 0

    def test_a_lead_relates_their_own_too(self, alice: Member, dana: Member, now: datetime) -> None:
        new = said(THIRTY, dana, now + DAY)
        with pytest.raises(NotAllowed):
            tell(new, "supersedes", said(TEN, alice, now), alice, now + DAY)

    def test_of_the_same_session_is_ones_own(self, bobs: Member, dana: Member, now: datetime) -> None:
        shared = replace(bobs, session="S-7")
        old, new = said(TEN, dana, now), said(SANDBOX, replace(dana, session="S-7"), now + DAY)
        assert became(tell(new, "complements", old, shared, now + DAY)) == ("done", "stated")

    def test_a_reader_is_refused(self, platform: Team, dana: Member, now: datetime) -> None:
        reader = as_agent(member_of(user=person("rita", platform, Level.READER)))
        old, new = said(TEN, dana, now), said(THIRTY, dana, now + DAY)
        with pytest.raises(NotAllowed):
            tell(new, "supersedes", old, reader, now + DAY)

    def test_what_a_stranger_cannot_see_is_not_there(self, charlie: Member, bobs: Member, now: datetime) -> None:
        old, new = said(TEN, bobs, now), said(THIRTY, bobs, now + DAY)
        with pytest.raises(NotFound):
            tell(new, "supersedes", old, charlie, now + DAY)

    @pytest.mark.parametrize("which", ["unknown", "of another team", "one's own, private", "itself"])
    def test_what_it_is_related_to_is_in_its_team(
        self, which: str, bobs: Member, charlie: Member, now: datetime
    ) -> None:
        new = said(THIRTY, bobs, now)
        ref = {
            "unknown": lambda: "PLAT-999",
            "of another team": lambda: said(TEN, charlie, now, team="mobile").ref,
            "one's own, private": lambda: said(TEN, bobs, now, team="personal").ref,
            "itself": lambda: new.ref,
        }[which]()
        good = Statement(said(BEAT, bobs, now).ref, Relation.UNRELATED)
        with pytest.raises(NoSuchInsight) as refused:
            relate(ref=new.ref, statements=[good, Statement(ref, Relation.DUPLICATES)], by=bobs, now=now)
        assert list(refused.value.errors) == ["relations.1.ref"]
        assert Pair.objects.count() == 0

    def test_nothing_said_is_refused(self, bobs: Member, now: datetime) -> None:
        with pytest.raises(NothingStated):
            relate(ref=said(TEN, bobs, now).ref, statements=[], by=bobs, now=now)


class TestInTheDeposit:
    def test_is_put_into_effect_at_once_and_not_asked_about(self, bobs: Member, dana: Member, now: datetime) -> None:
        old = said(TEN, dana, now)
        relations = (Statement(old.ref, Relation.SUPERSEDES, "the contract changed"),)
        draft = make_draft(body=THIRTY, kind=Kind.CONTEXT, relations=relations)
        done = deposit(draft=draft, by=bobs, now=now + DAY)
        assert (done.outcome, done.superseded, done.asking) == ("superseding", (old.ref,), ())
        assert became(done) == ("done", "stated")
        assert fresh(old).superseded_by == done.insight

    @pytest.mark.parametrize(
        ("relation", "outcome"),
        [("duplicates", "merged"), ("contradicts", "queued"), ("complements", "inserted"), ("unrelated", "inserted")],
    )
    def test_answers_with_what_became_of_it(
        self, relation: str, outcome: str, bobs: Member, dana: Member, now: datetime
    ) -> None:
        old = said(BEAT, dana, now)
        draft = make_draft(body=SAME_BEAT, kind=Kind.CONTEXT, relations=(Statement(old.ref, Relation(relation)),))
        done = deposit(draft=draft, by=bobs, now=now + DAY)
        assert (done.outcome, done.insight == old) == (outcome, outcome == "merged")

    def test_is_refused_for_what_is_not_there_and_nothing_is_stored(self, bobs: Member, now: datetime) -> None:
        draft = make_draft(body=THIRTY, relations=(Statement("PLAT-999", Relation.SUPERSEDES),))
        with pytest.raises(NoSuchNeighbour):
            deposit(draft=draft, by=bobs, now=now)
        assert Insight.objects.count() == 0

    def test_of_one_in_a_batch_never_spoils_the_others(self, bobs: Member, now: datetime) -> None:
        bad = make_draft(body=THIRTY, relations=(Statement("PLAT-999", Relation.SUPERSEDES),))
        done = deposit_many(drafts=[bad, make_draft(body=BEAT)], by=bobs, now=now)
        assert isinstance(done[0], Refused)
        assert not isinstance(done[1], Refused)


class TestARefusedStatement:
    """About what others wrote and the team has confirmed: leads see it on the activity page."""

    @pytest.fixture
    def confirmed(self, dana: Member, alice: Member, now: datetime) -> Insight:
        return curate.promote(ref=said(TEN, dana, now).ref, by=alice, now=now)

    def attempts(self) -> list[tuple[str, str, str]]:
        return list(LogEntry.objects.filter(verb="refused").values_list("actor", "line", "subject"))

    def test_is_logged_with_what_was_said_and_why_not(self, confirmed: Insight, bobs: Member, now: datetime) -> None:
        note = said(THIRTY, bobs, now - DAY)
        tell(note, "supersedes", confirmed, bobs, now)
        tell(note, "duplicates", confirmed, bobs, now)
        differs = "they differ in a value, or one denies the other"
        assert self.attempts() == [
            ("bob (agent)", f"{note.ref} supersedes {confirmed.ref}: refused, it was learned before", ""),
            ("bob (agent)", f"{note.ref} duplicates {confirmed.ref}: refused, {differs}", ""),
        ]

    def test_is_logged_once_a_day_for_many_notes(self, confirmed: Insight, bobs: Member, now: datetime) -> None:
        for number in range(9):
            tell(said(f"{THIRTY} {number}", bobs, now - DAY), "supersedes", confirmed, bobs, now)
        assert len(self.attempts()) == 1

    def test_is_none_of_a_draft_or_of_ones_own(self, bobs: Member, dana: Member, now: datetime) -> None:
        for other in (said(TEN, dana, now), said(TEN, bobs, now)):
            tell(said(THIRTY, bobs, now - DAY), "supersedes", other, bobs, now)
        assert not self.attempts()


class TestSaidOfWhatHasGivenWay:
    @pytest.fixture
    def gone(self, dana: Member, now: datetime) -> Insight:
        return said(TEN, dana, now)

    @pytest.mark.parametrize("relation", ["supersedes", "complements", "unrelated"])
    def test_is_said_of_its_successor(
        self, relation: str, gone: Insight, bobs: Member, dana: Member, now: datetime
    ) -> None:
        heir = said(THIRTY, dana, now + DAY)
        tell(heir, "supersedes", gone, dana, now + DAY)
        new = said("The gateway answers after 40 seconds at most, or the shop gives up.", bobs, now + 2 * DAY)
        for _ in range(2):
            [told] = tell(new, relation, gone, bobs, now + 2 * DAY).related
            assert (told["ref"], told["instead_of"], told["state"]) == (heir.ref, gone.ref, "done")
        assert fresh(heir).superseded_by == (new if relation == "supersedes" else None)

    @pytest.mark.parametrize("relation", ["duplicates", "contradicts"])
    def test_is_not_where_it_says_or_denies_the_outdated_one(
        self, relation: str, gone: Insight, bobs: Member, dana: Member, now: datetime
    ) -> None:
        heir = said(THIRTY, dana, now + DAY)
        tell(heir, "supersedes", gone, dana, now + DAY)
        new = said(f"{TEN} Retry then.", bobs, now + 2 * DAY)
        [told] = tell(new, relation, gone, bobs, now + 2 * DAY).related
        assert (told["ref"], told["instead_of"]) == (gone.ref, "")
        assert not Pair.objects.all().of_both(heir.pk, new.pk).filter(state="open", relation=relation).exists()

    def test_is_said_of_what_it_was_merged_into(self, bobs: Member, dana: Member, now: datetime) -> None:
        first, second = said(BEAT, dana, now), said(SAME_BEAT, dana, now)
        tell(second, "duplicates", first, dana, now)
        third = said("Run one celery beat process, no more, or every scheduled job fires twice.", bobs, now)
        done = tell(third, "duplicates", fresh(second), bobs, now)
        assert [(one["ref"], one["instead_of"], one["state"]) for one in done.related] == [
            (first.ref, second.ref, "done")
        ]
        assert fresh(third).superseded_by == first
