"""The one file as a file: for any Python from 3.9, with the server's own rules in it, of the standard library alone."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from accounts.rules.guard import detection
from sessions_app.adapters.client_file import ROOT, client_file, join_client
from sessions_app.client.src.late import LatePattern
from sessions_app.client.src.masking import mask, masked_short
from tests.cases import cases
from tests.sessions_app.client.machine import Machine

TREE = ast.parse(join_client(), feature_version=(3, 9))
OLD = "3.9"
SAMPLES = [
    "AKIA" + "Q3EXZ7WLM2PRTYHK",
    "password = 'kT9#vLq2!xRm'",
    "postgres://app:q8Zt4vLw9Rk2@db.internal.acme.io/shop",
    "mail jane.miller@globex.com or call +49 30 901820",
    "nothing to hide: git push --force-with-lease\u200b, version 1.2.3",
    'token = "ghp_" + "' + "a7Kq2Zx9Lm4" * 3 + '"\nDEPLOY_PAT=' + "kT9vLq2xRm" * 3,
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
    def test_is_the_same_bytes_wherever_it_is_joined(self) -> None:
        """In another process, with another seed for the order of sets, from another folder."""
        code = "from sessions_app.adapters.client_file import client_file; print(client_file().sha256)"
        env = {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7", "LC_ALL": "C"}
        done = subprocess.run([sys.executable, "-c", code], env=env, cwd="/", capture_output=True, text=True)
        assert done.stdout.strip() == client_file().sha256

    def test_needs_no_folder_that_can_be_written(self) -> None:
        """It is joined in memory: a checkout serves it with no step before."""
        assert not list(ROOT.glob("sessions_app/client/loam.py"))

    def test_names_nothing_of_the_machine_it_was_joined_on(self) -> None:
        assert str(ROOT) not in join_client()

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
    def test_has_one_copy_in_the_repository(self) -> None:
        pattern = "(?i:p[a4@]ss(?:w[o0]rd|wd|phrase)?"
        found = [path for path in ROOT.glob("[a-z]*_app/**/*.py") if pattern in path.read_text()]
        assert (found, pattern in join_client()) == ([], True)

    @cases("text", SAMPLES)
    def test_masks_as_the_server_does(self, text: str) -> None:
        server = detection.redact_personal(detection.redact_secrets(detection.strip_invisible(text).text)[0])[0]
        assert mask(text) == server

    def test_masks_before_it_cuts(self) -> None:
        text = "x" * 90 + " " + SAMPLES[0]
        assert masked_short(text, 100) == "x" * 90 + " [SECRET]"


class TestItsExpressions:
    def test_are_compiled_when_they_are_asked(self) -> None:
        """All at once they took two thirds of the time in which the file is loaded, by every hook."""
        late = LatePattern("(?P<word>a+)", re.IGNORECASE)
        assert "search" not in vars(late)
        match = late.search("bAAc")
        assert match and match["word"] == "AA" and "search" in vars(late)
        assert (late.pattern, late.sub("x", "bAAc"), late.groupindex["word"]) == ("(?P<word>a+)", "bxc", 1)

    def test_are_all_such_in_the_file(self) -> None:
        calls = [ast.unparse(node.func) for node in ast.walk(TREE) if isinstance(node, ast.Call)]
        assert calls.count("LatePattern") > 200
        assert calls.count("re.compile") == 1, "that of LatePattern itself"
