import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from django.conf import settings as live
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.rules.rights import Member
from config.database import vectors
from config.monitoring import readiness
from knowledge.adapters.embedder import current
from knowledge.judging.actions.deposit import deposit
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Query, Signal, Topic
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.rules.vectors import unit
from sessions_app.actions import reembed as module
from sessions_app.actions.reembed import CannotReembed, Reembedded, cancel, reembed
from sessions_app.adapters import next_vectors
from sessions_app.adapters.web import database_url
from sessions_app.models import EmbeddingChange
from skills.models import SkillVersion
from tests.conftest import NOW
from tests.factories import make_cluster, make_draft, make_insight, make_insights, make_skill
from tests.together import together

ONNX, OTHER = "knowledge.adapters.embedder.OnnxEmbedder", "tests.fakes.TurnedEmbedder"
TEXTS = {
    "beat": "Celery beat must run as one process, or every job fires twice.",
    "pool": "A pool of database connections has to be closed before a fork.",
    "lock": "Run the lock_timeout guard before a long ALTER, or every reader waits.",
}
ASKED = "scheduled jobs happen two times"
KESTREL = "The kestrel release ships on Friday."


def quiet(step: str, done: int, total: int) -> None:
    pass


def at(wanted: str, act: Callable[[], object]) -> Callable[[str, int, int], None]:
    """A progress that acts once, at a step."""
    left = [act]

    def progress(step: str, done: int, total: int) -> None:
        if step == wanted and left:
            left.pop()()

    return progress


def change(progress: Callable[[str, int, int], None] = quiet, **more: Any) -> Reembedded:
    return reembed(progress=progress, **{"wait": lambda seconds: None, **more})


def models() -> set[str]:
    return set(Insight.objects.values_list("embedded_by", flat=True))


def schema() -> list[Any]:
    """Columns, indexes and triggers of the tables with vectors, and functions of this change."""
    tables = [one.table for one in module.COLUMNS]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attrelid::regclass::text, attname, format_type(atttypid, atttypmod), attnotnull, attstorage,"
            " atthasdef"
            " FROM pg_attribute WHERE attrelid = ANY(%s::text[]::regclass[]) AND attnum > 0 AND NOT attisdropped"
            " UNION ALL SELECT tablename, indexname, indexdef, true, '-', true FROM pg_indexes"
            " WHERE tablename = ANY(%s)"
            " UNION ALL SELECT tgrelid::regclass::text, tgname, '', true, '-', true FROM pg_trigger"
            " WHERE tgrelid = ANY(%s::text[]::regclass[]) AND NOT tgisinternal"
            " UNION ALL SELECT '', proname, '', true, '-', true FROM pg_proc WHERE starts_with(proname, 'loam_')"
            " ORDER BY 1, 2",
            [tables, tables, tables],
        )
        return list(cursor.fetchall())


@pytest.fixture(autouse=True)
def stored(transactional_db: None, alice: Member) -> Iterator[None]:
    make_insights(alice, NOW, *({"body": body} for body in TEXTS.values()))
    vectors._known.clear()
    yield
    with next_vectors.exclusively((1, 1)):
        next_vectors.remove(module.COLUMNS, patience=5)
    vectors._known.clear()


@pytest.fixture
def turned(settings: Any) -> str:
    settings.LOAM_EMBEDDER = OTHER
    return current().name


def answer(by: Member) -> list[tuple[str, float]]:
    vectors._known.clear()
    found = retrieve(ask=Ask(text=ASKED, limit=3), by=by, now=NOW)
    assert found.degraded == ()
    return [(hit.insight.ref, round(hit.similarity, 3)) for hit in found.hits]


