"""Tags, kind and repository of many insights at once: as one by one, in a few statements, and taken back as a whole."""

from datetime import timedelta
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import LogEntry
from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.review.actions import bulk, curate
from knowledge.review.actions.bulk_edit import BulkChange, Wanted, bulk_edit, edit_together
from tests.conftest import NOW
from tests.factories import make_insights

LATER = NOW + timedelta(days=20)
CHANGE = BulkChange(add_tags=["postgres"], remove_tags=["db"], kind="PITFALL", repo="acme/web")


def some(by: Member, count: int, **more: Any) -> list[str]:
    drafts = ({"body": f"Guard long ALTERs, case {n}.", "tags": ["db", "ops"], **more} for n in range(count))
    return [row.ref for row in make_insights(by, NOW, *drafts)]


def state(ref: str) -> dict[str, Any]:
    """All that an edit may change of it, its tags included."""
    row = Insight.objects.whole().get(ref=ref)
    fields = ("kind", "repo", "revision", "quality", "strength", "strength_at", "fades_at", "updated_at", "status")
    return {name: getattr(row, name) for name in fields} | {"tags": row.tags}


def line_of(ref: str) -> dict[str, Any]:
    line = LogEntry.objects.filter(subject=ref, verb="edited").latest("pk")
    return {name: getattr(line, name) for name in ("at", "user_id", "actor", "why", "before", "after", "team_id")} | {
        "line": line.line.replace(ref, "X")
    }


class TestBulkEdit:
    def test_leaves_what_editing_one_by_one_leaves(self, alice: Member) -> None:
        together, single = some(alice, 2)
        row = Insight.objects.whole().get(ref=single)
        curate.edit(ref=single, changes=CHANGE.of(row), revision=row.revision, by=alice, now=LATER, why="Moved.")
        done = bulk_edit(refs=[together], change=CHANGE, by=alice, now=LATER, why="Moved.")
        assert [one.ref for one in done.rows] == [together]
        assert state(together) == state(single)
        assert line_of(together) == line_of(single)

    def test_takes_as_many_statements_for_many_as_for_few_and_so_does_its_undo(self, alice: Member) -> None:
        counts = []
        for rows in (some(alice, 2), some(alice, 12)):
            before = {ref: state(ref) for ref in rows}
            with CaptureQueriesContext(connection) as edit:
                done = bulk_edit(refs=rows, change=CHANGE, by=alice, now=LATER)
            assert {ref: state(ref)["tags"] for ref in rows} == {ref: ["ops", "postgres"] for ref in rows}
            assert LogEntry.objects.filter(subject__in=rows, verb="edited").count() == len(rows)
            with CaptureQueriesContext(connection) as undo:
                undone = bulk.undo(steps=done.steps, by=alice, now=LATER)
            assert len(undone.rows) == len(rows)
            for ref in rows:
                now = state(ref)
                assert all(now[name] == before[ref][name] for name in ("kind", "repo", "tags", "quality"))
            counts.append((len(edit), len(undo)))
        assert counts[0] == counts[1]
        assert max(counts[0]) <= 25

    def test_what_somebody_changed_meanwhile_is_told_and_spoils_no_other(self, alice: Member, bob: Member) -> None:
        first, changed = some(alice, 2)
        curate.edit(ref=changed, changes={"tags": ["other"]}, revision=1, by=alice, now=NOW)
        made = edit_together(
            [Wanted(first, 1, {"tags": ["x"]}), Wanted(changed, 1, {"tags": ["x"]})], by=alice, now=NOW
        )
        assert list(made) == [first]
        assert state(changed)["tags"] == ["other"]
        assert edit_together([Wanted(first, 2, {"tags": ["y"]})], by=bob, now=NOW) == {}

    def test_undo_passes_over_what_was_changed_since_and_takes_the_rest_back(self, alice: Member) -> None:
        first, second = some(alice, 2)
        done = bulk_edit(refs=[first, second], change=CHANGE, by=alice, now=LATER)
        curate.edit(ref=second, changes={"repo": "acme/api"}, revision=2, by=alice, now=LATER)
        undone = bulk.undo(steps=done.steps, by=alice, now=LATER)
        assert [row.ref for row in undone.rows] == [first]
        assert [ref for ref, _ in undone.refused] == [second]
        assert state(second)["repo"] == "acme/api"

    def test_a_secret_is_refused_for_each_and_nothing_is_changed(self, alice: Member) -> None:
        refs = some(alice, 2)
        secret = BulkChange(add_tags=["ghp_16C7e42F292c6912E7710c838347Ae178B4a"])
        done = bulk_edit(refs=refs, change=secret, by=alice, now=LATER)
        assert (done.rows, [ref for ref, _ in done.refused]) == ([], refs)
        assert [state(ref)["tags"] for ref in refs] == [["db", "ops"]] * 2

    def test_a_decision_needs_its_reasoning(self, alice: Member) -> None:
        bare, reasoned = some(alice, 1) + some(alice, 1, reasoning="It failed twice.")
        Insight.objects.filter(ref=bare).update(reasoning="")
        done = bulk_edit(refs=[bare, reasoned], change=BulkChange(kind="DECISION"), by=alice, now=LATER)
        assert ([row.ref for row in done.rows], [ref for ref, _ in done.refused]) == ([reasoned], [bare])

    def test_a_stranger_finds_none(self, alice: Member, charlie: Member) -> None:
        ref = some(alice, 1)[0]
        assert edit_together([Wanted(ref, 1, {"tags": ["x"]})], by=charlie, now=NOW) == {}
