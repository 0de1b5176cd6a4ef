"""The alert rules and the dashboard for Prometheus and Grafana: what they ask for is exported, and each alert fires."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts.adapters import replica
from accounts.models import JobRun
from config.database import server_state
from config.database.backup_record import record_backup
from config.database.server_state import ReplicationSlot, Standby
from config.monitoring import database_metrics, metrics
from knowledge.models import Pair
from tests.cases import cases
from tests.config.test_docs import slugs

OPERATIONS = Path(settings.BASE_DIR) / "docs" / "operations"
FOLDER = OPERATIONS / "monitoring"
RULES = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"][0]["rules"]
TESTS = yaml.safe_load((FOLDER / "alerts_test.yml").read_text())["tests"]
PANELS = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
EXPRESSIONS = [rule["expr"] for rule in RULES] + [one["expr"] for panel in PANELS for one in panel["targets"]]

NAME = re.compile(r"\bloam_\w+")
LABELS = re.compile(r"(loam_\w+)\{([^}]*)\}")


@pytest.fixture
def exported(client: Client, db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """Each exported sample with the labels it has."""
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)
    now = timezone.now()
    JobRun.objects.create(name="lifecycle.fade", started_at=now, finished_at=now, outcome="done")
    for counter in (metrics.QUERIES, metrics.DEPOSITS, metrics.DEGRADED):
        counter.labels("one").inc(0)
    metrics.PHASES.labels("whole").observe(0)
    metrics.REQUESTS.labels("api:query", "POST", "2xx").observe(0)
    standby, slot = Standby("node2", True, 0), ReplicationSlot("node2", True, 0, False)
    monkeypatch.setattr(server_state, "standbys", lambda: [standby])
    monkeypatch.setattr(server_state, "replication_slots", lambda: [slot])
    monkeypatch.setattr(replica, "configured", lambda: True)
    monkeypatch.setattr(replica, "ask", lambda alias, statement: 0)
    record_backup("/backups/a.dump", began=now, now=now, size=1)
    database_metrics.kept.forget()
    text = client.get("/metrics", REMOTE_ADDR="127.0.0.1").content.decode()
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


class TestWhatTheyAskFor:
    def test_is_exported(self, exported: dict[str, set[str]]) -> None:
        assert {name for one in EXPRESSIONS for name in NAME.findall(one)} <= set(exported)

    def test_has_these_labels(self, exported: dict[str, set[str]]) -> None:
        asked = {(name, label) for one in EXPRESSIONS for name, some in LABELS.findall(one)
                 for label in re.findall(r"(\w+)\s*[=!]", some)}  # fmt: skip
        assert asked
        for name, label in asked:
            assert label.removeprefix("exported_") in exported[name], name

    def test_names_questions_of_pairs_and_outcomes_as_they_are(self) -> None:
        questions = {series for one in TESTS for series in re.findall(r'question="(\w+)"', json.dumps(one))}
        assert questions <= set(Pair.Question.values)


class TestEachAlert:
    @cases("rule", RULES, ids=lambda rule: rule["alert"])
    def test_has_a_runbook_and_is_fired_and_silent_once(self, rule: dict[str, Any]) -> None:
        page, _, heading = rule["annotations"]["runbook"].partition("#")
        assert heading in slugs((OPERATIONS / page).read_text())
        outcomes = [
            bool(test["exp_alerts"])
            for one in TESTS
            for test in one["alert_rule_test"]
            if test["alertname"] == rule["alert"]
        ]
        assert sorted(outcomes) == [False, True]

    @pytest.mark.skipif(not shutil.which("promtool"), reason="promtool (Debian: prometheus) is not installed")
    def test_fires_in_prometheus(self) -> None:
        done = subprocess.run(
            ["promtool", "test", "rules", "alerts_test.yml"], cwd=FOLDER, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_each_panel_has_a_title_of_its_own_and_fits_the_grid() -> None:
    titles = [panel["title"] for panel in PANELS]
    assert len(set(titles)) == len(titles) == len({panel["id"] for panel in PANELS})
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in PANELS)
