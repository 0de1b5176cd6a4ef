"""Out of every read at once, and after a while for good."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import LogEntry, Team, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member
from knowledge.judging.actions.deposit import deposit
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.actions.validate import validate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Anchor, Corroboration, Insight, Pair, Receipt, Signal, Term, Topic
from knowledge.retrieval.actions import upkeep
from knowledge.retrieval.actions.retrieve import retrieve, why_not
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.review.actions.combine import merge, supersede, unmerge
from knowledge.review.actions.forget import NoReason, erase, erase_forgotten, forget
from knowledge.review.actions.settle import report
from knowledge.rules.vocabulary import Trust
from tests.conftest import agent, member_of, person
from tests.database import changed, contents
from tests.factories import make_draft, make_insight
from tests.knowledge.library import LESSONS, counted, recounted

WORD = "kestrel"
TEXT = "The kestrel scheduler of Jane Doe starts once per cluster; a second copy doubles its tasks."
MONTH = timedelta(days=30)


@pytest.fixture
def row(alice: Member, bob: Member, now: datetime) -> Insight:
    """PLAT-1, Bob's alone; with a history, a rating that is no praise, and a question that found it."""
    row = make_insight(bob, now=now, body=TEXT, tags=[WORD], reasoning=f"{WORD} says so", idempotency_key="k1")
    curate.edit(ref=row.ref, changes={"body": f"{TEXT} Always."}, revision=1, by=bob, now=now)
    asked = retrieve(ask=Ask(f"{WORD} scheduler"), by=alice, now=now)
    rate(
        refs=[row.ref],
        verdict=SignalKind.UNHELPFUL,
        by=alice,
        now=now,
        query_id=asked.query_id,
        reason=f"{WORD} it was",
    )
    return Insight.objects.get(pk=row.pk)


def go(row: Insight, by: Member, now: datetime, **over: Any) -> Insight:
    return forget(**{"ref": row.ref, "why": "it names a person", "by": by, "now": now, **over})


def _said_again(row: Insight, lead: Member, other: Member, now: datetime) -> str:
    done = deposit(draft=make_draft(title=row.title, body=row.body, reasoning=row.reasoning), by=other, now=now)
    assert done.outcome == "merged"
    return "another person said the same"


def _merged(row: Insight, lead: Member, other: Member, now: datetime) -> str:
    merge(ref=make_insight(other, body=LESSONS["locks"]).ref, into=row.ref, by=lead, now=now)
    return "another person said the same"


def _found_helpful(row: Insight, lead: Member, other: Member, now: datetime) -> str:
    rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=other, now=now)
    return "somebody else found it helpful"


def _promoted(row: Insight, lead: Member, other: Member, now: datetime) -> str:
    curate.promote(ref=row.ref, by=lead, now=now)
    return "it is promoted"


def _promoted_once(row: Insight, lead: Member, other: Member, now: datetime) -> str:
    curate.promote(ref=row.ref, by=lead, now=now)
    curate.deprecate(ref=row.ref, by=lead, now=now)
    return "a lead confirmed it"


def _pinned(row: Insight, lead: Member, other: Member, now: datetime) -> str:
    curate.pin(ref=row.ref, by=lead, now=now)
    return "it is pinned"


def _validated(row: Insight, lead: Member, other: Member, now: datetime) -> str:
    validate(ref=row.ref, by=lead, now=now)
    return "a lead confirmed it"


def _edited(row: Insight, lead: Member, other: Member, now: datetime) -> str:
    revision = Insight.objects.get(pk=row.pk).revision
    curate.edit(ref=row.ref, changes={"body": f"{TEXT} Since 5.4."}, revision=revision, by=lead, now=now)
    return "somebody else edited it"


# What somebody else than its author does for a note, and how the author is told of it; by what it is.
BACKED: dict[str, Callable[[Insight, Member, Member, datetime], str]] = {
    "said again": _said_again,
    "merged": _merged,
    "found helpful": _found_helpful,
    "promoted": _promoted,
    "promoted once": _promoted_once,
    "pinned": _pinned,
    "validated": _validated,
    "edited": _edited,
}


def statistics_are_true(team: Team) -> None:
    kept = counted(team.pk)
    assert kept == recounted(team.pk)
    upkeep.recount()
    assert counted(team.pk) == kept


