"""What an answer warns of, and what its topics are called."""

from datetime import datetime, timedelta

import pytest

from accounts.rules.rights import Member
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Pair
from knowledge.retrieval.actions.retrieve import Retrieved, retrieve
from knowledge.retrieval.actions.warn import Summary, summarise, warn
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.contradiction import Contradiction
from knowledge.review.actions import curate
from knowledge.review.actions.settle import dismiss, report, resolve
from tests.factories import as_agent, make_insight
from tests.knowledge.library import LESSONS

RETRY = "Retry the payment webhook on a 409, it is safe."
NEVER = "Never retry the payment webhook on a 409, it charges twice."
QUESTION = "retry the payment webhook on 409"
FILES = {"files": ["pay/webhook.py"]}


def ask(by: Member, now: datetime, text: str = QUESTION, **over: object) -> Retrieved:
    return retrieve(ask=Ask(text, **{"limit": 10, **over}), by=by, now=now)  # type: ignore[arg-type]


def warnings(by: Member, now: datetime, text: str = QUESTION) -> list[Contradiction]:
    near = ask(by, now, text).compared
    return warn(ids=near.ids, advice=near.advice, vectors=near.vectors, by=by)


@pytest.fixture
def pair(alice: Member, now: datetime) -> tuple[str, str]:
    """Opposing advice about one file, as two rows whatever the write path thinks of it."""
    one = make_insight(alice, now=now, body=RETRY, **FILES).ref
    other = make_insight(alice, now=now, body=NEVER, kind="PITFALL", **FILES).ref
    Insight.objects.update(superseded_by=None)
    Pair.objects.all().delete()
    return one, other


