"""What waits for a person, and why."""

from datetime import timedelta
from typing import Any

from django.db import connection

from accounts.rules.rights import Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight
from knowledge.retrieval.actions import beside
from knowledge.review.actions import curate, settle, triage
from knowledge.review.actions.combine import merge, unmerge
from knowledge.review.rules.triage import Tab
from tests.conftest import NOW
from tests.factories import as_agent, make_insight

LATER = NOW + timedelta(days=1)


def helped(row: Insight, by: Member, at: Any = LATER) -> None:
    rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=by, now=at)


def refs(tab: Tab, by: Member, now: Any = LATER) -> list[str]:
    return [row.ref for row in triage.waiting(tab, by=by, now=now)]


class TestNew:
    def test_is_a_draft_somebody_has_spoken_for(self, alice: Member, bob: Member) -> None:
        make_insight(alice, body="Nobody said a word of this one.")
        row = make_insight(alice)
        helped(row, as_agent(bob))
        assert refs(Tab.NEW, alice) == [row.ref]
        found = triage.explained(Tab.NEW, [row], now=LATER)
        assert found[0].why == "2/3 people in support, including the author"

    def test_is_gone_when_left_and_back_when_spoken_for_again(self, alice: Member, bob: Member) -> None:
        row = make_insight(alice)
        helped(row, as_agent(bob))
        curate.leave(ref=row.ref, by=alice, now=LATER)
        assert refs(Tab.NEW, alice) == []
        helped(row, as_agent(bob, "another"), at=LATER + timedelta(hours=1))
        assert refs(Tab.NEW, alice) == [row.ref]

    def test_is_nothing_its_author_praises(self, alice: Member, bob: Member) -> None:
        row = make_insight(bob, team="platform")
        helped(row, as_agent(bob))
        assert (refs(Tab.NEW, alice), refs(Tab.DRAFTS, alice)) == ([], [row.ref])
        helped(row, as_agent(alice))
        assert (refs(Tab.NEW, alice), refs(Tab.DRAFTS, alice)) == ([row.ref], [])

    def test_is_no_more_what_was_said_again_and_parted(self, alice: Member, bob: Member) -> None:
        row, again = make_insight(bob, team="platform"), make_insight(alice, body="The same thing in other words.")
        merge(ref=again.ref, into=row.ref, by=alice, now=NOW)
        assert refs(Tab.NEW, alice) == [row.ref]
        unmerge(ref=row.ref, corroboration=row.corroborations.get().pk, by=alice, now=LATER)
        assert refs(Tab.NEW, alice) == []

    def test_is_of_both_parts_in_one_order_however_few_are_wanted(self, alice: Member) -> None:
        rows = [make_insight(alice, now=NOW + timedelta(minutes=n), body=f"Lesson {n} of its own.") for n in range(6)]
        for n, row in enumerate(rows):
            promoted = {"status": "promoted", "earned_at": LATER} if n % 2 else {"favoured_at": LATER}
            Insight.objects.filter(pk=row.pk).update(**promoted)
        newest = [row.ref for row in reversed(rows)]
        assert refs(Tab.NEW, alice) == newest
        for most in (1, 3, 6):
            assert [row.ref for row in triage.first_waiting(Tab.NEW, most, by=alice, now=LATER)] == newest[:most]
            assert [row.ref for row in triage.waiting(Tab.NEW, by=alice, now=LATER, most=most)[:most]] == newest[:most]

    def test_is_walked_by_its_own_index(self, alice: Member) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        drafts = triage._insights(Tab.NEW, triage._QueueReader.of(alice, NOW))
        assert "insight_awaiting_lead" in drafts[:20].explain()

    def test_waits_for_those_who_lead(self, alice: Member, bob: Member, charlie: Member) -> None:
        row = make_insight(alice)
        helped(row, as_agent(bob))
        assert refs(Tab.NEW, bob) == []
        assert refs(Tab.NEW, charlie) == []


class TestDecaying:
    def test_is_promoted_and_about_to_fade(self, alice: Member, bob: Member) -> None:
        row = make_insight(alice)
        curate.promote(ref=row.ref, by=alice, now=NOW)
        row.refresh_from_db()
        assert row.fades_at
        assert refs(Tab.DECAYING, alice, row.fades_at - timedelta(days=31)) == []
        soon = row.fades_at - timedelta(days=29)
        assert refs(Tab.DECAYING, alice, soon) == [row.ref]
        assert triage.explained(Tab.DECAYING, [row], now=soon)[0].why == "fades in 29 days"
        helped(row, bob, at=soon)
        assert refs(Tab.DECAYING, alice, soon) == []


class TestStale:
    def test_names_the_files_that_changed(self, alice: Member) -> None:
        row = make_insight(alice, provenance=[{"path": "a.py", "sha256": "0" * 64}])
        seen = [{"path": "a.py", "sha256": "0" * 64, "seen": "1" * 64}]
        Insight.objects.filter(pk=row.pk).update(trust="stale", provenance=seen)
        row.refresh_from_db()
        assert refs(Tab.STALE, alice) == [row.ref]
        assert triage.explained(Tab.STALE, [row], now=LATER)[0].why == "changed: a.py"
        curate.deprecate(ref=row.ref, by=alice, now=LATER)
        assert refs(Tab.STALE, alice) == []


class TestQuarantined:
    def test_is_shown_to_leads_with_its_secret_masked(self, alice: Member, bob: Member) -> None:
        row = make_insight(alice)
        secret = "AKIAIOSFODNN7REALKEY"
        Insight.objects.filter(pk=row.pk).update(quarantined_at=NOW, body=f"The key is {secret} there.")
        assert refs(Tab.QUARANTINED, bob) == []
        rows = list(triage.waiting(Tab.QUARANTINED, by=alice, now=LATER))
        assert secret not in triage.explained(Tab.QUARANTINED, rows, now=LATER)[0].insight.body
        assert secret in Insight.objects.get(pk=row.pk).body


class TestCounts:
    def test_counts_each_queue_in_one_statement(
        self, alice: Member, bob: Member, django_assert_num_queries: Any
    ) -> None:
        one, other = make_insight(alice), make_insight(alice, body="Never guard a long ALTER.")
        helped(one, as_agent(bob))
        settle.report(a=one.ref, b=other.ref, reason="opposed", by=alice, now=NOW)
        with django_assert_num_queries(1):
            found = triage.counts(by=alice, now=LATER)
        assert found == {**dict.fromkeys(Tab, 0), Tab.NEW: 1, Tab.CONTRADICTIONS: 1, Tab.DRAFTS: 1}
        assert sum(triage.counts(by=bob, now=LATER).values()) == 0


class TestNearest:
    def test_finds_what_says_the_most_alike(self, alice: Member) -> None:
        row = make_insight(alice, body="Run the lock_timeout guard before a long ALTER TABLE.")
        like = make_insight(alice, body="Before a long ALTER TABLE run the guard with lock_timeout.")
        make_insight(alice, body="Apples keep best in a cool and dark cellar.")
        seen, found = beside.nearest(ref=row.ref, by=alice)
        assert seen.ref == row.ref
        assert found[0].insight.ref == like.ref
        assert found[0].similarity > found[1].similarity
