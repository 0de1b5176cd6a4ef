"""`manage.py benchmark`: a small run of the whole, and what the command refuses."""

import json
import os
import subprocess
import sys
from io import StringIO

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from knowledge.models import Insight
from sessions_app.adapters.web import database_url
from sessions_app.lab import throwaway
from sessions_app.lab.throwaway import RESUMABLE, SUFFIX
from tests.cases import cases
from tests.factories import make_insight

SIZE = 200
QUERIES = 5
PASSAGES = 120
# The command in a process of its own, with two things spared: its databases begin as copies of a migrated one, as they
# do in every test here (conftest.py), and neighbours are counted for a few questions, not for fifty in each team.
PROGRAM = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
from django.core.management import execute_from_command_line
django.setup()
from sessions_app.lab import throwaway
from sessions_app.lab.benchmark import benchmark, conversations
throwaway.TEMPLATE = sys.argv.pop(1)
benchmark.RECALLED, benchmark.WARM, conversations.WARM = 5, 5, 5
execute_from_command_line(["manage.py", *sys.argv[1:]])
"""
# Round trips of any page, and its weight over the wire with all it loads but pictures.
MOST_STATEMENTS = 20
HEAVIEST_KB = 90


@pytest.mark.slow
class TestRun:
    @pytest.fixture
    def run(self, migrated, transactional_db, alice, tmp_path):
        """In a process of its own, as it is meant, on the tests' database, which holds one insight."""
        make_insight(alice)
        program = [sys.executable, "-c", PROGRAM, throwaway.TEMPLATE]
        program += ["benchmark", "--sizes", str(SIZE), "--queries", str(QUERIES)]
        file = tmp_path / "figures" / "benchmark.json"
        environment = os.environ | {"DATABASE_URL": database_url(), "LOAM_VAR": str(settings.VAR), "PRODUCTION": "off"}
        done = subprocess.run(
            [*program, "--clients", "3", "--passages", str(PASSAGES), "--json", str(file)],
            cwd=settings.BASE_DIR,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, json.loads(file.read_text())

    def test_measures_what_it_should_and_leaves_nothing_behind(self, run):
        printed, figures = run
        (one,) = figures["sizes"]
        self._has_figures(one)
        self._has_plans(one)
        self._has_pages(one)
        assert 0 < one["replay"]["questions"] <= one["replay"]["recorded"]
        assert one["replay"]["reports"] > 0
        self._has_conversations(one["conversations"])
        assert "| 200 " in printed and "200, hundredth" in printed
        assert "orientation, by the server" in printed and "Stop hook" in printed
        assert figures["machine"]["cores"] >= 1 and figures["versions"]["postgresql"]
        assert Insight.objects.count() == 1
        assert left_behind() == []
        assert "| CPU of a query |" in printed
        assert one["disk_mb"]["database"] > one["disk_mb"]["table"] > 0 and one["disk_mb"]["insight_near"] > 0
        assert one["query"]["web_ms"] > 0 and one["deposit"]["web_ms"] > 0

    def _has_figures(self, one):
        assert one["insights"] == SIZE
        assert (one["query"]["count"], one["query"]["errors"]) == (QUERIES, 0)
        assert 0 < one["query"]["p50"] <= one["query"]["p95"] <= one["query"]["p99"]
        assert (one["sustained"]["count"], one["sustained"]["errors"]) == (3 * QUERIES, 0)
        assert one["sustained"]["per_second"] > 0
        assert (one["deposit"]["count"], one["deposit"]["errors"]) == (QUERIES, 0)
        start, hooks = one["doorway"]["start"], one["doorway"]["hooks"]
        assert (one["sessions"], start["count"], start["errors"]) == (SIZE // 10, QUERIES, 0)
        assert 0 < start["p50"] <= start["p95"]
        assert list(hooks) == ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"]
        for event, hook in hooks.items():
            assert hook["count"] == QUERIES, event
            assert 0 < hook["p50"] <= hook["p95"], event
            # On a machine as busy as one that runs tests some may be late.
            assert hook["silent"] < hook["count"], event
        assert 0 < one["statements"]["insights"] <= 7
        assert 0 < one["statements"]["default"] <= 14

    def _has_conversations(self, found):
        assert (found["passages"], found["sessions"]) == (PASSAGES, 2)
        for what in ("query", "deposit"):
            assert found[what]["errors"] == 0
            for side in ("without", "with"):
                assert found[what][side]["count"] == QUERIES
                assert found[what][side]["p50"] > 0 and found[what][side]["processor_ms"] > 0
        assert min(found["memory_mb"].values()) > 0
        assert found["indexing"]["passages"] == PASSAGES and found["indexing"]["per_processor_second"] > 0

    def _has_pages(self, one):
        pages = one["pages"]
        assert {name: page["errors"] for name, page in pages.items() if page["errors"]} == {}
        assert len(pages) > 30
        for name, page in pages.items():
            assert 0 < page["p50"] <= page["p95"], name
            assert 0 < page["statements"] <= MOST_STATEMENTS, name
            assert 0 < page["wire_kb"] <= HEAVIEST_KB, name

    def _has_plans(self, one):
        teams = one["teams"]
        assert list(teams) == ["thousandth", "hundredth", "tenth", "third", "rest", "all"]
        assert teams["all"]["insights"] == sum(teams[slug]["insights"] for slug in list(teams)[:-1])
        assert teams["all"]["insights"] == SIZE + one["deposit"]["count"]
        assert teams["hundredth"]["insights"] < teams["tenth"]["insights"] < teams["third"]["insights"]
        # So few rows are sorted or read whole, whichever the planner prefers: every neighbour is found.
        assert all(team["recall_at_10"] == 1.0 for team in teams.values())


class TestCommand:
    @cases(
        "words", [["--sizes", "0"], ["--sizes", "10,x"], ["--queries", "-3"], ["--clients", "many"], ["--sizes", ""]]
    )
    def test_refuses_what_is_no_number(self, words):
        with pytest.raises(CommandError):
            call_command("benchmark", *words, stdout=StringIO())


def left_behind() -> list[str]:
    with psycopg.connect(**connection.get_connection_params()) as server:
        found = server.execute(
            "SELECT datname FROM pg_database WHERE datname LIKE ANY(%s)", [[f"%{SUFFIX}%", f"%{RESUMABLE}%"]]
        )
        return [name for (name,) in found.fetchall()]
