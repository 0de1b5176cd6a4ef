import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from config import served
from config.database import embedded
from config.database.embedded import BASE_DIR
from config.management.commands.serve import address, fill_in_demo
from tests.cases import cases
from tests.config.running import new_var, runs, wait_until

pytestmark = pytest.mark.slow

# A supervisor of stand-ins: {"first": [[name, command...]], "then": ..., "patience": {...}}; what is
# failing is said as a line of its own.
SUPERVISE = """
import json, sys
from contextlib import suppress
from config.processes.supervisor import Child, Patience, Supervisor
plan = json.loads(sys.argv[1])
first, then = ([Child(name, tuple(command)) for name, *command in plan.get(key, [])] for key in ("first", "then"))
def report(failing):
    with suppress(OSError):
        print("failing:", json.dumps(failing), flush=True)
Supervisor(first, then, patience=Patience(**plan.get("patience", {})), report=report).run()
"""
SLEEPS = ("sh", "-c", "echo pid=$$; exec sleep 60")
IS_STUBBORN = ("sh", "-c", "trap '' TERM; echo pid=$$; while :; do sleep 0.1; done")
DIES = ("sh", "-c", "echo pid=$$; exit 3")
QUICK = {"pause": 0.05, "longest_pause": 0.1, "steady": 10}


class Tree:
    """A supervisor in a process of its own, and what it has said so far."""

    def __init__(self, process):
        self.process, self.lines = process, []

    def until(self, pattern):
        """The first group of the first line from here on that matches."""
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if found := re.search(pattern, line):
                return found[1] if found.groups() else found[0]
        raise AssertionError(f"no {pattern!r} in {self.lines} {self.process.stderr.read()}")

    def end(self):
        """Everything else it says: (exit code, stdout lines, stderr lines)."""
        self.lines += self.process.stdout.read().splitlines()
        said = self.process.stderr.read().splitlines()
        return self.process.wait(timeout=30), self.lines, said


@contextmanager
def started(*command, **environment):
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=BASE_DIR,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    try:
        yield Tree(process)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            stream.close()


def supervising(**plan):
    return started("-c", SUPERVISE, json.dumps(plan))


def wait_until_gone(*pids):
    wait_until(lambda: not any(map(runs, pids)))


