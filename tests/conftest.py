"""The cast of every story: Alice leads "platform", Bob contributes to it, Charlie is of "mobile" only.

One test database for the whole run, made by the migrations (tests/migrated.py); the one that the settings name is
refused (config/database_engine/base.py). A test that only needs rows runs in a transaction that is rolled back (`db`);
one that needs several connections commits (`transactional_db`, `live_server`), and all tables are put back behind it as
the migrations had left them (tests/seeds.py).
"""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import TransactionTestCase
from django.test.utils import setup_databases, teardown_databases
from django.utils import timezone
from pytest_django.plugin import blocking_manager_key
from rest_framework.test import APIClient

from accounts.actions.members import member_of
from accounts.actions.tokens import issue_token
from accounts.models import Membership, Team, User
from accounts.rules.rights import Level, Member, Scope, TeamKind
from accounts.rules.throttle import window_of
from config.database import embedded, vectors
from config.database_engine.base import REFUSED, address
from knowledge.adapters.embedder import exported
from tests.migrated import copied, make_original
from tests.remembered import remember
from tests.seeds import Seeds
from tests.sweep import WHOLE

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
_server = embedded.in_use()
# A busy machine is no fault, and a run leaves nothing behind. The same cases each time: a build is red for what was
# changed; `--hypothesis-profile=search` looks for new ones. Half of hypothesis' usual number; with whole sweeps, twice.
EXAMPLES = 200 if os.environ.get(WHOLE) else 50
hypothesis.settings.register_profile("loam", deadline=None, database=None, derandomize=True, max_examples=EXAMPLES)
hypothesis.settings.register_profile("search", deadline=None, database=None)
hypothesis.settings.load_profile("loam")


def pytest_configure(config: pytest.Config) -> None:
    """The embedded server runs for as long as the tests do, no matter who started them."""
    # The product's hash takes a third of a second for a password, on purpose; every story has two or three people.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.LOAM_EMBEDDER = "tests.fakes.RememberingEmbedder"
    os.environ[REFUSED] = address(settings.DATABASES["default"])
    remember()
    if settings.EMBEDDED:
        _server.__enter__()
    if not hasattr(config, "workerinput"):
        # Once, before there are workers: whichever story met a new checkout first waited for the model's export.
        exported(settings.LOAM_MODELS)


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        _make_original_meanwhile(config)


def _make_original_meanwhile(config: pytest.Config) -> None:
    """Ninety migrations are ten seconds of one processor, and the other had nothing to do: each process waited for them
    when it had loaded its tests. What goes wrong here is told by the process that makes the database then.
    """

    def make() -> None:
        unblocked = config.stash[blocking_manager_key].unblock()
        with suppress(Exception), unblocked, redirect_stdout(StringIO()):  # Django says that a table is there
            make_original()

    config.stash[MAKING] = Thread(target=make)
    config.stash[MAKING].start()


# Where a test waits for other processes: a browser, a client with four seconds of its own, a server that starts.
OF_PROCESSES = ("tests/browser/", "tests/journeys/", "tests/sessions_app/client/")
# Ten seconds and more each: they come first, or the last process would be alone with one of them at the end.
LONGEST = (
    "tests/config/test_serve.py::TestServe",
    "tests/test_patterns.py::TestEveryPattern",  # side by side: the first of a process reads every module
    "tests/journeys/test_every_feature.py::TestABackup",
    "tests/test_contract.py",
    "tests/sessions_app/lab/test_adversary.py::TestTwoAccounts",
    "tests/sessions_app/lab/test_benchmark.py",
)
LEFT_OUT = pytest.StashKey[int]()
MAKING = pytest.StashKey[Thread]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test of processes is run up to twice more where it fails: a busy machine is no fault. The end of the run names
    each. Slow trials are left out, unless sweeps are whole.
    """
    for item in items:
        if item.get_closest_marker("slow") or item.nodeid.startswith(OF_PROCESSES):
            item.add_marker(pytest.mark.flaky(reruns=2))
    left_out = set() if os.environ.get(WHOLE) else {item for item in items if item.get_closest_marker("slow_trial")}
    config.stash[LEFT_OUT] = len(left_out)
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = sorted(
        (item for item in items if item not in left_out), key=lambda item: not item.nodeid.startswith(LONGEST)
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each process has left out the same tests."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    left_out = config.stash.get(LEFT_OUT, 0)
    if not os.environ.get(WHOLE):
        terminalreporter.write_line(
            f"{left_out} slow trials left out, sweeps sent in shares; `make test-all` runs them."
        )


# New objects between two looks for garbage, of the newest, the newer and all: Python's own 700, 10 and 10 took a fifth
# of the whole run, most of it in migrations and sweeps.
GARBAGE = (50_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Without looking for garbage: there is none yet. What is loaded by the end of it stays to the end of the run
    (thousands of tests, all of the product), and need not be looked through each time.
    """
    gc.disable()
    try:
        _load_ones_share_first(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*GARBAGE)
        gc.enable()


def _load_ones_share_first(config: pytest.Config) -> None:
    """In a new checkout each module is compiled with its assertions rewritten, seven seconds for all of them. Processes
    that load them in the same order do that at the same time, each for itself; so each begins with a share of its own.
    """
    mine: dict[str, Any] | None = getattr(config, "workerinput", None)
    here = Path(__file__).parent
    if mine is None or [Path(one).resolve() for one in config.args] != [here]:
        return
    place, processes = int(mine["workerid"].removeprefix("gw")), mine["workercount"]
    for path in sorted(here.rglob("test_*.py"))[place::processes]:
        # What is wrong with a module is said when it is collected.
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(path.relative_to(here.parent).with_suffix("").parts))


