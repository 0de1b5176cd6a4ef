"""Repetition makes one entry stronger, a change that is announced replaces without erasing, and what the server cannot
tell it asks: nothing is lost by any of it.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Event
from time import sleep
from typing import Any

import numpy as np
import pytest

from accounts.models import GuardTerm, LogEntry, Team
from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.judging.actions.deduplicate import Deduplicated, deduplicate
from knowledge.judging.actions.deposit import Deposited, deposit, deposit_many
from knowledge.judging.actions.questions import with_question
from knowledge.judging.actions.record import Writer
from knowledge.judging.actions.relate import relate
from knowledge.judging.actions.retry_dedup import retry_dedup
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Corroboration, Insight, Pair
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.actions.upkeep import embed_waiting
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import combine, curate
from knowledge.rules.vocabulary import Kind, Source, Status
from tests.conftest import member_of, person
from tests.factories import as_agent, make_draft
from tests.knowledge.library import counted, recounted, stock
from tests.together import together

ONE_BEAT = "Always run celery beat as one single process, never two, or jobs fire twice."
# The same but for case, marks and an article; and with other plurals.
SAME_BEAT = "ALWAYS run celery beat as one single process; never two, or the jobs fire twice!"
SAME_FORMS = "Always run celery beats as one single process, never two, or job fires twice."
NEAR_BEAT = "Run celery beat as one single process: with two of them every job fires twice."
TWO_BEATS = "Always run celery beat as two processes, never one, or jobs fire late."
JEST = "In the storefront we use Jest for all front-end tests."
VITEST = "In the storefront we no longer use Jest for all front-end tests, we switched to Vitest."
WHY = "the team agreed on it in the weekly"
EF_40 = "Set hnsw ef_search to 40 for the catalogue index."
EF_400 = "Set hnsw ef_search to 400 for the catalogue index."
TRACE = 'File "/home/{}/app/beat.py", line {}, in tick\nRuntimeError: two schedulers hold the lock'
RUNNER = "which front-end test runner does the storefront use"
DAY = timedelta(days=1)


def say(body: str, by: Member, now: datetime, **over: object) -> Deposited:
    return deposit(draft=make_draft(body=body, **over), by=by, now=now)


def decide(body: str, by: Member, now: datetime, **over: object) -> Deposited:
    return say(body, by, now, kind=Kind.DECISION, reasoning=WHY, **over)


def found(question: str, by: Member, now: datetime) -> list[str]:
    return [hit.insight.ref for hit in retrieve(ask=Ask(question), by=by, now=now).hits]


def asked(done: Deposited) -> list[str]:
    return [str(one["ref"]) for one in done.asking]


def kept_apart(one: Deposited, other: Deposited) -> bool:
    """Whether both are rows of their own that a query may return."""
    refs = {one.insight.ref, other.insight.ref}
    return len(refs) == 2 and Insight.objects.filter(ref__in=refs, retrievable=True).count() == 2


class TestTheSameAgain:
    @pytest.mark.parametrize("again", [ONE_BEAT, SAME_BEAT, SAME_FORMS])
    def test_strengthens_the_one_that_says_it(self, alice: Member, bob: Member, now: datetime, again: str) -> None:
        first, later = say(ONE_BEAT, alice, now), now + DAY
        done = say(again, bob, later)
        assert (done.outcome, done.insight.ref) == ("merged", first.insight.ref)
        row = Insight.objects.get()
        assert (row.corroboration_count, row.confidence) == (2, "medium")
        assert row.effective_strength(later) > 50
        assert row.last_corroborated_at == row.source_date == later

    def test_from_three_people_makes_confidence_high(
        self, alice: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        """Alice's second telling made it high once; she is one person (decision 0020)."""
        for who in (alice, bob, alice):
            done = say(ONE_BEAT, who, now)
        assert (done.insight.corroboration_count, done.insight.confidence) == (3, "medium")
        done = say(ONE_BEAT, member_of(user=person("dana", platform)), now)
        assert (done.insight.corroboration_count, done.insight.confidence) == (4, "high")

    def test_keeps_every_word_and_who_said_it(self, alice: Member, bob: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        say(SAME_BEAT, bob, now, tags=["Celery"], files=["beat.py"])
        said = Corroboration.objects.get()
        assert (said.body, said.user_id, said.judged_by) == (SAME_BEAT, bob.user_id, "server")
        row = Insight.objects.get()
        assert (row.tags, row.files) == (["celery"], ["beat.py"])
        assert counted(row.team_id) == recounted(row.team_id)

    def test_is_told_in_the_history_with_the_verdict(self, alice: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        say(SAME_BEAT, alice, now)
        line = LogEntry.objects.get(verb="corroborated")
        assert line.line == "PLAT-1 corroborated (×2) from agent"
        verdict = line.after["verdict"]
        assert (verdict["relation"], verdict["judge"], verdict["reason"]) == ("duplicates", "server", "same_words")

    def test_is_answered_with_what_was_near_and_asks_nothing(self, alice: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        done = say(SAME_BEAT, alice, now)
        [near] = done.neighbours
        assert (near["ref"], near["by"]) == ("PLAT-1", "server")
        assert 0.8 < near["similarity"] <= 1
        assert done.asking == () and not Pair.objects.exists()

    def test_can_be_taken_apart_again(self, alice: Member, bob: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        say(SAME_BEAT, bob, now, tags=["celery"], error=TRACE.format("bob", 7), source_url="https://example.org/beat")
        row = combine.unmerge(ref="PLAT-1", corroboration=Corroboration.objects.get().pk, by=alice, now=now)
        assert (row.body, row.author_id, row.tags) == (SAME_BEAT, bob.user_id, ["celery"])
        assert row.source_url == "https://example.org/beat"
        assert row.anchors.get(kind="error").detail == TRACE.format("bob", 7)
        assert Insight.objects.get(ref="PLAT-1").corroboration_count == 1
        assert counted(row.team_id) == recounted(row.team_id)

    def test_taken_apart_is_not_merged_again_by_the_sweep(self, alice: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        say(SAME_BEAT, alice, now)
        combine.unmerge(ref="PLAT-1", corroboration=Corroboration.objects.get().pk, by=alice, now=now)
        embed_waiting()
        retry_dedup(now=now)
        assert Insight.objects.filter(superseded_by__isnull=True).count() == 2

    def test_in_another_team_is_another_row(self, alice: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        assert say(ONE_BEAT, alice, now, team="personal").outcome == "inserted"

    def test_about_another_repo_is_another_row_and_no_question(self, alice: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now, repo="acme/web")
        done = say(ONE_BEAT, alice, now, repo="acme/app")
        assert (done.outcome, done.asking) == ("inserted", ())
        assert Insight.objects.count() == 2 and not Pair.objects.exists()

    @pytest.mark.parametrize(("first", "second"), [("acme/web", ""), ("", "acme/web"), ("acme/web", "acme/web")])
    def test_of_no_other_repo_is_the_same_row(self, alice: Member, now: datetime, first: str, second: str) -> None:
        say(ONE_BEAT, alice, now, repo=first)
        assert say(ONE_BEAT, alice, now, repo=second).outcome == "merged"

    def test_revives_what_was_deprecated(self, alice: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        curate.deprecate(ref="PLAT-1", by=alice, now=now)
        assert say(SAME_BEAT, alice, now).insight.ref == "PLAT-1"
        assert Insight.objects.get().status == Status.DRAFT

    @pytest.mark.parametrize(
        "hidden", [{"status": Status.ARCHIVED}, {"quarantined_at": datetime.max}, {"forgotten_at": datetime.max}]
    )
    def test_as_what_is_out_of_retrieval_is_new(self, alice: Member, now: datetime, hidden: dict[str, object]) -> None:
        say(ONE_BEAT, alice, now)
        Insight.objects.update(**{name: now if value is datetime.max else value for name, value in hidden.items()})
        assert say(SAME_BEAT, alice, now).outcome == "inserted"

    def test_twice_in_one_batch_is_one_row(self, alice: Member, now: datetime) -> None:
        bodies = (ONE_BEAT, EF_40, SAME_BEAT)
        done = deposit_many(drafts=[make_draft(body=body) for body in bodies], by=alice, now=now)
        assert [one.outcome for one in done if isinstance(one, Deposited)] == ["inserted", "inserted", "merged"]
        assert Insight.objects.count() == 2

    def test_under_the_same_key_is_answered_alike(self, alice: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        first, again = (say(SAME_BEAT, alice, now, idempotency_key="k") for _ in range(2))
        assert (again.outcome, again.neighbours, again.replayed) == (first.outcome, first.neighbours, True)
        assert Insight.objects.get().corroboration_count == 2

    def test_waits_for_the_one_that_is_being_written(
        self, transactional_db: None, alice: Member, bob: Member, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The first has looked for neighbours and not yet written; the second must not look before it has."""
        looked, insert = Event(), Writer._insert

        def slow(self: Writer, *given: Any) -> None:
            if not looked.is_set():
                looked.set()
                sleep(0.5)
            insert(self, *given)

        def second() -> Deposited:
            assert looked.wait(10)
            return say(ONE_BEAT, bob, now)

        monkeypatch.setattr(Writer, "_insert", slow)
        first, then = together(lambda: say(ONE_BEAT, alice, now), second)
        assert (first.outcome, then.outcome, Insight.objects.count()) == ("inserted", "merged", 1)

    def test_from_four_at_once_is_one_row(
        self, transactional_db: None, alice: Member, bob: Member, now: datetime
    ) -> None:
        done = together(*[lambda who=who: say(ONE_BEAT, who, now) for who in (alice, bob, alice, bob)])
        assert sorted(one.outcome for one in done) == ["inserted", "merged", "merged", "merged"]
        assert Insight.objects.get().corroboration_count == 4
        assert Corroboration.objects.count() == 3


class TestWhatIsNeverMerged:
    """Near in every way that can be measured, and not the same."""

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (EF_40, EF_400),
            ("Retry the webhook on a 409.", "Never retry the webhook on a 409."),
            ("Retry the webhook on a 409.", "Do not retry the webhook on a 409."),
            ("Pin the runner image to v3.1.0.", "Pin the runner image to v3.1.10."),
            ("Pin the runner image to 3.1.", "Pin the runner image to 3.10."),
            ("Keep the audit log for 30 days.", "Keep the audit log for 30 minutes."),
            ("Flags are stored per user.", "Flags are stored per account."),
            ("The gateway calls the ledger.", "The ledger calls the gateway."),
            ("Turn telemetry on in the worker.", "Turn telemetry off in the worker."),
            ("Put the certificates in /etc/ssl/web.", "Put the certificates in /etc/ssl/api."),
            (ONE_BEAT, NEAR_BEAT),
            (ONE_BEAT, TWO_BEATS),
        ],
    )
    def test_is_what_differs_in_a_word(self, alice: Member, now: datetime, first: str, second: str) -> None:
        one, other = say(first, alice, now), say(second, alice, now + DAY)
        assert kept_apart(one, other)
        assert other.outcome in ("inserted", "queued")

    @pytest.mark.parametrize(
        ("mine", "theirs", "merged"),
        [
            (Kind.SOLUTION, Kind.SOLUTION, True),
            (Kind.SOLUTION, Kind.PATTERN, True),
            (Kind.SOLUTION, Kind.CONTEXT, True),
            (Kind.PITFALL, Kind.PITFALL, True),
            (Kind.PITFALL, Kind.SOLUTION, False),
            (Kind.SOLUTION, Kind.PITFALL, False),
            (Kind.CONTEXT, Kind.PITFALL, False),
            (Kind.PITFALL, Kind.CONTEXT, False),
        ],
    )
    def test_is_advice_and_the_warning_of_it(
        self, alice: Member, now: datetime, mine: Kind, theirs: Kind, merged: bool
    ) -> None:
        one, other = say(ONE_BEAT, alice, now, kind=theirs), say(ONE_BEAT, alice, now, kind=mine)
        assert (other.outcome == "merged") is merged
        assert kept_apart(one, other) is not merged

    def test_is_a_decision_into_what_is_none(self, alice: Member, now: datetime) -> None:
        assert kept_apart(say(f"{JEST}\n\n{WHY}", alice, now), decide(JEST, alice, now))

    def test_is_what_gives_another_reason(self, alice: Member, now: datetime) -> None:
        other = say(JEST, alice, now, kind=Kind.DECISION, reasoning="Mocha could not run them at the same time")
        assert kept_apart(decide(JEST, alice, now), other)


class TestChatter:
    def test_said_by_everybody_stays_weak(self, alice: Member, bob: Member, now: datetime) -> None:
        for who in (alice, bob, alice, bob, alice):
            done = say("All tests pass now.", who, now)
        row = Insight.objects.get(ref=done.insight.ref)
        assert (row.corroboration_count, row.status, row.effective_strength(now)) == (5, Status.DRAFT, 20)


class TestCode:
    """A letter or a sign makes it another command, and no reader of words sees that."""

    OLDER, YOUNGER = "find /var/log -daystart -mtime +7 -delete", "find /var/log -daystart -mtime -7 -delete"

    def test_that_differs_by_a_sign_is_never_merged_or_displaced(self, alice: Member, now: datetime) -> None:
        assert kept_apart(say(self.OLDER, alice, now), say(self.YOUNGER, alice, now + DAY))

    def test_that_is_the_same_is_one_row(self, alice: Member, now: datetime) -> None:
        say(self.OLDER, alice, now)
        assert say(self.OLDER.replace(" ", "  "), alice, now).outcome == "merged"


class TestAnAnnouncedChange:
    def test_takes_the_place_of_what_it_repeats(self, alice: Member, now: datetime) -> None:
        old, new = decide(JEST, alice, now), decide(VITEST, alice, now + DAY)
        assert (new.outcome, new.superseded, new.asking) == ("superseding", (old.insight.ref,), ())
        refs = found(RUNNER, alice, now + DAY)
        assert new.insight.ref in refs and old.insight.ref not in refs
        assert Insight.objects.get(ref=old.insight.ref).superseded_by_id == new.insight.pk
        pair = Pair.objects.get()
        assert (pair.question, pair.state, pair.relation) == ("supersession", "resolved", "supersedes")
        assert (pair.successor_id, pair.settled_by_lead) == (new.insight.pk, False)

    def test_takes_the_place_of_anothers_draft(self, alice: Member, bob: Member, now: datetime) -> None:
        old = decide(JEST, as_agent(alice), now)
        assert decide(VITEST, bob, now + DAY).superseded == (old.insight.ref,)

    def test_of_ones_own_displaces_even_what_was_promoted(self, alice: Member, now: datetime) -> None:
        old = decide(JEST, alice, now).insight.ref
        curate.promote(ref=old, by=alice, now=now)
        assert decide(VITEST, alice, now + DAY).superseded == (old,)

    def test_is_told_in_the_history_with_the_verdict(self, alice: Member, now: datetime) -> None:
        old = decide(JEST, alice, now).insight.ref
        decide(VITEST, alice, now + DAY)
        line = LogEntry.objects.get(verb="superseded", subject=old)
        assert line.after["verdict"]["reason"] == "change_announced"

    def test_can_be_undone(self, alice: Member, now: datetime) -> None:
        old = decide(JEST, alice, now).insight.ref
        decide(VITEST, alice, now + DAY)
        combine.reinstate(ref=old, by=alice, now=now + DAY)
        assert old in found(RUNNER, alice, now + DAY)

    def protect(self, how: str, ref: str, alice: Member, now: datetime) -> None:
        if how == "promoted":
            curate.promote(ref=ref, by=alice, now=now)
        elif how == "pinned":
            curate.pin(ref=ref, by=alice, now=now)

    @pytest.mark.parametrize("how", ["promoted", "pinned", "a person's"])
    def test_is_proposed_where_the_machine_may_not(self, alice: Member, bob: Member, now: datetime, how: str) -> None:
        old = decide(JEST, alice, now, source_type=Source.HUMAN if how == "a person's" else Source.AGENT).insight
        self.protect(how, old.ref, alice, now)
        new = decide(VITEST, as_agent(bob), now + DAY)
        assert (new.outcome, new.superseded) == ("proposed", ())
        pair = Pair.objects.get()
        assert (pair.question, pair.state, pair.a.ref, pair.b.ref) == ("supersession", "open", old.ref, new.insight.ref)
        assert (pair.proposed, pair.successor_id) == (True, new.insight.pk)
        assert Insight.objects.filter(superseded_by__isnull=True, retrievable=True).count() == 2
        assert {old.ref, new.insight.ref} <= set(found(RUNNER, bob, now + DAY))

    def test_is_none_in_another_repo(self, alice: Member, now: datetime) -> None:
        old, new = decide(JEST, alice, now, repo="acme/web"), decide(VITEST, alice, now + DAY, repo="acme/app")
        assert (new.outcome, new.superseded, asked(new)) == ("inserted", (), ["PLAT-1"])
        assert kept_apart(old, new)

    @pytest.mark.parametrize(
        ("learned", "superseded"), [(DAY, True), (timedelta(0), False), (-DAY, False), (-100 * DAY, False)]
    )
    def test_is_one_only_if_it_was_learned_later(
        self, alice: Member, now: datetime, learned: timedelta, superseded: bool
    ) -> None:
        """An import brings old notes after new ones."""
        old, later = decide(JEST, alice, now - 7 * DAY, source_date=now - 7 * DAY), now - 7 * DAY + learned
        new = decide(VITEST, alice, now, source_date=later)
        assert bool(new.superseded) is superseded
        assert kept_apart(old, new) is not superseded

    @pytest.mark.parametrize(
        "other",
        [
            "In the storefront we no longer use Jest, we switched to Vitest.",
            "In the storefront we use Vitest for all front-end tests.",
            "We no longer use Jest for all front-end tests of the admin, we switched to Vitest.",
        ],
    )
    def test_is_none_unless_it_repeats_what_it_replaces(self, alice: Member, now: datetime, other: str) -> None:
        assert kept_apart(decide(JEST, alice, now), decide(other, alice, now + DAY))

    def test_replaces_nothing_that_says_more_than_two_things(self, alice: Member, now: datetime) -> None:
        more = f"{JEST} Snapshots are checked in. Coverage is reported each night."
        new = f"{more} We no longer use Jest for all front-end tests in the storefront, we switched to Vitest."
        assert kept_apart(decide(more, alice, now), decide(new, alice, now + DAY))

    def test_both_ways_at_once_is_settled_or_asked(self, transactional_db: None, alice: Member, now: datetime) -> None:
        """Whichever is written first, what was learned later stands. If the older one comes second, it replaces
        nothing, and waits beside the newer one.
        """
        told = ((JEST, now - DAY), (VITEST, now))
        together(*[lambda body=body, at=at: decide(body, alice, now, source_date=at) for body, at in told])
        old, new = Insight.objects.get(body=JEST), Insight.objects.get(body=VITEST)
        assert new.superseded_by_id is None
        pair = Pair.objects.get()
        if old.number < new.number:
            assert (old.superseded_by_id, pair.relation) == (new.pk, "supersedes")
        else:
            assert (old.superseded_by_id, pair.relation, pair.is_open) == (None, "", True)

    def test_that_comes_before_what_it_replaces_is_paired_with_it(self, alice: Member, now: datetime) -> None:
        new = decide(VITEST, alice, now)
        old = decide(JEST, alice, now, source_date=now - DAY)
        assert (old.outcome, asked(old), old.superseded) == ("queued", [new.insight.ref], ())
        assert kept_apart(old, new)


class TestWhatTheServerCannotTell:
    """It is kept, its agent is asked, and the likeliest is served beside it until somebody has said what it is."""

    @pytest.fixture
    def library(self, alice: Member, now: datetime) -> None:
        stock(alice, now)

    def test_is_asked_of_what_is_proposed_to_replace_the_note(
        self, library: None, alice: Member, bob: Member, now: datetime
    ) -> None:
        """Not of the outdated one, where its successor is near too."""
        old = say(EF_40, alice, now).insight
        curate.promote(ref=old.ref, by=alice, now=now)
        new = say(EF_400, bob, now + DAY).insight
        relate(ref=new.ref, statements=[Statement(old.ref, Relation.SUPERSEDES)], by=bob, now=now + DAY)
        third = say(EF_400.replace("400", "200"), alice, now + 2 * DAY)
        near = {str(one["ref"]) for one in third.neighbours}
        assert {old.ref, new.ref} <= near
        question = with_question(
            replace(third, asking=({"ref": old.ref, "similarity": 0.6, "cues": []},)), by=alice, now=now
        ).question
        assert [(one.ref, one.similarity > 0) for one in question.neighbours] == [(new.ref, True)]
        assert [(cue["first"], cue["second"]) for cue in question.neighbours[0].cues] == [(["400"], ["200"])]
        stored = with_question(third, by=alice, now=now)
        assert old.ref not in [one.ref for one in (stored.question.neighbours if stored.question else [])]

    def test_is_kept_asked_about_and_paired(self, alice: Member, bob: Member, now: datetime) -> None:
        old = say(EF_40, alice, now)
        new = say(EF_400, bob, now + DAY)
        assert (new.outcome, new.superseded) == ("queued", ())
        assert kept_apart(old, new)
        [question] = new.asking
        assert question["ref"] == old.insight.ref
        assert [(cue["kind"], cue["first"], cue["second"]) for cue in question["cues"]] == [("number", ["40"], ["400"])]
        pair = Pair.objects.get()
        assert (pair.question, pair.state, pair.relation) == ("duplicate", "open", "")
        assert (pair.a_id, pair.b_id, pair.raised_by_user_id) == (old.insight.pk, new.insight.pk, bob.user_id)
        assert (pair.verdict["judge"], pair.verdict["relation"]) == ("server", None)
        assert list(Pair.objects.all().undetermined()) == [pair]

    def test_is_a_rewording_among_other_notes(self, library: None, alice: Member, now: datetime) -> None:
        done = say("Run celery beat in one single process, else each scheduled job is fired twice.", alice, now)
        assert (done.outcome, asked(done)) == ("queued", ["PLAT-1"])

    def test_is_not_what_is_about_something_else(self, library: None, alice: Member, now: datetime) -> None:
        done = say("Rotate the signing key of the gateway every ninety days.", alice, now)
        assert (done.outcome, done.asking) == ("inserted", ())
        assert not Pair.objects.exists()

    def test_is_asked_about_three_times_at_most_and_paired_once(self, alice: Member, now: datetime) -> None:
        for port in (5001, 5002, 5003, 5004, 5005):
            done = say(f"Set the port of the billing gateway to {port} in the staging cluster.", alice, now)
        assert len(done.asking) == 3
        last = Pair.objects.filter(b_id=done.insight.pk)
        assert [pair.a.ref for pair in last] == asked(done)[:1]

    def test_is_what_its_agent_says(self, alice: Member, bob: Member, now: datetime) -> None:
        old, new = say(EF_40, alice, now), say(EF_400, bob, now + DAY)
        said = [Statement(asked(new)[0], Relation.UNRELATED, "of two services")]
        for _ in range(2):
            relate(ref=new.insight.ref, statements=said, by=bob, now=now + DAY)
        pair = Pair.objects.get()
        assert (pair.state, pair.relation, pair.stated_by_user_id) == ("dismissed", "unrelated", bob.user_id)
        assert kept_apart(old, new) and not Pair.objects.all().undetermined().exists()

    def test_is_not_asked_about_what_its_agent_has_said_already(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        old = say(EF_40, alice, now).insight
        new = say(EF_400, bob, now + DAY, relations=(Statement(old.ref, Relation.CONTRADICTS),))
        assert (new.outcome, new.asking) == ("queued", ())
        assert [(one["relation"], one["state"]) for one in new.related] == [("contradicts", "open")]
        assert [(pair.state, pair.relation) for pair in Pair.objects.all()] == [("open", "contradicts")]

    def test_under_the_same_key_is_asked_again(self, alice: Member, now: datetime) -> None:
        say(EF_40, alice, now)
        first, again = (say(EF_400, alice, now, idempotency_key="k") for _ in range(2))
        assert again.replayed and again.asking == first.asking and asked(again) == ["PLAT-1"]
        assert Pair.objects.count() == 1


class TestStatements:
    """Two statements find the neighbours of a whole batch: the vectors are asked for once, and so are the words."""

    def test_of_a_batch_embed_all_in_one_call(
        self, alice: Member, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls: list[int] = []
        embed = type(current()).embed

        def counting(self: Any, texts: Any) -> np.ndarray:
            calls.append(len(texts))
            return embed(self, texts)

        monkeypatch.setattr(type(current()), "embed", counting)
        deposit_many(drafts=[make_draft(body=body) for body in (ONE_BEAT, EF_40, JEST)], by=alice, now=now)
        assert calls == [3]


class TestWithoutAnEmbedder:
    ONNX = "knowledge.adapters.embedder.OnnxEmbedder"

    def store(self, *said: tuple[Member, str, datetime]) -> None:
        for who, body, at in said:
            done = say(body, who, at)
            assert (done.outcome, done.degraded[0]["component"], done.asking) == ("inserted", "embedder", ())

    def swept(self, settings: Any, now: datetime, rows: int = 2) -> dict[str, int]:
        settings.LOAM_EMBEDDER = self.ONNX
        assert embed_waiting().changed == rows
        return dict(retry_dedup(now=now).counts)

    def test_the_sweep_merges_what_says_the_same(
        self, alice: Member, bob: Member, now: datetime, embedder_down: str, settings: Any
    ) -> None:
        self.store((alice, ONE_BEAT, now), (bob, SAME_BEAT, now))
        counts = self.swept(settings, now)
        assert counts == {"merged": 1, "superseding": 0, "proposed": 0, "queued": 0, "inserted": 1}
        kept, gone = Insight.objects.order_by("number")
        assert gone.superseded_by_id == kept.pk
        assert (kept.corroboration_count, kept.corroborations.get().body) == (2, gone.body)
        assert kept.corroborations.get().user_id == bob.user_id
        assert not any(retry_dedup(now=now).counts.values())

    def test_the_sweep_supersedes_what_a_change_is_announced_of(
        self, alice: Member, now: datetime, embedder_down: str, settings: Any
    ) -> None:
        self.store((as_agent(alice), JEST, now), (as_agent(alice), VITEST, now + DAY))
        assert self.swept(settings, now + DAY)["superseding"] == 1
        old, new = Insight.objects.order_by("number")
        assert old.superseded_by_id == new.pk

    def test_the_sweep_pairs_what_it_cannot_tell(
        self, alice: Member, now: datetime, embedder_down: str, settings: Any
    ) -> None:
        self.store((alice, EF_40, now), (alice, EF_400, now))
        assert self.swept(settings, now)["queued"] == 1
        assert [(pair.question, pair.state) for pair in Pair.objects.all()] == [("duplicate", "open")]
        assert Insight.objects.filter(retrievable=True, unweighed=False).count() == 2


class TestPersonalData:
    BODY = "Ask jane.doe@northwindcorp.com about the licence renewal before changing the seats."

    def test_is_masked_and_said_so(self, alice: Member, now: datetime) -> None:
        done = say(self.BODY, alice, now)
        assert done.insight.body.startswith("Ask [EMAIL] about")
        assert [(one["pattern"], one["field"], one["line"]) for one in done.redactions] == [
            ("e-mail address", "body", 1)
        ]
        line = LogEntry.objects.get(verb="deposited")
        assert "redacted: e-mail address in body" in line.why
        assert "jane" not in line.why + line.line

    def test_that_a_lead_has_reviewed_stays(self, alice: Member, platform: Team, now: datetime) -> None:
        GuardTerm.objects.create(team=platform, term="jane.doe@northwindcorp.com", added_at=now)
        assert say(self.BODY, alice, now).insight.body == self.BODY

    def test_reviewed_by_one_team_is_masked_in_another(self, alice: Member, platform: Team, now: datetime) -> None:
        GuardTerm.objects.create(team=platform, term="jane.doe@northwindcorp.com", added_at=now)
        assert "[EMAIL]" in say(self.BODY, alice, now, team="personal").insight.body


class TestThePoisoner:
    def test_cannot_displace_what_the_team_has_confirmed(self, alice: Member, bob: Member, now: datetime) -> None:
        """However often one agent says the opposite, what others promoted stays where it is found."""
        ref = decide(JEST, alice, now).insight.ref
        curate.promote(ref=ref, by=alice, now=now)
        agent = as_agent(bob)
        for day in range(1, 4):
            decide(VITEST, agent, now + day * DAY)
        row = Insight.objects.get(ref=ref)
        assert (row.superseded_by_id, row.status, row.retrievable) == (None, Status.PROMOTED, True)
        assert ref in found(RUNNER, alice, now + 4 * DAY)
        assert [pair.state for pair in Pair.objects.filter(question="supersession")] == ["open"]


class TestWhileItIsJudged:
    """Looking for neighbours takes a moment; what a lead does meanwhile counts."""

    @pytest.fixture
    def slow(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
        """Do something once, after the neighbours were judged and before anything is written."""

        def meanwhile(act: Callable[[], object]) -> None:
            left = [act]

            def deduplicated(**given: Any) -> list[Deduplicated]:
                decided = deduplicate(**given)
                if left:
                    left.pop()()
                return decided

            monkeypatch.setattr("knowledge.judging.actions.deposit.deduplicate", deduplicated)

        return meanwhile

    def test_a_promotion_keeps_a_machine_from_displacing_it(
        self, alice: Member, bob: Member, now: datetime, slow: Any
    ) -> None:
        old = decide(JEST, as_agent(alice), now).insight.ref
        slow(lambda: curate.promote(ref=old, by=alice, now=now))
        new = decide(VITEST, bob, now + DAY)
        assert (new.outcome, new.superseded) == ("proposed", ())
        assert Pair.objects.get().question == "supersession"

    def test_an_edit_is_judged_as_it_reads_then(self, alice: Member, bob: Member, now: datetime, slow: Any) -> None:
        row = say(ONE_BEAT, alice, now).insight
        other = {"title": "Key rotation", "body": "Rotate the signing key of the gateway every ninety days."}
        slow(lambda: curate.edit(ref=row.ref, changes=other, revision=1, by=alice, now=now))
        assert say(SAME_BEAT, bob, now).outcome == "inserted"

    def test_what_came_in_between_is_a_neighbour(self, alice: Member, bob: Member, now: datetime, slow: Any) -> None:
        slow(lambda: say(ONE_BEAT, alice, now))
        assert say(SAME_BEAT, bob, now).outcome == "merged"
        assert Insight.objects.get().corroboration_count == 2


HANDOVER = "On-call handover is on Mondays at 09:30, in the #ops channel."
SHIFT = "The pager changes hands Wednesday afternoon, at two, by phone."
WHEN_ON_CALL = "when is the on-call handover"


class TestWhatASessionConsulted:
    """The agent has read what it was served: whether its note changes that is asked however far apart the words are."""

    @pytest.fixture(autouse=True)
    def handover(self, alice: Member, now: datetime) -> None:
        stock(alice, now)
        say(HANDOVER, alice, now - DAY)

    def learn(self, by: Member, now: datetime) -> Deposited:
        return say(SHIFT, by, now)

    def test_is_asked_about(self, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        consulted = found(WHEN_ON_CALL, agent, now)
        assert asked(self.learn(agent, now)) == consulted[:1]

    def test_is_not_asked_about_where_nothing_was_consulted(self, bob: Member, now: datetime) -> None:
        assert asked(self.learn(as_agent(bob), now)) == []

    def test_is_not_asked_about_in_another_session(self, bob: Member, now: datetime) -> None:
        found(WHEN_ON_CALL, as_agent(bob, "one"), now)
        assert asked(self.learn(as_agent(bob, "two"), now)) == []

    def test_is_not_asked_about_two_days_later(self, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        found(WHEN_ON_CALL, agent, now - 2 * DAY)
        assert asked(self.learn(agent, now)) == []

    def test_is_not_asked_about_where_the_note_is_about_something_else(self, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        found(WHEN_ON_CALL, agent, now)
        assert asked(say("The invoice importer reads CSV files with a semicolon.", agent, now)) == []


UPLINKS = {
    "Graz": "a 100 Mbit DSL line",
    "Linz": "a 1 Gbit fibre line",
    "Krems": "a 50 Mbit DSL line",
    "Tulln": "an LTE router",
    "Wels": "a 250 Mbit cable",
}
DOCKS = {"north": "06:00 and is run by crew A", "south": "07:00 and is run by crew B", "east": "08:30 by crew C"}


class TestAFamily:
    """Notes that differ in a name: a change is about one of them, and the others are as near."""

    def test_is_asked_about_by_the_one_that_is_named(self, alice: Member, bob: Member, now: datetime) -> None:
        stock(alice, now)
        family = {}
        for office, line in UPLINKS.items():
            done = say(f"The {office} office uplink is {line}.", alice, now - DAY)
            family[office] = done.insight.ref
            if asked(done):
                unrelated = [Statement(ref, Relation.UNRELATED) for ref in asked(done)]
                relate(ref=done.insight.ref, statements=unrelated, by=alice, now=now - DAY)
        changed = say("Graz now has 500 Mbit fibre instead of DSL at the office.", bob, now)
        assert asked(changed)[:1] == [family["Graz"]]

    def test_is_not_asked_about_by_a_sibling_that_is_farther(self, alice: Member, bob: Member, now: datetime) -> None:
        """Nobody has answered what the siblings are to each other, so that they are open pairs."""
        stock(alice, now)
        docks = {
            name: say(f"The loading dock {name} opens at {when}.", alice, now - DAY) for name, when in DOCKS.items()
        }
        assert any(done.outcome == "queued" for done in docks.values())
        changed = say("The loading dock east opens at 18 and is run by crew M.", bob, now)
        assert set(asked(changed)) <= {docks["east"].insight.ref}
