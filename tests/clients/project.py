"""A colleague's clone: what one person's `loam install --project` committed, with another home and another token."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.clients.driver import Driver, Play, Session, Setup
from tests.clients.follow import FENCE, told_by_loam
from tests.clients.measures import CLIENTS, QUESTION
from tests.clients.script import Asked, Reply, Script
from tests.clients.world import World

# What `install --project` itself says is not for the repository.
NOT_COMMITTED = ("*.local.json",)


@dataclass(frozen=True)
class Shared:
    """`committed`: the files; `paths`: those that name a path of the machine they were made on."""

    client: str
    committed: tuple[str, ...]
    paths: tuple[str, ...]
    tools: int
    orientation: bool


def share(name: str, world: World) -> Shared | None:
    """Install, commit, clone as somebody else, ask. None for a client that `loam install` does not know."""
    make: Callable[[Setup], Driver] = CLIENTS[name]
    story = f"project-{name.lower().replace(' ', '-')}"
    first = make(world.setup(story))
    first.prepare(first.setup)
    first.setup.machine.login()
    known = next((one for one in (first.name, *first.aliases) if first.setup.machine.knows(one)), "")
    if not known:
        return None
    first.setup.machine.install(known, project=first.setup.checkout)
    committed = _commit(first.setup)
    paths = tuple(one for one in committed if _names_machine(first.setup, one))
    second = make(_clone(first.setup, world.setup(story, "bob")))
    second.prepare(second.setup)
    session = second.play(Play((QUESTION,), Script(Reply("By one process.")), more={"LOAM_TOKEN": world.tokens["bob"]}))
    return Shared(name, committed, paths, _tools(session), _oriented(session))


def _commit(setup: Setup) -> tuple[str, ...]:
    machine, place = setup.machine, setup.checkout
    left_out = [f":(exclude){glob}" for glob in NOT_COMMITTED]
    machine.run("git", "add", "--", ".", *left_out, cwd=place)
    names = machine.run("git", "diff", "--cached", "--name-only", cwd=place).split()
    machine.run("git", "commit", "-q", "--allow-empty", "-m", "Connect Loam", cwd=place)
    return tuple(names)


def _names_machine(setup: Setup, name: str) -> bool:
    text = (setup.checkout / name).read_text(encoding="utf-8")
    return str(setup.machine.home) in text or "/bin/python" in text


def _clone(first: Setup, second: Setup) -> Setup:
    """The second machine's checkout is a clone of the first's last commit."""
    place = Path(second.checkout)
    shutil.rmtree(place)
    second.machine.run("git", "clone", "-q", str(first.checkout), str(place))
    origin = first.machine.run("git", "remote", "get-url", "origin", cwd=first.checkout).strip()
    second.machine.run("git", "remote", "set-url", "origin", origin, cwd=place)
    return second


def _tools(session: Session) -> int:
    """How many tools of Loam's the model knows of."""
    return max((len(asked.ours) for asked in session.asked), default=0)


def _oriented(session: Session) -> bool:
    """Whether a hook told the model something before it was asked."""
    asked: Asked | None = session.first
    return bool(asked and FENCE in told_by_loam(asked))
