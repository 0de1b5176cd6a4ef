"""Which calls are let pass, told between the web processes of a machine."""

import subprocess
import sys
import textwrap
from pathlib import Path

from accounts.adapters.call_board import VARIABLE, CallBoard, shared_board

EMPTY = (0.0, 0.0, 0)
# Writes to the board, says that it has, and ends when its input does.
OTHER = textwrap.dedent("""
    import sys
    from accounts.adapters.call_board import CallBoard
    board = CallBoard(sys.argv[1])
    board.write(7.5, 0.25, 3)
    print("written", flush=True)
    sys.stdin.read()
""")


class TestCallBoard:
    def test_of_one_process_is_its_own(self) -> None:
        board = CallBoard()
        assert list(board.read()) == [EMPTY]
        board.write(5.0, 1.5, -4)
        assert list(board.read()) == [(5.0, 1.5, -4)]

    def test_is_read_by_the_other_processes_and_a_place_is_taken_again(self) -> None:
        with shared_board(2) as environment:
            path = environment[VARIABLE]
            mine = CallBoard(path)
            for _ in range(2):  # the second finds the place of the first, which was killed
                other = subprocess.Popen(
                    [sys.executable, "-c", OTHER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
                assert other.stdout is not None and other.stdout.readline() == "written\n"
                mine.write(9.0, 2.0, 8)
                assert list(mine.read()) == [(9.0, 2.0, 8), (7.5, 0.25, 3)]
                other.kill()
                other.communicate()

    def test_is_not_there_for_one_process_or_when_it_is_gone(self, tmp_path: Path) -> None:
        with shared_board(1) as environment:
            assert environment == {}
        assert list(CallBoard(str(tmp_path / "gone")).read()) == [EMPTY]

    def test_goes_with_serve(self) -> None:
        with shared_board(2) as environment:
            assert Path(environment[VARIABLE]).stat().st_size == 48
        assert not Path(environment[VARIABLE]).exists()

    def test_is_without_a_place_for_one_too_many(self) -> None:
        """It stays by itself."""
        with shared_board(2) as environment:
            path = environment[VARIABLE]
            others = [
                subprocess.Popen(
                    [sys.executable, "-c", OTHER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
                for _ in range(2)
            ]
            for other in others:
                assert other.stdout is not None and other.stdout.readline() == "written\n"
            assert list(CallBoard(path).read()) == [EMPTY]
            for other in others:
                other.communicate("")