def pytest_unconfigure(config: pytest.Config) -> None:
    if MAKING in config.stash:
        config.stash[MAKING].join()
    if settings.EMBEDDED:
        _server.__exit__(None, None, None)


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: Any,
    django_db_keepdb: bool,
    django_db_createdb: bool,
) -> Iterator[None]:
    """The test database, for anyone who asks. pytest-django's own is made only if some test asks in a way it looks for;
    one that reaches rows by a module's fixture alone would meet the real database.
    """
    keep = django_db_keepdb and not django_db_createdb
    with django_db_blocker.unblock():
        keeping = {"verbosity": 0, "interactive": False, "keepdb": True, "serialized_aliases": set()}
        made = setup_databases(**keeping) if keep else copied()
        seeds = Seeds()
        _do_not_wait_for_the_disk()

    def put_back(self: TransactionTestCase) -> None:
        seeds.put_back()
        vectors._known.clear()  # whose vectors were in the tables that are empty now

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", put_back)
        # Looked up on a connection of its own; who changes the store's model in a test forgets what is known.
        patch.setattr(vectors, "HOLDS", 3600.0)
        yield
    if not django_db_keepdb:
        with django_db_blocker.unblock():
            teardown_databases(made, verbosity=0)


def _do_not_wait_for_the_disk() -> None:
    """A commit returns before it is written: what a crash of the machine would lose is a test's."""
    with connection.cursor() as cursor:
        name = connection.ops.quote_name(str(connection.settings_dict["NAME"]))
        cursor.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    connection.close()
    connection.close_pool()  # what is connected already goes by what it found


@pytest.fixture(scope="module")
def module_db(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """For rows that all tests of a module share: one transaction around all of them, undone at its end. What a test of
    that module does is undone with the test, as anywhere; such a module has none that commits.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def now() -> datetime:
    return NOW


def make_platform() -> Team:
    return Team.objects.create(name="Platform", slug="platform", prefix="PLAT")


@pytest.fixture
def platform(db: None) -> Team:
    return make_platform()


@pytest.fixture
def mobile(db: None) -> Team:
    return Team.objects.create(name="Mobile", slug="mobile", prefix="MOB")


def person(username: str, team: Team | None, level: Level = Level.CONTRIBUTOR, **more: bool) -> User:
    """An account, enrolled, and of that team if one is given; `more` are fields of the account.

    The rows are those of `enrol` (tests/accounts/actions/test_members.py compares them), in three statements instead of
    eighteen: nearly every test has two people.
    """
    user = User.objects.create_user(username=username, password=f"{username}s-own-password", **more)
    personal = Team.objects.create(
        owner=user,
        kind=TeamKind.PERSONAL,
        name=f"{username}, personal",
        slug=f"personal-{user.pk}",
        prefix=f"ME{user.pk}",
        colour="slate",
    )
    places = [(team.pk, level)] if team else []
    places += [(_everyone(), Level.CONTRIBUTOR), (personal.pk, Level.LEAD)]
    Membership.objects.bulk_create(Membership(team_id=place, user=user, level=given) for place, given in places)
    return user


@cache
def _everyone() -> int:
    """The team of all, whose row is the migrations' (tests/seeds.py)."""
    return Team.objects.values_list("pk", flat=True).get(kind=TeamKind.EVERYONE)


@pytest.fixture
def alice_user(platform: Team) -> User:
    return person("alice", platform, Level.LEAD)


@pytest.fixture
def bob_user(platform: Team) -> User:
    return person("bob", platform, Level.CONTRIBUTOR)


@pytest.fixture
def charlie_user(mobile: Team) -> User:
    return person("charlie", mobile, Level.LEAD)


@pytest.fixture
def alice(alice_user: User) -> Member:
    return member_of(user=alice_user)


@pytest.fixture
def bob(bob_user: User) -> Member:
    return member_of(user=bob_user)


@pytest.fixture
def charlie(charlie_user: User) -> Member:
    return member_of(user=charlie_user)


@pytest.fixture
def root(db: None) -> Member:
    """A superuser, of no team but `everyone` and their own."""
    return member_of(user=person("root", None, is_staff=True, is_superuser=True))


def agent(member: Member, **over: Any) -> APIClient:
    """An API client with a fresh token of that person; `over` goes to issue_token."""
    fields = {"name": "agent", "scopes": list(Scope), "now": NOW, **over}
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(by=member, **fields).secret}")
    return client


@pytest.fixture
def alices_agent(alice: Member) -> APIClient:
    return agent(alice)


@pytest.fixture
def bobs_agent(bob: Member) -> APIClient:
    return agent(bob)


@pytest.fixture
def charlies_agent(charlie: Member) -> APIClient:
    return agent(charlie)


@pytest.fixture
def agent_of() -> Iterator[Callable[..., APIClient]]:
    yield agent


@pytest.fixture
def one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """All calls of the test are counted in one window, however long it takes and wherever in a minute it began."""
    window = window_of(timezone.now())
    monkeypatch.setattr("accounts.actions.throttle.window_of", lambda now: window)


@pytest.fixture
def embedder_down(settings: Any) -> str:
    """No text gets a vector while this test runs; the reason that is given."""
    settings.LOAM_EMBEDDER = "tests.fakes.DownEmbedder"
    return "the model is out of reach"
