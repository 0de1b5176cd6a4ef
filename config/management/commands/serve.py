"""`manage.py serve`: run the web server, a worker and beat in the foreground, until Ctrl-C."""

import argparse
import asyncio
import ctypes
import errno
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.db import connection, connections
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from accounts.adapters.call_board import shared_board
from accounts.adapters.failing_programs import FailingPrograms
from config import served
from config.checks import refuse_to_start
from config.database import embedded
from config.processes import queues
from config.processes.supervisor import Child, Say, Supervisor, at_once, dies_with_us

# One thread per process: on two cores, two torch threads took 135 ms where one took 28. The tokenizer's own threads
# only cause warnings about forks. Each request has its own thread, and glibc would keep freed memory separately for up
# to eight threads a core. Freed blocks of a megabyte or more are returned to the system: by default glibc raises that
# size up to 32 MB, and a worker that had grouped 850 insights kept 15 MB more.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONUNBUFFERED": "1"}
ENVIRONMENT |= {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "1000000"}
# Repeated here for readers: every process sets it for itself (knowledge/adapters/__init__.py).
ENVIRONMENT |= {"ORT_DISABLE_TELEMETRY": "1"}


class Command(BaseCommand):
    """Bind the port, start the embedded database if used, then the web; when that answers, worker and beat."""

    help = "Run Loam: web server, workers and beat in one process tree, until Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument(
            "--workers", type=at_least_one, default=1, help="number of web processes; default: up to one per core"
        )
        parser.add_argument("--no-worker", action="store_true", help="start no workers; another machine runs them")
        parser.add_argument("--no-beat", action="store_true", help="do not start beat; it runs elsewhere")
        parser.add_argument(
            "--prepare", action="store_true", help="migrate first; create the demo data with the embedded database"
        )

    def handle(
        self, *, host: str, port: int, workers: int, no_worker: bool, no_beat: bool, prepare: bool, **_: object
    ) -> None:
        refuse_to_start()
        with (
            listening(host, port) as listener,
            nullcontext() if no_beat else only_one_clock(),
            embedded.in_use() if settings.EMBEDDED else nullcontext(),
            figures_in_common(workers) as figures,
            shared_board(workers) as board,
            closing(FailingPrograms(Path(embedded.var(), "failing.json"))) as failing,
        ):
            make_broker()
            if prepare:
                migrate_if_needed()
            url = address(host, listener.getsockname()[1])
            public_url = os.environ.get("PUBLIC_URL") or url
            environment = os.environ | ENVIRONMENT | {"PUBLIC_URL": public_url} | figures | board | failing.environment

            async def ready(say: Say) -> None:
                await until_it_answers(listener, say)
                say("serve", f"Loam is ready at {url} (Ctrl-C ends it)")
                # A separate database is no demo, and what `demo` prints does not belong in a log.
                if prepare and settings.EMBEDDED:
                    await fill_in_demo(environment, say)

            workers_of_queues = [] if no_worker else [worker(queues.PROMPT), worker(queues.BULK, name="bulk")]
            then = [*workers_of_queues, *([] if no_beat else [beat()])]
            watch = keep_database if settings.EMBEDDED else at_once

            def farewell() -> None:
                let_nobody_in(listener)
                listener.close()

            with served.record(public_url):
                first = webs(listener, workers)
                Supervisor(first, then, ready, watch, environment, farewell=farewell, report=failing.write).run()


def at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of processes.")
    return int(text)


# --- before anything starts ---------------------------------------------------------------------------------
@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Yield the listening socket of the web. It is bound before anything runs and kept until the end, so that a restart
    of the web loses no connection.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            message = f"Port {port} of {host} is in use: stop the program that uses it, or choose another with --port."
        else:
            why = (getattr(error, "strerror", None) or str(error)).split(" (while")[0].rstrip(".")
            message = f"Cannot listen on port {port} of {host}: {why}."
        raise CommandError(message) from None
    # Connections inherit it. Neither uvicorn nor uvloop sets it on an inherited socket, and then each answer in two
    # writes waits 40 ms for the client's delayed acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with listener:
        yield listener


@contextmanager
def only_one_clock() -> Iterator[None]:
    """Make sure that only one beat runs; two would enqueue jobs twice. The kernel drops the lock of a killed
    process.
    """
    embedded.var().mkdir(parents=True, exist_ok=True)
    with Path(embedded.var(), "beat.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"Loam is already running from {embedded.var()}: stop that one, or add --no-beat."
            ) from None
        yield


@contextmanager
def figures_in_common(workers: int) -> Iterator[dict[str, str]]:
    """Yield the environment by which several web processes answer /metrics together: a new folder in which each keeps
    its counts.
    """
    if workers == 1:
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="loam-metrics-") as folder:
        yield {"PROMETHEUS_MULTIPROC_DIR": folder}


# The local address of a server that listens on all addresses.
HERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def address(host: str, port: int) -> str:
    here = HERE.get(host, host)
    return f"http://[{here}]:{port}" if ":" in here else f"http://{here}:{port}"


def make_broker() -> None:
    """Make the folders of the file-system broker, private to this user: anyone who can write there can start tasks."""
    folders = getattr(settings, "CELERY_BROKER_TRANSPORT_OPTIONS", {})
    for name in ("data_folder_in", "data_folder_out", "control_folder"):
        if name in folders:
            Path(folders[name]).mkdir(mode=0o700, parents=True, exist_ok=True)


