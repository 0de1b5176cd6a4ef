"""What holds of an insight whatever an action forgets."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F, ProtectedError

from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Member
from knowledge.models import Anchor, Insight, Lexicon, Query, Receipt, Term
from knowledge.models.lexicon import FIRST_PIVOT
from knowledge.rules.vocabulary import AnchorKind, Kind, Stability, Status
from tests.factories import make_insight


@pytest.fixture
def insight(alice: Member) -> Insight:
    return make_insight(alice, title="Beat", body="Beat runs once.", tags=["b", "a"], files=["z.py", "a.py"])


class TestTheDatabase:
    @pytest.mark.parametrize(
        "fields",
        [
            {"strength": -0.1},
            {"strength": 100.1},
            {"kind": "DECISION", "reasoning": ""},
            {"superseded_by": F("pk")},
            {"ref": "PLAT-2"},
            {"number": 2},
        ],
    )
    def test_refuses_what_cannot_be(self, insight: Insight, alice: Member, fields: dict[str, Any]) -> None:
        make_insight(alice)
        with pytest.raises(IntegrityError), transaction.atomic():
            Insight.objects.filter(pk=insight.pk).update(**fields)

    def test_allows_the_ends_of_the_scale(self, insight: Insight) -> None:
        for strength in (0, 100):
            assert Insight.objects.filter(pk=insight.pk).update(strength=strength) == 1

    def test_refuses_the_same_anchor_term_or_key_twice(
        self, insight: Insight, alice_user: User, platform: Team, now: datetime
    ) -> None:
        term = {"team": platform, "term": "kaniko"}
        receipt = {"user": alice_user, "key": "k", "digest": "d", "insight": insight, "outcome": "inserted", "at": now}
        for model, fields in (
            (Anchor, {"insight": insight, "kind": AnchorKind.TAG, "value": "new"}),
            (Term, term),
            (Receipt, receipt),
        ):
            model.objects.create(**fields)
            with pytest.raises(IntegrityError), transaction.atomic():
                model.objects.create(**fields)

    def test_keeps_a_team_that_has_insights(self, insight: Insight, platform: Team) -> None:
        with pytest.raises(ProtectedError):
            platform.delete()

    def test_keeps_the_insights_of_a_person_who_is_gone(self, insight: Insight, alice_user: User) -> None:
        Team.objects.filter(owner=alice_user).delete()
        alice_user.delete()
        row = Insight.objects.get(pk=insight.pk)
        assert (row.author, row.ref) == (None, "PLAT-1")
        assert LogEntry.objects.get(subject="PLAT-1").actor == "alice"


class TestInsight:
    def test_reads_its_anchors_sorted(self, insight: Insight) -> None:
        assert (insight.tags, insight.files, insight.symbols) == (["a", "b"], ["a.py", "z.py"], [])

    def test_takes_anchors_from_what_a_query_brought(self, insight: Insight, django_assert_num_queries: Any) -> None:
        row = Insight.objects.get()
        with django_assert_num_queries(0):
            row.know_anchors(["tag:x", "file:a:b.py", "symbol:A::b", "error:abc"])
            assert (row.tags, row.files, row.symbols) == (["x"], ["a:b.py"], ["A::b"])

    def test_fades_by_its_own_status_stability_and_pin(self, insight: Insight, now: datetime) -> None:
        assert insight.effective_strength(now + timedelta(days=14)) == pytest.approx(25)
        insight.stability = Stability.EVOLVING
        assert insight.effective_strength(now + timedelta(days=14)) == pytest.approx(12.5)
        insight.status, insight.pinned = Status.PROMOTED, True
        assert insight.effective_strength(now + timedelta(days=14)) == 50

    def test_is_called_by_reference_and_title(self, insight: Insight) -> None:
        assert str(insight) == "PLAT-1 Beat"


class TestChange:
    def test_counts_up_and_writes_the_line_in_one_go(self, insight: Insight, alice: Member, now: datetime) -> None:
        later = now + timedelta(hours=1)
        insight.change(
            {"kind": Kind.PITFALL}, verb="edited", line="PLAT-1 edited", by=alice, at=later, why="truer",
            also=({"tags": ["a"]}, {"tags": ["b"]}),
        )  # fmt: skip
        row = Insight.objects.get()
        assert (row.kind, row.revision, row.updated_at) == ("PITFALL", 2, later)
        line = LogEntry.objects.get(verb="edited")
        assert (line.before, line.after) == (
            {"kind": "SOLUTION", "tags": ["a"]},
            {"kind": "PITFALL", "tags": ["b"]},
        )

    def test_touches_no_other_field_of_the_row(self, insight: Insight, alice: Member, now: datetime) -> None:
        stale = Insight.objects.get()
        Insight.objects.update(title="Written meanwhile")
        stale.set_status(Status.PROMOTED, verb="promoted", by=alice, at=now)
        assert Insight.objects.get().title == "Written meanwhile"


class TestNumbers:
    def test_are_reserved_in_a_row(self, platform: Team) -> None:
        assert [platform.take_numbers(count) for count in (1, 3, 1)] == [1, 2, 5]
        assert Team.objects.get(pk=platform.pk).last_number == 5


class TestLexicon:
    def test_has_a_pivot_before_it_has_an_average(self, platform: Team) -> None:
        assert Lexicon.of(platform.pk).average == FIRST_PIVOT

    def test_counts_in_and_out(self, platform: Team) -> None:
        lexicon = Lexicon.of(platform.pk)
        lexicon.count(added=[["a", "a", "b"], ["b"]])
        lexicon.count(added=[["c"]], removed=[["b"]])
        lexicon.refresh_from_db()
        assert (lexicon.documents, lexicon.length, lexicon.average) == (2, 4, 2)
        counts = dict(Term.objects.filter(team=platform).values_list("term", "documents"))
        assert counts == {"a": 1, "b": 1, "c": 1}

    def test_changes_nothing_for_the_same_words(self, platform: Team) -> None:
        lexicon = Lexicon.of(platform.pk)
        lexicon.count(added=[["a", "b"]])
        lexicon.count(added=[["b", "a"]], removed=[["a", "b"]])
        assert dict(Term.objects.values_list("term", "documents")) == {"a": 1, "b": 1}


class TestNames:
    def test_are_what_an_administrator_reads(self, insight: Insight, alice_user: User, platform: Team) -> None:
        assert str(Anchor(kind="tag", value="a")) == "tag:a"
        assert str(Term(term="beat", documents=3)) == "beat (3)"
        assert str(Lexicon(team=platform, documents=3)) == "Platform: 3 documents"
        assert "x" not in str(Query(text="x" * 100))  # its words are its asker's own
        assert str(Receipt(key="k")) == "k"
