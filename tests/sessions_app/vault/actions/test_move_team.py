"""What a move does when the other cell is not another one, refuses, or is not heard of any more."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.actions.moving import CannotMove, stop_writes
from accounts.models import Team
from accounts.rules.refused import Refused
from accounts.rules.rights import SYSTEM, Member
from sessions_app.vault.actions import move_team as move_team_module
from sessions_app.vault.actions.move_team import TeamMove, move_team, this_cell
from sessions_app.vault.adapters.other_cell import COMMIT, OtherCell, OtherCellFailed, OutcomeUnknown
from tests.database import changed, contents
from tests.factories import make_insight

THERE = "https://eu1.loam.example.org"


@dataclass
class Elsewhere:
    """A cell that answers as it is told: `fails`, what it answers instead to the first pass, the next ones, or the
    commit, by their number.
    """

    about: dict[str, Any] = field(default_factory=lambda: {"cell": "eu1", "database": "7/loam", "key": "other"})
    fails: dict[int, BaseException] = field(default_factory=dict)
    there: str | None = None
    told: list[Any] = field(default_factory=list)
    stopped: list[bool] = field(default_factory=list)

    def show(self) -> dict[str, Any]:
        return self.about

    @contextmanager
    def talk(self, *arguments: str) -> Iterator["Elsewhere"]:
        assert arguments[0] == "vault"
        yield self

    def hear(self) -> dict[str, Any]:
        return {"there": self.there}

    def tell(self, what: Any) -> dict[str, Any]:
        self.told.append(what)
        self.stopped.append(platform().writes_stopped_at is not None)
        if fault := self.fails.get(len(self.told)):
            raise fault
        return {}


@pytest.fixture
def moving(alice: Member, tmp_path: Path, now: datetime) -> Callable[..., TeamMove]:
    make_insight(alice, body="One lesson of ours.", team="platform")

    def move(there: Any, address: str = THERE, slug: str = "platform") -> TeamMove:
        return move_team(
            slug=slug, folder=tmp_path / "v", there=there, address=address, by=SYSTEM, clock=lambda: now, settle=0
        )

    return move


def platform() -> Team:
    return Team.objects.get(slug="platform")


class TestAMove:
    def test_stops_the_writes_for_the_last_pass_alone(self, moving: Callable[..., TeamMove]) -> None:
        there = Elsewhere()
        done = moving(there)
        assert [name for name, _ in done.steps][-1] == "marked as moved"
        assert done.warnings == []
        assert there.told[0] == {}
        assert list(there.told[-1]) == [COMMIT]
        assert there.stopped == [False, False, True, True]
        assert platform().moved_to == THERE

    def test_goes_on_in_passes_until_little_changes(
        self, moving: Callable[..., TeamMove], alice: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(move_team_module, "FEW", 3)

        class Busy(Elsewhere):
            def tell(self, what: Any) -> dict[str, Any]:
                for number in range(8 if len(self.told) < 2 else 0):
                    make_insight(alice, body=f"Lesson {len(self.told)} {number}.", team="platform")
                return super().tell(what)

        there = Busy()
        moving(there)
        assert [len(pages) > 8 for pages in there.told[1:-1]] == [True, True, False, False]
        assert there.stopped == [False, False, False, False, True, True]

    @pytest.mark.parametrize(
        ("about", "address", "slug", "why"),
        [
            ({"database": "the same"}, THERE, "platform", CannotMove),
            ({"cell": ""}, THERE, "platform", CannotMove),
            ({}, "eu1.loam.example.org", "platform", CannotMove),
            ({}, "https://" + "e" * 200, "platform", CannotMove),
            ({}, THERE, "nothing", Refused),
            ({}, THERE, "everyone", Refused),
        ],
    )
    def test_is_refused_before_anything_is_done(
        self, moving: Callable[..., TeamMove], about: dict[str, str], address: str, slug: str, why: type[Refused]
    ) -> None:
        there = Elsewhere()
        there.about |= {**about, **({"database": this_cell()["database"]} if "database" in about else {})}
        before = contents()
        with pytest.raises(why):
            moving(there, address, slug)
        assert changed(before) == []
        assert there.told == []

    def test_is_refused_where_it_has_moved_already(self, moving: Callable[..., TeamMove]) -> None:
        moving(Elsewhere())
        there = Elsewhere()
        with pytest.raises(CannotMove, match="moved to"):
            moving(there)
        assert there.told == []
        assert platform().moved_to == THERE

    def test_leaves_what_it_was_until_its_deletion_is_asked_for_twice(self, moving: Callable[..., TeamMove]) -> None:
        moving(Elsewhere())
        with pytest.raises(CommandError, match="repeat it with --yes"):
            call_command("cell", "delete", "platform")
        assert platform().moved_to == THERE

    def test_says_that_both_have_one_key(self, moving: Callable[..., TeamMove]) -> None:
        there = Elsewhere()
        there.about["key"] = this_cell()["key"]
        assert "SECRET_KEY" in moving(there).warnings[0]

    @pytest.mark.parametrize("number", [1, 2, 3])
    @pytest.mark.parametrize("fault", [OtherCellFailed("no"), OutcomeUnknown("the line broke"), KeyboardInterrupt()])
    def test_that_ends_before_the_commit_leaves_the_writes_as_they_were(
        self, moving: Callable[..., TeamMove], number: int, fault: BaseException
    ) -> None:
        there = Elsewhere(fails={number: fault})
        with pytest.raises(type(fault)):
            moving(there)
        assert len(there.told) == number
        assert (platform().writes_stopped_at, platform().moved_to) == (None, "")

    @pytest.mark.parametrize("fault", [OtherCellFailed("no"), OutcomeUnknown("the line broke")])
    def test_whose_outcome_is_unknown_leaves_them_stopped_and_goes_on_when_it_is_run_again(
        self, moving: Callable[..., TeamMove], fault: Exception
    ) -> None:
        with pytest.raises(OutcomeUnknown):
            moving(Elsewhere(fails={4: fault}))
        assert platform().writes_stopped_at is not None
        assert platform().moved_to == ""
        # What is there by another stop is not this team: what was written since would be lost.
        with pytest.raises(CannotMove, match="already"):
            moving(Elsewhere(there="2026-01-01T00:00:00+00:00"))
        with pytest.raises(CannotMove, match="already"):
            moving(Elsewhere(there=""))
        assert platform().moved_to == ""
        stopped_at = platform().writes_stopped_at
        assert stopped_at
        there = Elsewhere(there=stopped_at.isoformat())
        moving(there)
        assert there.told == []
        assert platform().moved_to == THERE

    def test_that_was_killed_after_the_stop_lets_people_write_until_the_next_one(
        self, moving: Callable[..., TeamMove], now: datetime
    ) -> None:
        stop_writes(slug="platform", by=SYSTEM, now=now)
        there = Elsewhere()
        moving(there)
        assert there.stopped == [False, False, True, True]


class TestTheOtherCell:
    @pytest.mark.parametrize(
        ("program", "error"),
        [
            ("import sys; sys.stderr.write('CommandError: the team is not empty'); sys.exit(1)", OtherCellFailed),
            ("import sys; sys.stderr.write('ssh: broken pipe'); sys.exit(255)", OutcomeUnknown),
            ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", OutcomeUnknown),
            ("raise ValueError", OutcomeUnknown),
        ],
    )
    def test_refuses_by_its_own_word_alone(self, program: str, error: type[Exception]) -> None:
        with pytest.raises(error):
            OtherCell(f'{sys.executable} -c "{program}"').run("vault", "import")

    def test_answers_line_by_line_and_ends_with_the_block(self, tmp_path: Path) -> None:
        left = tmp_path / "left"
        program = (
            "import json, pathlib, sys; print('Welcome'); print(json.dumps({'first': 1}), flush=True)\n"
            "for line in sys.stdin: print(json.dumps({'told': json.loads(line)}), flush=True)\n"
            f"pathlib.Path('{left}').touch()"
        )
        with OtherCell(shlex.join([sys.executable, "-c", program])).talk() as other:
            assert other.hear() == {"first": 1}
            assert other.tell({"a": None}) == {"told": {"a": None}}
        assert left.exists()

    @pytest.mark.parametrize(
        ("program", "error"),
        [
            ("import sys; sys.stderr.write('CommandError: not empty'); sys.exit(1)", OtherCellFailed),
            ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", OutcomeUnknown),
        ],
    )
    def test_says_why_it_has_ended(self, program: str, error: type[Exception]) -> None:
        with (
            OtherCell(shlex.join([sys.executable, "-c", program])).talk() as other,
            pytest.raises(error),
        ):
            other.tell("something")

    def test_that_is_none_is_said(self) -> None:
        with pytest.raises(OtherCellFailed, match="cannot be run"):
            OtherCell("/nothing/here").show()
        with pytest.raises(OtherCellFailed, match="does not answer as a cell"):
            OtherCell(f"{sys.executable} -c 'print(1)'").show()
