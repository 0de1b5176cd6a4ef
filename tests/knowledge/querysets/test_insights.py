"""Which rows, with which signals."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from pgvector import HalfVector

from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.models import Anchor, Insight, Lexicon, Query, Signal, Term
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.bm25 import POSITIONS
from knowledge.rules.vectors import half, lexemes, sparse, unit
from knowledge.rules.vocabulary import AnchorKind, Kind
from tests.factories import make_insight
from tests.knowledge.library import LESSONS, stock


@pytest.fixture
def library(alice: Member, now: datetime) -> dict[str, str]:
    return stock(alice, now)


def vector(text: str) -> HalfVector:
    return half(current().embed([text])[0])


def refs(rows: Any) -> list[str]:
    return list(rows.values_list("ref", flat=True))


class TestLexemes:
    @pytest.mark.parametrize(
        "term", ["it's", "''", "'", "back\\slash", "\\'", "a b", "a&b", "!x", "x:*", "(", "日本", "é", "%s", '"']
    )
    def test_take_any_word_literally(self, alice: Member, term: str) -> None:
        row = make_insight(alice, body="Beat.")
        Insight.objects.filter(pk=row.pk).update(lexemes=lexemes([term, "other"]))
        assert Insight.objects.all().with_all([term, "other"]).count() == 1
        assert Insight.objects.all().with_all([term, "absent"]).count() == 0
        assert Insight.objects.all().matching([term, "absent"], sparse({1: 1.0})).count() == 1

    def test_are_sorted_and_each_once(self) -> None:
        assert lexemes(["b", "a", "b"]) == "'a' 'b'"
        assert lexemes(["b", "a"], " | ") == "'a' | 'b'"


class TestVectors:
    def test_survive_the_way_through_the_database(self, library: dict[str, str]) -> None:
        row = Insight.objects.get(ref=library["beat"])
        assert float(unit(row.embedding) @ current().embed([LESSONS["beat"]])[0]) == pytest.approx(1, abs=1e-3)
        assert np.linalg.norm(unit(row.embedding)) == pytest.approx(1)

    def test_of_nothing_have_no_direction(self) -> None:
        assert not unit(HalfVector([0.0] * 3)).any()

    def test_of_words_count_positions_from_one(self) -> None:
        stored = sparse({1: 0.5, POSITIONS: 2.0})
        assert (stored.indices(), stored.values(), stored.dimensions()) == ([0, POSITIONS - 1], [0.5, 2.0], POSITIONS)


class TestLegs:
    def test_near_is_nearest_first_and_leaves_out_what_has_no_vector(self, library: dict[str, str]) -> None:
        Insight.objects.filter(ref=library["cors"]).update(embedding=None)
        found = refs(Insight.objects.all().near(vector(LESSONS["pool"])))
        assert found[0] == library["pool"]
        assert len(found) == len(LESSONS) - 1

    def test_matching_is_best_first_and_only_what_has_a_word(self, library: dict[str, str], alice: Member) -> None:
        twice = make_insight(alice, body="Celery and celery beat.").ref
        words = bm25.terms("celery beat")
        weights = sparse(bm25.query_weights(words, 8, {"celeri": 2, "beat": 2}))
        assert refs(Insight.objects.all().matching(words, weights)) == [twice, library["beat"]]

    def test_in_any_brings_each_row_once(self, library: dict[str, str]) -> None:
        rows = Insight.objects.all()
        legs = [
            rows.near(vector("beat"))[:3],
            rows.with_ref([library["beat"], library["pool"]]),
            rows.with_all(["beat"]),
        ]
        found = refs(rows.in_any(legs))
        assert len(found) == len(set(found))
        assert {library["beat"], library["pool"]} <= {*found}
        assert refs(rows.in_any(legs[1:2])) == refs(rows.with_ref([library["beat"], library["pool"]]))

    def test_signals_are_exact_on_all_rows(self, library: dict[str, str]) -> None:
        words = bm25.terms("celery beat")
        weights = bm25.query_weights(words, 7, {"celeri": 1, "beat": 1})
        rows = Insight.objects.all().signals(
            vector("celery beat"), sparse(weights), Anchor.objects.all(), Signal.objects.all()
        )
        whole = Insight.objects.in_bulk()
        found = list(rows.values_list("pk", "keyword", "distance", named=True))
        assert len(found) == len(LESSONS)
        for row in found:
            stored = bm25.document_weights(whole[row.pk].words, Lexicon.objects.get().pivot)
            expected = sum(weight * stored.get(at, 0.0) for at, weight in weights.items())
            assert -row.keyword == pytest.approx(expected, rel=1e-5, abs=1e-6)
            cosine = float(unit(whole[row.pk].embedding) @ current().embed(["celery beat"])[0])
            assert 1 - row.distance == pytest.approx(cosine, abs=2e-3)

    def test_signals_do_without_either(self, library: dict[str, str]) -> None:
        rows = Insight.objects.all().signals(None, None, Anchor.objects.all(), Signal.objects.all())
        assert {*rows.values_list("distance", "keyword")} == {(None, 0.0)}
        assert [row for row in rows.values_list("anchored", "rated") if row != ([], [])] == []
        assert len(rows.values_list("pk")) == len(LESSONS)

    def test_signals_tell_when_a_row_was_learned(self, alice: Member, now: datetime) -> None:
        said, unsaid = (make_insight(alice, body=body).pk for body in (LESSONS["beat"], LESSONS["cors"]))
        days = now - timedelta(days=9), now - timedelta(days=2)
        Insight.objects.filter(pk=said).update(source_date=days[0])
        Insight.objects.filter(pk=unsaid).update(source_date=None, created_at=days[1])
        rows = Insight.objects.all().signals(None, None, None, Signal.objects.all())
        assert dict(rows.values_list("pk", "learned_at")) == {said: days[0].timestamp(), unsaid: days[1].timestamp()}

    def test_signals_bring_anchors_as_they_are(self, alice: Member) -> None:
        make_insight(alice, tags=["a:b"], files=["src/x.py"], symbols=["A::b"])
        rows = Insight.objects.all().signals(None, None, Anchor.objects.all(), Signal.objects.all())
        [anchored] = rows.values_list("anchored", flat=True)
        assert sorted(anchored) == ["file:src/x.py", "symbol:A::b", "tag:a:b"]


class TestFilters:
    def test_retrievable_is_what_a_query_may_return(self, library: dict[str, str]) -> None:
        heir = Insight.objects.get(ref=library["cache"])
        Insight.objects.filter(ref=library["beat"]).update(superseded_by=heir)
        Insight.objects.filter(ref=library["locks"]).update(status="archived")
        Insight.objects.filter(ref=library["cors"]).update(status="deprecated")
        gone = {*library.values()} - {*refs(Insight.objects.all().retrievable())}
        assert gone == {library["beat"], library["locks"]}

    def test_of_kinds_and_teams_and_tags(self, alice: Member) -> None:
        trap = make_insight(alice, kind=Kind.PITFALL, tags=["Locks", "row locks"]).ref
        own = make_insight(alice, team="personal", tags=["locks"]).ref
        rows = Insight.objects.all()
        assert refs(rows.of_kinds(["PITFALL"])) == [trap]
        assert len(refs(rows.of_kinds([]))) == 2
        assert refs(rows.of_teams([alice.home_id])) == [own]
        assert {*refs(rows.tagged("LOCKS"))} == {trap, own}
        assert refs(rows.anchored(AnchorKind.TAG, ["locks", "row locks"]).of_kinds(["PITFALL"])) == [trap]
        assert refs(rows.with_error(["locks"])) == []

    def test_with_all_takes_every_word(self, library: dict[str, str]) -> None:
        rows = Insight.objects.all()
        assert refs(rows.with_all(bm25.terms("beats firing twice"))) == [library["beat"]]
        assert refs(rows.with_all(bm25.terms("beat lock_timeout"))) == []
        assert rows.with_all([]).count() == len(LESSONS)

    def test_visible_to_shows_a_stranger_nothing(self, library: dict[str, str], charlie: Member) -> None:
        assert not Insight.objects.visible_to(charlie).exists()


class TestFrequencies:
    def test_are_summed_over_the_teams_asked(self, alice: Member, charlie: Member, now: datetime) -> None:
        make_insight(alice, body="Beat and lock.")
        make_insight(alice, body="Beat.", team="personal")
        make_insight(charlie, body="Beat beat beat.")
        ids = {team.slug: team.id for team in (*alice.teams, *charlie.teams)}
        words = ["beat", "lock", "absent"]

        def frequencies(*slugs: str) -> tuple[int, dict[str, int]]:
            return Term.objects.all().frequencies([ids[slug] for slug in slugs], words, Lexicon.objects.all())

        assert frequencies("platform") == (1, {"beat": 1, "lock": 1})
        assert frequencies("platform", f"personal-{alice.user_id}", "everyone") == (2, {"beat": 2, "lock": 1})
        assert frequencies("everyone") == (0, {})

    def test_leave_out_what_occurs_no_more(self, alice: Member) -> None:
        make_insight(alice, body="Beat.")
        Term.objects.update(documents=0)
        team = next(team.id for team in alice.teams if team.slug == "platform")
        assert Term.objects.all().frequencies([team], ["beat"], Lexicon.objects.all()) == (1, {})

    def test_take_one_statement(self, library: dict[str, str], alice: Member, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(1):
            Term.objects.all().frequencies(alice.team_ids, bm25.terms("celery beat"), Lexicon.objects.all())


class TestQueries:
    def test_are_ones_own(self, alice: Member, bob: Member, now: datetime) -> None:
        for days, who in enumerate((alice, bob)):
            retrieve(ask=Ask(who.username), by=who, now=now - timedelta(days=days))
        assert [query.text for query in Query.objects.asked_by(alice)] == ["alice"]
        assert [query.text for query in Query.objects.all().older_than(now)] == ["bob"]
