"""A variable that cannot be read is told in one line, whichever it is, and nothing starts with it."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config.environment import Environment
from tests.cases import cases

ROOT = Path(settings.BASE_DIR)
PASSWORD = "g3h31m"
# What no setting of that kind takes.
NONSENSE = {
    "bool": "enabeld", "int": "6k", "float": "soon", "choice": "neither!", "path_of": "not a path", "shaped": "?",
    "place": "backups", "http": "loam.example.org", "origins": "loam.example.org",
    "db": f"postgres://loam:{PASSWORD}@db:none/loam", "email_url": f"mail:{PASSWORD}",
    "cache_url": f"somewhere://:{PASSWORD}@redis", "broker": f"somewhere://:{PASSWORD}@redis",
}  # fmt: skip
# Any text is one of these, or a list of texts; what is unsafe or missing is a check's to say.
ANYTHING = {
    "str": {
        "DATABASE_URL", "SECRET_KEY", "LOAM_CELL", "EMAIL_FROM", "METRICS_TOKEN", "LOAM_MODELS", "LOAM_LLM_KEY",
        "LOAM_LLM_MODEL", "LOAM_NLI_MODEL", "LOAM_NLI_TOKENIZER", "LOAM_EVIDENCE_ROOT", "LOAM_EVIDENCE_TREES",
        "LOAM_GIT", "LOAM_RIPGREP",
    },
    "list": {"SECRET_KEY_FALLBACKS", "ALLOWED_HOSTS", "LOAM_NLI_LABELS"},
}  # fmt: skip


def read_by_settings() -> set[tuple[str, str]]:
    """(method, variable) of each `env.method("VARIABLE")` of config/settings.py."""
    return {
        (node.func.attr, str(node.args[0].value))
        for node in ast.walk(ast.parse((ROOT / "config/settings.py").read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "env"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }


def run(*command: str, **given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env={**os.environ, **given}, capture_output=True, text=True, timeout=120
    )


class TestEverySetting:
    def test_has_a_kind_that_is_checked_or_takes_any_text(self) -> None:
        read = read_by_settings()
        assert len(read) > 50
        for method, names in ANYTHING.items():
            assert {name for kind, name in read if kind == method} == names
        assert {kind for kind, _ in read} - {"str", "list"} == set(NONSENSE)

    def test_that_cannot_be_read_is_told_by_name_all_at_once(self, tmp_path: Path) -> None:
        wrong = {name: NONSENSE[kind] for kind, name in read_by_settings() if kind in NONSENSE}
        done = run("manage.py", "doctor", LOAM_VAR=str(tmp_path), **wrong)
        assert done.returncode == 1
        head, *lines = done.stderr.splitlines()
        assert head == "Loam cannot start:"
        assert sorted(line.split()[0] for line in lines) == sorted(wrong)
        assert all(". Set it to " in line and line.endswith(".") for line in lines), done.stderr
        assert PASSWORD not in done.stderr

    @cases("command", ["import config.wsgi", "import config.asgi", "import config.celery as c; c.app.conf.task_queues"])
    def test_that_cannot_be_read_keeps_each_program_from_starting(self, command: str, tmp_path: Path) -> None:
        done = run("-c", command, LOAM_VAR=str(tmp_path), LOAM_RATE_LIMIT="6k")
        assert done.returncode == 1
        assert "LOAM_RATE_LIMIT is “6k”, no whole number. Set it to a whole number, 0 or more" in done.stderr
        assert "Traceback" not in done.stderr

    def test_of_a_folder_that_cannot_be_made_is_told_as_well(self, tmp_path: Path) -> None:
        (tmp_path / "static").write_text("in its place")
        done = run("manage.py", "doctor", LOAM_VAR=str(tmp_path))
        assert f"LOAM_VAR leads to {tmp_path}/static, which cannot be made (File exists)." in done.stderr
        assert "Traceback" not in done.stderr


READ = [
    ("bool", {"default": True}, "off", False),
    ("bool", {"default": True}, "", False),
    ("bool", {"default": False}, " Yes ", True),
    ("bool", {"default": True}, None, True),
    ("int", {"default": 8}, None, 8),
    ("int", {"default": 8}, "0", 0),
    ("int", {"default": 8, "least": 1}, "0", "“0”, below 1"),
    ("int", {"default": 8}, "-1", "“-1”, below 0"),
    ("int", {"default": 8}, "", 8),
    ("choice", {"default": "off", "of": ("off", "llm")}, "", "off"),
    ("path_of", {"default": "a.b.C"}, "", "a.b.C"),
    ("int", {"default": 8}, "1.5", "no whole number"),
    ("float", {"default": 8.0}, "1.5", 1.5),
    ("float", {"default": 8.0}, "nan", "no number"),
    ("float", {"default": 8.0}, "inf", "no number"),
    ("choice", {"default": "", "of": ("", "otlp"), "or_path": True}, "package.module.Class", "package.module.Class"),
    ("choice", {"default": "", "of": ("", "otlp"), "or_path": True}, "otpl", "otlp or a dotted path"),
    ("choice", {"default": "on", "of": ("on", "off")}, "a.b", "one of: on, off"),
    ("http", {"default": ""}, "http://[::1]:8000", "http://[::1]:8000"),
    ("http", {"default": ""}, "http://host:port", "not an HTTP address"),
    ("http", {"default": ""}, "ftp://host", "not an HTTP address"),
    ("broker", {"default": "filesystem://localhost"}, "redis://:p@redis:6379/0", "redis://:p@redis:6379/0"),
    ("broker", {"default": "filesystem://localhost"}, "sentinel://a:1;sentinel://b:2", "sentinel://a:1;sentinel://b:2"),
    ("broker", {"default": "filesystem://localhost"}, "redis", "not the address of a broker"),
    ("broker", {"default": "filesystem://localhost"}, "redis://:a#b@redis:6379", "not the address of a broker"),
    ("cache_url", {}, "redis://redis:6379/1", "redis://redis:6379/1"),
    ("place", {}, "/backups/", "/backups"),
    ("place", {}, "s3://bucket/loam/", "s3://bucket/loam"),
    ("place", {}, "s3:///loam", "s3://BUCKET"),
]  # fmt: skip


class TestAVariable:
    @cases("kind, more, given, expected", READ)
    def test_is_read_or_told_of(self, kind: str, more: dict[str, object], given: str | None, expected: object) -> None:
        env = Environment({} if given is None else {"NAME": given})
        found = getattr(env, kind)("NAME", **more)
        if env.faults:
            assert str(expected) in str(env.faults[0]) and found == more.get("default", "")
            with pytest.raises(SystemExit, match="Loam cannot start:\n  NAME "):
                env.require_valid()
        else:
            assert found == expected
            env.require_valid()

    @cases("given", ["postgres://u:p#w@db:5432/loam", "postgres:///loam?host=/run", "pgsql://u:p%40w@db/loam"])
    def test_of_a_database_is_read(self, given: str) -> None:
        env = Environment({"NAME": given})
        assert (env.db("NAME")["NAME"], env.faults) == ("loam", [])

    @cases("given", ["mysql://u@db/loam", "db:5432/loam", "postgres://db/", "sqlite:///loam.db"])
    def test_of_no_database_of_ours_is_told_of(self, given: str) -> None:
        env = Environment({"NAME": given})
        assert env.db("NAME") == {}
        assert "postgres://USER:PASSWORD@HOST:5432/DATABASE" in env.faults[0].right

    def test_that_is_nearly_called_like_one_is_told_of(self) -> None:
        given = {"LOAM_RATELIMIT": "7", "LOAM_URL": "http://x", "LOAM_VAR": "/x", "DATABASE_POLER": "session"}
        env = Environment({**given, "PATH": "/bin", "LOAM_RATE_LIMIT": "600"})
        env.int("LOAM_RATE_LIMIT", default=6000)
        env.choice("DATABASE_POOLER", default="", of=("", "session"))
        env.http("LOAM_LLM_URL", default="")
        assert env.misspelt() == {"DATABASE_POLER": "DATABASE_POOLER", "LOAM_RATELIMIT": "LOAM_RATE_LIMIT"}
