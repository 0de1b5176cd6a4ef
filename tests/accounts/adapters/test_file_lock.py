"""Who comes second waits for who is first, and nobody waits for the dead."""

import subprocess
import sys
import threading
from pathlib import Path

from accounts.adapters.file_lock import file_lock


class TestAlone:
    def test_lets_the_second_in_when_the_first_has_left(self, tmp_path: Path) -> None:
        heard: list[str] = []

        def second() -> None:
            with file_lock(tmp_path / "lock"):
                heard.append("second")

        with file_lock(tmp_path / "lock"):
            other = threading.Thread(target=second)
            other.start()
            other.join(timeout=0.2)
            heard.append("first")
        other.join(timeout=10)
        assert heard == ["first", "second"]

    def test_does_not_wait_for_a_process_that_was_killed(self, tmp_path: Path) -> None:
        holds = "import sys, time; from pathlib import Path; from accounts.adapters.file_lock import file_lock\n"
        holds += "with file_lock(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
        command = [sys.executable, "-c", holds, str(tmp_path / "lock")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "held\n"
            other.kill()
            with file_lock(tmp_path / "lock"):
                pass
