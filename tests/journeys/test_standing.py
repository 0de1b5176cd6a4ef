"""Whose unreviewed notes come first, and whose do not any more: trust in people, lost by what leads reject."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.actions.members import member_of
from accounts.models import Team, User
from accounts.rules.rights import Level, Member
from knowledge.judging.actions.deposit import deposit
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.lifecycle.actions.standing import restore_standing
from knowledge.models import Insight, Pair
from knowledge.retrieval.actions.retrieve import Retrieved, retrieve, why_not
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.standing import MOST_REJECTED, MOST_UNREVIEWED, ROOM, WINDOW
from knowledge.review.actions import curate
from knowledge.review.actions.settle import dismiss, reopen, report, resolve
from knowledge.rules.vocabulary import Status
from tests.conftest import NOW, agent, make_platform, person
from tests.factories import as_agent, make_draft, make_insight
from tests.pages import signed_in

SERVICES = [
    "invoice", "ledger", "tariff", "refund", "voucher", "catalogue", "basket", "parcel", "login", "mailer", "search",
    "stock", "price", "audit", "label", "route", "claim", "badge", "quota", "webhook", "gateway", "report",
]  # fmt: skip
FACT = "The {} service keeps its queue in region eu-central-1, on the shared broker."
CHANGED = "The {} service keeps its queue in region eu-west-{} since the move, on the shared broker."
ASKED = "In which region does the {} service keep its queue?"


@dataclass
class Scene:
    platform: Team
    alice: User
    bob: User
    keys: dict[str, int]


@pytest.fixture(scope="module")
def scene(module_db: None) -> Scene:
    """Facts of Dana's, which Alice promoted a month ago. Made once: what a test does with them is undone with it."""
    platform = make_platform()
    alice, bob = person("alice", platform, Level.LEAD), person("bob", platform)
    lead, dana, then = (
        member_of(user=alice),
        as_agent(member_of(user=person("dana", platform))),
        NOW - timedelta(days=30),
    )
    rows = {name: make_insight(dana, now=then, body=FACT.format(name), repo="acme/shop") for name in SERVICES}
    for row in rows.values():
        curate.promote(ref=row.ref, by=lead, now=then)
    return Scene(platform, alice, bob, {name: row.pk for name, row in rows.items()})


@pytest.fixture
def platform(scene: Scene, db: None) -> Team:
    return scene.platform


@pytest.fixture
def alice_user(scene: Scene, db: None) -> User:
    return scene.alice


@pytest.fixture
def bob_user(scene: Scene, db: None) -> User:
    return scene.bob


@pytest.fixture
def confirmed(scene: Scene, db: None) -> dict[str, Insight]:
    rows = Insight.objects.in_bulk(scene.keys.values())
    return {name: rows[key] for name, key in scene.keys.items()}


def say(by: Member, name: str, now: datetime, *, of: Insight | None = None, number: int = 1) -> Insight:
    """A newer note on one of them, said to replace it where `of` is given."""
    relations = [Statement(of.ref, Relation.SUPERSEDES)] if of else []
    draft = make_draft(body=CHANGED.format(name, number), repo="acme/shop", relations=relations)
    return deposit(draft=draft, by=by, now=now).insight


def answer(by: Member, name: str, now: datetime) -> Retrieved:
    return retrieve(ask=Ask(ASKED.format(name), repo="acme/shop"), by=by, now=now)


def first(by: Member, name: str, now: datetime) -> str:
    return answer(by, name, now).hits[0].insight.ref


def rejected(by: Member, lead: Member, confirmed: dict[str, Insight], names: list[str], now: datetime) -> None:
    """Propose a replacement of each, which the lead rejects."""
    for name in names:
        note = say(by, name, now, of=confirmed[name], number=9)
        pair = Pair.objects.get(b=note, question="supersession")
        dismiss(pair_id=pair.pk, by=lead, now=now)


def current(by: Member, ref: str) -> bool | str:
    found: bool | str = agent(by).get(f"/api/v1/insights/{ref}/").json()["current"]
    return found


@pytest.fixture
def bobs(bob: Member) -> Member:
    return as_agent(bob)


