"""Each command of docs/tutorial.md, as a reader runs it: in order, in a checkout, by two people in their own homes."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from sessions_app.models import Handoff
from tests.conftest import NOW
from tests.web import serving

TEXT = (Path(settings.BASE_DIR) / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Run by `.ci/run` on each change.
RUN_BY_CI = "make run\n"


class Reader:
    """Somebody with a home, a checkout and a token."""

    def __init__(self, home: Path, url: str, token: str) -> None:
        self.checkout, self.url, self.token = home / "shop", url, token
        self.env = {"PATH": os.environ["PATH"], "HOME": str(home), "LOAM_LINGER": "0.01"}
        self.checkout.mkdir(parents=True)
        self("git init -q . && git remote add origin git@git.example.com:acme/shop.git")

    def __call__(self, commands: str) -> str:
        """Return what the commands print; what is typed is the token."""
        commands = commands.replace("http://127.0.0.1:8000", self.url)
        commands = commands.replace("install claude-code", "install claude-code --yes")  # it asks on a terminal only
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", commands],
            cwd=self.checkout, env=self.env, input=self.token, capture_output=True, text=True, timeout=120,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture
def readers(transactional_db: None, alice: Member, bob: Member, tmp_path: Path) -> Iterator[tuple[Reader, Reader]]:
    with serving() as url:
        tokens = [issue_token(name="tutorial", scopes=list(Scope), by=who, now=NOW).secret for who in (alice, bob)]
        first, second = (Reader(tmp_path / name, url, token) for name, token in zip("ab", tokens, strict=True))
        second("curl -sSO http://127.0.0.1:8000/connect/loam.py")  # the tutorial downloads it once
        yield first, second


def test_the_tutorial_works_as_it_is_written(readers: tuple[Reader, Reader]) -> None:
    alice, bob = readers
    assert re.findall(r"\bmake run\b", TEXT)
    printed: dict[str, str] = {}
    ref = ""
    for section in re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        reader = bob if title.startswith("5") else alice
        for block in BLOCK.findall(section):
            if block != RUN_BY_CI:
                printed[title] = printed.get(title, "") + reader(block.replace("PLAT-120", ref))
        if title.startswith("3"):
            ref = re.findall(r"\b[A-Z]+-\d+\b", printed[title])[0]
    assert "invoice export" in printed["4. Find it with another agent"]
    assert ref in printed["5. Add a colleague"]
    assert Handoff.objects.count() == 1
