import os
import subprocess
import sys

import pytest

from config.database.embedded import BASE_DIR
from tests.config.running import new_var

pytestmark = pytest.mark.slow


@pytest.fixture
def var():
    with new_var() as folder:
        yield folder


class TestManage:
    def run(self, *words, **environment):
        return subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=BASE_DIR,
            env=os.environ | {"DATABASE_URL": ""} | environment,
            capture_output=True,
            text=True,
        )

    def test_runs_a_command_with_the_server_and_stops_it(self, var):
        script = "from django.db import connection; c = connection.cursor(); c.execute('SELECT 7'); print(c.fetchone())"
        done = self.run("shell", "--no-imports", "-c", script, LOAM_VAR=str(var))
        assert done.stdout.splitlines()[-1] == "(7,)", done.stderr
        assert not (var / "postgres/data/postmaster.pid").exists()

    def test_leaves_it_alone_when_there_is_another_database(self, var):
        url = "postgres://nobody@localhost:9/nothing"
        done = self.run("shell", "--no-imports", "-c", "print(7)", LOAM_VAR=str(var), DATABASE_URL=url)
        assert done.stdout.splitlines()[-1] == "7", done.stderr
        assert not (var / "postgres").exists()

    def test_starts_nothing_for_help(self, var):
        assert "usage:" in self.run("migrate", "--help", LOAM_VAR=str(var)).stdout
        assert not (var / "postgres").exists()

    def test_says_in_one_line_why_there_is_no_database(self, var):
        var.mkdir()
        (var / "postgres").symlink_to("/nowhere/at/all")
        done = self.run("shell", "-c", "print(7)", LOAM_VAR=str(var))
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
