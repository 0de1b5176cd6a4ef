"""A PgBouncer in front of the tests' database. Debian has it; a test that needs it is skipped where it is missing."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from config.database.embedded import _unprivileged

INI = """
[databases]
* = host={host} port={port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = plain
auth_file = {folder}/users.txt
pool_mode = transaction
default_pool_size = {size}
"""


def installed() -> bool:
    return shutil.which("pgbouncer") is not None


@contextmanager
def pgbouncer(folder: Path, size: int = 1) -> Iterator[int]:
    """Its port; transactions share `size` connections to the server. `folder`: one that only this user reaches."""
    given = connection.settings_dict
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    host = given["HOST"] or "127.0.0.1"
    (folder / "users.txt").write_text(f'"{given["USER"]}" "{given["PASSWORD"]}"\n')
    ini = folder / "pgbouncer.ini"
    ini.write_text(INI.format(host=host, port=given["PORT"] or 5432, listen=port, folder=folder, size=size))
    account = {}
    if os.geteuid() == 0:  # which it refuses
        nobody = _unprivileged()
        account = {"user": nobody.uid, "group": nobody.gid, "extra_groups": []}
        for path in (folder, *folder.iterdir()):
            os.chown(path, nobody.uid, nobody.gid)
        for parent in folder.parents:
            if parent.stat().st_uid == 0 and not parent.stat().st_mode & 1:
                parent.chmod(parent.stat().st_mode | 0o011)
    process = subprocess.Popen(["pgbouncer", "-q", str(ini)], cwd="/", **account)  # type: ignore[call-overload]
    try:
        _wait(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(10)


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        assert process.poll() is None, "pgbouncer did not start"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("pgbouncer does not listen")