class TestAContributorInGoodStanding:
    def test_leads_with_a_first_correction(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        for name, of in (("invoice", confirmed["invoice"]), ("ledger", None)):
            note = say(bobs, name, now, of=of)
            assert first(alice, name, now) == note.ref

    def test_is_said_to_stand_before_a_higher_score(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        note = say(bobs, "invoice", now, of=confirmed["invoice"])
        Insight.objects.filter(pk=note.pk).update(strength=0)
        best, second, *_ = answer(alice, "invoice", now).hits
        assert (best.insight.ref, second.insight.ref) == (note.ref, confirmed["invoice"].ref)
        assert best.score.total < second.score.total
        why = f"Before {second.insight.ref} despite a lower score: on the same subject, and newer or asked for."
        assert (best.placed, second.placed) == (why, "")
        page = signed_in(User.objects.get(pk=alice.user_id)).get(
            "/insights/", {"q": ASKED.format("invoice"), "rank": "agent"}
        )
        assert why in page.content.decode()

    def test_still_does_after_a_mistake_or_two(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        rejected(bobs, alice, confirmed, SERVICES[: MOST_REJECTED - 1], now)
        note = say(bobs, "audit", now, of=confirmed["audit"])
        assert first(alice, "audit", now) == note.ref

    def test_still_does_when_as_many_were_accepted(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        note = say(bobs, "stock", now, of=confirmed["stock"])
        resolve(pair_id=Pair.objects.get(b=note, question="supersession").pk, by=alice, now=now, keep=note.ref)
        rejected(bobs, alice, confirmed, SERVICES[:MOST_REJECTED], now)
        note = say(bobs, "audit", now, of=confirmed["audit"])
        assert first(alice, "audit", now) == note.ref


class TestARejectedNote:
    def test_does_not_come_first_again(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        """One is no reason to distrust its author; but this very note was rejected."""
        note = say(bobs, "invoice", now, of=confirmed["invoice"])
        assert first(alice, "invoice", now) == note.ref
        dismiss(pair_id=Pair.objects.get(b=note, question="supersession").pk, by=alice, now=now)
        hits = answer(alice, "invoice", now).hits
        assert [hit.insight.ref for hit in hits][:2] == [confirmed["invoice"].ref, note.ref]
        assert hits[1].held_back == f"Behind {confirmed['invoice'].ref}: a lead has rejected that it replaces that one."

    def test_is_said_to_be_one_and_the_kept_one_to_be_current(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, bob: Member
    ) -> None:
        kept = confirmed["invoice"]
        rejected(bobs, alice, confirmed, ["invoice"], timezone.now())
        note = Pair.objects.get(question="supersession").b
        body = agent(bob).post("/api/v1/query/", {"query": ASKED.format("invoice"), "repo": "acme/shop"}).json()
        assert [(hit["ref"], hit["current"]) for hit in body["insights"][:2]] == [(kept.ref, True), (note.ref, False)]
        assert body["text"].count(f"Proposed to replace {kept.ref}; a lead kept {kept.ref}.") == 1
        assert "has rejected that it replaces" not in body["text"]
        read = agent(bob).get(f"/api/v1/insights/{note.ref}/").json()
        assert (read["current"], [one["ref"] for one in read["related"]]) == (False, [kept.ref])
        read = agent(bob).get(f"/api/v1/insights/{kept.ref}/").json()
        assert (read["current"], read["related"]) == (True, [])

    def test_is_current_again_once_a_lead_promotes_it_or_gives_the_kept_one_up(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        rejected(bobs, alice, confirmed, ["invoice", "ledger"], now)
        for name, lead_act in (("invoice", curate.promote), ("ledger", curate.deprecate)):
            kept = confirmed[name]
            note = Pair.objects.get(a=kept, question="supersession").b
            assert current(alice, note.ref) is False
            lead_act(ref=note.ref if name == "invoice" else kept.ref, by=alice, now=now)
            assert current(alice, note.ref) is True

    def test_with_a_lead_who_finds_that_both_hold_is_current(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        note = say(bobs, "invoice", now, of=confirmed["invoice"])
        pair = Pair.objects.get(b=note, question="supersession")
        resolve(pair_id=pair.pk, by=alice, now=now, scope="The one in Ireland, the other in Germany.")
        assert current(alice, note.ref) is current(alice, confirmed["invoice"].ref) is True

    def test_leads_again_when_the_lead_reopens_the_pair(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        rejected(bobs, alice, confirmed, ["invoice"], now)
        pair = Pair.objects.get(question="supersession")
        reopen(pair_id=pair.pk, by=alice, now=now)
        assert first(alice, "invoice", now) == pair.b.ref


class TestWhoseProposalsWereRejected:
    @pytest.fixture(autouse=True)
    def _evening(self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime) -> None:
        rejected(bobs, alice, confirmed, SERVICES[:MOST_REJECTED], now)

    @pytest.mark.parametrize("stated", [True, False], ids=["proposed", "mute"])
    def test_leads_with_nothing_new(
        self, stated: bool, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        later = now + timedelta(days=1)
        note = say(bobs, "audit", later, of=confirmed["audit"] if stated else None)
        hits = answer(alice, "audit", later).hits
        assert [hit.insight.ref for hit in hits[:2]] == [confirmed["audit"].ref, note.ref]
        why = f"Behind {confirmed['audit'].ref}: 3 proposals of bob were rejected in the last 90 days, 0 accepted."
        assert hits[1].held_back == why

    def test_leads_with_nothing_of_which_a_lead_has_found_nothing_to_settle(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        """A note that only reads like a confirmed one, in the words of the question."""
        body = f"{ASKED.format('quota')} In eu-west-7."
        note = make_insight(bobs, now=now - timedelta(days=2), body=body, repo="acme/shop")
        pair = Pair.between(confirmed["quota"], note, question=Pair.Question.DUPLICATE, by=bobs, at=now)
        dismiss(pair_id=pair.pk, by=alice, now=now - timedelta(days=1))
        hits = answer(alice, "quota", now).hits
        assert hits[0].insight == confirmed["quota"]
        assert "proposals of bob were rejected" in next(hit for hit in hits if hit.insight == note).held_back

    def test_leads_with_nothing_by_saying_that_it_belongs_to_the_confirmed_one(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        """A copy in the words of the question, with one more that is paired with it."""
        of = confirmed["quota"]
        for number in (1, 2):
            body = f"{ASKED.format('quota')} In eu-west-{number}, on the shared broker."
            relations = [Statement(of.ref, Relation.COMPLEMENTS)] if number == 2 else []
            deposit(draft=make_draft(body=body, repo="acme/shop", relations=relations), by=bobs, now=now)
        assert first(alice, "quota", now) == of.ref

    def test_is_said_to_the_agent_and_to_who_asks_why_not(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member
    ) -> None:
        now = timezone.now()
        note = say(bobs, "audit", now, of=confirmed["audit"])
        body = agent(alice).post("/api/v1/query/", {"query": ASKED.format("audit"), "repo": "acme/shop"}).json()
        assert "3 proposals of bob were rejected" in body["text"]
        assert "ot reviewed" in body["text"]
        hit = next(hit for hit in body["insights"] if hit["ref"] == note.ref)
        assert hit["held_back"].startswith(f"Behind {confirmed['audit'].ref}: ")
        found = answer(alice, "audit", now)
        assert found.query_id is not None
        told = why_not(query_id=found.query_id, ref=note.ref, by=alice, now=now)
        assert told.why == f"It is in the answer, at rank 2. {hit['held_back']}"

    def test_leads_once_the_note_is_confirmed(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        note = say(bobs, "audit", now, of=confirmed["audit"])
        curate.promote(ref=note.ref, by=alice, now=now)
        assert first(alice, "audit", now) == note.ref

    def test_leads_over_own_notes_and_over_drafts(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        Insight.objects.filter(pk=confirmed["audit"].pk).update(author_id=bobs.user_id)
        Insight.objects.filter(pk=confirmed["price"].pk).update(status=Status.DRAFT)
        for name in ("audit", "price"):
            note = say(bobs, name, now)
            assert first(alice, name, now) == note.ref

    def test_leads_again_when_a_lead_restores_the_standing(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        later = now + timedelta(hours=1)
        note = say(bobs, "audit", later, of=confirmed["audit"])
        assert first(alice, "audit", later) == confirmed["audit"].ref
        restore_standing(team="platform", username="bob", by=alice, now=later, why="A test of the importer.")
        assert first(alice, "audit", later) == note.ref

    def test_leads_again_when_it_is_long_ago(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        later = now + WINDOW + timedelta(days=1)
        note = say(bobs, "audit", later, of=confirmed["audit"])
        assert first(alice, "audit", later) == note.ref

    def test_has_nobody_else_pay_for_it(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, platform: Team, now: datetime
    ) -> None:
        """Bob reports that Erin's notes contradict confirmed ones, a lead dismisses it: hers come first."""
        erin = as_agent(member_of(user=person("erin", platform)))
        for name in SERVICES[4 : 4 + MOST_REJECTED]:
            note = say(erin, name, now)
            pair = report(a=note.ref, b=confirmed[name].ref, reason="I say so", by=bobs, now=now)
            assert first(alice, name, now) == note.ref
            dismiss(pair_id=pair.pk, by=alice, now=now)
        note = say(erin, "audit", now)
        assert first(alice, "audit", now) == note.ref

    def test_costs_one_statement(
        self,
        confirmed: dict[str, Insight],
        bobs: Member,
        alice: Member,
        now: datetime,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        # What was learned later has a statement of its own, and none where it is said what replaces a note.
        monkeypatch.setattr("knowledge.retrieval.actions.retrieve.later_of", lambda search: {})
        monkeypatch.setattr("knowledge.retrieval.actions.search.find_successors", lambda search: None)

        def statements(name: str) -> int:
            with CaptureQueriesContext(connection) as caught:
                answer(alice, name, now)
            return len(caught)

        statements("price")
        plain = statements("price")
        say(bobs, "audit", now, of=confirmed["audit"])
        assert plain <= 5
        assert statements("audit") == plain + 1


class TestManyConfirmedNotes:
    def test_are_led_over_by_one_contributor_up_to_a_number(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        for name in SERVICES:
            say(bobs, name, now, of=confirmed[name])
        led = [name for name in SERVICES if first(alice, name, now) != confirmed[name].ref]
        assert led == SERVICES[:ROOM]
        hit = next(hit for hit in answer(alice, SERVICES[ROOM], now).hits if hit.held_back)
        assert "not reviewed, and bob has 20 notes of that day before confirmed ones already" in hit.held_back

    def test_are_led_over_by_the_next_day_s_too_though_no_lead_has_looked(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        yesterday, late = SERVICES[: ROOM + 1], SERVICES[ROOM + 1 :]
        for name in yesterday:
            say(bobs, name, now - timedelta(days=1), of=confirmed[name])
        notes = {name: say(bobs, name, now, of=confirmed[name]).ref for name in late}
        assert {name: first(alice, name, now) for name in late} == notes
        assert first(alice, SERVICES[ROOM], now) == confirmed[SERVICES[ROOM]].ref

    def test_are_led_over_unpaired_by_a_newcomer_with_few_notes_of_late(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        """Thirty unreviewed notes of last month say nothing of today's; thirty of this week do."""

        def busy(then: datetime) -> None:
            for number in range(MOST_UNREVIEWED + 1):
                make_insight(bobs, now=then, body=f"Ticket {number} of {then:%B} was about the printer.")

        busy(now - timedelta(days=30))
        note = say(bobs, "invoice", now)
        Pair.objects.filter(b=note).delete()
        assert first(alice, "invoice", now) == note.ref
        busy(now)
        hits = answer(alice, "invoice", now).hits
        assert hits[0].insight.ref in {row.ref for row in confirmed.values()}
        assert "bob has more than 30 unreviewed notes of the last 7 days" in hits[1].held_back

    def test_are_more_for_somebody_whose_notes_were_confirmed(
        self, confirmed: dict[str, Insight], bobs: Member, alice: Member, now: datetime
    ) -> None:
        own = make_insight(bobs, now=now, body="Parcels are weighed in grams.")
        curate.promote(ref=own.ref, by=alice, now=now)
        notes = {name: say(bobs, name, now, of=confirmed[name]).ref for name in SERVICES}
        assert {name: first(alice, name, now) for name in SERVICES} == notes
