"""Loam on several machines, on one: two web machines behind HAProxy, PgBouncer, Redis, a primary and two standbys.

    LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.several               # until Ctrl-C; prints its address
    LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.several --rounds 20   # parts are killed under load

What stands in docs/operations/several is what is run, with the trial's ports and folders. Each web machine has a folder
of its own, and a web, two workers and a beat of which one rings. Every round a part is killed with SIGKILL under load
and comes back; of the primary, the standby that has received most is promoted, PgBouncer is pointed to it, and what was
the primary is made its standby. An answer waits for one standby, so nothing that was answered may be lost. Needs
haproxy, pgbouncer and redis-server of the system.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import psutil
import psycopg

from config.database.embedded import _unprivileged
from config.database.postgres import SystemUser, programs
from tests.trials.kill import CLIENTS, Client
from tests.trials.node import CONFIGURED, NODES, Node
from tests.trials.stack import (
    FIRST_START,
    PATIENCE,
    ROOT,
    Kept,
    Stack,
    count_kept,
    family,
    settings_apart,
    told,
    unit_command,
)

MACHINES = (1, 2)
UNITS = ("web", "worker", "bulk", "beat")
# A flushed Redis has lost its queue and its cache, as a killed one has that saves nothing.
PARTS = ("the primary", "a standby", "web", "worker", "bulk", "beat", "redis", "pgbouncer", "haproxy")


@dataclass(frozen=True)
class Ports:
    """`first` is the balancer's; the others follow."""

    first: int

    def web(self, machine: int) -> int:
        return self.first + machine

    def node(self, name: str) -> int:
        return self.first + 3 + NODES.index(name)

    @property
    def pgbouncer(self) -> int:
        return self.first + 6

    @property
    def redis(self) -> int:
        return self.first + 7


