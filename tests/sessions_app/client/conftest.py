import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sessions_app.client.machine import Machine
from tests.sessions_app.client.stand_in import StandIn, stand_in


@pytest.fixture
def server() -> Iterator[StandIn]:
    with stand_in() as mood:
        yield mood


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `.git` of a new checkout of acme/shop: two runs of Git, which are not repeated for each machine."""
    here = Machine(tmp_path_factory.mktemp("repository"))
    here.git("init")
    here.git("remote", "add", "origin", "https://alice:s3cr3t-In-Url9@git.example.com/acme/shop.git")
    made = here.checkout / ".git"
    for sample in (made / "hooks").glob("*.sample"):
        sample.unlink()
    return made


@pytest.fixture
def machine(tmp_path: Path, server: StandIn, repository: Path) -> Machine:
    """A machine that knows the stand-in, with a checkout of acme/shop."""
    here = Machine(tmp_path, server.url)
    shutil.copytree(repository, here.checkout / ".git")
    return here


@pytest.fixture
def alone(tmp_path: Path) -> Machine:
    """A machine on which nobody logged in."""
    return Machine(tmp_path)
