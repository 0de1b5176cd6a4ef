"""A PostgreSQL server of `Several`: a primary, or a standby of one."""

import os
import shutil
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psutil
import psycopg

from tests.trials.stack import ROOT, family

if TYPE_CHECKING:
    from tests.trials.several import Several

CONFIGURED = ROOT / "docs" / "operations" / "several"
NODES = ("node1", "node2", "node3")


class Node:
    """One PostgreSQL server: a primary, or a standby of one."""

    def __init__(self, stack: "Several", name: str) -> None:
        self.stack, self.name, self.port = stack, name, stack.ports.node(name)
        self.home = stack.folder / name
        self.data = self.home / "data"

    def create(self) -> None:
        """The first primary, with the roles of Loam and of the standbys."""
        self._own_home()
        self.run("initdb", "-D", str(self.data), "-U", "postgres", "--auth=reject", "--encoding=UTF8", "--locale=C")
        # Nobody but the trial reaches these ports.
        (self.data / "pg_hba.conf").write_text(
            "host all loam 127.0.0.1/32 scram-sha-256\n"
            "host all postgres 127.0.0.1/32 trust\n"
            "host replication postgres 127.0.0.1/32 trust\n"
        )
        role = f"CREATE ROLE loam LOGIN CREATEDB PASSWORD '{self.stack.password}';\nCREATE DATABASE loam OWNER loam;\n"
        role += "ALTER ROLE loam SET hnsw.ef_search = 200;\nALTER ROLE loam SET hnsw.iterative_scan = relaxed_order;\n"
        role += "ALTER ROLE loam SET plan_cache_mode = force_generic_plan;\n"
        for database, statements in (("template1", "CREATE EXTENSION vector;\n"), ("postgres", role)):
            said = self.run("postgres", "--single", "-D", str(self.data), database, given=statements)
            if "ERROR" in said:
                raise RuntimeError(said)
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.write((CONFIGURED / "primary.conf").read_text())

    def follow(self, primary: "Node") -> None:
        """Become a standby of the primary, from its files."""
        self.kill()
        shutil.rmtree(self.home, ignore_errors=True)
        self._own_home()
        source = f"host=127.0.0.1 port={primary.port} user=postgres application_name={self.name}"
        self.run("pg_basebackup", "-D", str(self.data), "-d", source, "-R", "-X", "stream", "-c", "fast")
        self.start()

    def turn_to(self, primary: "Node") -> None:
        """A standby follows another primary."""
        source = f"host=127.0.0.1 port={primary.port} user=postgres application_name={self.name}"
        self.ask(f"ALTER SYSTEM SET primary_conninfo = '{source}'")
        self.ask("SELECT pg_reload_conf()")

    def start(self) -> None:
        options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c cluster_name={self.name}"
        )
        self.run(
            "pg_ctl", "start", "-w", "-s", "-D", str(self.data), "-o", options, "-l", str(self.home / "server.log")
        )

    def promote(self) -> None:
        self.run("pg_ctl", "promote", "-w", "-s", "-D", str(self.data))

    def kill(self) -> None:
        """With SIGKILL, and every backend of it."""
        with_pid = self.data / "postmaster.pid"
        if not with_pid.exists():
            return
        pid = int(with_pid.read_text().split("\n", 1)[0])
        for process in family(pid):
            with suppress(psutil.Error):
                process.kill()
        with_pid.unlink(missing_ok=True)

    def stop(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "stop", "-w", "-s", "-D", str(self.data), "-m", "immediate")

    def received(self) -> int:
        """Bytes of the log that a standby has on its disk."""
        return int(self.ask("SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')")[0])

    def standbys(self) -> int:
        """How many stream from it."""
        return int(self.ask("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")[0])

    def ask(self, statement: str, database: str = "postgres") -> Any:
        with psycopg.connect(
            host="127.0.0.1", port=self.port, user="postgres", dbname=database, autocommit=True
        ) as one:
            done = one.execute(statement)
            return done.fetchone() if done.description else None

    def run(self, program: str, *arguments: str, given: str = "") -> str:
        done = subprocess.run(
            [str(self.stack.bin / program) if (self.stack.bin / program).exists() else program, *arguments],
            input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/", check=False,
            **self.stack.unprivileged,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stdout}")
        return done.stdout

    def _own_home(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            shutil.chown(self.home, self.stack.account.uid, self.stack.account.gid)