class Several(Stack):
    """All of it. `port`: the balancer's; the eight after it are taken, too. `code`: a checkout that is run instead of
    this one. `machines`: what the programs of a machine have in their environment besides.
    """

    def __init__(self, port: int, code: Path = ROOT, machines: Mapping[int, dict[str, str]] | None = None) -> None:
        self.ports = Ports(port)
        settings = settings_apart(port, database=self.ports.pgbouncer, redis=self.ports.redis)
        # Raw files are read where they lie: every machine must have the folder.
        shared = {"DATABASE_POOLER": "transaction", "LOAM_EVIDENCE_ROOT": str(Path(os.environ["LOAM_VAR"], "evidence"))}
        shared["DATABASE_REPLICA_URL"] = f"{settings['DATABASE_URL']}_replica"
        super().__init__(port, settings | shared)
        self.code, self.runs = code, dict.fromkeys(MACHINES, code)
        self.of_machine = {machine: dict((machines or {}).get(machine, {})) for machine in MACHINES}
        self.web_url = f"http://127.0.0.1:{self.ports.web(1)}"
        self.password = re.findall(r"//loam:(.*)@", settings["DATABASE_URL"])[0]
        self.account = _unprivileged() if os.geteuid() == 0 else SystemUser("", os.geteuid(), os.getegid())
        root = os.geteuid() == 0
        self.unprivileged: dict[str, Any] = (
            {"user": self.account.uid, "group": self.account.gid, "extra_groups": []} if root else {}
        )
        home = self.folder / "programs"
        home.mkdir(exist_ok=True)
        if root:
            shutil.chown(home, self.account.uid, self.account.gid)
        self.bin = programs(self.account, home)
        self.nodes = {name: Node(self, name) for name in NODES}
        self.primary = self.nodes[NODES[0]]
        self.kept: dict[str, Kept] = {}
        try:
            self._start_databases()
            self._start_between()
            self._start_machines()
        except BaseException:
            self.end()
            raise

    def _start_databases(self) -> None:
        """The one that was the primary when this was last ended; its standbys are made of it."""
        led = [
            node for node in self.nodes.values() if node.data.exists() and not (node.data / "standby.signal").exists()
        ]
        if led:
            self.primary = led[0]
        else:
            self.primary.create()
        self.primary.start()
        for node in self.nodes.values():
            if node is not self.primary:
                node.follow(self.primary)

    def _start_between(self) -> None:
        self._write_pgbouncer()
        redis = ("redis-server", "--port", str(self.ports.redis), "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp")
        self.kept["redis"] = Kept(lambda: self.spawn(*redis))
        pooler = ("pgbouncer", str(self.folder / "pgbouncer.ini"))
        self.kept["pgbouncer"] = Kept(lambda: self.spawn(*pooler, **self.unprivileged))
        text = (CONFIGURED / "haproxy.cfg").read_text().replace(":8000", f":{self.port}")
        for machine in MACHINES:
            text = text.replace(f":800{machine}", f":{self.ports.web(machine)}")
        (self.folder / "haproxy.cfg").write_text(text)
        self.kept["haproxy"] = Kept(lambda: self.spawn("haproxy", "-W", "-f", str(self.folder / "haproxy.cfg")))
        done = self.manage("migrate", "--noinput", "--verbosity", "0")
        if done.returncode:
            raise RuntimeError(done.stderr)

    def _start_machines(self) -> None:
        models = ROOT / "var" / "models"
        for machine in MACHINES:
            folder = self.folder / f"machine{machine}"
            folder.mkdir(exist_ok=True)
            if models.is_dir() and not (folder / "models").exists():
                shutil.copytree(models, folder / "models")
            for unit in UNITS:
                self.kept[f"{unit} {machine}"] = Kept(partial(self._start_unit, unit, machine))

    def _start_unit(self, unit: str, machine: int) -> subprocess.Popen[bytes]:
        command, more = unit_command(unit, port=self.ports.web(machine))
        here = {"LOAM_VAR": str(self.folder / f"machine{machine}"), **self.of_machine[machine]}
        return self.spawn(*command, env=self.environment | more | here, cwd=self.runs[machine])

    def upgrade(self, machine: int, code: Path) -> None:
        """Its programs end as systemd ends them, and start again from that checkout; until its web answers."""
        self.runs[machine] = code
        for unit in UNITS:
            before = self.kept[f"{unit} {machine}"].process
            before.terminate()
            before.wait(PATIENCE)
        until = time.monotonic() + PATIENCE
        while not self.is_ready(machine):
            if time.monotonic() > until:
                raise TimeoutError(f"machine {machine} is not ready; see {self.log}")
            time.sleep(0.3)

    def is_ready(self, machine: int) -> bool:
        """Whether its own web answers /readyz with 200."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports.web(machine)}/readyz", timeout=5):
                return True
        except OSError:
            return False

    def _write_pgbouncer(self) -> None:
        """Where the primary is, with its password; the file's other settings are those of docs/operations."""
        users, path = self.folder / "userlist.txt", self.folder / "pgbouncer.ini"
        users.write_text(f'"loam" "{self.password}"\n')
        text = (CONFIGURED / "pgbouncer.ini").read_text()
        standby = next(node for node in self.nodes.values() if node is not self.primary)
        text = text.replace("port=5432", f"port={self.primary.port}").replace("port=5433", f"port={standby.port}")
        text = text.replace("6432", str(self.ports.pgbouncer))
        path.write_text(text.replace("/etc/pgbouncer/userlist.txt", str(users)))
        for file in (users, path):
            if os.geteuid() == 0:
                shutil.chown(file, self.account.uid, self.account.gid)

    def wait(self, patience: float = FIRST_START) -> None:
        super().wait(patience)

    def processes(self) -> list[psutil.Process]:
        servers = [one.pid for one in psutil.process_iter() if f"-D {self.folder}/node" in told(one)]
        return [one for pid in [*(kept.process.pid for kept in self.kept.values()), *servers] for one in family(pid)]

    def manage(self, *arguments: str, given: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
        """By the primary itself, as commands that need sessions of their own do."""
        direct = f"postgres://loam:{self.password}@127.0.0.1:{self.primary.port}/loam"
        here = {"DATABASE_URL": direct, "DATABASE_POOLER": "", "LOAM_VAR": str(self.folder / "machine1")}
        return super().manage(*arguments, given=given, **(here | settings))

    def fail_over(self) -> float:
        """Seconds until, with the primary lost, the standby that has most was promoted and PgBouncer pointed to it."""
        began, lost = time.monotonic(), self.primary
        lost.kill()
        standbys = [node for node in self.nodes.values() if node is not lost]
        self.primary = max(standbys, key=Node.received)
        self.primary.promote()
        for node in standbys:
            if node is not self.primary:
                node.turn_to(self.primary)
        self._write_pgbouncer()
        self.kept["pgbouncer"].process.send_signal(signal.SIGHUP)
        done = time.monotonic() - began
        lost.follow(self.primary)
        return done

    def kill_part(self, part: str, rng: Random) -> None:
        if part == "the primary":
            self.fail_over()
        elif part == "a standby":
            node = rng.choice([node for node in self.nodes.values() if node is not self.primary])
            node.kill()
            node.start()
        else:
            name = f"{part} {rng.choice(MACHINES)}" if part in UNITS else part
            for process in family(self.kept[name].process.pid):
                with suppress(psutil.Error):
                    process.kill()

    def end(self) -> None:
        for name in ("haproxy", *(f"{unit} {machine}" for unit in UNITS for machine in MACHINES), "pgbouncer", "redis"):
            if name in self.kept:
                self.kept[name].end()
        for node in self.nodes.values():
            node.stop()


@dataclass
class Watched(Client):
    """A client that notes when it was answered."""

    moments: tuple[float, ...] = ()

    __hash__ = Thread.__hash__

    def deposit(self, key: str, text: str) -> None:
        super().deposit(key, text)
        self.moments += (time.monotonic(),)


def trial(*, rounds: int, seed: int, port: int) -> dict[str, Any]:
    """Kill, and count. Raises AssertionError when something that was answered is not there, or is there twice."""
    rng = Random(seed)
    loam = Several(port)
    stop, killed, gaps = Event(), Counter[str](), defaultdict[str, list[float]](list)
    try:
        loam.wait()
        token = loam.people()["alice"]["token"]
        name = f"trial{uuid.uuid4().hex[:8]}"
        clients = [Watched(loam.url, token, Random(f"{seed} {n}"), stop, name, n) for n in range(CLIENTS)]
        for client in clients:
            client.start()
        for at in range(rounds):
            time.sleep(rng.uniform(2.0, 4.0))
            # Each part at least once, the primary most.
            part = PARTS[at] if at < len(PARTS) else rng.choice((*PARTS, "the primary", "the primary"))
            began = time.monotonic()
            loam.kill_part(part, rng)
            killed[part] += 1
            _until(lambda: loam.primary.standbys() == len(NODES) - 1, "both standbys stream again")
            _until(partial(_all_answered, clients, began), "every client was answered")
            gaps[part].append(_longest_gap(clients, began))
        stop.set()
        for client in clients:
            client.join(PATIENCE)
            assert not client.is_alive(), "a client never got its answer"
        answered = {key: said for client in clients for key, said in client.answered.items()}
        counted = count_kept(loam, {"deposits": answered})
        failures = sum(client.failures for client in clients)
    finally:
        stop.set()
        loam.end()
    longest = {part: round(max(some), 1) for part, some in gaps.items()}
    return {
        "killed": dict(killed), "longest time without an answer, s": longest, "answered": len(answered),
        "asked again": failures, **counted,
    }  # fmt: skip


def _until(holds: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if holds():
                return
        except psycopg.Error:
            pass
        time.sleep(0.1)
    raise AssertionError(f"not within {PATIENCE:.0f} s: {what}")


def _all_answered(clients: list[Watched], since: float) -> bool:
    return all(one.moments and one.moments[-1] > since for one in clients)


def _longest_gap(clients: list[Watched], since: float) -> float:
    """Seconds between two answers to any of them, from the last before `since` on."""
    moments = sorted(moment for client in clients for moment in client.moments)
    at = max((place for place, moment in enumerate(moments) if moment <= since), default=0)
    return max((later - one for one, later in zip(moments[at:], moments[at + 1 :], strict=False)), default=0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=0, help="parts to kill; 0: run until Ctrl-C")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", type=int, default=8950)
    parser.add_argument("--people", type=Path, help="write people.json for the black-box checks to this file")
    options = parser.parse_args()
    if options.rounds:
        print(json.dumps(trial(rounds=options.rounds, seed=options.seed, port=options.port), indent=2))
        return
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.default_int_handler)
    loam = Several(options.port)
    try:
        loam.wait()
        people = {"url": loam.url, "people": loam.people()}
        if options.people:
            options.people.write_text(json.dumps(people))
        print(f"Loam on several machines is ready at {loam.url} (Ctrl-C ends it)", flush=True)
        Event().wait()
    except KeyboardInterrupt:
        pass
    finally:
        loam.end()


if __name__ == "__main__":
    main()
