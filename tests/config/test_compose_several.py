"""compose.several.yaml: the settings of compose.yaml, on parts that start as their files say."""

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from django.conf import settings

from config.database import pooling
from config.database.server_state import needed_by
from tests.cases import cases
from tests.config.running import wait_until
from tests.servers import free_port, servers
from tests.trials import several

ROOT = Path(settings.BASE_DIR)
FILES = ROOT / "docs" / "operations" / "several"
SEVERAL: dict[str, Any] = yaml.safe_load((ROOT / "compose.several.yaml").read_text())
SINGLE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
PARTS: dict[str, dict[str, Any]] = SEVERAL["services"]
OURS = {name: part for name, part in PARTS.items() if part.get("image") == "loam:0.1.0"}
NODES = [name for name in PARTS if name.startswith("node")]
# What is between Loam and PostgreSQL, and before it.
OTHERWISE = {"DATABASE_URL", "DATABASE_POOLER", "DATABASE_REPLICA_URL", "TRUSTED_PROXY_COUNT"}


def count(name: str) -> int:
    return int(PARTS[name].get("deploy", {}).get("replicas", 1))


class TestTheFile:
    def test_has_the_parts_of_several_machines(self) -> None:
        """As many as the stack of local processes has, but for the beat that only stands by there."""
        assert [count(name) for name in ("worker", "bulk", "beat", "redis", "pgbouncer", "haproxy")] == [
            2,
            2,
            1,
            1,
            1,
            1,
        ]
        assert sorted(OURS) == ["beat", "bulk", "migrate", "web1", "web2", "worker"]
        assert tuple(NODES) == several.NODES
        assert len([name for name in OURS if name.startswith("web")]) == len(several.MACHINES) == count("worker")

    @cases("name", sorted(OURS))
    def test_passes_settings_as_the_single_one_does(self, name: str) -> None:
        given, single = OURS[name]["environment"], SINGLE["services"]["web"]["environment"]
        assert list(given) == list(single)
        assert {key for key in given if given[key] != single[key]} == OTHERWISE

    @cases("name", sorted(set(OURS) - {"migrate"}))
    def test_goes_by_pgbouncer_and_reads_from_a_standby(self, name: str) -> None:
        given = OURS[name]["environment"]
        pooler = re.findall(r"^listen_port = (\d+)", (FILES / "pgbouncer.ini").read_text(), re.MULTILINE)
        assert f"@pgbouncer:{pooler[0]}/loam}}" in given["DATABASE_URL"]
        assert f"@pgbouncer:{pooler[0]}/loam_replica}}" in given["DATABASE_REPLICA_URL"]
        assert given["DATABASE_POOLER"] == f"${{DATABASE_POOLER:-{pooling.TRANSACTION}}}"

    def test_migrates_by_postgresql_itself(self) -> None:
        given = OURS["migrate"]["environment"]
        assert "@${POSTGRES_PRIMARY:-node1}:5432/loam" in given["DATABASE_URL"]
        assert given["DATABASE_POOLER"] == given["DATABASE_REPLICA_URL"] == ""
        assert set(OURS["migrate"]["depends_on"]) == {"node1", "node2", "redis"}

    @cases("name", ["web1:web", "web2:web", "worker", "bulk", "beat", "migrate", "redis"])
    def test_runs_what_the_single_one_runs(self, name: str) -> None:
        ours, _, theirs = name.partition(":")
        skipped = {"environment", "depends_on", "deploy", "ports"}
        single = SINGLE["services"][theirs or ours]
        assert {k: v for k, v in PARTS[ours].items() if k not in skipped} == {
            k: v for k, v in single.items() if k not in skipped
        }

    @cases("name", sorted(PARTS))
    def test_gives_each_container_what_it_needs_and_no_more(self, name: str) -> None:
        part = PARTS[name]
        assert (part["read_only"], part["cap_drop"]) == (True, ["ALL"])
        assert part["security_opt"] == ["no-new-privileges:true"]
        assert part["user"].split(":")[0] not in {"", "0", "root"} and not part.get("privileged")
        assert set(part.get("depends_on", ())) <= set(PARTS)

    def test_takes_images_by_exact_tags(self) -> None:
        images = {part["image"] for part in PARTS.values()} - {"loam-pgbouncer:0.1.0"}
        images |= set(re.findall(r"^FROM (\S+)", PARTS["pgbouncer"]["build"]["dockerfile_inline"], re.MULTILINE))
        assert all(re.search(r":\d+\.\d+\.\d+(-|$)", image) for image in images)
        single = {part["image"] for part in SINGLE["services"].values()}
        assert images - single == {"haproxy:3.2.24-alpine"}

    def test_mounts_files_that_are_there(self) -> None:
        mounts = [one for part in PARTS.values() for one in part.get("volumes", ()) if one.startswith("./")]
        assert len(mounts) == 4 * len(NODES) + 3
        assert [one for one in mounts if not (ROOT / one.split(":")[0]).is_file() or not one.endswith(":ro")] == []
        kept = {f"{name}:/var/lib/postgresql/data" for name in NODES}
        assert kept == {one for part in PARTS.values() for one in part.get("volumes", ()) if one.startswith("node")}
        assert {*NODES, "evidence"} == set(SEVERAL["volumes"])

    def test_is_only_reached_through_the_balancer(self) -> None:
        assert {name: part["ports"] for name, part in PARTS.items() if "ports" in part} == {
            "haproxy": ["127.0.0.1:8000:8000"]
        }

    def test_sets_of_the_role_what_a_session_cannot_have(self) -> None:
        said = (FILES / "first-primary.sh").read_text()
        assert all(f"SET {name} = {value};" in said for name, value in pooling.SESSION_SETTINGS.items())
        (names,) = re.findall(r"synchronous_standby_names = '(.*)'", said)
        assert needed_by(names, "on") == 1 and set(re.findall(r"node\d", names)) == set(NODES)