class TestWarn:
    def test_names_both_sides_and_what_speaks_for_it(self, pair: tuple[str, str], bob: Member, now: datetime) -> None:
        (found,) = warnings(bob, now)
        assert {found.a, found.b} == set(pair)
        assert "negation" in found.signs
        assert "Never retry" in found.reason
        assert found.newer == ""

    @pytest.mark.parametrize("later", [0, 1])
    def test_names_the_one_that_was_learned_later_whatever_its_status(
        self, pair: tuple[str, str], alice: Member, bob: Member, now: datetime, later: int
    ) -> None:
        Insight.objects.filter(ref=pair[1 - later]).update(source_date=now - timedelta(days=1))
        curate.promote(ref=pair[1 - later], by=alice, now=now)
        assert warnings(bob, now)[0].newer == pair[later]
        report(a=pair[0], b=pair[1], reason="which?", by=bob, now=now)
        assert [(one.reason, one.newer) for one in warnings(bob, now)] == [("bob says so: “which?”", pair[later])]

    def test_reads_what_was_left_out_as_nearly_the_same(self, alice: Member, now: datetime) -> None:
        """A number hardly moves a vector: the second is collapsed into the first, and yet it is warned of."""
        low = make_insight(alice, now=now, body="Set hnsw ef_search to 40 for the catalogue index.").ref
        high = make_insight(alice, now=now, body="Set hnsw ef_search to 400 for the catalogue index.").ref
        Insight.objects.update(superseded_by=None)
        Pair.objects.all().delete()
        found = ask(alice, now, "hnsw ef_search of the catalogue index")
        assert len(found.hits) == 1
        assert [{one.a, one.b} for one in warnings(alice, now, "hnsw ef_search of the catalogue index")] == [
            {low, high}
        ]

    def test_of_nothing_when_all_agree(self, alice: Member, now: datetime) -> None:
        make_insight(alice, now=now, body=RETRY)
        make_insight(alice, now=now, body="A 409 of the payment webhook may be retried without harm.")
        Insight.objects.update(superseded_by=None)
        Pair.objects.all().delete()
        assert warnings(alice, now) == []

    def test_of_what_was_reported_though_one_side_is_not_served(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        one = make_insight(alice, now=now, body=LESSONS["beat"]).ref
        far = make_insight(alice, now=now, body=LESSONS["cors"]).ref
        report(a=one, b=far, reason="they cannot both hold", by=bob, now=now)
        (found,) = warnings(bob, now, "celery beat fires twice")
        assert (found.a, found.b, found.reason) == (one, far, "bob says so: “they cannot both hold”")
        assert (found.signs, found.newer) == (("contradiction",), "")

    def test_once_of_what_is_both_reported_and_read(self, pair: tuple[str, str], bob: Member, now: datetime) -> None:
        report(a=pair[0], b=pair[1], reason="which?", by=bob, now=now)
        assert [one.reason for one in warnings(bob, now)] == ["bob says so: “which?”"]

    def test_no_more_of_what_people_have_settled(
        self, pair: tuple[str, str], alice: Member, bob: Member, now: datetime
    ) -> None:
        dismiss(pair_id=report(a=pair[0], b=pair[1], reason="which?", by=bob, now=now).pk, by=alice, now=now)
        assert warnings(bob, now) == []

    def test_no_more_of_what_gave_way(self, pair: tuple[str, str], alice: Member, bob: Member, now: datetime) -> None:
        settled = report(a=pair[0], b=pair[1], reason="which?", by=bob, now=now)
        resolve(pair_id=settled.pk, keep=pair[1], by=alice, now=now)
        assert warnings(bob, now) == []

    def test_of_histories_that_part(self, alice: Member, bob: Member, now: datetime) -> None:
        texts = ("Warm the tenant registry on boot.", "Warm the tenant registry on the first request.")
        good, bad = (make_insight(alice, now=now, body=body, files=["tenants/registry.py"]).ref for body in texts)
        Insight.objects.update(superseded_by=None)
        Pair.objects.all().delete()
        for n, (ref, verdict) in enumerate([(good, SignalKind.HELPFUL), (bad, SignalKind.UNHELPFUL)] * 2):
            rate(refs=[ref], verdict=verdict, by=as_agent(bob, f"agent {n}"), now=now, query_id=None)
        found = warnings(alice, now, "warm the tenant registry")
        assert [one.signs[0] for one in found] == ["history"]

    def test_of_nobody_elses(self, pair: tuple[str, str], bob: Member, charlie: Member, now: datetime) -> None:
        report(a=pair[0], b=pair[1], reason="which?", by=bob, now=now)
        ids = list(Insight.objects.values_list("pk", flat=True))
        assert warn(ids=ids, advice=[], vectors=ask(charlie, now).compared.vectors, by=charlie) == []


class TestSummarise:
    def test_names_the_topics_with_their_kinds(self, pair: tuple[str, str], bob: Member, now: datetime) -> None:
        found = ask(bob, now)
        topic = Insight.objects.get(ref=pair[0]).topic
        assert topic is not None
        (summary, *_) = summarise(found=found.topics, by=bob)
        assert summary == Summary(topic.pk, topic.label, {"SOLUTION": 1, "PITFALL": 1}, 2)

    def test_of_nobody_elses(self, pair: tuple[str, str], bob: Member, charlie: Member, now: datetime) -> None:
        assert summarise(found=ask(bob, now).topics, by=charlie) == []


class TestDepth:
    @pytest.fixture(autouse=True)
    def rows(self, alice: Member, now: datetime) -> None:
        for body in (RETRY, "Sign the payment webhook with the shared key.", LESSONS["beat"], LESSONS["locks"]):
            make_insight(alice, now=now, body=body)

    def test_0_counts_and_fetches_nothing(self, bob: Member, now: datetime) -> None:
        found = ask(bob, now, "payment webhook", depth=0)
        assert found.hits == []
        assert not found.abstained
        assert sum(kinds.total() for kinds in found.topics.values()) == 2

    def test_1_serves_the_best_of_each_topic(self, bob: Member, now: datetime) -> None:
        Insight.objects.filter(ref__in=("PLAT-1", "PLAT-2")).update(topic=Insight.objects.get(ref="PLAT-1").topic)
        assert len(ask(bob, now, "payment webhook", depth=2).hits) == 2
        found = ask(bob, now, "payment webhook", depth=1)
        assert len(found.hits) == len(found.topics) == 1
        assert next(iter(found.topics.values())).total() == 2

    def test_1_serves_what_has_no_topic_too(self, bob: Member, now: datetime) -> None:
        Insight.objects.update(topic=None)
        assert len(ask(bob, now, "payment webhook", depth=1).hits) == 2

    @pytest.mark.parametrize("depth", [0, 1, 2])
    def test_abstains_at_any(self, bob: Member, now: datetime, depth: int) -> None:
        found = ask(bob, now, "how do I bake sourdough bread", depth=depth)
        assert (found.abstained, found.topics) == (True, {})

    def test_looks_into_one_topic(self, bob: Member, now: datetime) -> None:
        topic = Insight.objects.get(ref="PLAT-3").topic_id
        found = ask(bob, now, "celery beat and payment webhook", topic=str(topic), trim=False)
        assert [hit.insight.ref for hit in found.hits] == ["PLAT-3"]


class TestRecency:
    """What is asked about of late: the newest, and of two about the same the newer."""

    @pytest.fixture
    def decided(self, alice: Member, now: datetime) -> tuple[str, str]:
        why = {"kind": "DECISION", "reasoning": "We agreed on it."}
        old = make_insight(alice, now=now.replace(month=6), body="Sessions are cached in Redis.", **why).ref
        new = make_insight(alice, now=now.replace(day=18), body="Sessions are cached in PostgreSQL.", **why).ref
        Insight.objects.update(superseded_by=None)
        Pair.objects.all().delete()
        return old, new

    def test_lets_the_newer_go_first(self, decided: tuple[str, str], bob: Member, now: datetime) -> None:
        old, new = decided
        plain = ask(bob, now, "are sessions cached in Redis", trim=False)
        late = ask(bob, now, "what did we decide last week on sessions cached in Redis", trim=False)
        assert plain.hits[0].insight.ref == old
        assert late.hits[0].insight.ref == new
        assert "freshness" in [part.name for part in late.hits[0].score.parts]
        assert "freshness" not in [part.name for part in plain.hits[0].score.parts]

    def test_answers_a_time_alone_with_what_is_of_it(
        self, decided: tuple[str, str], alice: Member, bob: Member, now: datetime
    ) -> None:
        make_insight(alice, now=now, body=LESSONS["beat"])
        assert [hit.insight.ref for hit in ask(bob, now, "what did we decide last week?").hits] == [decided[1]]
        assert ask(bob, now.replace(year=2027), "what did we decide last week?").abstained
