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

# Says what the variable is at the moment when onnxruntime is first looked for, and ends there.
WATCH = """
import importlib, os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "onnxruntime":
            print("telemetry off:", os.environ.get("ORT_DISABLE_TELEMETRY"), flush=True)
            os._exit(0)
sys.meta_path.insert(0, Watch())
import django
django.setup()
importlib.import_module("knowledge.adapters.embedder")
"""


@pytest.mark.slow
def test_the_embedder_loads_it_with_its_telemetry_off() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run([sys.executable, "-c", WATCH], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["telemetry off: 1"]


class TestEveryModule:
    def test_that_loads_it_is_in_the_package_that_switches_it_off(self) -> None:
        """So that every program does: Python runs a package's __init__ before any of its modules."""
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
                    found.add(file.relative_to(ROOT).parts[0])
        assert found == {"knowledge"}
