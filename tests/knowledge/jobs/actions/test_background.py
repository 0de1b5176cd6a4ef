"""Long work asked for on a page: done a slice at a time, told as it goes, stopped when somebody says so."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.db import OperationalError

from accounts.models import JobRun, LogEntry, Membership
from accounts.rules.archive import pack
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.imports.actions import transfer
from knowledge.jobs.actions import background, run_background
from knowledge.jobs.actions.background import BadUpload, JobOver, TooManyJobs, ask_import, ask_regroup, stop
from knowledge.jobs.actions.run_background import SILENT, SLICE
from knowledge.models import BackgroundJob, Insight
from knowledge.rules.vocabulary import Kind
from tests.conftest import NOW
from tests.factories import make_insight

LESSONS = (
    "Run the lock_timeout guard before a long ALTER TABLE, or every reader waits behind it.",
    "Apples keep best in a dark and cool cellar, away from potatoes.",
    "Beat runs once, or the jobs of a night fire twice.",
    "The signing key of the app store lives on the build machine alone.",
    "Pin the base image by digest, for a tag may be another image tomorrow.",
)


def notes(*lessons: str) -> bytes:
    return pack(
        {f"notes/{number}.md": f"# Lesson {number}\n\n{said}\n".encode() for number, said in enumerate(lessons)}
    )


def ticking(step: timedelta = timedelta(seconds=1), start: datetime = NOW) -> Iterator[datetime]:
    at = start
    while True:
        yield at
        at += step


@pytest.fixture
def batches_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "BATCH", 1)


def sent(by: Member, data: bytes = b"", now: datetime = NOW, **over: object) -> BackgroundJob:
    form = {"name": "notes.zip", "data": data or notes(*LESSONS), "team": "platform", "kind": Kind.CONTEXT}
    return ask_import(**{**form, **over}, by=by, now=now)  # type: ignore[arg-type]


class Killed(BaseException):
    """What nothing in the program sees."""


def dying(ticks: int) -> Iterator[datetime]:
    for number, at in enumerate(ticking()):
        if number == ticks:
            raise Killed
        yield at


def work(clock: Iterator[datetime] | None = None) -> None:
    ticks = clock or ticking()
    run_background.work(clock=lambda: next(ticks))


class TestAnImport:
    def test_waits_then_is_done_and_its_file_is_not_kept(self, bob: Member) -> None:
        row = sent(bob)
        assert (row.state, Insight.objects.count()) == ("waiting", 0)
        work()
        row.refresh_from_db()
        assert (row.state, row.done, row.total, row.file) == ("done", 5, 5, None)
        assert row.counts == {"created": 5, "unchanged": 0, "skipped": 0, "waiting": 0}
        assert set(Insight.objects.values_list("author__username", flat=True)) == {"bob"}
        line = LogEntry.objects.get(verb="import done")
        assert line.line == "Notes imported from notes.zip: 5 created, 0 unchanged, 0 skipped"
        assert line.actor == "bob"

    @pytest.mark.usefixtures("batches_of_one")
    def test_goes_on_slice_by_slice_and_counts_as_if_it_were_one(self, bob: Member) -> None:
        row, clock, seen = sent(bob), ticking(SLICE / 2), []
        for _ in range(9):
            work(clock)
            row.refresh_from_db()
            seen.append(row.done)
            if row.over:
                break
        assert row.counts["created"] == 5
        assert row.counts["unchanged"] == 0
        assert len(seen) > 1
        assert seen == sorted(seen)
        assert Insight.objects.count() == 5

    def test_sent_again_adds_nothing(self, bob: Member) -> None:
        for now in (NOW, NOW + timedelta(hours=1)):
            sent(bob, now=now)
            work(ticking(start=now))
        assert BackgroundJob.objects.order_by("-pk")[0].counts["unchanged"] == 5
        assert Insight.objects.count() == 5

    def test_sent_twice_while_it_waits_is_asked_once(self, bob: Member) -> None:
        assert sent(bob).pk == sent(bob).pk
        assert sent(bob, kind=Kind.PITFALL).pk != sent(bob, notes(LESSONS[0])).pk

    @pytest.mark.usefixtures("batches_of_one")
    def test_counts_what_a_worker_stored_before_it_died(self, bob: Member) -> None:
        row = sent(bob)
        with pytest.raises(Killed):
            work(dying(ticks=5))
        assert 0 < Insight.objects.count() < 5
        work(ticking(start=NOW + SILENT + timedelta(minutes=1)))
        row.refresh_from_db()
        assert (row.state, row.counts["created"], row.counts["unchanged"]) == ("done", 5, 0)

    def test_waits_for_a_database_that_is_away(self, bob: Member, monkeypatch: pytest.MonkeyPatch) -> None:
        def is_away(**_: object) -> None:
            raise OperationalError("terminating connection")

        row = sent(bob)
        with monkeypatch.context() as during:
            during.setattr(transfer, "import_notes", is_away)
            with pytest.raises(OperationalError):
                work()
        work(ticking(start=NOW + SILENT + timedelta(minutes=1)))
        row.refresh_from_db()
        assert (row.state, row.counts["created"]) == ("done", 5)

    def test_names_what_was_skipped_and_why(self, bob: Member) -> None:
        sent(bob, notes(LESSONS[0], f"The key is {'AKIA' + 'Z7QF3MXT9WKD2RVB'}, keep it."))
        work()
        row = BackgroundJob.objects.get()
        assert row.counts["created"] == 1
        ((name, why),) = row.skipped
        assert name == "notes/1.md"
        assert "secret" in why

    @pytest.mark.parametrize(
        ("name", "data", "kind"),
        [
            ("memory.jsonl", b'{"text": "Beat runs once.", "kind": "PITFALL"}\n', "PITFALL"),
            ("one.md", b"# Beat\n\nBeat runs once, or jobs fire twice.\n", "WORKFLOW"),
            ("m.json", b'{"results": [{"memory": "Beat runs once, or jobs fire twice.", "id": "7"}]}', "WORKFLOW"),
        ],
    )
    def test_takes_other_files_too(self, name: str, data: bytes, kind: str, bob: Member) -> None:
        sent(bob, data, name=name, kind=Kind.WORKFLOW)
        work()
        assert BackgroundJob.objects.get().state == "done"
        assert Insight.objects.get().kind == kind

    @pytest.mark.parametrize(
        ("over", "fault"),
        [
            ({"name": "notes.pdf"}, "zip archive of Markdown"),
            ({"name": "notes"}, "zip archive of Markdown"),
            ({"data": b"PK no zip"}, "readable zip archive"),
            ({"data": pack({"a.txt": b"x"})}, "no Markdown"),
            ({"name": "a.md", "data": b"x" * (background.LARGEST_SENT + 1)}, "larger than 10 MB"),
        ],
    )
    def test_refuses_what_cannot_be_read_before_anybody_waits(
        self, over: dict[str, object], fault: str, bob: Member
    ) -> None:
        with pytest.raises(BadUpload) as refused:
            sent(bob, **over)
        assert fault in refused.value.errors["file"][0]
        assert not BackgroundJob.objects.exists()

    def test_is_done_with_the_rights_one_has_by_then(self, bob: Member) -> None:
        row = sent(bob)
        Membership.objects.filter(user_id=bob.user_id, team__slug="platform").update(level=Level.READER)
        work()
        row.refresh_from_db()
        assert (row.state, row.file) == ("failed", None)
        assert not Insight.objects.exists()

    def test_is_asked_for_only_so_often_at_once(self, bob: Member) -> None:
        for number in range(background.MOST_OPEN):
            sent(bob, notes(LESSONS[number]))
        with pytest.raises(TooManyJobs):
            sent(bob)

    def test_that_broke_off_says_so_and_the_job_tells(self, bob: Member, monkeypatch: pytest.MonkeyPatch) -> None:
        def breaks(**_: object) -> None:
            raise RuntimeError("boom")

        sent(bob)
        monkeypatch.setattr(transfer, "import_notes", breaks)
        with pytest.raises(RuntimeError):
            run_background.run(clock=lambda: NOW)
        row = BackgroundJob.objects.get()
        assert (row.state, "boom" in row.detail) == ("failed", False)
        assert JobRun.objects.get().outcome == "failed"


class TestStopping:
    def test_ends_what_waits_at_once(self, bob: Member) -> None:
        row = stop(job_id=sent(bob).pk, by=bob, now=NOW)
        assert (row.state, row.file) == ("stopped", None)
        work()
        assert not Insight.objects.exists()
        with pytest.raises(JobOver):
            stop(job_id=row.pk, by=bob, now=NOW)

    @pytest.mark.usefixtures("batches_of_one")
    def test_ends_what_runs_after_what_is_being_written(self, bob: Member) -> None:
        row = sent(bob)
        BackgroundJob.objects.update(stopping=True)
        work()
        row.refresh_from_db()
        assert (row.state, row.counts["created"], row.file) == ("stopped", 1, None)

    def test_is_for_who_asked_and_for_leads(self, alice: Member, bob: Member, charlie: Member) -> None:
        row = ask_regroup(team="platform", by=alice, now=NOW)
        for other in (bob, charlie):
            with pytest.raises(NotFound):
                stop(job_id=row.pk, by=other, now=NOW)
        mine = sent(bob)
        assert stop(job_id=mine.pk, by=alice, now=NOW).over


class TestWork:
    def test_is_taken_up_again_when_its_worker_is_gone(self, bob: Member) -> None:
        row = sent(bob)
        BackgroundJob.objects.update(state="running", seen_at=NOW)
        work(ticking(start=NOW + SILENT - timedelta(seconds=1)))
        row.refresh_from_db()
        assert row.state == "running"
        work(ticking(start=NOW + SILENT + timedelta(seconds=1)))
        row.refresh_from_db()
        assert row.state == "done"

    @pytest.mark.usefixtures("batches_of_one")
    def test_lets_another_come_between(self, alice: Member, bob: Member) -> None:
        long = sent(bob)
        work(ticking(SLICE / 2))
        ask_regroup(team="platform", by=alice, now=NOW)
        work(ticking(start=NOW + timedelta(minutes=1)))
        assert BackgroundJob.objects.get(kind="regroup").state == "done"
        long.refresh_from_db()
        assert long.state == "waiting"

    def test_of_a_regrouping_tells_how_far_it_is(self, alice: Member) -> None:
        for lesson in LESSONS:
            make_insight(alice, body=lesson)
        row = ask_regroup(team="platform", by=alice, now=NOW)
        work()
        row.refresh_from_db()
        assert (row.done, row.total) == (10, 10)
        assert row.counts["topics"] >= 1
