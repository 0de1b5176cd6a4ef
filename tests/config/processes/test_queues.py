"""Two queues, and a worker for each: what takes long delays nothing that somebody waits for."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import psycopg
import pytest
from celery import current_app
from django.conf import settings
from django.db import connection
from django.utils import timezone
from kombu import Connection

from accounts.models import Team
from accounts.rules.rights import Member
from config import schedule
from config.management.commands.serve import worker
from config.processes import queues
from knowledge.jobs.actions import background
from knowledge.models import BackgroundJob, Insight
from knowledge.review.actions import curate
from knowledge.rules.vocabulary import Kind
from sessions_app.adapters.web import database_url
from tests.config.running import wait_until
from tests.factories import make_insight, make_webhook


class TestEachJob:
    def test_is_in_one_queue(self) -> None:
        """A job that is added to the schedule says which."""
        assert {job.task for job in schedule.JOBS} == queues.PROMPT_TASKS | queues.BULK_TASKS
        assert not queues.PROMPT_TASKS & queues.BULK_TASKS

    def test_is_sent_there(self) -> None:
        router = current_app.amqp.router
        for queue, tasks in ((queues.PROMPT, queues.PROMPT_TASKS), (queues.BULK, queues.BULK_TASKS)):
            assert {router.route({}, task)["queue"].name for task in tasks} == {queue}

    def test_of_an_older_version_is_taken_by_the_first(self) -> None:
        """Which sent all to Celery's default queue; and a worker that names no queue serves both."""
        assert current_app.conf.task_default_queue == queues.PROMPT
        assert set(current_app.amqp.queues.consume_from) == {queues.PROMPT, queues.BULK}


class Receiver(HTTPServer):
    """Whom a webhook tells; `heard` is what it was sent."""

    def __init__(self) -> None:
        self.heard = heard = list[bytes]()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                heard.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        Thread(target=self.serve_forever, daemon=True).start()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    yield server
    server.shutdown()
    server.server_close()


@contextmanager
def held(team: Team) -> Iterator[None]:
    """The team's row is locked, as by another import: whatever stores an insight there waits."""
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("SELECT 1 FROM accounts_team WHERE id = %s FOR NO KEY UPDATE", [team.pk])
        yield


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
        return cursor.fetchone() is not None


class Workers:
    """Those that `serve` starts, on a broker of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.running = folder, list[subprocess.Popen[bytes]]()
        self.environment = os.environ | {"LOAM_VAR": str(folder), "DATABASE_URL": database_url(), "PRODUCTION": "off"}
        self.environment |= {"LOAM_WEBHOOKS_PRIVATE": "on", "LOAM_MODELS": str(settings.LOAM_MODELS)}
        self.environment |= {"SECRET_KEY": "k" * 60, "OMP_NUM_THREADS": "1"}
        (folder / "broker" / "control").mkdir(parents=True)
        (folder / "broker" / "queue").mkdir()

    def start(self, queue: str) -> None:
        with (self.folder / "said").open("ab") as said:
            command = worker(queue, name=queue).command
            self.running.append(
                subprocess.Popen(command, cwd=settings.BASE_DIR, env=self.environment, stdout=said, stderr=said)
            )

    def ring(self, task: str) -> None:
        broker = self.folder / "broker"
        places = {"data_folder_in": broker / "queue", "data_folder_out": broker / "queue"}
        options = {name: str(place) for name, place in places.items()} | {"control_folder": str(broker / "control")}
        with Connection("filesystem://", transport_options=options) as there:
            current_app.send_task(task, connection=there, retry=False)

    def end(self) -> None:
        for process in self.running:
            process.kill()
            process.wait()


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    found = Workers(tmp_path)
    yield found
    found.end()


@pytest.mark.slow
class TestAnImport:
    def test_delays_neither_a_webhook_nor_the_vector_of_a_deposit(
        self,
        transactional_db: None,
        platform: Team,
        alice: Member,
        workers: Workers,
        receiver: Receiver,
        settings: Any,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        settings.LOAM_WEBHOOKS_PRIVATE = True
        monkeypatch.setattr(background, "enqueue", lambda task: None)
        now: datetime = timezone.now()
        waiting = make_insight(alice, now)
        make_webhook(alice, now, url=f"http://127.0.0.1:{receiver.server_port}/hook")
        curate.promote(ref=waiting.ref, by=alice, now=now)
        Insight.objects.filter(pk=waiting.pk).update(embedding=None, embedded_by="")
        note = b"# Deploys\n\nThe exporter reads its licence from /etc/exporter at every start.\n"
        job = background.ask_import(name="deploys.md", data=note, team="platform", kind=Kind.CONTEXT, by=alice, now=now)
        workers.start(queues.BULK)
        with held(platform):
            workers.ring("knowledge.background_jobs")
            wait_until(somebody_waits, seconds=60)
            workers.start(queues.PROMPT)
            workers.ring("knowledge.embed_waiting")
            workers.ring("accounts.deliver_webhooks")
            wait_until(lambda: bool(receiver.heard), seconds=60)
            assert Insight.objects.get(pk=waiting.pk).embedding is not None
            assert BackgroundJob.objects.get(pk=job.pk).state == BackgroundJob.State.RUNNING
        wait_until(lambda: BackgroundJob.objects.get(pk=job.pk).state == BackgroundJob.State.DONE, seconds=60)
        assert Insight.objects.filter(body__contains="licence").exists()


class TestTeams:
    def test_take_turns_where_vectors_are_missing(
        self, platform: Team, mobile: Team, alice: Member, charlie: Member
    ) -> None:
        """A team that has brought in thousands does not delay the one insight of another."""
        many = [make_insight(alice, body=f"Note {number} about the exporter's licence.") for number in range(3)]
        one = make_insight(charlie, team="mobile", body="The simulator needs a clean keychain.")
        Insight.objects.update(embedding=None, embedded_by="")
        rows = Insight.objects.waiting_for_vector("any")
        assert rows.by_turns(2) == [many[0].pk, one.pk]
        assert rows.by_turns(9) == [many[0].pk, one.pk, many[1].pk, many[2].pk]
