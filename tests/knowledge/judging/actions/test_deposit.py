"""A lesson becomes the team's."""

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest
from django.db import DatabaseError, connection

from accounts.actions.guard_terms import allow_term
from accounts.actions.members import member_of
from accounts.models import LogEntry, Membership, Team, User
from accounts.rules.refused import NotAllowed, Refused
from accounts.rules.rights import Level, Member, NoSuchTeam, Scope, TeamUnclear
from knowledge.adapters.embedder import current
from knowledge.errors.rules.fingerprint import RECIPE, fingerprint
from knowledge.judging.actions.deposit import (
    Deposited,
    KeyReused,
    NeedsReason,
    NothingSaid,
    SecretFound,
    deposit,
    deposit_many,
)
from knowledge.lifecycle.rules import decay
from knowledge.lifecycle.rules.decay import SEEDED
from knowledge.lifecycle.rules.lifecycle import fades_at
from knowledge.models import Anchor, Insight, Receipt
from knowledge.retrieval.actions.upkeep import embed_waiting
from knowledge.retrieval.rules import bm25
from knowledge.rules.quality import GATE
from knowledge.rules.vectors import unit
from knowledge.rules.vocabulary import AnchorKind, Kind, Source, Stability, Status, Trust
from tests.conftest import person
from tests.database import changed, contents
from tests.factories import make_draft, make_insight
from tests.knowledge.library import LESSONS, counted, recounted, stock
from tests.together import together

# Put together here, so that no scanner of this repository takes it for a leak.
SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"
TRACE = 'File "/home/ann/app/beat.py", line 41, in tick\nRuntimeError: two schedulers hold the lock'


