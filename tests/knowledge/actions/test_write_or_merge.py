"""Repetition makes one entry stronger, a change of mind replaces without erasing, and nothing is lost by either."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.models import GuardTerm, LogEntry, Team
from accounts.rules.rights import Member
from knowledge.actions import combine, curate
from knowledge.actions.deposit import Deposited, deposit, deposit_many
from knowledge.actions.reconsider import reconsider
from knowledge.actions.retrieve import retrieve
from knowledge.actions.upkeep import embed_waiting
from knowledge.actions.weigh import Weighed, weigh
from knowledge.models import Corroboration, Insight, Pair
from knowledge.rules.ask import Ask
from knowledge.rules.vocabulary import Kind, Status
from tests.factories import as_agent, make_draft
from tests.knowledge.library import counted, recounted
from tests.together import together

ONE_BEAT = "Always run celery beat as one single process, never two, or jobs fire twice."
SAME_BEAT = "Never run celery beat as two processes: always one single process, or jobs fire twice."
JEST = "In the storefront we use Jest for all front-end tests."
VITEST = "In the storefront we no longer use Jest for front-end tests, we switched to Vitest."
WHY = "the team agreed on it in the weekly"
EF_40 = "Set hnsw ef_search to 40 for the catalogue index."
EF_400 = "Set hnsw ef_search to 400 for the catalogue index."
TRACE = 'File "/home/{}/app/beat.py", line {}, in tick\nRuntimeError: two schedulers hold the lock'


def say(body: str, by: Member, now: datetime, **over: object) -> Deposited:
    return deposit(draft=make_draft(body=body, **over), by=by, now=now)


def decide(body: str, by: Member, now: datetime) -> Deposited:
    return say(body, by, now, kind=Kind.DECISION, reasoning=WHY)


def found(question: str, by: Member, now: datetime) -> list[str]:
    return [hit.insight.ref for hit in retrieve(ask=Ask(question), by=by, now=now).hits]


class TestTheSameAgain:
    def test_strengthens_the_one_that_says_it(self, alice: Member, bob: Member, now: datetime) -> None:
        first, later = say(ONE_BEAT, alice, now), now + timedelta(days=1)
        again = say(SAME_BEAT, bob, later)
        assert (again.outcome, again.insight.ref) == ("merged", first.insight.ref)
        row = Insight.objects.get()
        assert (row.corroboration_count, row.confidence) == (2, "medium")
        assert row.effective_strength(later) > 50
        assert row.last_corroborated_at == row.source_date == later

    def test_from_three_voices_makes_confidence_high(self, alice: Member, bob: Member, now: datetime) -> None:
        for who in (alice, bob, alice):
            done = say(ONE_BEAT, who, now)
        assert (done.insight.corroboration_count, done.insight.confidence) == (3, "high")

    def test_keeps_every_word_and_who_said_it(self, alice: Member, bob: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        say(SAME_BEAT, bob, now, tags=["Celery"], files=["beat.py"])
        said = Corroboration.objects.get()
        assert (said.body, said.user_id, said.judged_by) == (SAME_BEAT, bob.user_id, "local")
        row = Insight.objects.get()
        assert (row.tags, row.files) == (["celery"], ["beat.py"])
        assert "process" in row.words and counted(row.team_id) == recounted(row.team_id)

    def test_is_told_in_the_history_with_the_judge(self, alice: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        say(SAME_BEAT, alice, now)
        line = LogEntry.objects.get(verb="corroborated")
        assert line.line == "PLAT-1 corroborated (×2) from agent"
        assert "same, by local" in line.why

    def test_is_answered_with_what_was_near(self, alice: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        [near] = say(SAME_BEAT, alice, now).neighbours
        assert (near["ref"], near["stance"], near["by"]) == ("PLAT-1", "same", "local")
        assert 0.8 < near["similarity"] <= 1

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
        reconsider(now=now)
        assert Insight.objects.filter(superseded_by__isnull=True).count() == 2

    def test_in_another_team_is_another_row(self, alice: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now)
        assert say(ONE_BEAT, alice, now, team="personal").outcome == "inserted"

    def test_about_another_repo_is_another_row(self, alice: Member, now: datetime) -> None:
        say(ONE_BEAT, alice, now, repo="acme/web")
        assert say(ONE_BEAT, alice, now, repo="acme/app").outcome == "inserted"

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

    def test_from_four_at_once_is_one_row(
        self, transactional_db: None, alice: Member, bob: Member, now: datetime
    ) -> None:
        done = together(*[lambda who=who: say(ONE_BEAT, who, now) for who in (alice, bob, alice, bob)])
        assert sorted(one.outcome for one in done) == ["inserted", "merged", "merged", "merged"]
        assert Insight.objects.get().corroboration_count == 4
        assert Corroboration.objects.count() == 3


class TestChatter:
    def test_said_by_everybody_stays_weak(self, alice: Member, bob: Member, now: datetime) -> None:
        for who in (alice, bob, alice, bob, alice):
            done = say("All tests pass now.", who, now)
        row = Insight.objects.get(ref=done.insight.ref)
        assert (row.corroboration_count, row.status, row.effective_strength(now)) == (5, Status.DRAFT, 20)


class TestCode:
    """A letter or a sign makes it another command, and no judge of words sees that."""

    OLDER, YOUNGER = "find /var/log -daystart -mtime +7 -delete", "find /var/log -daystart -mtime -7 -delete"

    @pytest.mark.parametrize("judge", ["local", "off"])
    def test_that_differs_by_a_sign_is_never_merged_or_displaced(
        self, alice: Member, now: datetime, settings: Any, judge: str
    ) -> None:
        settings.LOAM_JUDGE = judge
        older, younger = say(self.OLDER, alice, now), say(self.YOUNGER, alice, now)
        assert older.insight.ref != younger.insight.ref
        assert Insight.objects.filter(retrievable=True).count() == 2

    def test_that_is_the_same_is_one_row(self, alice: Member, now: datetime) -> None:
        say(self.OLDER, alice, now)
        assert say(self.OLDER.replace(" ", "  "), alice, now).outcome == "merged"


class TestAChangeOfMind:
    def test_takes_the_place_of_what_was_decided(self, alice: Member, now: datetime) -> None:
        old, new = decide(JEST, alice, now), decide(VITEST, alice, now)
        assert (new.outcome, new.superseded) == ("superseding", (old.insight.ref,))
        refs = found("which front-end test runner does the storefront use", alice, now)
        assert new.insight.ref in refs and old.insight.ref not in refs
        assert Insight.objects.get(ref=old.insight.ref).superseded_by_id == new.insight.pk

    def test_can_be_undone(self, alice: Member, now: datetime) -> None:
        old = decide(JEST, alice, now).insight.ref
        decide(VITEST, alice, now)
        combine.reinstate(ref=old, by=alice, now=now)
        assert old in found("which front-end test runner does the storefront use", alice, now)

    def test_does_not_displace_what_others_have_promoted(self, alice: Member, bob: Member, now: datetime) -> None:
        old = decide(JEST, alice, now).insight.ref
        curate.promote(ref=old, by=alice, now=now)
        new = decide(VITEST, bob, now)
        assert (new.outcome, new.superseded) == ("queued", ())
        pair = Pair.objects.get()
        assert (pair.question, pair.state, pair.a.ref, pair.b.ref) == ("contradiction", "open", old, new.insight.ref)
        assert found("which front-end test runner does the storefront use", bob, now)[0] == old

    def test_both_ways_at_once_leaves_one_standing(self, transactional_db: None, alice: Member, now: datetime) -> None:
        together(*[lambda body=body: decide(body, alice, now) for body in (JEST, VITEST)])
        assert Insight.objects.filter(superseded_by__isnull=True).count() == 1
        assert Insight.objects.count() == 2


class TestWhatNobodyCanTell:
    def test_is_kept_and_put_before_a_person(self, alice: Member, now: datetime) -> None:
        low, high = say(EF_40, alice, now), say(EF_400, alice, now)
        assert high.outcome in ("queued", "superseding")
        assert high.insight.ref != low.insight.ref

    def test_without_a_judge_only_what_is_nearly_identical_merges(
        self, alice: Member, now: datetime, settings: Any
    ) -> None:
        settings.LOAM_JUDGE = "off"
        say(ONE_BEAT, alice, now)
        same = say(ONE_BEAT.replace("jobs fire", "jobs will fire"), alice, now)
        assert same.outcome == "merged"
        assert same.degraded == ({"component": "judge", "reason": "the judge is switched off (LOAM_JUDGE)"},)

    def test_without_a_judge_a_cue_keeps_them_apart(self, alice: Member, now: datetime, settings: Any) -> None:
        settings.LOAM_JUDGE = "off"
        say(EF_40, alice, now)
        assert say(EF_400, alice, now).outcome == "queued"
        assert Pair.objects.get().question == "duplicate"


class TestWithoutAnEmbedder:
    def test_the_sweep_merges_what_says_the_same(
        self, alice: Member, bob: Member, now: datetime, embedder_down: str, settings: Any
    ) -> None:
        for who, body in ((alice, ONE_BEAT), (bob, SAME_BEAT)):
            done = say(body, who, now)
            assert (done.outcome, done.degraded[0]["component"]) == ("inserted", "embedder")
        settings.LOAM_EMBEDDER = "knowledge.adapters.embedder.OnnxEmbedder"
        assert embed_waiting().changed == 2
        assert reconsider(now=now).counts == {"merged": 1, "superseding": 0, "queued": 0, "inserted": 1}
        kept, gone = Insight.objects.order_by("number")
        assert gone.superseded_by_id == kept.pk
        assert (kept.corroboration_count, kept.corroborations.get().body) == (2, gone.body)
        assert reconsider(now=now).counts["merged"] == 0


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
    def test_cannot_change_what_the_team_has_confirmed(self, alice: Member, bob: Member, now: datetime) -> None:
        """However often one agent says the opposite, what others promoted stays, and the first in the answer."""
        ref = decide(JEST, alice, now).insight.ref
        curate.promote(ref=ref, by=alice, now=now)
        agent = as_agent(bob)
        for _ in range(3):
            decide(VITEST, agent, now)
        assert Insight.objects.get(ref=ref).superseded_by_id is None
        assert found("which front-end test runner does the storefront use", alice, now)[0] == ref


class TestWhileItIsWeighed:
    """The judge may take a second; what a lead does meanwhile counts."""

    @pytest.fixture
    def slow(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
        """Do something once, after the judge has spoken and before anything is written."""

        def meanwhile(act: Callable[[], object]) -> None:
            left = [act]

            def weighed(**asked: Any) -> list[Weighed]:
                found = weigh(**asked)
                if left:
                    left.pop()()
                return found

            monkeypatch.setattr("knowledge.actions.deposit.weigh", weighed)

        return meanwhile

    def test_a_promotion_keeps_a_machine_from_displacing_it(
        self, alice: Member, bob: Member, now: datetime, slow: Any
    ) -> None:
        old = decide(JEST, alice, now).insight.ref
        slow(lambda: curate.promote(ref=old, by=alice, now=now))
        new = decide(VITEST, bob, now)
        assert (new.outcome, new.superseded) == ("queued", ())
        assert Pair.objects.get().question == "contradiction"

    def test_an_edit_is_judged_as_it_reads_then(self, alice: Member, bob: Member, now: datetime, slow: Any) -> None:
        row = say(ONE_BEAT, alice, now).insight
        other = {"title": "Key rotation", "body": "Rotate the signing key of the gateway every ninety days."}
        slow(lambda: curate.edit(ref=row.ref, changes=other, revision=1, by=alice, now=now))
        assert say(SAME_BEAT, bob, now).outcome == "inserted"
