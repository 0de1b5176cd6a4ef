"""Rows are held so that others may refer to them meanwhile: what a lock must not stop, and that every lock is such."""

import ast
from pathlib import Path

from django.db import connection, transaction

from accounts.models import LogEntry, Team
from tests.conftest import NOW
from tests.factories import make_insight
from tests.together import together

ROOT = Path(__file__).resolve().parent.parent
APPS = ("accounts", "knowledge", "skills", "sessions_app", "config")


def locks():
    """Every call of select_for_update in the product: (where, the names of its keywords)."""
    for app in APPS:
        for file in sorted((ROOT / app).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "select_for_update":
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", {word.arg for word in node.keywords}


class TestLocks:
    """A row that is inserted is checked at COMMIT for what it refers to, with FOR KEY SHARE. A plain FOR UPDATE stops
    that: who deposits holds the team and waits for an insight, who rates holds the insight and cannot commit its line
    of the team's log. FOR NO KEY UPDATE keeps writers of the row apart and lets references through.
    """

    def test_leave_others_their_references(self):
        found = dict(locks())
        assert len(found) > 40
        assert [where for where, words in found.items() if "no_key" not in words] == []

    def test_let_a_line_of_the_log_be_written_while_the_team_is_held(self, transactional_db, alice, platform):
        insight = make_insight(by=alice)

        def note():
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '2s'")
                LogEntry.write(team_id=platform.pk, subject=insight.ref, verb="rated", line="rated", by=alice, at=NOW)
            return "written"

        with transaction.atomic():
            Team.objects.select_for_update(no_key=True).get(pk=platform.pk)
            assert together(note) == ["written"]