class TestDeposit:
    def test_keeps_what_was_said_and_who_said_it(self, bob_user: User, now: datetime) -> None:
        bob = member_of(user=bob_user)
        draft = make_draft(
            kind=Kind.PITFALL,
            title="Beat runs once",
            body="  Celery beat must run as one process.\n",
            reasoning=" Jobs fired twice. ",
            tags=["Celery", "celery", " Row  Locks "],
            files=["./src\\beat.py", "src/beat.py"],
            symbols=["Beat.tick", "Beat.tick"],
            repo="acme/web",
            error=TRACE,
            stability=Stability.EVOLVING,
            source_type=Source.HUMAN,
            source_date=now - timedelta(days=3),
            source_url="https://example.org/beat",
            provenance=[{"path": "src/beat.py", "sha256": "a" * 64}],
        )
        ref = deposit(draft=draft, by=bob, now=now).insight.ref
        row = Insight.objects.whole().get(ref=ref)
        assert (row.kind, row.title, row.repo, row.stability) == ("PITFALL", "Beat runs once", "acme/web", "evolving")
        assert (row.body, row.reasoning) == ("Celery beat must run as one process.", "Jobs fired twice.")
        assert (row.tags, row.files, row.symbols) == (["celery", "row locks"], ["src/beat.py"], ["Beat.tick"])
        assert (row.source_type, row.source_date, row.source_url) == (
            "human",
            now - timedelta(days=3),
            "https://example.org/beat",
        )
        assert (row.author, row.token, row.session_key) == (bob_user, None, f"user:{bob_user.pk}")
        assert row.provenance == [{"path": "src/beat.py", "sha256": "a" * 64}]

    def test_begins_as_a_draft_in_the_middle_of_the_scale(self, alice: Member, now: datetime) -> None:
        row = Insight.objects.get(ref=make_insight(alice).ref)
        assert (row.status, row.strength, row.strength_at) == (Status.DRAFT, 50, now)
        assert (row.corroboration_count, row.confidence, row.trust) == (1, "low", Trust.UNKNOWN)
        assert (row.revision, row.created_at, row.updated_at, row.source_date) == (1, now, now, now)

    def test_derives_a_title_where_none_was_sent(self, alice: Member) -> None:
        assert make_insight(alice, body="## Beat runs **once**. Or jobs fire twice.").title == "Beat runs once"

    def test_numbers_the_insights_of_each_team_from_one(self, alice: Member) -> None:
        refs = [make_insight(alice, team=team).ref for team in ("", "everyone", "", "personal", "")]
        assert refs == ["PLAT-1", "ALL-1", "PLAT-2", f"ME{alice.user_id}-1", "PLAT-3"]

    def test_is_searchable_by_meaning_and_by_keyword_at_once(self, alice: Member) -> None:
        row = Insight.objects.get(ref=make_insight(alice, body="Beat must run once.", reasoning="Twice is wrong.").ref)
        text = "Beat must run once.\nTwice is wrong."
        assert np.allclose(unit(row.embedding), current().embed([text])[0], atol=1e-3)
        assert (row.embedded_by, row.bm25_recipe) == (current().name, bm25.RECIPE)
        assert row.length == len(bm25.terms(text))
        assert list(Insight.objects.all().with_all(bm25.terms("twice beats"))) == [row]

    def test_keeps_an_errors_fingerprint_and_its_words(self, alice: Member) -> None:
        row = make_insight(alice, error=TRACE)
        anchor = Anchor.objects.get(insight=row, kind=AnchorKind.ERROR)
        expected = fingerprint(TRACE)
        assert expected
        assert (anchor.value, anchor.recipe, anchor.detail) == (expected.digest, RECIPE, TRACE)

    def test_minds_no_error_that_has_no_word_in_it(self, alice: Member) -> None:
        row = make_insight(alice, error="12:30:11 ---")
        assert not Anchor.objects.filter(insight=row, kind=AnchorKind.ERROR).exists()

    def test_leaves_a_line_in_the_log(self, alice: Member, now: datetime) -> None:
        make_insight(alice, title="Beat runs once", source_type=Source.IMPORT)
        line = LogEntry.objects.visible_to(alice).about("PLAT-1").get()
        assert line.line == "PLAT-1 deposited from import: Beat runs once"
        assert (line.verb, line.actor, line.user_id, line.at, line.why) == (
            "deposited",
            "alice",
            alice.user_id,
            now,
            "",
        )

    def test_counts_its_words(self, alice: Member, platform: Team, now: datetime) -> None:
        stock(alice, now)
        assert counted(platform.pk) == recounted(platform.pk)
        assert counted(platform.pk)[0] == 7

    def test_strips_what_nobody_sees_and_says_so(self, alice: Member) -> None:
        done = deposit(
            draft=make_draft(
                title="Be\u200bat\u202e", body="Runs\ufeff once.", tags=["ce\u00adlery"], symbols=["a\u200b", "b\u200b"]
            ),
            by=alice,
            now=datetime.fromisoformat("2026-11-21T12:00Z"),
        )
        assert (done.insight.title, done.insight.body, done.insight.tags) == ("Beat", "Runs once.", ["celery"])
        assert done.stripped == {"title": 2, "body": 1, "tags": 1, "symbols": 2}
        assert '"title": 2' in LogEntry.objects.get(subject="PLAT-1").why

    def test_keeps_no_path_of_a_machine(self, alice: Member, now: datetime) -> None:
        sent = ["/home/alice/work/shop/src/beat.py", "/Users/alice/other/a.py"]
        row = deposit(draft=make_draft(files=sent, repo="acme/shop"), by=alice, now=now).insight
        assert row.files == ["other/a.py", "src/beat.py"]