class TestForget:
    def test_takes_it_out_of_every_read_of_the_api(self, row: Insight, bob: Member, now: datetime) -> None:
        client = agent(bob)
        query_id = client.post("/api/v1/query/", {"query": f"{WORD} scheduler"}).json()["query_id"]
        go(row, bob, now)
        for path in ("", "history/", "corroborations/"):
            assert client.get(f"/api/v1/insights/{row.ref}/{path}").status_code == 404
        assert client.post(f"/api/v1/query/{query_id}/why-not/", {"ref": row.ref}).status_code == 404
        for act in ("promote", "pin", "forget", "validate"):
            assert client.post(f"/api/v1/insights/{row.ref}/{act}/", {"reason": "so"}).status_code == 404
        for text in (f"{WORD} scheduler", row.ref):
            answer = client.post("/api/v1/query/", {"query": text, "trim": False, "limit": 50})
            assert WORD not in answer.content.decode().replace(f'"{text}"', "") and answer.json()["insights"] == []
        assert client.get("/api/v1/insights/").json()["results"] == []
        assert client.get("/api/v1/insights/", {"q": WORD}).json()["results"] == []

    def test_takes_it_out_of_every_page_and_the_admin(
        self, row: Insight, alice_user: User, bob: Member, now: datetime, client: Client, alice: Member
    ) -> None:
        other = make_insight(alice, body=LESSONS["locks"])
        report(a=row.ref, b=other.ref, reason=f"the {WORD} cannot", by=alice, now=now)
        merge(ref=other.ref, into=row.ref, by=alice, now=now)
        go(row, alice, now)
        User.objects.filter(pk=alice_user.pk).update(is_staff=True, is_superuser=True)
        client.force_login(alice_user)
        assert client.get(f"/insights/{row.ref}/").status_code == 404
        for path in ("insights/", *(f"admin/knowledge/{name}/" for name in
                     ("insight", "forgotten", "corroboration", "signal", "receipt", "term", "topic", "formerref")),
                     "admin/accounts/logentry/"):  # fmt: skip
            page = client.get(f"/{path}")
            assert page.status_code == 200
            assert WORD not in page.content.decode(), path
        for name in ("insight", "forgotten"):
            page = client.get(f"/admin/knowledge/{name}/{row.pk}/change/", follow=True)
            assert WORD not in page.content.decode()

    def test_leaves_a_line_that_says_who_and_why(self, row: Insight, bob: Member, alice: Member, now: datetime) -> None:
        go(row, bob, now)
        [line] = LogEntry.objects.visible_to(alice).about(row.ref)
        assert (line.line, line.why, line.actor) == ("PLAT-1 forgotten", "it names a person", "bob")
        assert line.after == {"erased after": "2026-12-21"}

    def test_counts_its_words_out(self, row: Insight, bob: Member, platform: Team, now: datetime) -> None:
        make_insight(bob, body=LESSONS["beat"])
        go(row, bob, now)
        statistics_are_true(platform)
        assert not Term.objects.filter(term__contains=WORD).exists()
        upkeep.rebuild_keyword_vectors(team_id=platform.pk)
        assert upkeep.embed_waiting().changed == 0
        statistics_are_true(platform)

    def test_is_for_the_author_or_a_lead(self, row: Insight, platform: Team, alice: Member, now: datetime) -> None:
        dora = member_of(user=person("dora", platform, Level.CONTRIBUTOR))
        with pytest.raises(NotAllowed):
            go(row, dora, now)
        assert go(row, alice, now).forgotten_at == now

    @pytest.mark.parametrize("backed", BACKED)
    def test_is_a_leads_of_what_somebody_else_stands_behind(
        self, backed: str, row: Insight, alice: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        dora = member_of(user=person("dora", platform, Level.CONTRIBUTOR))
        reason = BACKED[backed](row, alice, dora, now)
        before = contents()
        with pytest.raises(NotAllowed) as refused:
            go(row, bob, now)
        assert reason in refused.value.message and "Ask a lead of platform" in refused.value.message
        assert changed(before) == []
        assert go(row, alice, now).forgotten_at == now

    def test_is_the_authors_again_when_nobody_is_left_behind_it(
        self, row: Insight, alice: Member, bob: Member, now: datetime
    ) -> None:
        other = make_insight(alice, body=LESSONS["locks"])
        merge(ref=other.ref, into=row.ref, by=alice, now=now)
        [said] = Insight.objects.get(pk=row.pk).corroborations.all()
        unmerge(ref=row.ref, corroboration=said.pk, by=alice, now=now)
        assert go(row, bob, now).forgotten_at == now

    @pytest.mark.parametrize("why", ["", "  ", "\u200b"])
    def test_takes_a_reason(self, row: Insight, bob: Member, now: datetime, why: str) -> None:
        with pytest.raises(NoReason) as refused:
            go(row, bob, now, why=why)
        assert list(refused.value.errors) == ["reason"]

    def test_takes_its_words_out_of_what_it_was_merged_into(
        self, row: Insight, alice: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        kept = make_insight(alice, body=LESSONS["beat"])
        merge(ref=row.ref, into=kept.ref, by=alice, now=now)
        go(row, bob, now)
        kept = Insight.objects.get(pk=kept.pk)
        assert (kept.corroboration_count, kept.heard) == (1, [])
        statistics_are_true(platform)
        told = LogEntry.objects.visible_to(alice).about(kept.ref)
        assert not any(WORD in f"{line.line} {line.why}" for line in told)

    def test_no_longer_speaks_against_another(self, row: Insight, alice: Member, bob: Member, now: datetime) -> None:
        other = make_insight(alice, body=LESSONS["beat"])
        report(a=row.ref, b=other.ref, reason="so", by=alice, now=now)
        go(row, bob, now)
        assert Insight.objects.get(pk=other.pk).trust == Trust.UNKNOWN
        assert not Pair.objects.visible_to(alice).exists()

    def test_answers_a_deposit_that_is_sent_again_as_if_it_were_not_there(
        self, row: Insight, bob: Member, now: datetime
    ) -> None:
        go(row, bob, now)
        with pytest.raises(NotFound):
            make_insight(bob, now=now, body=TEXT, tags=[WORD], reasoning=f"{WORD} says so", idempotency_key="k1")


class TestItsTopic:
    def test_goes_when_nothing_else_is_in_it(self, row: Insight, bob: Member, alice: Member, now: datetime) -> None:
        assert row.topic
        go(row, bob, now)
        assert not Topic.objects.exists()
        back = curate.restore(ref=row.ref, by=alice, now=now)
        assert back.topic and Topic.objects.get() == back.topic

    def test_is_described_by_what_is_left(self, row: Insight, bob: Member, now: datetime) -> None:
        other = make_insight(bob, now=now, body=LESSONS["beat"])
        Insight.objects.filter(pk=other.pk).update(topic=row.topic)
        Topic.objects.exclude(pk=row.topic_id).delete()
        go(row, bob, now)
        topic = Topic.objects.get()
        assert WORD not in f"{topic.label} {topic.terms}" and "celery" in f"{topic.label} {topic.terms}".lower()
        assert topic.centroid == Insight.objects.get(pk=other.pk).embedding

    def test_keeps_the_name_a_person_gave_it(self, row: Insight, bob: Member, now: datetime) -> None:
        Topic.objects.update(label="Scheduling", named=True)
        go(row, bob, now)
        topic = Topic.objects.get()
        assert (topic.label, topic.terms, topic.centroid) == ("Scheduling", [], None)


class TestRestore:
    def test_brings_it_back_as_it_was(
        self, row: Insight, alice: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        before = LogEntry.objects.visible_to(alice).about(row.ref).count()
        shown = retrieve(ask=Ask(f"{WORD} scheduler"), by=bob, now=now)
        go(row, bob, now)
        back = curate.restore(ref=row.ref, by=alice, now=now, why="it does not")
        assert (back.body, back.status, back.strength, back.tags) == (row.body, row.status, row.strength, [WORD])
        assert LogEntry.objects.visible_to(alice).about(row.ref).count() == before + 2
        again = retrieve(ask=Ask(f"{WORD} scheduler"), by=bob, now=now)
        assert [hit.insight.ref for hit in again.hits] == [hit.insight.ref for hit in shown.hits] == [row.ref]
        statistics_are_true(platform)

    def test_speaks_against_another_again(self, row: Insight, alice: Member, bob: Member, now: datetime) -> None:
        other = make_insight(alice, body=LESSONS["beat"])
        report(a=row.ref, b=other.ref, reason="so", by=alice, now=now)
        go(row, bob, now)
        curate.restore(ref=row.ref, by=alice, now=now)
        assert set(Insight.objects.values_list("trust", flat=True)) == {Trust.CONTRADICTED}

    def test_is_a_leads_act_and_nobody_else_learns_of_it(
        self, row: Insight, alice: Member, bob: Member, charlie: Member, now: datetime
    ) -> None:
        go(row, bob, now)
        before = contents()
        for stranger in (bob, charlie):
            with pytest.raises(NotFound):
                curate.restore(ref=row.ref, by=stranger, now=now)
        assert changed(before) == []

    def test_ends_when_it_is_erased(self, row: Insight, alice: Member, bob: Member, now: datetime) -> None:
        go(row, bob, now)
        erase_forgotten(now=now + MONTH)
        with pytest.raises(NotFound):
            curate.restore(ref=row.ref, by=alice, now=now)


class TestErase:
    def test_comes_after_thirty_days(self, row: Insight, bob: Member, now: datetime) -> None:
        go(row, bob, now)
        assert erase_forgotten(now=now + MONTH - timedelta(seconds=1)).counts == {"erased": 0}
        assert erase_forgotten(now=now + MONTH).counts == {"erased": 1}
        assert erase_forgotten(now=now + MONTH).counts == {"erased": 0}

    def test_leaves_no_word_of_it_anywhere(
        self, row: Insight, alice: Member, bob: Member, root: Member, now: datetime, platform: Team
    ) -> None:
        old = make_insight(bob, now=now, body=f"An older {WORD} lesson that is merged.")
        other = make_insight(alice, now=now, body=LESSONS["locks"])
        merge(ref=old.ref, into=row.ref, by=alice, now=now, why=f"as {WORD} as it")
        report(a=row.ref, b=other.ref, reason=f"the {WORD} cannot", by=alice, now=now)
        supersede(ref=other.ref, by_ref=row.ref, by=alice, now=now, why=f"the {WORD} knows")
        for ref in (old.ref, row.ref):
            forget(ref=ref, why=f"the {WORD} must go", by=alice, now=now)
            erase(ref=ref, by=root, now=now)
        rows = contents()
        left = {table: line for table, text in rows.items() for line in text.split("\n") if WORD in line}
        assert set(left) == {"knowledge_query"}  # the asker's own question, in the asker's own words
        assert not Signal.objects.filter(insight=row).exists()
        assert not Anchor.objects.filter(insight=row).exists()
        assert not Corroboration.objects.exists()
        assert Receipt.objects.get().digest == ""

    def test_leaves_a_tombstone(self, row: Insight, bob: Member, root: Member, alice: Member, now: datetime) -> None:
        go(row, bob, now)
        erase(ref=row.ref, by=root, now=now)
        stone = Insight.objects.get(pk=row.pk)
        assert (stone.ref, stone.title, stone.body, stone.author_id, stone.embedding) == (row.ref, "", "", None, None)
        assert (stone.forgotten_at, stone.erased_at) == (now, now)
        lines = [(line.line, line.actor, line.why) for line in LogEntry.objects.visible_to(alice).about(row.ref)]
        assert lines[:2] == [("PLAT-1 erased", "root", ""), ("PLAT-1 forgotten", "bob", "")]
        assert make_insight(bob).ref == "PLAT-2"

    def test_is_a_superusers_word(self, row: Insight, bob: Member, alice: Member, root: Member, now: datetime) -> None:
        with pytest.raises(NotFound):
            erase(ref=row.ref, by=root, now=now)
        go(row, bob, now)
        with pytest.raises(NotAllowed):
            erase(ref=row.ref, by=alice, now=now)
        assert Insight.objects.get().erased_at is None

    def test_of_a_decision_bears_having_no_reason(self, bob: Member, root: Member, now: datetime) -> None:
        from_now = make_insight(bob, kind="DECISION", reasoning="we agreed")
        forget(ref=from_now.ref, why="so", by=bob, now=now)
        erase(ref=from_now.ref, by=root, now=now)
        assert Insight.objects.get().reasoning == ""


class TestTheDoor:
    def test_says_until_when_it_can_be_had_back(self, row: Insight, bobs_agent: APIClient) -> None:
        answer = bobs_agent.post(f"/api/v1/insights/{row.ref}/forget/", {"reason": "it names a person"})
        assert answer.status_code == 200
        body = answer.json()
        assert body["ref"] == row.ref
        until = datetime.fromisoformat(body["erased_after"]) - datetime.fromisoformat(body["forgotten_at"])
        assert until == MONTH

    def test_restores_for_a_lead(self, row: Insight, bobs_agent: APIClient, alices_agent: APIClient) -> None:
        bobs_agent.post(f"/api/v1/insights/{row.ref}/forget/", {"reason": "so"})
        assert bobs_agent.post(f"/api/v1/insights/{row.ref}/restore/", {}).status_code == 404
        assert alices_agent.post(f"/api/v1/insights/{row.ref}/restore/", {}).json()["body"] == row.body
        assert bobs_agent.get(f"/api/v1/insights/{row.ref}/").status_code == 200

    def test_of_the_admin_restores_and_erases(
        self, row: Insight, bob: Member, client: Client, now: datetime, agent_of: Callable[..., APIClient]
    ) -> None:
        client.force_login(User.objects.create_superuser("chief", password="a-long-password-1"))
        listed = "/admin/knowledge/forgotten/"
        go(row, bob, now)
        client.post(listed, {"action": "restore", "_selected_action": [row.pk]})
        assert Insight.objects.get().forgotten_at is None
        go(row, bob, now)
        client.post(listed, {"action": "erase", "_selected_action": [row.pk]})
        assert Insight.objects.get().erased_at
        assert client.get(listed).status_code == 200


class TestRefusedToAnAuthor:
    """By every way in it is told why, and is a line in Activity."""

    @pytest.fixture
    def backed(self, row: Insight, alice: Member, now: datetime) -> Insight:
        rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=alice, now=now)
        return row

    def test_by_the_api(self, backed: Insight, bobs_agent: APIClient, alice: Member) -> None:
        answer = bobs_agent.post(f"/api/v1/insights/{backed.ref}/forget/", {"reason": "so"})
        assert answer.status_code == 403 and answer.json()["code"] == "not_allowed"
        assert "somebody else found it helpful" in answer.json()["detail"]
        [line] = LogEntry.objects.visible_to(alice).filter(verb="refused")
        assert f"POST insights/{backed.ref}/forget/ refused" in line.line and line.actor.startswith("bob")

    def test_by_a_page(self, backed: Insight, bob_user: User, client: Client, alice: Member) -> None:
        client.force_login(bob_user)
        assert "Forget…" not in client.get(f"/insights/{backed.ref}/").content.decode()
        plan = client.get("/inbox/plan/", {"verb": "forget", "ref": backed.ref}).content.decode()
        assert "skipped: somebody else found it helpful" in plan
        answer = client.post("/inbox/act/", {"verb": "forget", "ref": backed.ref, "why": "so"})
        assert answer.status_code == 403 and "Ask a lead of platform" in answer.content.decode()
        assert LogEntry.objects.visible_to(alice).get(verb="refused").line.count(backed.ref)

    def test_among_others_at_once(
        self, backed: Insight, bob: Member, bob_user: User, client: Client, alice: Member
    ) -> None:
        own = make_insight(bob, body=LESSONS["beat"])
        client.force_login(bob_user)
        client.post("/inbox/act/", {"verb": "forget", "ref": [backed.ref, own.ref], "why": "so"})
        assert list(Insight.objects.filter(forgotten_at__isnull=False)) == [own]
        assert f"forget {backed.ref} refused" in LogEntry.objects.visible_to(alice).get(verb="refused").line

    def test_but_of_a_note_of_ones_own_a_page_offers_it(self, row: Insight, bob_user: User, client: Client) -> None:
        client.force_login(bob_user)
        assert "Forget…" in client.get(f"/insights/{row.ref}/").content.decode()
        assert "Forget 1 insight?" in client.get("/inbox/plan/", {"verb": "forget", "ref": row.ref}).content.decode()


class TestWhyNot:
    def test_does_not_name_it(self, row: Insight, bob: Member, alice: Member, now: datetime) -> None:
        asked = retrieve(ask=Ask(WORD), by=alice, now=now).query_id
        go(row, bob, now)
        with pytest.raises(NotFound):
            why_not(query_id=asked, ref=row.ref, by=alice, now=now)  # type: ignore[arg-type]