class TestReembed:
    def test_answers_by_the_new_model_as_well_as_by_the_old(self, alice: Member, settings: Any) -> None:
        before, there = answer(alice), schema()
        settings.LOAM_EMBEDDER = OTHER
        done = change()
        # The questions that were asked are embedded again, too.
        assert (done.changed, done.switched, models()) == (4, True, {current().name})
        assert before == answer(alice)
        assert schema() == there
        assert change().changed == 0

    def test_takes_skills_and_the_questions_of_ratings_along(self, alice: Member, settings: Any) -> None:
        make_skill(alice)
        found = retrieve(ask=Ask(text=ASKED), by=alice, now=NOW)
        rate(refs=[found.hits[0].insight.ref], verdict=SignalKind.HELPFUL, by=alice, now=NOW, query_id=found.query_id)
        settings.LOAM_EMBEDDER = OTHER
        assert change().changed == 6
        for kind in (SkillVersion, Signal, Query):
            assert set(kind.objects.exclude(embedded_by="").values_list("embedded_by", flat=True)) == {current().name}
        (said,) = Signal.objects.filter(kind=SignalKind.HELPFUL)
        assert np.allclose(unit(said.embedding), current().inner.embed([ASKED])[0], atol=1e-3)

    def test_finds_the_centres_of_topics_and_clusters_again(self, alice: Member, settings: Any) -> None:
        cluster = make_cluster(alice.teams[0].id)
        for text in (ASKED, KESTREL):
            cluster.ask(text, current().embed([text])[0], current().name, at=NOW)
        topics = {topic.pk: unit(topic.centroid) for topic in Topic.objects.filter(centroid__isnull=False)}
        settings.LOAM_EMBEDDER = OTHER
        change()
        cluster.refresh_from_db()
        assert cluster.embedded_by == current().name
        middle = unit(np.mean(current().inner.embed([ASKED, KESTREL]), axis=0))
        assert np.allclose(unit(cluster.embedding), middle, atol=1e-2)
        assert topics
        for topic in Topic.objects.filter(pk__in=topics):
            assert topic.embedded_by == current().name
            assert np.allclose(unit(topic.centroid), np.roll(topics[topic.pk], 192), atol=1e-2)

    def test_makes_vectors_in_threads(self, alice: Member, settings: Any) -> None:
        before = answer(alice)
        settings.LOAM_EMBEDDER = OTHER
        change(threads=3)
        assert answer(alice) == before

    def test_leaves_a_text_without_a_vector_that_cannot_be_embedded(self, alice: Member, settings: Any) -> None:
        row = make_insight(alice, body="There is no poison in the kestrel's nest.")
        settings.LOAM_EMBEDDER = "tests.fakes.PickyTurnedEmbedder"
        done = change()
        assert (done.changed, done.failed) == (3, 1)
        row.refresh_from_db()
        assert (row.embedding, row.embedded_by) == (None, "")
        assert models() == {current().name, ""}

    def test_changes_nothing_in_use_before_the_switch(self, turned: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "BATCH", 1)
        seen: list[set[str]] = []
        change(lambda step, done, total: seen.append(models() if step != "switch" or not done else set()))
        assert len(seen) > 3
        assert all(turned not in some for some in seen)

    def test_takes_what_was_deposited_meanwhile(self, alice: Member, turned: str, settings: Any) -> None:
        def meanwhile() -> None:
            settings.LOAM_EMBEDDER = ONNX
            together(lambda: deposit(draft=make_draft(body=KESTREL), by=alice, now=NOW))

        assert change(at("index insight_near", meanwhile)).changed == 4
        assert models() == {turned}

    def test_takes_what_was_edited_meanwhile(self, alice: Member, turned: str, settings: Any) -> None:
        row = Insight.objects.earliest("pk")

        def meanwhile() -> None:
            settings.LOAM_EMBEDDER = ONNX
            vectors._known.clear()
            changes = {"body": KESTREL}
            curate.edit(ref=row.ref, changes=changes, revision=row.revision, by=alice, now=NOW, why="clearer")
            row.refresh_from_db()
            assert row.embedded_by == current().name
            settings.LOAM_EMBEDDER = OTHER

        change(at("index insight_near", meanwhile))
        row.refresh_from_db()
        assert row.embedded_by == turned
        assert np.allclose(unit(row.embedding), current().inner.embed([row.searched])[0], atol=1e-3)

    def test_waits_for_nobody_who_holds_a_row(self, turned: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "BATCH", 1)
        last, column = Insight.objects.latest("pk"), module.COLUMNS[0]
        holder = psycopg.connect(**connection.get_connection_params())

        def hold() -> None:
            holder.execute("SELECT FROM knowledge_insight WHERE id = %s FOR NO KEY UPDATE", [last.pk])

        def let_go() -> None:
            assert next_vectors.missing(column, after=None, most=10) == [last.pk]
            holder.close()

        holding, letting_go = at("vectors of insights", hold), at("switch", let_go)

        def progress(*step: Any) -> None:
            holding(*step)
            letting_go(*step)

        change(progress)
        assert models() == {turned}

    def test_takes_what_was_being_written_at_the_switch(self, alice: Member, turned: str) -> None:
        waits: list[float] = []

        def straggler(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) < 2:
                return
            assert models() == {turned}
            row = make_insight(alice, body=KESTREL)
            Insight.objects.filter(pk=row.pk).update(embedded_by="before@1")
            vectors._known.clear()
            assert "stored vectors are from turned" in vectors.objection("before@1")

        change(wait=straggler)
        assert (len(waits), models()) == (2, {turned})


