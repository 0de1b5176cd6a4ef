"""The folder as a broker, with what a full disk leaves in it."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection
from kombu.exceptions import ChannelError

from config.database.embedded import BASE_DIR
from config.processes import broker
from tests.config.running import wait_until

BROKEN = {"empty": b"", "cut off": b'{"body": "W10', "no message": b"[]", "no text": b"\xff\xfe\x00", "list": b'"x"'}


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, str]:
    for name in ("queue", "control"):
        (tmp_path / name).mkdir()
    broker.Transport.global_state.clear()  # what a process has bound, whatever the folder
    queue = str(tmp_path / "queue")
    return {"data_folder_in": queue, "data_folder_out": queue, "control_folder": str(tmp_path / "control")}


def connected(folders: dict[str, str]) -> Connection:
    broker.register()
    return Connection("filesystem://localhost", transport_options=folders)


def received(folders: dict[str, str]) -> list[str]:
    """What a consumer of the queue gets."""
    with connected(folders) as connection:
        queue = connection.SimpleQueue("celery")
        found = []
        while True:
            try:
                message = queue.get(block=False)
            except queue.Empty:
                return found
            message.ack()
            found.append(message.payload)


def send(folders: dict[str, str], text: str) -> None:
    with connected(folders) as connection:
        connection.SimpleQueue("celery").put(text)


class TestQueue:
    @pytest.mark.parametrize("name", BROKEN)
    def test_moves_what_it_cannot_read_aside_and_names_it(
        self, name: str, folders: dict[str, str], tmp_path: Path, caplog: Any
    ) -> None:
        (tmp_path / "queue/1_a.celery.msg").write_bytes(BROKEN[name])
        send(folders, "after it")
        with caplog.at_level(logging.ERROR, "loam.broker"):
            assert received(folders) == ["after it"]
        (aside,) = (tmp_path / "unreadable").iterdir()
        assert aside.read_bytes() == BROKEN[name]
        assert str(aside) in caplog.text
        assert list((tmp_path / "queue").iterdir()) == []

    def test_is_bound_again_where_the_table_of_an_exchange_is_empty(
        self, folders: dict[str, str], tmp_path: Path, caplog: Any
    ) -> None:
        table = tmp_path / "control/celery.exchange"
        table.write_bytes(b"")
        send(folders, "hello")
        assert received(folders) == ["hello"]
        assert json.loads(table.read_text())
        assert "celery.exchange" in caplog.text

    def test_takes_messages_on_where_its_table_was_emptied_under_it(
        self, folders: dict[str, str], tmp_path: Path
    ) -> None:
        with connected(folders) as connection:
            queue = connection.SimpleQueue("celery")
            queue.put("before")
            (tmp_path / "control/celery.exchange").write_bytes(b"")
            queue.put("after")
        assert sorted(received(folders)) == ["after", "before"]

    def test_writes_a_message_whole_or_not_at_all(
        self, folders: dict[str, str], tmp_path: Path, monkeypatch: Any
    ) -> None:
        with connected(folders) as connection:
            queue = connection.SimpleQueue("celery")
            monkeypatch.setattr(Path, "rename", _no_room)
            with pytest.raises(ChannelError, match="No space left"):
                queue.put("lost")
        assert list((tmp_path / "queue").iterdir()) == []

    def test_gives_each_message_to_one_of_two_consumers(self, folders: dict[str, str]) -> None:
        for number in range(5):
            send(folders, str(number))
        with connected(folders) as one, connected(folders) as other:
            both = [one.SimpleQueue("celery"), other.SimpleQueue("celery")]
            got = [queue.get(block=False).payload for queue in [*both, *both, both[0]]]
        assert sorted(got) == list("01234")


def _no_room(self: Path, target: Any) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.slow
class TestWorker:
    def test_lives_on_with_broken_files_in_its_folder(self, tmp_path: Path) -> None:
        """What ended it five times over, and `serve` with it; and a task that nobody knows."""
        queue = tmp_path / "broker/queue"
        queue.mkdir(parents=True)
        for number, content in enumerate(BROKEN.values()):
            (queue / f"{number}_a.celery.msg").write_bytes(content)
        command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--pool", "solo", "-l", "WARNING"]
        environment = os.environ | {"LOAM_VAR": str(tmp_path), "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}
        environment |= {"PRODUCTION": "off", "SECRET_KEY": "k" * 60}
        with (tmp_path / "said").open("wb") as said:
            worker = subprocess.Popen(command, cwd=BASE_DIR, env=environment, stdout=said, stderr=said)
        try:
            wait_until(lambda: len(list((tmp_path / "broker").glob("unreadable/*"))) == len(BROKEN), seconds=30)
            assert worker.poll() is None
            call = [*command[:5], "call", "no.such.task"]
            subprocess.run(call, cwd=BASE_DIR, env=environment, check=True, capture_output=True)
            wait_until(lambda: "no.such.task" in (tmp_path / "said").read_text(), seconds=30)
            assert worker.poll() is None
        finally:
            worker.kill()
            worker.wait()
        assert "0_a.celery" in (tmp_path / "said").read_text()
