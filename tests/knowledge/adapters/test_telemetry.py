"""ONNX Runtime reports its use to its vendor unless it is told otherwise before it is loaded."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
APPS = ("accounts", "knowledge", "skills", "sessions_app", "config")

# Says what the variable is at the moment when onnxruntime is looked for.
WATCH = """
import importlib, os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "onnxruntime":
            print("telemetry off:", os.environ.get("ORT_DISABLE_TELEMETRY"), flush=True)
sys.meta_path.insert(0, Watch())
if sys.argv[1] != "knowledge.adapters.embedder_export":
    import django
    django.setup()
importlib.import_module(sys.argv[1])
importlib.import_module("knowledge.adapters.embedder")
"""


@pytest.mark.slow
class TestEachProgram:
    @pytest.mark.parametrize(
        "program",
        [
            "config.asgi",
            "config.wsgi",
            "config.celery",
            "knowledge.adapters.embedder_export",
            "knowledge.adapters.judge_nli",
            "sessions_app.management.commands.benchmark",
            "sessions_app.management.commands.evaluate",
        ],
    )
    def test_loads_it_with_its_telemetry_off(self, program: str) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
        environment |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
        done = subprocess.run(
            [sys.executable, "-c", WATCH, program], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[0] == "telemetry off: 1"


class TestEveryModule:
    def test_that_loads_it_is_in_the_package_that_switches_it_off(self) -> None:
        found = set()
        for app in APPS:
            for file in (ROOT / app).rglob("*.py"):
                names = {
                    name
                    for node in ast.walk(ast.parse(file.read_text()))
                    for name in (
                        [alias.name for alias in node.names]
                        if isinstance(node, ast.Import)
                        else [node.module or ""]
                        if isinstance(node, ast.ImportFrom)
                        else []
                    )
                }
                if any(name.partition(".")[0] == "onnxruntime" for name in names):
                    found.add(file.relative_to(ROOT).parent.as_posix())
        assert found == {"knowledge/adapters"}