class TestTheSwitch:
    def test_is_while_no_process_uses_vectors(self, turned: str) -> None:
        said: list[list[str]] = []

        def look(seconds: float) -> None:
            vectors._known.clear()
            said.append([vectors.objection(name) for name in (turned, "before@1")])

        change(wait=look)
        during, after = said
        assert all("are being changed to turned" in why for why in during)
        assert after[0] == "" and "stored vectors are from turned" in after[1]

    def test_that_fails_leaves_the_vectors_in_use(
        self, alice: Member, turned: str, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "LEFT", module.QUIET * 2)
        with pytest.raises(CannotReembed, match="Nothing in use has changed"):
            change()
        settings.LOAM_EMBEDDER = ONNX
        assert answer(alice)

    def test_is_not_tried_while_a_backup_has_the_tables(self, turned: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nobody does without vectors for as long, and nobody waits behind it."""
        monkeypatch.setattr(module, "PATIENCE", 0.1)
        change(switch=False)
        with psycopg.connect(**connection.get_connection_params(), application_name="pg_dump") as backup:
            backup.execute("LOCK TABLE knowledge_query IN ACCESS SHARE MODE")
            with pytest.raises(CannotReembed, match=r"process \d+ of PostgreSQL \(pg_dump\)"):
                change()
            assert not EmbeddingChange.objects.filter(quiet_until__isnull=False).exists()
        assert change().switched

    def test_can_wait(self, alice: Member, turned: str, settings: Any) -> None:
        done = change(switch=False)
        assert (done.changed, done.switched) == (3, False)
        assert turned not in models()
        part = next(part for part in readiness.parts(now=NOW) if part.name == "embedding change")
        assert not part.ok and "half-way" in part.said and "--cancel" in part.mend
        settings.LOAM_EMBEDDER = ONNX
        answer(alice)
        settings.LOAM_EMBEDDER = OTHER
        assert change().switched
        assert models() == {turned}
        assert "embedding change" not in [part.name for part in readiness.parts(now=NOW)]

    def test_is_given_up(self, alice: Member, turned: str, settings: Any) -> None:
        there = schema()
        change(switch=False)
        assert schema() != there
        assert cancel() == turned
        assert schema() == there
        settings.LOAM_EMBEDDER = ONNX
        assert answer(alice)
        with pytest.raises(CannotReembed, match="half-way"):
            cancel()

    def test_is_to_one_model_at_a_time(self, turned: str, settings: Any) -> None:
        change(switch=False)
        EmbeddingChange.objects.update(model="third@1")
        with pytest.raises(CannotReembed, match="third@1 is half-way"):
            change()

    def test_is_by_one_process_at_a_time(self, turned: str) -> None:
        def another() -> None:
            part = next(part for part in readiness.parts(now=NOW) if part.name == "embedding change")
            assert part.ok
            with pytest.raises(CannotReembed, match="Another process"):
                cancel()

        change(at("index insight_near", another))

    def test_needs_no_pooler(self, turned: str, settings: Any) -> None:
        settings.DATABASE_POOLER = "transaction"
        with pytest.raises(CannotReembed, match="PostgreSQL itself"):
            change()

    def test_builds_an_index_again_that_was_cut_off(self, turned: str) -> None:
        there = schema()
        change(switch=False)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'insight_near_next'::regclass")
        change()
        assert [re.sub("_next", "", str(one)) for one in schema()] == [str(one) for one in there]


class TestTheCommand:
    def test_prepares_switches_and_says_what_to_do_next(
        self, turned: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(module, "NOTICED", 0.0)
        call_command("reembed", no_switch=True)
        assert f"3 vectors of {turned} are made. Run it again to switch." in capsys.readouterr().out
        call_command("reembed")
        assert f"3 vectors are of {turned} now.\nRestart web and worker" in capsys.readouterr().out

    def test_gives_up(self, turned: str, capsys: pytest.CaptureFixture[str]) -> None:
        call_command("reembed", no_switch=True)
        call_command("reembed", cancel=True)
        assert f"The change to {turned} is given up" in capsys.readouterr().out
        with pytest.raises(CommandError, match="No change"):
            call_command("reembed", cancel=True)

    def test_changes_nothing_without_the_model(self, settings: Any) -> None:
        settings.LOAM_EMBEDDER = "tests.fakes.DownTurnedEmbedder"
        with pytest.raises(CommandError, match="Nothing in use has changed"):
            call_command("reembed")


KILLED_AT = """
import os, signal
import django; django.setup()
from sessions_app.actions import reembed as module
step, waits = os.environ["KILLED_AT"], []

def die(when):
    if when == step:
        os.kill(os.getpid(), signal.SIGKILL)

def wait(seconds):
    waits.append(seconds)
    die(f"wait {len(waits)}")

module.BATCH = module.WRITTEN = 1
module.reembed(progress=lambda what, done, total: die(f"{what} {done}"), wait=wait)
"""
MADE = ("vectors of insights 2", "vectors of queries 1", "index insight_near 0", "index insight_near 1")


class TestKilled:
    @pytest.mark.parametrize("moment", [*MADE, "wait 1", "wait 2"])
    def test_at_any_moment_goes_on(self, moment: str, alice: Member, settings: Any) -> None:
        before, there = answer(alice), schema()
        environment = os.environ | {
            "DATABASE_URL": database_url(),
            "LOAM_EMBEDDER": OTHER,
            "LOAM_VAR": str(live.VAR),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PRODUCTION": "off",
            "KILLED_AT": moment,
        }
        command = [sys.executable, "-c", KILLED_AT]
        done = subprocess.run(command, cwd=live.BASE_DIR, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == -signal.SIGKILL, done.stderr
        switched = moment == "wait 2"
        if moment != "wait 1":
            settings.LOAM_EMBEDDER = OTHER if switched else ONNX
            assert answer(alice) == before
        else:
            vectors._known.clear()
            assert "for some seconds" in vectors.objection("any@1")
        part = [part.ok for part in readiness.parts(now=NOW) if part.name == "embedding change"]
        assert part == ([] if switched else [False])
        settings.LOAM_EMBEDDER = OTHER
        change()
        assert schema() == there
        assert models() == {current().name}
        assert answer(alice) == before
