"""What a developer's editor and git are given is what `make` has."""

import json
import re
from pathlib import Path

import yaml
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
MAKEFILE = (ROOT / "Makefile").read_text()


def _recipe(target: str) -> list[str]:
    lines = MAKEFILE.split(f"\n{target}:", 1)[1].split("\n")[1:]
    end = next(at for at, line in enumerate(lines) if not line.startswith("\t"))
    return [line.strip().replace("$(BIN)", ".venv/bin") for line in lines[:end]]


def test_the_hooks_before_a_commit_are_the_checks_of_make_lint_and_download_nothing() -> None:
    (repo,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repo["repo"] == "local"
    assert [hook["entry"] for hook in repo["hooks"]] == _recipe("lint")
    assert {hook["language"] for hook in repo["hooks"]} == {"system"}


def test_the_development_container_has_the_python_that_loam_is_built_on() -> None:
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    built = re.search(r"^FROM (python:[\d.]+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert built
    assert container["image"].startswith(built[1])
    made = container["postCreateCommand"].removeprefix("make ")
    assert f"\n{made}:" in MAKEFILE
