"""Recovery to a moment before an accident, by the files and commands of docs/operations/backups.md."""

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from django.conf import settings

from accounts.rules.rights import Member
from tests.config.running import wait_until
from tests.factories import make_insight
from tests.servers import add_settings, copy_test_database, servers

FILES = Path(settings.BASE_DIR, "docs", "operations", "archive")
PAGE = Path(settings.BASE_DIR, "docs", "operations", "backups.md")


def configured(name: str, folder: Path) -> str:
    """A file of docs/operations/archive, where the archive is in that folder."""
    return (FILES / name).read_text().replace("/backups", str(folder))


def command(program: str) -> list[str]:
    """The arguments of that program as the page has them."""
    (line,) = re.findall(rf"^{program} (.*)$", PAGE.read_text(), re.MULTILINE)
    return line.split()


@pytest.mark.slow
class TestAnAccident:
    def test_is_undone_to_the_moment_before_it(self, transactional_db: None, alice: Member) -> None:
        make_insight(alice, title="As it was in the base backup")
        with servers() as nodes:
            lost, recovered, _ = nodes.values()
            backups = lost.stack.folder / "backups"
            for folder in (backups, backups / "wal"):
                folder.mkdir()
                if lost.stack.unprivileged:
                    shutil.chown(folder, lost.stack.account.uid, lost.stack.account.gid)
            lost.create()
            add_settings(lost, "synchronous_standby_names = ''", configured("archive.conf", backups))
            lost.start()
            copy_test_database(lost)
            words = [
                word.replace("/backups/base-2026-11-26", str(backups / "base")) for word in command("pg_basebackup")
            ]
            lost.run("pg_basebackup", *words, "-d", f"host=127.0.0.1 port={lost.port} user=postgres")
            # After the backup, and only in the archive:
            lost.ask("UPDATE knowledge_insight SET title = 'Edited after the base backup'", database="loam")
            (moment,) = lost.ask("SELECT clock_timestamp()")
            time.sleep(0.05)
            lost.ask("TRUNCATE knowledge_insight CASCADE", database="loam")
            (last,) = lost.ask("SELECT pg_walfile_name(pg_switch_wal())")
            wait_until(lambda: (backups / "wal" / last).exists(), seconds=60)
            lost.kill()

            recovered._own_home()
            lost.run("pg_verifybackup", str(backups / "base"))
            lost.run("cp", "-a", str(backups / "base"), str(recovered.data))
            recover = configured("recover.conf", backups).replace("2026-11-26 10:00:00+00", moment.isoformat())
            add_settings(recovered, recover)
            (recovered.data / "recovery.signal").touch()
            recovered.start()
            wait_until(lambda: recovered.ask("SELECT pg_is_in_recovery()") == (False,), seconds=60)
            found = recovered.ask("SELECT title FROM knowledge_insight", database="loam")
            assert found == ("Edited after the base backup",)
            assert not list((backups / "wal").glob("*.part"))

    def test_cannot_overwrite_the_archive(self, tmp_path: Path) -> None:
        """A second server that archives into the same folder fails; the same file once more does not."""
        (tmp_path / "wal").mkdir()
        (given,) = re.findall(r"^archive_command = '(.*)'$", configured("archive.conf", tmp_path), re.MULTILINE)
        file = tmp_path / "000000010000000000000001"
        shell = given.replace("%p", str(file)).replace("%f", file.name)

        def archive(content: str) -> int:
            file.write_text(content)
            return subprocess.run(["sh", "-c", shell], check=False).returncode

        assert archive("one") == 0
        assert archive("one") == 0
        assert archive("another") != 0
        assert (tmp_path / "wal" / file.name).read_text() == "one"
