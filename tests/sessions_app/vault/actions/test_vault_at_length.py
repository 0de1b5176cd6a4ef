"""The demo, and many notes with merges and supersessions among them, through a vault and back."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import pytest

from accounts.actions.members import member_of
from accounts.models import User
from accounts.rules.refused import Refused
from accounts.rules.rights import SYSTEM, Member
from knowledge.imports.actions.transfer import import_notes
from knowledge.jobs.actions.audit import audit
from knowledge.judging.actions.deposit import deposit_many
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind as Verdict
from knowledge.models import Corroboration, Insight, Pair
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import combine, settle
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind
from sessions_app.lab.corpora.synthetic_notes import specimen
from sessions_app.lab.demo.demo import make_demo
from sessions_app.vault.actions.vault import export, import_vault
from tests.conftest import NOW
from tests.factories import as_agent
from tests.sessions_app.vaults import lose_everything, tree
from tests.trials.vault import NOTES, PLACE

SEED = 20_261_122
FEW = 40
QUESTIONS = 400
AT_ONCE = 50
# Every so many of the rows is said again in nearly the same words, gives way, is merged, contradicted, rated by a lead.
AGAIN, GIVES_WAY, MERGED, AGAINST, RATED = 9, 11, 13, 17, 5


@dataclass(frozen=True)
class Told:
    """One answer: the insights in their order, and their scores."""

    refs: tuple[str, ...]
    scores: tuple[float, ...]


def fill(alice: Member, count: int, folder: str, now: datetime) -> None:
    """`count` notes in the platform team, of a folder or made up, and what a team does with them."""
    rng = Random(SEED)
    if folder:
        import_notes(path=Path(folder), team="platform", by=alice, now=now)
    else:
        made = [specimen(rng) for _ in range(count)]
        names = ("kind", "title", "body", "tags", "files", "repo")
        _deposit([Draft(**{name: getattr(one, name) for name in names}, team="platform") for one in made], alice, now)
    _live(alice, now + timedelta(hours=1))


def _live(alice: Member, now: datetime) -> None:
    agent = as_agent(alice, name="round-trip")
    rows = list(Insight.objects.filter(team__slug="platform", superseded_by=None).order_by("number"))
    again = [(Kind(row.kind), f"{row.body}\nSo it is.", row.reasoning) for row in rows[::AGAIN]]
    made = [Draft(kind=kind, body=body, reasoning=why, team="platform") for kind, body, why in again]
    _deposit(made, agent, now)
    for act, every in ((_give_way, GIVES_WAY), (_merge, MERGED), (_contradict, AGAINST), (_rate, RATED)):
        for row, other in zip(rows[::every], rows[1::every], strict=False):
            with suppress(Refused):
                act(row.ref, other.ref, alice, now)


def _deposit(drafts: list[Draft], by: Member, now: datetime) -> None:
    for first in range(0, len(drafts), AT_ONCE):
        deposit_many(drafts=drafts[first : first + AT_ONCE], by=by, now=now)


def _give_way(ref: str, other: str, alice: Member, now: datetime) -> None:
    combine.supersede(ref=ref, by_ref=other, by=alice, now=now, why="it changed")


def _merge(ref: str, other: str, alice: Member, now: datetime) -> None:
    combine.merge(ref=ref, into=other, by=alice, now=now)


def _contradict(ref: str, other: str, alice: Member, now: datetime) -> None:
    settle.report(a=ref, b=other, reason="both cannot be", by=alice, now=now)


def _rate(ref: str, other: str, alice: Member, now: datetime) -> None:
    rate(refs=[ref], verdict=Verdict.HELPFUL, by=alice, now=now, reason="it held")


def questions(count: int) -> list[str]:
    bodies = (
        Insight.objects.filter(team__slug="platform", forgotten_at=None).order_by("ref").values_list("body", flat=True)
    )
    words = [" ".join(body.split()[:9]) for body in bodies]
    return words[:: max(1, len(words) // count)][:count]


def answers(asked: list[str], by: Member, now: datetime) -> list[Told]:
    found = []
    for question in asked:
        hits = retrieve(ask=Ask(text=question, limit=10), by=by, now=now).hits
        found.append(Told(tuple(hit.insight.ref for hit in hits), tuple(round(hit.score.total, 12) for hit in hits)))
    return found


# With fewer notes of every sort, merged, superseded, contradicted, rated, forgotten and moved, the same is told of
# files, answers and the audit by test_vault.py::TestRoundTrip, and of every column by test_vault_columns.py.
@pytest.mark.slow_trial
class TestTheDemoAndManyNotes:
    @pytest.mark.slow
    def test_come_back_as_they_were(self, db: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """`python -m tests.trials.vault` does it with two thousand."""
        count, figures = int(os.environ.get(NOTES, FEW)), Figures()
        figures.take("demo", lambda: make_demo(file=tmp_path / "demo.json", url="http://127.0.0.1:8000", now=NOW))
        alice = member_of(user=User.objects.get(username="alice"))
        figures.take("notes", lambda: fill(alice, count, os.environ.get(PLACE, ""), NOW))
        moment = NOW + timedelta(days=1)
        figures.rows = rows()
        asked = questions(QUESTIONS if NOTES in os.environ else FEW)
        before = answers(asked, alice, moment)
        mine = {"shared": tmp_path / "a", "personal": tmp_path / "mine"}
        figures.take("export", lambda: export(**mine))
        lose_everything()
        figures.take("import", lambda: import_vault(**mine, by=SYSTEM, now=moment))
        after = answers(asked, member_of(user=User.objects.get(username="alice")), moment)
        figures.take("export again", lambda: export(shared=tmp_path / "b", personal=tmp_path / "yours"))
        if NOTES in os.environ:
            with capsys.disabled():
                figures.tell(tree(tmp_path / "a"), before, after)
        assert any(told.refs for told in before)
        assert figures.rows["merged"] and figures.rows["superseded"] and figures.rows["pairs"]
        assert rows() == figures.rows
        assert [told.refs for told in after] == [told.refs for told in before]
        assert audit(now=moment) == []
        assert tree(tmp_path / "b") == tree(tmp_path / "a")
        assert tree(tmp_path / "yours") == tree(tmp_path / "mine")


def rows() -> dict[str, int]:
    return {
        "insights": Insight.objects.count(),
        "merged": Corroboration.objects.filter(unmerged_into=None).count(),
        "superseded": Insight.objects.exclude(superseded_by=None).count(),
        "pairs": Pair.objects.count(),
    }


class Figures:
    """What a run took and had, for anyone who asked for it."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.seconds: dict[str, float] = {}

    def take(self, what: str, step: Callable[[], Any]) -> None:
        begun = perf_counter()
        step()
        self.seconds[what] = perf_counter() - begun

    def tell(self, files: dict[str, bytes], before: list[Told], after: list[Told]) -> None:
        pages, size = sum(name.endswith(".md") for name in files), sum(map(len, files.values()))
        same = sum(one.refs == other.refs for one, other in zip(before, after, strict=True))
        moved = sum(one != other for one, other in zip(before, after, strict=True)) - (len(before) - same)
        sys.stdout.write(f"\n{self.rows}; {pages:,} pages, {size / 1e6:.1f} MB\n")
        sys.stdout.write(", ".join(f"{what} {seconds:.1f} s" for what, seconds in self.seconds.items()) + "\n")
        sys.stdout.write(f"{same} of {len(before)} answers the same in order; of those {moved} with another score\n")
