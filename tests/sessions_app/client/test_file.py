"""The one file as a file: for any Python from 3.9, with the server's own rules in it, of the standard library alone."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from accounts.rules import guard
from sessions_app.actions.bundle import bundled
from sessions_app.adapters.client_file import PLACE
from sessions_app.client import loam
from tests.sessions_app.client.machine import Machine

TREE = ast.parse(PLACE.read_text(), feature_version=(3, 9))
OLD = "3.9"
SAMPLES = [
    "AKIA" + "Q3EXZ7WLM2PRTYHK",
    "password = 'kT9#vLq2!xRm'",
    "postgres://app:q8Zt4vLw9Rk2@db.internal.acme.io/shop",
    "mail jane.miller@globex.com or call +49 30 901820",
    "nothing to hide: git push --force-with-lease\u200b, version 1.2.3",
    "the token is AKIAIOSFODNN7EXAMPLE",
]


def old_python() -> str | None:
    """An interpreter of the oldest Python that the client is for, if this machine has one that runs."""
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{OLD}.*/bin/python3"))
    for found in [shutil.which(f"python{OLD}"), *map(str, pyenv)]:
        if found and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
            return found
    return None


class TestTheFile:
    def test_imports_the_standard_library_only(self) -> None:
        names = set()
        for node in ast.walk(TREE):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add((node.module or "").partition(".")[0])
        assert names <= sys.stdlib_module_names

    def test_defines_no_name_twice(self) -> None:
        """The copied rules and the client's own words live in one module."""
        names = [node.name for node in TREE.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        for node in TREE.body:
            if isinstance(node, ast.Assign):
                names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        assert sorted(names) == sorted(set(names))

    def test_keeps_its_functions_short(self) -> None:
        functions = [node for node in ast.walk(TREE) if isinstance(node, ast.FunctionDef)]
        long = {f.name: (f.end_lineno or 0) - f.lineno + 1 for f in functions}
        assert {name: lines for name, lines in long.items() if lines > 40} == {}

    @pytest.mark.slow
    def test_runs_on_the_oldest_python_it_names(self, machine: Machine) -> None:
        machine.python = old_python() or pytest.skip(f"no Python {OLD} here")
        done = machine.hook("SessionStart", source="startup")
        assert "loam-s-1" in done.json["hookSpecificOutput"]["additionalContext"]
        assert machine.run("install", "codex", "--yes").status == 0
        assert machine.run("guard", "scan", ".").status == 0


class TestTheGuardInIt:
    def test_is_the_servers(self) -> None:
        """Else: `manage.py bundle_client`."""
        assert bundled() == PLACE.read_text()

    @pytest.mark.parametrize("text", SAMPLES)
    def test_masks_as_the_server_does(self, text: str) -> None:
        server = guard.redact_personal(guard.redact_secrets(guard.strip_invisible(text).text)[0])[0]
        assert loam.mask(text) == server

    def test_masks_before_it_cuts(self) -> None:
        text = "x" * 90 + " " + SAMPLES[0]
        assert loam.masked_short(text, 100) == "x" * 90 + " [SECRET]"