class TestRefusals:
    """What is refused leaves no trace, in no table."""

    @pytest.mark.parametrize("field", ["title", "body", "reasoning", "error", "repo", "source_url", "idempotency_key"])
    def test_of_a_secret_name_the_place_and_never_the_secret(
        self, alice: Member, now: datetime, field: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        before = contents()
        with pytest.raises(SecretFound) as refused:
            deposit(draft=make_draft(**{field: f"first line\nthen {SECRET}"}), by=alice, now=now)
        assert list(refused.value.errors) == [field]
        assert "line 2" in refused.value.errors[field][0]
        told = f"{refused.value} {refused.value.errors} {caplog.text}"
        assert SECRET not in told
        assert SECRET[4:] not in told
        assert changed(before) == []

    @pytest.mark.parametrize("field", ["tags", "files", "symbols"])
    def test_of_a_secret_look_into_lists_too(self, alice: Member, now: datetime, field: str) -> None:
        before = contents()
        with pytest.raises(SecretFound) as refused:
            deposit(draft=make_draft(**{field: ["fine", SECRET]}), by=alice, now=now)
        assert list(refused.value.errors) == [field]
        assert changed(before) == []

    def test_of_a_secret_are_not_fooled_by_what_nobody_sees(self, alice: Member, now: datetime) -> None:
        with pytest.raises(SecretFound):
            deposit(draft=make_draft(body="\u200b".join(SECRET)), by=alice, now=now)

    def test_are_none_for_a_term_that_the_team_has_allowed(self, alice: Member, now: datetime) -> None:
        allow_term(team="platform", term=SECRET, reason="revoked", by=alice, now=now)
        assert SECRET in deposit(draft=make_draft(body=f"The key {SECRET} is void."), by=alice, now=now).insight.body
        with pytest.raises(SecretFound):
            deposit(draft=make_draft(body=f"The key {SECRET}.", team="personal"), by=alice, now=now)

    def test_of_a_secret_look_into_provenance_too(self, alice: Member, now: datetime) -> None:
        before = contents()
        provenance = [{"path": f"src/{SECRET}/a.py", "sha256": "a" * 64}]
        with pytest.raises(SecretFound):
            deposit(draft=make_draft(provenance=provenance), by=alice, now=now)
        assert changed(before) == []

    @pytest.mark.parametrize("body", ["", " \n\t ", "\u200b\ufeff"])
    def test_meet_what_says_nothing(self, alice: Member, now: datetime, body: str) -> None:
        with pytest.raises(NothingSaid):
            deposit(draft=make_draft(body=body), by=alice, now=now)

    @pytest.mark.parametrize("reasoning", ["", "  ", "\u200b"])
    def test_meet_a_decision_without_a_reason(self, alice: Member, now: datetime, reasoning: str) -> None:
        with pytest.raises(NeedsReason):
            deposit(draft=make_draft(kind=Kind.DECISION, reasoning=reasoning), by=alice, now=now)
        assert make_insight(alice, kind=Kind.DECISION, reasoning="It is simpler.").ref == "PLAT-1"


class TestTeams:
    """Which team a write goes to; the table of cases is in rules/test_rights.py."""

    def test_is_the_only_shared_one(self, bob: Member) -> None:
        assert make_insight(bob).team.slug == "platform"

    def test_must_be_named_by_who_has_two(self, bob_user: User, mobile: Team, now: datetime) -> None:
        Membership.objects.create(team=mobile, user=bob_user, level=Level.CONTRIBUTOR)
        bob = member_of(user=bob_user)
        with pytest.raises(TeamUnclear):
            deposit(draft=make_draft(), by=bob, now=now)
        assert make_insight(bob, team="mobile").ref == "MOB-1"

    def test_is_the_one_the_token_is_for(self, bob_user: User, bob: Member, now: datetime) -> None:
        personal = member_of(user=bob_user, only=frozenset({bob.home_id}), token_id=None)
        assert make_insight(personal).team_id == bob.home_id

    def test_is_never_anothers(self, charlie: Member, platform: Team, now: datetime) -> None:
        with pytest.raises(NoSuchTeam):
            deposit(draft=make_draft(team="platform"), by=charlie, now=now)
        assert not Insight.objects.exists()

    def test_takes_a_contributor_and_the_scope_to_write(self, platform: Team, alice_user: User, now: datetime) -> None:
        reader = member_of(user=person("rita", platform, Level.READER))
        reading = member_of(user=alice_user, scopes=frozenset({Scope.READ, Scope.CURATE}))
        for member in (reader, reading):
            with pytest.raises(NotAllowed):
                deposit(draft=make_draft(team="platform"), by=member, now=now)
        assert not Insight.objects.exists()


class TestTheSameKey:
    def test_is_answered_alike_and_stored_once(self, alice: Member, platform: Team, now: datetime) -> None:
        draft = make_draft(idempotency_key="k1", body="Beat must run\u200b once.")
        first = deposit(draft=draft, by=alice, now=now)
        before = contents()
        again = deposit(draft=draft, by=alice, now=now + timedelta(days=1))
        assert (again.insight.ref, again.outcome, again.stripped) == (first.insight.ref, "inserted", {"body": 1})
        assert (first.replayed, again.replayed) == (False, True)
        assert changed(before) == []

    @pytest.mark.parametrize("over", [{"body": "Other words."}, {"tags": ["other"]}, {"team": "personal"}])
    def test_for_something_else_is_refused(self, alice: Member, now: datetime, over: dict[str, object]) -> None:
        make_insight(alice, idempotency_key="k1")
        before = contents()
        with pytest.raises(KeyReused):
            deposit(draft=make_draft(idempotency_key="k1", **over), by=alice, now=now)
        assert changed(before) == []

    def test_is_each_persons_own(self, alice: Member, bob: Member) -> None:
        assert [make_insight(who, idempotency_key="k1").ref for who in (alice, bob)] == ["PLAT-1", "PLAT-2"]

    def test_without_one_leaves_no_receipt(self, alice: Member) -> None:
        make_insight(alice)
        assert not Receipt.objects.exists()

    def test_at_the_same_moment_ends_in_one_row(self, transactional_db: None, alice: Member, now: datetime) -> None:
        draft = make_draft(idempotency_key="k1")
        done = together(*[lambda: deposit(draft=draft, by=alice, now=now)] * 6)
        assert {answer.insight.ref for answer in done} == {Insight.objects.get().ref}
        assert sorted(answer.replayed for answer in done) == [False] + [True] * 5
        assert Receipt.objects.count() == LogEntry.objects.filter(verb="deposited").count() == 1

    def test_at_the_same_moment_for_two_things_lets_one_in(
        self, transactional_db: None, alice: Member, now: datetime
    ) -> None:
        drafts = [make_draft(idempotency_key="k1", body=body, team=team)
                  for body, team in (("Once.", "platform"), ("Twice.", "personal"))]  # fmt: skip
        done = together(*[lambda draft=draft: deposit(draft=draft, by=alice, now=now) for draft in drafts])
        assert sorted(type(answer).__name__ for answer in done) == ["Deposited", "KeyReused"]
        assert Insight.objects.count() == 1


class TestANewOne:
    def test_starts_in_the_middle_and_knows_when_it_fades(self, bob: Member, now: datetime) -> None:
        row = Insight.objects.get(ref=make_insight(bob, now=now, body=LESSONS["beat"]).ref)
        assert row.strength == decay.INITIAL
        assert row.quality > GATE
        assert row.fades_at == fades_at(50, now, Status.DRAFT, Stability.STABLE, False, row.kind)

    def test_that_says_next_to_nothing_starts_weak_and_is_kept(self, bob: Member, now: datetime) -> None:
        row = Insight.objects.get(ref=make_insight(bob, now=now, body="Good code is important.").ref)
        assert row.quality < GATE
        assert row.strength == decay.WEAK
        assert row.fades_at == fades_at(20, now, Status.DRAFT, Stability.STABLE, False, row.kind)

    def test_is_better_for_what_it_is_anchored_to(self, bob: Member) -> None:
        bare = make_insight(bob, body=LESSONS["cors"])
        assert make_insight(bob, body=LESSONS["cors"], files=["cors.py"]).quality > bare.quality


class TestMany:
    def test_are_answered_in_their_order_and_spoil_nothing_for_each_other(
        self, alice: Member, platform: Team, now: datetime
    ) -> None:
        drafts = [
            make_draft(body=LESSONS["beat"]),
            make_draft(body=f"Second, with {SECRET}."),
            make_draft(body=LESSONS["locks"], team="personal"),
            make_draft(body="Fourth.", team="mobile"),
            make_draft(body=LESSONS["cache"]),
        ]
        done = deposit_many(drafts=drafts, by=alice, now=now, strength=SEEDED)
        assert [item.insight.ref if isinstance(item, Deposited) else type(item) for item in done] == [
            "PLAT-1",
            SecretFound,
            f"ME{alice.user_id}-1",
            NoSuchTeam,
            "PLAT-2",
        ]
        assert set(Insight.objects.values_list("strength", flat=True)) == {35}
        assert counted(platform.pk) == recounted(platform.pk)
        assert SECRET not in str(contents())

    def test_with_one_key_twice_store_it_once(self, alice: Member, platform: Team, now: datetime) -> None:
        draft = make_draft(idempotency_key="k1")
        done = deposit_many(drafts=[draft, make_draft(body="Another."), draft], by=alice, now=now)
        refs = [item.insight.ref for item in done if isinstance(item, Deposited)]
        assert refs[0] == refs[2] != refs[1]
        assert Insight.objects.count() == 2
        assert counted(platform.pk) == recounted(platform.pk)

    def test_with_one_key_for_two_things_refuse_the_second(self, alice: Member, now: datetime) -> None:
        drafts = [make_draft(idempotency_key="k1", body=body) for body in ("First.", "Second.")]
        first, second = deposit_many(drafts=drafts, by=alice, now=now)
        assert isinstance(first, Deposited)
        assert isinstance(second, KeyReused)
        assert Insight.objects.count() == 1

    def test_may_be_none(self, alice: Member, now: datetime) -> None:
        assert deposit_many(drafts=[], by=alice, now=now) == []

    def test_from_many_agents_at_once_get_numbers_without_gap_or_double(
        self, transactional_db: None, alice: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        agents = [alice, bob] * 4
        done = together(
            *[
                lambda who=who, n=n: [
                    deposit(draft=make_draft(body=f"Lesson {n}.{step} of the pool."), by=who, now=now)
                    for step in range(3)
                ]
                for n, who in enumerate(agents)
            ]
        )
        numbers = sorted(item.insight.number for answers in done for item in answers)
        assert numbers == list(range(1, 25))
        assert counted(platform.pk) == recounted(platform.pk)
        assert LogEntry.objects.filter(verb="deposited").count() == 24


class TestWithoutAnEmbedder:
    def test_it_is_stored_all_the_same_and_said(self, alice: Member, embedder_down: str, now: datetime) -> None:
        done = deposit(draft=make_draft(), by=alice, now=now)
        assert done.degraded == ({"component": "embedder", "reason": embedder_down},)
        row = Insight.objects.get()
        assert (row.embedding, row.embedded_by) == (None, "")
        assert row.lexemes is not None

    def test_the_sweep_makes_the_vector_once_it_is_back(
        self, alice: Member, embedder_down: str, settings: object, now: datetime
    ) -> None:
        ref = make_insight(alice, body="Beat must run once.").ref
        assert embed_waiting().degraded == embedder_down
        settings.LOAM_EMBEDDER = "knowledge.adapters.embedder.OnnxEmbedder"  # type: ignore[attr-defined]
        assert embed_waiting().changed == 1
        row = Insight.objects.get(ref=ref)
        assert row.embedded_by == current().name
        assert np.allclose(unit(row.embedding), current().embed(["Beat must run once."])[0], atol=1e-3)
        assert embed_waiting().changed == 0


class TestAFailureMidway:
    """All is written, or nothing is."""

    @pytest.mark.parametrize(
        "table", ["knowledge_insight", "knowledge_anchor", "knowledge_term", "accounts_logentry", "knowledge_receipt"]
    )
    def test_leaves_nothing_behind(self, alice: Member, platform: Team, now: datetime, table: str) -> None:
        make_insight(alice)
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE FUNCTION fall_over() RETURNS trigger AS $$BEGIN RAISE EXCEPTION 'disk full'; END$$"
                " LANGUAGE plpgsql"
            )
            cursor.execute(f"CREATE TRIGGER falls BEFORE INSERT ON {table} EXECUTE FUNCTION fall_over()")
        before = contents()
        draft = make_draft(body="Never to be seen.", tags=["gone"], idempotency_key="k1")
        with pytest.raises(DatabaseError, match="disk full"):
            deposit(draft=draft, by=alice, now=now)
        assert changed(before) == []
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION fall_over CASCADE")
        assert deposit(draft=draft, by=alice, now=now).insight.ref == "PLAT-2"

    def test_of_an_account_that_is_gone_is_told_and_leaves_nothing(
        self, transactional_db: None, alice: Member, now: datetime
    ) -> None:
        before = contents()
        with pytest.raises((DatabaseError, Refused)):
            deposit(draft=make_draft(idempotency_key="k1"), by=replace(alice, user_id=10**9), now=now)
        assert changed(before) == []
