"""Each feature once, and then a backup of it all: it is restored to the row, and a damaged one is refused.

The story is tests/journeys/features.py. The auditor, which every backup goes through, took an insight of a cluster for
a vanished one once; what is new has to pass it before it is used anywhere.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import Team, User
from accounts.rules.rights import Member
from config.database.backup import NOT_KEPT, _connected_to, _server, dump, rows_beside
from knowledge.evidence.models import Source
from knowledge.models import Insight
from tests.accounts.actions.test_webhooks import Heard, heard  # noqa: F401
from tests.database import contents
from tests.journeys import features
from tests.journeys.features import World
from tests.knowledge.evidence.conftest import books, files  # noqa: F401


def told(*words: Any, out: StringIO | None = None) -> str:
    out = out or StringIO()
    call_command(*map(str, words), stdout=out, stderr=out)
    return out.getvalue()


class TestEveryFeature:
    def test_has_a_story(self, platform: Team, mobile: Team, root: Member, tmp_path: Path) -> None:
        world = World(platform, mobile, User.objects.get(pk=root.user_id), tmp_path)
        assert set(features.TOOL_STORIES) == features.writing_tools()
        assert set(features.PAGES) == features.writing_pages()
        assert set(features.ADDED) == features.addable(world)
        assert set(features.COMMANDS) | features.KEEPING_NOTHING == features.our_commands()
        assert set(features.PREPARED) <= {endpoint.name for endpoint in features.rest_calls()}
        assert set(features.CHOSEN) <= set(features.admin_actions(world))


def use_everything(world: World) -> list[str]:
    """All of it, once; what did not go well."""
    acts: list[tuple[str, Callable[[], str]]] = [
        *((str(one), partial(features.call, world, one)) for one in features.rest_calls()),
        *((name, partial(features.use_tool, world, name)) for name in features.TOOL_STORIES),
        *((name, partial(features.send, world, name)) for name in features.PAGES),
        *((name, partial(features.add, world, name)) for name in features.ADDED),
        *((".".join(one), partial(features.moderate, world, *one)) for one in features.admin_actions(world)),
        *((name, partial(features.run, world, name)) for name in features.COMMANDS),
    ]
    return [f"{name}: {fault}" for name, act in acts if (fault := act())]


def kept() -> dict[str, str]:
    return {table: rows for table, rows in contents().items() if table not in NOT_KEPT}


@contextmanager
def another_database() -> Iterator[str]:
    """An empty one; it is dropped at the end, with what a restore has put aside."""
    name = f"{connection.settings_dict['NAME']}_another"
    with _server() as server:
        server.execute(f'CREATE DATABASE "{name}"')
        try:
            yield name
        finally:
            rows = server.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", [f"{name}%"]).fetchall()
            for (one,) in rows:
                server.execute(f'DROP DATABASE "{one}" WITH (FORCE)')


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestABackupOfEverything:
    def test_is_restored_to_the_row_and_refused_when_damaged(
        self,
        books: Source,  # noqa: F811
        platform: Team,
        mobile: Team,
        root: Member,
        tmp_path: Path,
        heard: type[Heard],  # noqa: F811
    ) -> None:
        world = World(platform, mobile, User.objects.get(pk=root.user_id), tmp_path)
        assert "\n".join(use_everything(world)) == ""
        assert heard.messages
        file, altered = tmp_path / "loam.dump", tmp_path / "altered.dump"
        before = kept()
        told("backup", "--unchecked", file)
        assert "0 errors" in told("restore", "--check", file)
        with another_database() as name, _connected_to(name):
            told("restore", file)
            assert kept() == before
            Insight.objects.filter(ref="PLAT-1").update(title="Altered")
            dump(altered)
        shutil.copy(rows_beside(file), rows_beside(altered))
        said = StringIO()
        with pytest.raises(CommandError, match="has errors"):
            told("restore", "--check", altered, out=said)
        assert "knowledge_insight: " in said.getvalue()
        assert "other contents than the backup" in said.getvalue()
        assert kept() == before
