"""A table comes in through the door of a deposit: guarded, merged with what says the same, once."""

from dataclasses import replace
from typing import Any

import pytest

from accounts.models import LogEntry
from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Member, NoSuchTeam
from knowledge.imports.actions.import_rows import Fate, RowEntry, import_rows, plan
from knowledge.models import Insight
from knowledge.rules.vocabulary import Kind, Source
from tests.conftest import NOW
from tests.database import changed, contents
from tests.factories import make_draft, make_insight
from tests.knowledge.library import LESSONS
from tests.knowledge.review.actions.test_quarantine import SECRET

LEAKS = f"The bucket is reached with {SECRET} from the build."


def entries(*bodies: str, **over: Any) -> list[RowEntry]:
    drafts = [make_draft(body=body, source_type=Source.IMPORT, **over) for body in bodies]
    return [RowEntry(number, draft) for number, draft in enumerate(drafts, start=2)]


def fates(told: Any) -> list[Fate]:
    return [one.fate for one in told]


class TestPlan:
    def test_writes_nothing(self, alice: Member) -> None:
        before = contents()
        told = plan(entries=entries(LESSONS["beat"], LEAKS), team="platform", by=alice, now=NOW)
        assert fates(told) == [Fate.READY, Fate.REFUSED]
        assert changed(before) == []

    def test_names_the_field_that_holds_a_secret_and_not_the_secret(self, alice: Member) -> None:
        told = plan(entries=entries(LEAKS), team="platform", by=alice, now=NOW)[0]
        assert list(told.errors) == ["body"]
        assert SECRET not in str(told)

    def test_wants_a_reason_for_a_decision(self, alice: Member) -> None:
        told = plan(entries=entries("We use one queue.", kind=Kind.DECISION), team="platform", by=alice, now=NOW)[0]
        assert (told.fate, list(told.errors)) == (Fate.REFUSED, ["reasoning"])

    def test_tells_of_a_row_that_is_there_twice(self, alice: Member) -> None:
        told = plan(entries=entries(LESSONS["beat"], LESSONS["beat"]), team="platform", by=alice, now=NOW)
        assert fates(told) == [Fate.READY, Fate.REFUSED]
        assert told[1].why == "Same text as row 2."


class TestImport:
    def test_deposits_each_row_and_says_who(self, alice: Member) -> None:
        told = import_rows(entries=entries(LESSONS["beat"], LESSONS["cors"]), team="platform", by=alice, now=NOW)
        rows = Insight.objects.order_by("pk")
        assert fates(told) == [Fate.INSERTED, Fate.INSERTED]
        assert [one.ref for one in told] == [row.ref for row in rows]
        assert {(row.author_id, row.source_type, row.status) for row in rows} == {(alice.user_id, "import", "draft")}
        assert set(LogEntry.objects.filter(subject__in=[row.ref for row in rows]).values_list("actor")) == {("alice",)}

    def test_strengthens_what_says_it_already(self, alice: Member, bob: Member) -> None:
        there = make_insight(bob, body=LESSONS["beat"])
        told = import_rows(entries=entries(LESSONS["beat"]), team="platform", by=alice, now=NOW)
        there.refresh_from_db()
        assert [(one.fate, one.ref) for one in told] == [(Fate.MERGED, there.ref)]
        assert (Insight.objects.count(), there.corroboration_count) == (1, 2)

    def test_passes_over_what_is_refused_and_goes_on(self, alice: Member) -> None:
        told = import_rows(entries=entries(LEAKS, LESSONS["beat"], LESSONS["beat"]), team="platform", by=alice, now=NOW)
        assert fates(told) == [Fate.REFUSED, Fate.INSERTED, Fate.REFUSED]
        assert Insight.objects.count() == 1
        assert not LogEntry.objects.filter(line__contains=SECRET).exists()

    def test_twice_stores_once(self, alice: Member) -> None:
        table = entries(LESSONS["beat"], LESSONS["cors"])
        first = import_rows(entries=table, team="platform", by=alice, now=NOW)
        before = contents()
        again = import_rows(entries=table, team="platform", by=alice, now=NOW)
        assert [(one.fate, one.ref) for one in again] == [(Fate.THERE, one.ref) for one in first]
        assert changed(before) == []

    def test_by_somebody_else_stores_no_second_row_either(self, alice: Member, root: Member) -> None:
        table = entries(LESSONS["beat"], LESSONS["cors"])
        for by in (alice, root):
            told = import_rows(entries=table, team="platform", by=by, now=NOW)
        assert fates(told) == [Fate.MERGED, Fate.MERGED]
        assert Insight.objects.count() == 2

    def test_goes_on_where_it_was_cut_off(self, alice: Member) -> None:
        table = entries(*LESSONS.values())
        import_rows(entries=table[:3], team="platform", by=alice, now=NOW)
        told = import_rows(entries=table, team="platform", by=alice, now=NOW)
        assert fates(told) == [Fate.THERE] * 3 + [Fate.INSERTED] * (len(LESSONS) - 3)
        assert Insight.objects.count() == len(LESSONS)

    def test_does_without_an_embedder_and_says_so(self, alice: Member, embedder_down: str) -> None:
        told = import_rows(entries=entries(LESSONS["beat"]), team="platform", by=alice, now=NOW)[0]
        assert (told.fate, told.why) == (Fate.INSERTED, "It is embedded later: the embedder is down.")

    def test_knows_a_row_that_was_exported_and_not_touched(self, alice: Member, bob: Member) -> None:
        there = make_insight(bob, body=LESSONS["beat"])
        same = replace(entries(there.body, title=there.title)[0], ref=there.ref)
        other = replace(entries(LESSONS["cors"])[0], number=3, ref=there.ref)
        told = import_rows(entries=[same, other], team="platform", by=alice, now=NOW)
        assert fates(told) == [Fate.THERE, Fate.INSERTED]
        there.refresh_from_db()
        assert (there.corroboration_count, there.body) == (1, LESSONS["beat"])

    def test_tells_of_the_same_words_with_other_details(self, alice: Member) -> None:
        import_rows(entries=entries(LESSONS["beat"]), team="platform", by=alice, now=NOW)
        told = import_rows(entries=entries(LESSONS["beat"], tags=["celery"]), team="platform", by=alice, now=NOW)[0]
        assert (told.fate, "edit the insight" in told.why) == (Fate.THERE, True)

    def test_takes_a_lead_of_a_shared_team(self, alice: Member, bob: Member, charlie: Member, root: Member) -> None:
        for by, team, refusal in (
            (bob, "platform", NotAllowed),
            (charlie, "platform", NoSuchTeam),
            (alice, "personal", NoSuchTeam),
            (root, "personal", NoSuchTeam),
            (root, f"personal-{bob.user_id}", NoSuchTeam),
        ):
            for act in (plan, import_rows):
                with pytest.raises(refusal):
                    act(entries=entries(LESSONS["beat"]), team=team, by=by, now=NOW)
        assert Insight.objects.count() == 0