def migrate_if_needed() -> None:
    """Apply pending migrations; print nothing if there are none."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False)
    connections.close_all()
    for each in connections.all():
        if isinstance(each, DatabaseWrapper):
            each.close_pool()  # with its threads, because children are forked from here


# --- what runs ----------------------------------------------------------------------------------------------
def webs(listener: socket.socket, number: int) -> list[Child]:
    """Return the web processes, all on the same socket."""
    command = (sys.executable, "-m", "config.processes.web", str(listener.fileno()))
    names = ["web"] if number == 1 else [f"web{n}" for n in range(1, number + 1)]
    return [Child(name, command, pass_fds=(listener.fileno(),)) for name in names]


# Somebody who runs Loam as root knows it; Celery says so at length at each start. It accepts JSON only.
KNOWN = "ignore:You're running the worker with superuser privileges"
CELERY = (sys.executable, "-W", KNOWN, "-m", "celery", "--quiet", "-A", "config")


def worker(queue: str, name: str = "worker") -> Child:
    """Return the worker of one queue, one task at a time in one process (`solo`): a forked pool would hold the
    embedding model twice. The broker hands out everything at once, so a worker takes only the task it works on.
    """
    options = ("--pool", "solo", "--concurrency", "1", "--prefetch-multiplier", "1", "-Q", queue, "-n", f"{name}@%h")
    return Child(name, (*CELERY, "worker", *options, "--without-gossip", "--without-mingle", "-l", "WARNING"))


def beat() -> Child:
    return Child("beat", (*CELERY, "beat", "-l", "WARNING"))


# --- beside them ------------------------------------------------------------------------------------------------
# Seconds between two checks, each of which opens a socket; what waits for the database does not notice a gap of that
# length.
EVERY = 0.5


async def keep_database(say: Say) -> None:
    """Restart the embedded server when it has died. A failed start is reported and retried."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            if await asyncio.to_thread(embedded.revive):
                say("serve", "the database stopped and was restarted")
        except embedded.EmbeddedError as error:
            say("serve", f"the database does not start: {error}")
            await asyncio.sleep(10 * EVERY)


# --- once the web is up -------------------------------------------------------------------------------------
# The number of health checks, half a second apart, before the delay is explained.
PATIENT_FOR = 20


async def until_it_answers(listener: socket.socket, say: Say) -> None:
    """Return when the web answers; a redirect to HTTPS or a refused host name counts too. A web that dies is restarted
    meanwhile.
    """
    asked = 0
    while not "200" <= (answer := await health(listener)) < "500":
        asked += 1
        if asked == PATIENT_FOR:
            say("serve", f"waiting for the web server: /api/v1/health/ answers {answer or 'nothing'}")
        await asyncio.sleep(0.5)


async def health(listener: socket.socket) -> str:
    """Return the status of /api/v1/health/, or "". The socket listens from the start, so the request waits in its queue
    until the web accepts it.
    """
    host, port = listener.getsockname()[:2]
    # Use an allowed host name; otherwise each start would log a refused host.
    name = next((one for one in settings.ALLOWED_HOSTS if one[:1] not in (".", "*")), "localhost")
    try:
        async with asyncio.timeout(30):
            reader, writer = await asyncio.open_connection(HERE.get(host, host), port)
            try:
                writer.write(f"GET /api/v1/health/ HTTP/1.0\r\nHost: {name}\r\n\r\n".encode())
                status = await reader.readline()  # HTTP/1.1 200 OK
            finally:
                writer.close()
    except OSError:
        return ""
    return status[9:12].decode()


async def fill_in_demo(environment: dict[str, str], say: Say) -> None:
    """Run `manage.py demo` unless the demo is complete. Its passwords and tokens are printed only then: later starts
    often write to a log.
    """
    with suppress(OSError, ValueError):
        if json.loads(Path(settings.VAR, "demo.json").read_text()).get("made"):
            say("serve", "The demo's accounts and tokens: manage.py demo")
            return
    demo = await asyncio.create_subprocess_exec(
        *(sys.executable, settings.BASE_DIR / "manage.py", "demo"),
        stdin=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
        preexec_fn=dies_with_us(),
    )
    try:
        if code := await demo.wait():
            say("serve", f"the demo data is incomplete: exit code {code}")
    finally:
        if demo.returncode is None:
            demo.kill()


# --- when it ends ------------------------------------------------------------------------------------------------
# <linux/filter.h>, <asm-generic/socket.h>. A classic BPF program over what arrives at a listening socket, of which the
# TCP header comes first: whatever has SYN in its flags is dropped, all else is kept.
SO_ATTACH_FILTER = 26
LOAD_BYTE, IF_ANY_BIT, RETURN = 0x30, 0x45, 0x06
FLAGS, SYN, EVERYTHING, NOTHING = 13, 0x02, 0xFFFFFFFF, 0
NO_SYN = ((LOAD_BYTE, 0, 0, FLAGS), (IF_ANY_BIT, 0, 1, SYN), (RETURN, 0, 0, NOTHING), (RETURN, 0, 0, EVERYTHING))


def let_nobody_in(listener: socket.socket) -> None:
    """Drop new connections to this socket, in all processes that hold it, so that its queue can be emptied.

    A client whose SYN is dropped retries after a second, and is refused by then; it has sent nothing. If such filters
    are not available (they are Linux's; a sandbox may refuse them), a client that connects between the last check and
    the close is reset.
    """
    if sys.platform != "linux":
        return
    program = b"".join(struct.pack("HBBI", *one) for one in NO_SYN)
    held = ctypes.create_string_buffer(program, len(program))
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", len(NO_SYN), ctypes.addressof(held)))
