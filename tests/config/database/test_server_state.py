"""What a server says of its archive, its slots and its standbys, to an account that is nothing more than Loam's."""

from collections.abc import Iterator

import pytest
from django.db import connection, connections

from config.database import server_state
from config.database_engine.base import DatabaseWrapper
from tests.config.running import wait_until
from tests.servers import add_settings, servers
from tests.trials.several import Node


@pytest.fixture
def nodes(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Node, Node]]:
    """A primary whose archive fails and whose answers wait for a standby, and what may become one. Asked is as Loam."""
    with servers() as found:
        primary, standby, _ = found.values()
        primary.create()
        add_settings(primary, "archive_mode = on", "archive_command = 'false'", "fsync = off")
        primary.start()
        given = {**connection.settings_dict, "NAME": "loam", "USER": "loam", "PASSWORD": primary.stack.password}
        given |= {"HOST": "127.0.0.1", "PORT": primary.port, "OPTIONS": {}}
        connections["asked"] = asked = DatabaseWrapper(given, alias="asked")
        monkeypatch.setattr(server_state, "connection", asked)
        yield primary, standby
        asked.close()
        asked.close_pool()
        del connections["asked"]


@pytest.mark.slow
class TestAServer:
    def test_tells_of_its_archive_its_slots_and_its_standbys(self, nodes: tuple[Node, Node]) -> None:
        primary, standby = nodes
        assert server_state.synchronous_needed() == 1
        assert server_state.standbys() == server_state.replication_slots() == []

        primary.ask("SELECT pg_create_physical_replication_slot('gone', true)")
        (slot,) = server_state.replication_slots()
        assert (slot.name, slot.active, slot.lost) == ("gone", False, False)
        primary.ask("SELECT pg_logical_emit_message(false, 'test', repeat('x', 100000))")
        primary.ask("SELECT pg_switch_wal()")
        assert server_state.replication_slots()[0].held_bytes > slot.held_bytes + 99_000

        wait_until(lambda: server_state.archive().is_failing, seconds=30)
        failing = server_state.archive()
        assert failing.is_on and failing.has_command and failing.failed and len(failing.failed_file) == 24
        for statement in ("ALTER SYSTEM SET archive_command = 'true'", "SELECT pg_reload_conf()"):
            primary.ask(statement)
        primary.ask("SELECT pg_logical_emit_message(false, 'test', 'x')")
        primary.ask("SELECT pg_switch_wal()")
        wait_until(lambda: not server_state.archive().is_failing, seconds=90)

        standby.follow(primary)
        wait_until(lambda: bool(server_state.standbys()), seconds=30)
        assert server_state.standbys() == [server_state.Standby("node2", None, None)]
        assert server_state.synchronous_present(server_state.standbys()) == 1
        primary.ask("GRANT pg_monitor TO loam")
        wait_until(lambda: server_state.standbys()[0].synchronous is True, seconds=30)
        behind = server_state.standbys()[0].behind_bytes
        assert behind is not None and behind < 1_000_000
        standby.kill()
        wait_until(lambda: not server_state.standbys(), seconds=30)


@pytest.mark.parametrize(
    ("names", "commit", "needed"),
    [
        ("", "on", 0), ("node2", "on", 1), ("*", "on", 1), ("node2, node3", "on", 1), ("2 (node2, node3)", "on", 2),
        ("ANY 2 (node1, node2, node3)", "on", 2), ("first 1 (a, b)", "remote_apply", 1), ("ANY 1 (a)", "local", 0),
        ("ANY 1 (a)", "off", 0),
    ],
)  # fmt: skip
def test_as_many_standbys_are_needed_as_an_answer_waits_for(names: str, commit: str, needed: int) -> None:
    assert server_state.needed_by(names, commit) == needed
