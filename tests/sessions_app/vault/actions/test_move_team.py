"""What a move does when the other cell is not another one, refuses, or is not heard of any more."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from accounts.actions.moving import CannotMove
from accounts.models import Team
from accounts.rules.refused import Refused
from accounts.rules.rights import SYSTEM, Member
from sessions_app.vault.actions.move_team import TeamMove, move_team, this_cell
from sessions_app.vault.adapters.other_cell import OtherCell, OtherCellFailed, OutcomeUnknown
from tests.database import changed, contents
from tests.factories import make_insight

THERE = "https://eu1.loam.example.org"


@dataclass
class Elsewhere:
    """A cell that answers as it is told: `fails`, on its real import and not the rehearsal."""

    about: dict[str, Any] = field(default_factory=lambda: {"cell": "eu1", "database": "7/loam", "key": "other"})
    fails: Exception | None = None
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def show(self) -> dict[str, Any]:
        return self.about

    def run(self, *arguments: str) -> str:
        self.asked.append(arguments)
        if self.fails and "--rehearse" not in arguments:
            raise self.fails
        return "1 teams"


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
    def test_marks_the_team_when_it_is_there(self, moving: Callable[..., TeamMove]) -> None:
        there = Elsewhere()
        done = moving(there)
        assert [name for name, _ in done.steps][-1] == "marked as moved"
        assert done.warnings == []
        assert [("--rehearse" in asked) for asked in there.asked] == [True, False]
        assert platform().moved_to == THERE

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
        assert there.asked == []

    def test_says_that_both_have_one_key(self, moving: Callable[..., TeamMove]) -> None:
        there = Elsewhere()
        there.about["key"] = this_cell()["key"]
        assert "SECRET_KEY" in moving(there).warnings[0]

    def test_that_is_refused_there_leaves_the_writes_as_they_were(self, moving: Callable[..., TeamMove]) -> None:
        with pytest.raises(OtherCellFailed):
            moving(Elsewhere(fails=OtherCellFailed("no")))
        assert (platform().writes_stopped_at, platform().moved_to) == (None, "")

    def test_whose_outcome_is_unknown_leaves_them_stopped_and_goes_on_when_it_is_run_again(
        self, moving: Callable[..., TeamMove]
    ) -> None:
        with pytest.raises(OutcomeUnknown):
            moving(Elsewhere(fails=OutcomeUnknown("the line broke")))
        assert platform().writes_stopped_at is not None
        assert platform().moved_to == ""
        moving(Elsewhere())
        assert platform().moved_to == THERE


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

    def test_that_is_none_is_said(self) -> None:
        with pytest.raises(OtherCellFailed, match="cannot be run"):
            OtherCell("/nothing/here").show()
        with pytest.raises(OtherCellFailed, match="does not answer as a cell"):
            OtherCell(f"{sys.executable} -c 'print(1)'").show()
