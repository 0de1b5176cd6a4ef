"""PostgreSQL servers of a test's own, a primary and what is made of it: as the several-machines trial starts them."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from django.db import connection

from config.database.embedded import _unprivileged
from config.database.postgres import SystemUser, programs
from tests.trials.node import NODES, Node
from tests.trials.several import Several


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@contextmanager
def servers() -> Iterator[dict[str, Node]]:
    """By name, none of them started; all are stopped at the end. Their folder is one that the server's user reaches."""
    root = os.geteuid() == 0
    account = _unprivileged() if root else SystemUser("", os.geteuid(), os.getegid())
    folder = Path(tempfile.mkdtemp(prefix="loam-servers-"))
    folder.chmod(0o755)
    ports = {name: free_port() for name in NODES}
    stack = SimpleNamespace(
        folder=folder,
        ports=SimpleNamespace(node=ports.__getitem__),
        password="no-secret",
        account=account,
        unprivileged={"user": account.uid, "group": account.gid, "extra_groups": []} if root else {},
    )
    (folder / "programs").mkdir()
    if root:
        shutil.chown(folder / "programs", account.uid, account.gid)
    stack.bin = programs(account, folder / "programs")
    found = {name: Node(cast(Several, stack), name) for name in NODES}
    try:
        yield found
    finally:
        for node in found.values():
            node.kill()
        shutil.rmtree(folder, ignore_errors=True)


def add_settings(node: Node, *lines: str) -> None:
    """Settings of one server, which it has from its next start."""
    with (node.data / "postgresql.conf").open("a") as settings:
        settings.write("\n".join(["", *lines, ""]))


def url(node: Node) -> str:
    return f"postgres://postgres@127.0.0.1:{node.port}/loam"


def copy_test_database(to: Node) -> None:
    """What the tests' database has committed, into the database `loam` of that server."""
    given: dict[str, Any] = connection.get_connection_params()
    where = [f"--host={given['host']}", f"--port={given.get('port') or 5432}", f"--username={given['user']}"]
    dump = subprocess.run(
        [str(to.stack.bin / "pg_dump"), *where, "--no-password", "--no-owner", "--format=custom", given["dbname"]],
        env=os.environ | {"PGPASSWORD": str(given.get("password", ""))},
        stdout=subprocess.PIPE,
        check=True,
    )
    there = ["--host=127.0.0.1", f"--port={to.port}", "--username=postgres", "--dbname=loam", "--no-owner"]
    subprocess.run([str(to.stack.bin / "pg_restore"), *there, "--no-comments"], input=dump.stdout, check=True)