@pytest.mark.skipif(not shutil.which("haproxy"), reason="haproxy is not installed: apt-get install haproxy")
def test_the_balancer_takes_its_file_with_these_addresses() -> None:
    given = PARTS["haproxy"]["environment"]
    done = subprocess.run(
        ["haproxy", "-c", "-f", str(FILES / "haproxy.cfg")], env=os.environ | given, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert given == {"BIND": ":8000", "WEB1": "web1:8000", "WEB2": "web2:8000"}


# What the image's own entrypoint does: the first time it makes a cluster and runs what is in its folder; then it is the
# server.
ENTRYPOINT = """#!/bin/sh
set -eu
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    echo "$POSTGRES_PASSWORD" > "$PGDATA.password"
    initdb -D "$PGDATA" -E UTF8 -U "$POSTGRES_USER" --pwfile="$PGDATA.password" --auth-local=trust
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    shift
    pg_ctl start -w -D "$PGDATA" -o "$* -c listen_addresses='' -c unix_socket_directories=$PGDATA" -l "$PGDATA.log"
    export PGHOST="$PGDATA"
    createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
    "$FIRST"
    unset PGHOST
    pg_ctl stop -w -D "$PGDATA" -m fast
    set -- postgres "$@"
fi
exec "$@" -c unix_socket_directories=
"""
HOSTS = dict(zip(NODES, ("127.0.7.1", "127.0.7.2", "127.0.7.3"), strict=True))


class Containers:
    """The nodes and PgBouncer as their containers run them, with the wheel's PostgreSQL, an address for each node."""

    def __init__(self, stack: Any) -> None:
        self.stack, self.port, self.home = stack, free_port(), stack.folder / "containers"
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.said: dict[str, Path] = {}
        self._make(self.home)
        for name in ("primary.conf", "start-node.sh", "first-primary.sh", "start-pgbouncer.sh", "pgbouncer.ini"):
            shutil.copy(FILES / name, self.home)
        (self.home / "bin").mkdir()
        (self.home / "bin" / "docker-entrypoint.sh").write_text(ENTRYPOINT)
        (self.home / "bin" / "docker-entrypoint.sh").chmod(0o755)

    def _make(self, folder: Path) -> None:
        folder.mkdir()
        if self.stack.unprivileged:
            shutil.chown(folder, self.stack.account.uid, self.stack.account.gid)

    def start(self, node: str, *, primary: str) -> None:
        data = self.home / node
        if not data.exists():
            self._make(data)
        config = self.home / f"{node}.conf"
        text = (FILES / "server.conf").read_text().replace("'*'", f"'{HOSTS[node]}'").replace("512MB", "16MB")
        config.write_text(f"{text}\nport = {self.port}\nfsync = off\n")
        # Addresses stand for names: a standby is known by its own.
        given = {"NODE": node, "PRIMARY": primary, "HOSTS": ",".join(HOSTS.values()), "CONFIG": str(config)}
        self.spawn(node, "start-node.sh", PGDATA=str(data), FIRST=str(self.home / "first-primary.sh"), **given)

    def spawn(self, name: str, script: str, **given: str) -> None:
        known = {"POSTGRES_USER": "loam", "POSTGRES_DB": "loam", "POSTGRES_PASSWORD": "no-secret", "LC_ALL": "C"}
        known |= {"PATH": f"{self.home / 'bin'}:{self.stack.bin}:{os.environ['PATH']}", "PGPORT": str(self.port)}
        self.said[name] = self.home / f"{name}.said"
        with self.said[name].open("wb") as said:
            self.running[name] = subprocess.Popen(
                ["sh", str(self.home / script)], env=known | given, cwd="/", start_new_session=True, stdout=said,
                stderr=said, **self.stack.unprivileged,
            )  # fmt: skip

    def ask(self, node: str, statement: str, port: int = 0) -> Any:
        host = HOSTS.get(node, "127.0.0.1")
        given = {"user": "loam", "password": "no-secret", "connect_timeout": 5, "autocommit": True}
        with psycopg.connect(host=host, port=port or self.port, dbname="loam", prepare_threshold=None, **given) as one:
            done = one.execute(statement)
            return done.fetchall() if done.description else None

    def standbys(self, primary: str) -> dict[str, str]:
        try:
            return dict(self.ask(primary, "SELECT application_name, sync_state FROM pg_stat_replication"))
        except psycopg.OperationalError:
            return {}

    def kill(self, node: str) -> None:
        self.running[node].kill()
        self.running[node].wait()

    def end(self) -> None:
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture
def containers() -> Iterator[Containers]:
    try:
        socket.create_server(("127.0.7.1", 0)).close()
    except OSError:
        pytest.skip("this system has no further loopback addresses")
    with servers() as nodes:
        made = Containers(next(iter(nodes.values())).stack)
        try:
            yield made
        finally:
            made.end()


@pytest.mark.slow
class TestTheContainers:
    def test_of_the_nodes_become_a_primary_and_its_standbys_and_fail_over(self, containers: Containers) -> None:
        """A synchronous and an asynchronous one; the first is promoted, and the other follows it by itself."""
        for node in NODES:
            containers.start(node, primary="node1")
        wait_until(lambda: all(_answers(containers, node) for node in NODES), seconds=90)
        wait_until(lambda: containers.standbys("node1") == {"node2": "sync", "node3": "potential"}, seconds=90)
        assert containers.ask("node1", "SHOW synchronous_standby_names") == [("FIRST 1 (node2, node1, node3)",)]
        assert containers.ask("node1", "SHOW hnsw.ef_search") == [("200",)]
        containers.ask("node1", "CREATE TABLE kept AS SELECT 1 AS n")
        assert containers.ask("node2", "SELECT n FROM kept") == [(1,)]

        containers.kill("node1")
        containers.ask("node2", "SELECT pg_promote()")
        wait_until(lambda: containers.standbys("node2") == {"node3": "sync"}, seconds=90)
        containers.ask("node2", "INSERT INTO kept VALUES (2)")
        assert containers.ask("node3", "SELECT count(*) FROM kept") == [(2,)]

        # The one that was lost does not become a second primary.
        containers.start("node1", primary="node2")
        assert containers.running["node1"].wait(20) == 1
        assert "Remove the volume of node1" in containers.said["node1"].read_text()
        shutil.rmtree(containers.home / "node1")
        containers.start("node1", primary="node2")
        wait_until(lambda: containers.standbys("node2") == {"node1": "sync", "node3": "potential"}, seconds=90)

    @pytest.mark.skipif(not shutil.which("pgbouncer"), reason="pgbouncer is not installed")
    def test_of_pgbouncer_leads_to_the_primary_and_to_the_standby(self, containers: Containers) -> None:
        containers.start("node1", primary="node1")
        wait_until(lambda: _answers(containers, "node1"), seconds=60)
        port, folder = free_port(), containers.home / "pgbouncer"
        containers._make(folder)
        there = f"{HOSTS['node1']}:{containers.port}"
        containers.spawn(
            "pgbouncer", "start-pgbouncer.sh", PRIMARY=there, REPLICA=there, PORT=str(port), LISTEN="127.0.0.1",
            FROM=str(containers.home / "pgbouncer.ini"), TO=str(folder),
        )  # fmt: skip
        wait_until(lambda: _answers(containers, "pgbouncer", port), seconds=30)
        assert containers.ask("pgbouncer", "SHOW plan_cache_mode", port) == [("force_generic_plan",)]
        assert (folder / "userlist.txt").stat().st_mode & 0o077 == 0


def _answers(containers: Containers, node: str, port: int = 0) -> bool:
    try:
        return bool(containers.ask(node, "SELECT 1", port))
    except psycopg.OperationalError:
        time.sleep(0.2)
        return False