class TestSupervisor:
    def test_names_the_speaker_of_each_line(self):
        says = ("sh", "-c", "echo one; printf 'two\\n' >&2; printf '\\377 three'; exec sleep 60")
        with supervising(first=[["web", *says]], then=[["worker", *SLEEPS]]) as tree:
            tree.until("worker | pid=")
            tree.process.terminate()
            code, lines, _ = tree.end()
        assert code == 0
        assert [line for line in lines if "web" in line] == ["web    | one", "web    | two", "web    | \ufffd three"]

    def test_breaks_a_line_that_has_no_end(self):
        shouts = (sys.executable, "-c", "print('x' * 200_000)")
        with supervising(first=[["web", *shouts]], patience={"pause": 60, "longest_pause": 60}) as tree:
            tree.until("restarting in 60 s")
            tree.process.terminate()
            _, lines, _ = tree.end()
        shouted = [line.removeprefix("web    | ") for line in lines if line.startswith("web")]
        assert "".join(shouted) == "x" * 200_000
        assert max(map(len, shouted)) < 200_000

    def test_starts_again_what_died_and_says_so(self):
        with supervising(first=[["web", *SLEEPS]], patience=QUICK) as tree:
            first = int(tree.until(r"pid=(\d+)"))
            os.kill(first, signal.SIGKILL)
            assert tree.until(r"exited.*") == "exited with SIGKILL; restarting in 0.05 s"
            second = int(tree.until(r"pid=(\d+)"))
            assert first != second
            assert runs(second)

    def test_goes_on_with_the_others_when_one_keeps_dying(self):
        with supervising(first=[["web", *SLEEPS], ["worker", *DIES]], patience=QUICK) as tree:
            web = int(tree.until(r"web .*pid=(\d+)"))
            assert tree.until("failing: (.*)") == '{"worker": "died 3 times, now of exit code 3"}'
            for _ in range(10):
                tree.until("worker exited with exit code 3")
            assert runs(web)
            tree.process.terminate()
            assert tree.end()[0] == 0
        wait_until_gone(web)

    def test_says_when_what_kept_dying_stays_up_again(self, tmp_path):
        heals = ("sh", "-c", f"test -e {tmp_path}/healed || exit 3; exec sleep 60")
        with supervising(first=[["worker", *heals]], patience=QUICK | {"steady": 0.5}) as tree:
            assert "worker" in tree.until("failing: (.*)")
            (tmp_path / "healed").touch()
            assert tree.until("failing: (.*)") == "{}"
            assert tree.until("worker is stable again")

    def test_goes_on_where_a_program_is_not_there(self):
        with supervising(first=[["web", "/no/such/program"], ["worker", *SLEEPS]], patience=QUICK) as tree:
            worker = int(tree.until(r"pid=(\d+)"))
            assert "No such file or directory" in tree.until("failing: (.*)")
            assert runs(worker)

    def test_waits_longer_after_each_death(self):
        with supervising(first=[["web", *DIES]], patience=QUICK | {"pause": 0.01, "longest_pause": 0.03}) as tree:
            pauses = [tree.until(r"restarting in (\S+) s") for _ in range(4)]
        assert pauses == ["0.01", "0.02", "0.03", "0.03"]

    @cases("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_ends_all_on_a_signal(self, number):
        with supervising(first=[["web", *SLEEPS]], then=[["worker", *SLEEPS]]) as tree:
            pids = [int(tree.until(r"web .*pid=(\d+)")), int(tree.until(r"worker .*pid=(\d+)"))]
            tree.process.send_signal(number)
            assert tree.end()[0] == 0
        assert not any(map(runs, pids))

    def test_kills_what_does_not_end(self):
        with supervising(first=[["web", *IS_STUBBORN]], patience={"grace": 0.3}) as tree:
            pid = int(tree.until(r"pid=(\d+)"))
            begun = time.monotonic()
            tree.process.terminate()
            assert tree.end()[0] == 0
        assert 0.3 <= time.monotonic() - begun < 3
        assert not runs(pid)

    def test_ends_while_a_dead_child_waits_for_its_turn(self):
        with supervising(first=[["web", *DIES]], patience={"pause": 60, "longest_pause": 60}) as tree:
            tree.until("restarting in 60 s")
            tree.process.terminate()
            assert tree.end()[0] == 0

    def test_takes_along_what_a_dead_child_left_behind(self):
        leaves = ("sh", "-c", "sleep 60 & echo left=$!; exit 1")
        with supervising(first=[["web", *leaves]], patience={"pause": 60, "longest_pause": 60}) as tree:
            left = int(tree.until(r"left=(\d+)"))
            wait_until_gone(left)

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children that their parent is dead")
    def test_leaves_nobody_behind_when_it_is_killed(self):
        with supervising(first=[["web", *IS_STUBBORN]], then=[["worker", *SLEEPS]]) as tree:
            pids = [int(tree.until(r"web .*pid=(\d+)")), int(tree.until(r"worker .*pid=(\d+)"))]
            tree.process.kill()
            wait_until_gone(*pids)

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
    def test_goes_on_when_what_it_says_finds_no_room(self, tmp_path):
        """Its output is a log on the disk that is full: the web ended with it, and stayed down."""
        up = tmp_path / "up"
        plan = {"first": [["web", "sh", "-c", f"echo up; date >> {up}; sleep 0.2"]], "patience": QUICK}
        with Path("/dev/full").open("w") as full:
            command = [sys.executable, "-c", SUPERVISE, json.dumps(plan)]
            process = subprocess.Popen(command, cwd=BASE_DIR, stdin=subprocess.DEVNULL, stdout=full)
        try:
            wait_until(lambda: up.exists() and up.read_text().count("\n") >= 3, seconds=30)
            assert process.poll() is None
        finally:
            process.kill()
            process.wait()

    def test_ends_when_nobody_reads_it_any_more(self):
        says = ("sh", "-c", "echo pid=$$; while echo more; do sleep 0.05; done")
        with supervising(first=[["web", *says]]) as tree:
            pid = int(tree.until(r"pid=(\d+)"))
            tree.process.stdout.close()
            tree.process.wait(timeout=10)
        wait_until_gone(pid)


@cases(
    ("host", "shown"),
    [("127.0.0.1", "http://127.0.0.1:80"), ("0.0.0.0", "http://127.0.0.1:80"), ("::", "http://[::1]:80")],
)
def test_the_address_is_one_to_click_on(host, shown):
    assert address(host, 80) == shown


@pytest.fixture
def var():
    with new_var() as folder:
        yield folder


class TestTheDemo:
    def test_is_told_of_without_its_secrets_once_it_is_there(self, tmp_path, settings):
        settings.VAR = tmp_path
        people = {"alice": {"username": "alice", "password": "kestrel-1", "token": "loam_0_kestrel"}}
        (tmp_path / "demo.json").write_text(json.dumps({"people": people, "made": True}))
        said = []
        # In a thread of its own: the browser's loop runs in the one of a process that has played a page.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, fill_in_demo({}, lambda *words: said.append(words))).result()
        assert said == [("serve", "The demo's accounts and tokens: manage.py demo")]


class TestServe:
    def test_starts_nothing_when_the_port_is_taken(self, var):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with started("manage.py", "serve", "--port", str(port), LOAM_VAR=str(var)) as tree:
                code, lines, said = tree.end()
        assert (code, lines) == (1, [])
        assert said == [
            f"CommandError: Port {port} of 127.0.0.1 is in use: stop the program that uses it, or choose another "
            "with --port."
        ]
        assert not (var / "postgres").exists()

    def test_serves_until_it_is_told_to_end_and_leaves_nobody_behind(self, var, monkeypatch, django_db_setup):
        # Exporting the model again takes as long as all the rest; test_embedder.py and .ci/first_run.py do it. So does
        # migrating: the database is a copy of the tests' own.
        here = {"LOAM_VAR": str(var), "LOAM_MODELS": str(settings.LOAM_MODELS)}
        monkeypatch.setenv("LOAM_VAR", str(var))
        with embedded.in_use():
            copy_test_database_here()
        with started("manage.py", "serve", "--port", "0", **here) as tree:
            url = tree.until("Loam is ready at (http://127.0.0.1:[0-9]+) ")
            health, ready = f"{url}/api/v1/health/", f"{url}/api/v1/schema/"
            wait_until(lambda: len(children(tree.process.pid)) == 3)
            web = next(pid for pid, command in children(tree.process.pid).items() if "config.processes.web" in command)
            os.kill(web, signal.SIGKILL)
            assert urllib.request.urlopen(health).status == 200  # waits in the queue of the port
            tree.until("web exited with SIGKILL")
            with started("manage.py", "serve", "--port", "0", LOAM_VAR=str(var)) as second:
                assert "already running from" in second.end()[2][0]
            assert demo_url(var) == url
            os.kill(int((var / "postgres/data/postmaster.pid").read_text().split()[0]), signal.SIGKILL)
            tree.until("the database stopped and was restarted")
            wait_until(lambda: urllib.request.urlopen(ready, timeout=30).status == 200)
            running, begun = children(tree.process.pid), time.monotonic()
            tree.process.send_signal(signal.SIGINT)
            assert tree.end()[0] == 0
        assert time.monotonic() - begun < 10
        assert not any(map(runs, running))
        assert not (var / "postgres/data/postmaster.pid").exists()
        assert served.recorded() == ""


def demo_url(var):
    """The address that `manage.py demo --json` names."""
    (var / "demo.json").write_text('{"people": {}}')
    with started("manage.py", "demo", "--json", "--once", LOAM_VAR=str(var)) as demo:
        code, lines, said = demo.end()
    assert code == 0, said
    return json.loads("\n".join(lines))["url"]


def copy_test_database_here():
    """Into the database of the embedded server of LOAM_VAR, which is in use."""
    there, to = connection.get_connection_params(), embedded.connection()
    programs = embedded._cluster(embedded._home()).bin
    dump = ["pg_dump", there["host"], there["user"], there["password"], "--format=custom", there["dbname"]]
    restore = ["pg_restore", to["HOST"], to["USER"], to["PASSWORD"], "--exit-on-error", f"--dbname={to['NAME']}"]
    said = None
    for program, host, user, password, *words in (dump, restore):
        command = [programs / program, f"--host={host}", f"--username={user}", "--no-password", "--no-owner", *words]
        env = os.environ | {"PGPASSWORD": str(password)}
        said = subprocess.run(command, env=env, input=said, stdout=subprocess.PIPE, check=True).stdout


def children(parent):
    """The programs that a process has started: {pid: command}."""
    pids = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return {int(pid): Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in pids}
